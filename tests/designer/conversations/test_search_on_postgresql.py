"""The full-text index and the list on PostgreSQL."""

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.server

SEARCH = """
from designer.conversations.search import add_texts, matching, split_search
from designer.models import Conversation, ConversationSummary
from django.db import connection
from django.test import Client
from tests.bench.conversations import generate

user, pipeline = generate(5)
first, *others = ConversationSummary.objects.order_by("pk").values_list("pk", flat=True)
add_texts([(first, 90, "The zèbra's caf\\u00e9 was charged twice."), (first, 90, "repeated")])

def find(text):
    rows = ConversationSummary.objects.all()
    for part in split_search(text):
        rows = rows.filter(pk__in=matching(part))
    return list(rows.values_list("pk", flat=True))

assert find('ZÈBRA "charged twice"') == [first], find('ZÈBRA "charged twice"')
assert find('"twice charged" café') == find("repeated") == []
for text in ('"', "& | !", ":*", "a:b <-> c"):
    find(text)
client = Client(headers={"host": "localhost"})
client.force_login(user)
page = f"/pipelines/{pipeline.pk}/conversations/"
for query in ("", "?q=hello", "?sort=-path", "?sort=cost&agent=agent-triage", "?tag=x&outcome=new"):
    for address in (page + "all/", page + "charts/", "/conversations/"):
        response = client.get(address + query)
        assert response.status_code == 200, (address, query)
Conversation.objects.filter(pk=first).delete()
with connection.cursor() as cursor:
    cursor.execute("SELECT DISTINCT conversation_id FROM designer_messageindex ORDER BY 1")
    assert [pk for pk, in cursor.fetchall()] == others
print("found")
"""


def test_search_list_and_charts_work_on_postgresql(on_postgresql: Callable[[str], str]) -> None:
    assert on_postgresql(SEARCH) == "found"
