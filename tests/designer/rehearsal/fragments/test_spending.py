"""Costs and durations."""

import re

import pytest
from django.urls import reverse

from designer.models import Connection
from designer.rehearsal.fragments.spending import (
    budget_in_words,
    call_cost_of,
    prices_of_owner,
    unpriced_in_words,
)
from orchestration import events as e
from orchestration.conversation import Budget, RunLimits
from orchestration.definition import Limits
from orchestration.messages import Usage
from tests.designer.recorded_conversations import record_rehearsal
from tests.orchestration.conversations import NOON

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


def test_the_calls_of_a_run_are_always_shown_and_other_amounts_from_half_on():
    budget = Budget(RunLimits.of(Limits(max_tokens=1_000, max_seconds=10)))
    budget.calls = 34
    assert budget_in_words(budget) == ["34 of 200 calls"]
    budget.tokens, budget.seconds = 500, 7.25
    assert budget_in_words(budget) == [
        "34 of 200 calls",
        "500 of 1,000 tokens",
        "7.2 of 10 seconds",
    ]


def test_calls_without_a_price_are_named_if_the_cost_is_limited():
    budget = Budget(RunLimits.of(Limits(max_cost=0.25)), call_cost_of({"mine": (100.0, 0.0)}))
    budget.add_usage(("mine", "small"), Usage(input_tokens=2_000), NOON)
    for _ in range(2):
        budget.add_usage(("other", "large"), Usage(input_tokens=2_000), NOON)
    assert budget_in_words(budget)[1:] == ["$0.2000 of $0.2500"]
    assert unpriced_in_words(budget) == "large (2)"


def test_prices_are_those_of_the_owner_s_connections(user):
    Connection.objects.create(owner=user, name="mine", kind="openai", price_in=2.0)
    assert prices_of_owner(user.pk) == {"mine": (2.0, 0.0)}
    assert prices_of_owner(None) == {}
