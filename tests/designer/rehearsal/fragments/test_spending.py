"""Costs and durations."""

import re

import pytest
from django.urls import reverse

from orchestration import events as e
from tests.designer.recorded_conversations import record_rehearsal

pytestmark = pytest.mark.django_db


def test_costs_are_shown_where_the_price_of_the_model_is_known(client, user, settings):
    settings.PRICES = {"script": (2.0, 8.0)}
    conversation = record_rehearsal(user)
    used = [one.usage for one in conversation.events() if isinstance(one, e.MessageCompleted)]
    cost = sum(one.input_tokens * 2 + one.output_tokens * 8 for one in used) / 1_000_000
    page = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert f"${cost:.4f}" in page
    settings.PRICES = {}
    page = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "$" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
