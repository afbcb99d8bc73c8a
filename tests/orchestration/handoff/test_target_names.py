"""Names by which models refer to agents and stages."""

import pytest

from orchestration.definition import HUMAN
from orchestration.handoff import matching_targets, plain_name, same_name

NAMES = {"agent-a": "Billing Desk", "agent-b": "Desk", "agent-c": "Desk", "desk": "Reception"}
ALIASES = {"money": "agent-a", "person": HUMAN, "Reception": "agent-b"}
PHASES = ("intake", "first-review", "desk")


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("agent-a", ["agent-a"]),
        ("Agent A", ["agent-a"]),
        ("Billing Desk", ["agent-a"]),
        ("billing-desk", ["agent-a"]),
        ("BillingDesk", ["agent-a"]),
        ("money", ["agent-a"]),
        ("Money", ["agent-a"]),
        ("person", [HUMAN]),
        ("human", [HUMAN]),
        ("Human", [HUMAN]),
        ("Reception", ["agent-b"]),
        ("desk", ["desk"]),
        ("Desk", ["agent-b", "agent-c"]),
        ("intake", ["intake"]),
        ("First review", ["first-review"]),
        ("nobody", []),
        ("", []),
        ("!", []),
    ],
)
def test_the_most_exact_match_counts(text, targets):
    """Contract D-8: aliases, ids and phases, then names, then slugs of agents, then of phases."""
    assert list(matching_targets(text, NAMES, NAMES, ALIASES, PHASES)) == targets


def test_an_agent_may_be_called_human():
    """Contract D-8: its name comes before the slug of the human."""
    assert matching_targets("Human", {"agent-a"}, {"agent-a": "Human"}, {}) == ("agent-a",)
    assert matching_targets("human", {"agent-a"}, {"agent-a": "Human"}, {}) == (HUMAN,)


@pytest.mark.parametrize(
    ("name", "other", "same"),
    [
        ("Présentation", "presentation", True),
        ("请求 A", "请求 a", True),
        ("请求 A", "询问 A", False),
        ("HTTPAgent", "http_agent", True),
        ("a", "b", False),
        ("!", "?", False),
        ("!", "!", True),
    ],
)
def test_names_are_compared_without_case_spaces_and_hyphens(name, other, same):
    """Contract D-8: letters of other scripts count."""
    assert same_name(name, other) is same


def test_a_slug_has_the_words_of_the_name():
    assert plain_name("Billing desk 2") == "billing_desk_2"
