"""`designer.conversations.filters`: pages of a list in each order."""

import pytest
from django.db import connection

from designer.conversations.filters import ordered, page_of
from designer.models import ConversationSummary
from designer.models.conversation_summary import SORTED_COLUMNS
from designer.rehearsal.actions.conversations import start_conversation

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(user, pipeline):
    """Summaries of five conversations with 0, 1, 2, 0 and 1 turns."""
    for number in range(5):
        conversation = start_conversation(pipeline=pipeline, user=user)
        ConversationSummary.objects.filter(pk=conversation.pk).update(turns=number % 3)
    return ConversationSummary.objects.in_pipeline(pipeline, user)


@pytest.mark.parametrize(
    ("order", "places"), [("-turns", [2, 4, 1, 3, 0]), ("turns", [0, 3, 1, 4, 2])]
)
def test_pages_continue_in_the_order_of_a_column(rows, order, places):
    pks = list(rows.order_by("pk").values_list("pk", flat=True))
    pages = [page_of(rows, order, start, 2) for start in (0, 2, 4, 6)]
    assert [len(page) for page in pages] == [2, 2, 1, 0]
    assert [row.pk for page in pages for row in page] == [pks[place] for place in places]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is that of SQLite")
@pytest.mark.parametrize("name", SORTED_COLUMNS)
def test_the_rows_before_a_page_are_skipped_in_an_index(rows, name):
    plan = ordered(rows, f"-{name}").values("pk")[100:150].explain()
    assert f"COVERING INDEX summary_by_{name}" in plan
    assert "TEMP B-TREE" not in plan
