"""The query of a trace."""

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "wanted", [{"before": "0"}, {"before": "x"}, {"around": "-3"}, {"text": "x" * 201}]
)
def test_an_invalid_query_is_not_found(client, conversation, wanted):
    response = client.get(reverse("conversation_events", args=[conversation.pk]), wanted)
    assert response.status_code == 404
