"""Add, change, order and duplicate routing rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.core.edit_errors import GoneError, RefusedError
from designer.core.undo import undo_edit
from designer.editor.actions.rules import (
    HIGHEST,
    LOWEST,
    add_rule,
    delete_rule,
    duplicate_rule,
    move_rule,
    renumber,
    update_rule,
)
from designer.models import Edit, Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import MAX_RULES, Conditions, Rule
from tests.designer.editor_requests import chain, draw, now, send, swapped

pytestmark = pytest.mark.django_db


def of(key, priority=0):
    return Rule(id=key, agent_id="agent-intake", priority=priority)


@pytest.fixture
def pipeline(user):
    pipeline = draw(user, "intake", "review")
    for key, priority in (("a", 0), ("b", 5), ("c", 5), ("d", 6)):
        add_rule(pipeline=pipeline, user=user, rule=of(key, priority))
    return pipeline


def order(pipeline):
    return [rule.id for rule in now(pipeline).rules]


def priorities(pipeline):
    return {rule.id: rule.priority for rule in now(pipeline).rules}


@pytest.mark.parametrize(
    ("moved", "before", "ids", "changed"),
    [
        ("d", "b", "adbc", {"d": 1}),
        ("c", "b", "acbd", {"c": 1}),
        ("d", "a", "dabc", {"d": -1}),
        ("a", "", "bcda", {"a": 7}),
        ("a", "c", "bacd", {"a": 6, "c": 6}),
        ("a", "d", "bcad", {"a": 6}),
        ("b", "c", "abcd", {}),
        ("b", "b", "abcd", {}),
        ("d", "", "abcd", {}),
    ],
)
def test_a_moved_rule_takes_a_free_priority_or_the_others_make_room(
    user, pipeline, moved, before, ids, changed
):
    was = priorities(pipeline)
    move_rule(pipeline=pipeline, user=user, key=moved, before=before)
    assert "".join(order(pipeline)) == ids
    now_are = priorities(pipeline)
    assert {key: value for key, value in now_are.items() if value != was[key]} == changed


def test_a_move_is_one_edit_with_a_label_until_undo(user, pipeline):
    for before in ("a", ""):
        move_rule(pipeline=pipeline, user=user, key="d", before=before)
    labels = list(Edit.objects.values_list("label", flat=True)[:2])
    assert labels == ["Move rule d down", "Move rule d up"]
    undo_edit(pipeline=pipeline, user=user)
    undo_edit(pipeline=pipeline, user=user)
    assert order(pipeline) == ["a", "b", "c", "d"]


def test_a_repeated_move_changes_nothing(user, pipeline):
    move_rule(pipeline=pipeline, user=user, key="d", before="a")
    again = move_rule(pipeline=pipeline, user=user, key="d", before="a")
    assert not again.made


@pytest.mark.parametrize(("key", "before"), [("gone", "a"), ("", "a"), ("a", "gone")])
def test_a_missing_rule_is_not_moved_and_is_no_target(user, pipeline, key, before):
    with pytest.raises(GoneError):
        move_rule(pipeline=pipeline, user=user, key=key, before=before)


RULES = st.lists(
    st.integers(-2, 2) | st.sampled_from([LOWEST, LOWEST + 1, HIGHEST, HIGHEST - 1]),
    min_size=1,
    max_size=8,
).map(
    lambda priorities: sorted(
        (of(f"r{place}", priority) for place, priority in enumerate(priorities)),
        key=lambda rule: (rule.priority, rule.id),
    )
)


@given(RULES, st.data())
def test_any_rule_can_be_moved_anywhere(rules, data):
    moved = data.draw(st.sampled_from(rules))
    others = [rule for rule in rules if rule is not moved]
    place = data.draw(st.integers(0, len(others)))
    wanted = [*others[:place], moved, *others[place:]]
    changed = renumber(wanted, moved.id)
    after = sorted(
        (changed.get(rule.id, rule) for rule in rules), key=lambda rule: (rule.priority, rule.id)
    )
    assert [rule.id for rule in after] == [rule.id for rule in wanted]
    assert all(LOWEST <= rule.priority <= HIGHEST for rule in after)
    if wanted == rules:
        assert changed == {}


def test_a_duplicate_comes_directly_after_its_rule(user, pipeline):
    duplicate_rule(pipeline=pipeline, user=user, key="b")
    assert order(pipeline) == ["a", "b", "b-2", "c", "d"]
    duplicate_rule(pipeline=pipeline, user=user, key="b")
    assert order(pipeline) == ["a", "b", "b-3", "b-2", "c", "d"]
    with pytest.raises(GoneError):
        duplicate_rule(pipeline=pipeline, user=user, key="gone")


def test_a_duplicate_above_the_maximum_is_refused(user):
    rules = tuple(of(f"rule-{place}", place) for place in range(MAX_RULES))
    definition = chain("intake").model_copy(update={"rules": rules})
    pipeline = import_definition(user=user, definition=definition)
    with pytest.raises(RefusedError, match="at most 500"):
        duplicate_rule(pipeline=pipeline, user=user, key="rule-1")


def test_the_page_announces_the_new_place_of_a_rule(client, pipeline):
    response = send(client, pipeline, "move_rule", panel="rules", rule="d", before="b")
    assert {"rules-table", "announcer"} <= swapped(response)
    assert "Rule d is number 2 of 4." in response.text
    response = send(client, pipeline, "duplicate_rule", panel="rules", rule="d")
    assert "Duplicate rule d: it is checked right after it." in response.text
    for view in ("move_rule", "duplicate_rule"):
        response = send(client, pipeline, view, rule="gone", before="")
        assert response.status_code == 409
        assert "There is no rule “gone” any more." in response.text
    assert Pipeline.objects.get().rules.count() == 5


def test_rules_are_added_changed_and_deleted(actor, pipeline):
    add_rule(**actor, rule=Rule(id="sms", agent_id="agent-review", priority=2))
    changed = Rule(id="text", agent_id="agent-intake", conditions=Conditions(intents=("refund",)))
    update_rule(**actor, key="sms", rule=changed)
    assert set(priorities(pipeline)) == {*"abcd", "text"}
    assert changed in now(pipeline).rules
    delete_rule(**actor, key="text")
    assert order(pipeline) == [*"abcd"]


def test_a_rule_needs_a_unique_id_and_an_existing_agent(actor):
    add_rule(**actor, rule=Rule(id="sms", agent_id="agent-review"))
    add_rule(**actor, rule=Rule(id="web", agent_id="agent-review"))
    with pytest.raises(RefusedError, match="a rule “sms” already"):
        add_rule(**actor, rule=Rule(id="sms", agent_id="agent-review"))
    with pytest.raises(RefusedError, match="a rule “sms” already"):
        update_rule(**actor, key="web", rule=Rule(id="sms", agent_id="agent-review"))
    with pytest.raises(RefusedError, match="no agent “gone”"):
        add_rule(**actor, rule=Rule(id="new", agent_id="gone"))
    with pytest.raises(GoneError):
        update_rule(**actor, key="gone", rule=Rule(id="gone", agent_id="agent-review"))
    with pytest.raises(GoneError):
        delete_rule(**actor, key="gone")
