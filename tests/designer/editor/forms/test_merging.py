"""Forms that two people changed: a merge field by field, or a choice."""

import re
from html import unescape

import pytest
from django.test import Client

from designer.editor.forms.form_values import MAX_OLD_VALUES
from designer.editor.forms.merging import Conflict, merge
from designer.models import Membership
from orchestration.definition import Cue
from tests.designer.editor_page import opened
from tests.designer.editor_requests import now, send, swapped

pytestmark = pytest.mark.django_db


def stage(pipeline, phase="review"):
    return now(pipeline).stages_by_phase[phase]


def agent(pipeline, key="agent-review"):
    return now(pipeline).agents_by_id[key]


def chosen(response, **choices):
    """Return the fields that the merge view submits with these choices."""
    kept = re.search(r'name="merge" value="([^"]*)"', response.text)
    assert kept
    fields = {f"choose-{name}": value for name, value in choices.items() if name != "choose_all"}
    every = {name: choices[name] for name in choices if name == "choose_all"}
    return {"merge": unescape(kept[1])} | fields | every


def test_fields_that_only_one_person_changed_are_merged_without_a_choice(
    client, other_client, pipeline
):
    mine = opened(client, pipeline, "agent-form", kind="agent", key="agent-review")
    theirs = opened(other_client, pipeline, "agent-form", kind="agent", key="agent-review")
    send(other_client, pipeline, "update_agent", **theirs(instructions="Check twice."))
    response = send(client, pipeline, "update_agent", **mine(name="Auditor"))
    assert response.status_code == 200
    assert (agent(pipeline).name, agent(pipeline).instructions) == ("Auditor", "Check twice.")
    assert "with the changes by grace" in response.text
    assert "Check twice.</textarea>" in response.text


def test_equal_changes_of_two_people_are_no_conflict(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **mine(description="Checks"))
    response = send(client, pipeline, "update_stage", **mine(description="Checks"))
    assert response.status_code == 200
    assert stage(pipeline).description == "Checks"


def test_additions_and_removals_of_both_people_apply(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="resolution")
    send(other_client, pipeline, "update_stage", **mine(add_return="intake"))
    response = send(client, pipeline, "update_stage", **mine(add_return="review"))
    assert response.status_code == 200
    ways = now(pipeline).transitions_from["resolution"]
    assert {way.target for way in ways} == {"intake", "review"}


def test_the_forms_of_cues_and_of_the_agent_do_not_conflict(client, other_client, pipeline):
    what = {"kind": "agent", "key": "agent-review"}
    cues = opened(client, pipeline, "cues-form", **what)
    form = opened(other_client, pipeline, "agent-form", **what)
    send(other_client, pipeline, "update_agent", **form(name="Auditor"))
    rows = {"cue-TOTAL_FORMS": 1, "cue-INITIAL_FORMS": 0, "cue-0-say": "Hello"}
    assert send(client, pipeline, "update_cues", **cues(**rows)).status_code == 200
    assert (agent(pipeline).name, agent(pipeline).cues) == ("Auditor", (Cue(say="Hello"),))


@pytest.fixture
def conflict(client, other_client, pipeline):
    """Return the response to a form after both changed the description and one the agent."""
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    theirs = mine(description="Checks the papers", agent_id="agent-intake")
    assert send(other_client, pipeline, "update_stage", **theirs).status_code == 200
    return send(client, pipeline, "update_stage", **mine(description="Checks the <b>facts</b>"))


def test_a_conflict_shows_both_values_and_the_old_one(conflict, pipeline):
    assert conflict.status_code == 412
    assert swapped(conflict) == {"merge", "save-state"}
    assert "This was changed by grace since you opened it" in conflict.text
    assert conflict.text.count('<fieldset class="merge__field"') == 1
    assert "&lt;b&gt;facts" in conflict.text
    assert "papers" in conflict.text
    assert "Previous text" in conflict.text
    assert stage(pipeline).description == "Checks the papers"


@pytest.mark.parametrize(
    ("choice", "kept"),
    [
        ({"description": "mine"}, "Checks the <b>facts</b>"),
        ({"description": "theirs"}, "Checks the papers"),
        ({"choose_all": "mine"}, "Checks the <b>facts</b>"),
        ({"choose_all": "theirs", "description": "mine"}, "Checks the papers"),
    ],
)
def test_the_chosen_value_is_saved_with_the_merged_fields(client, conflict, pipeline, choice, kept):
    response = send(client, pipeline, "update_stage", **chosen(conflict, **choice))
    assert response.status_code == 200
    assert (stage(pipeline).description, stage(pipeline).agent_id) == (kept, "agent-intake")
    assert '<div id="merge" class="merge" hx-swap-oob="true"></div>' in response.text
    assert (f">\n{kept}</textarea>" in response.text) == (kept == "Checks the papers")


def test_another_change_before_the_choice_leads_to_another_choice(
    client, other_client, conflict, pipeline
):
    theirs = opened(other_client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **theirs(description="Reads it all"))
    response = send(client, pipeline, "update_stage", **chosen(conflict, description="mine"))
    assert response.status_code == 412
    assert "Reads" in response.text
    assert stage(pipeline).description == "Reads it all"


def test_cues_that_both_changed_are_chosen_as_a_whole(client, other_client, pipeline):
    mine = opened(client, pipeline, "cues-form", kind="agent", key="agent-review")
    one = {"cue-TOTAL_FORMS": 1, "cue-INITIAL_FORMS": 0}
    send(other_client, pipeline, "update_cues", **mine(**one, **{"cue-0-say": "Theirs"}))
    conflict = send(client, pipeline, "update_cues", **mine(**one, **{"cue-0-say": "Mine"}))
    assert conflict.status_code == 412
    response = send(client, pipeline, "update_cues", **chosen(conflict, cue="theirs"))
    assert response.status_code == 200
    assert agent(pipeline).cues == (Cue(say="Theirs"),)
    assert "Theirs</textarea>" in response.text
    response = send(client, pipeline, "update_cues", **chosen(conflict, cue="mine"))
    assert agent(pipeline).cues == (Cue(say="Mine"),)
    assert response.status_code == 200


@pytest.fixture
def emptied(client, other_client, pipeline):
    """Return the fields of Ada's cues after Grace removed the only one."""
    what = {"kind": "agent", "key": "agent-review"}
    first = opened(client, pipeline, "cues-form", **what)
    one = {"cue-TOTAL_FORMS": 1, "cue-INITIAL_FORMS": 0, "cue-0-say": "Hello"}
    assert send(client, pipeline, "update_cues", **first(**one)).status_code == 200
    mine = opened(client, pipeline, "cues-form", **what)
    theirs = opened(other_client, pipeline, "cues-form", **what)
    assert send(other_client, pipeline, "update_cues", **theirs(take_off="0")).status_code == 200
    assert agent(pipeline).cues == ()
    return mine


@pytest.mark.parametrize(("choice", "cues"), [("theirs", ()), ("mine", (Cue(say="Hello there"),))])
def test_an_empty_list_of_cues_can_be_chosen(client, emptied, pipeline, choice, cues):
    conflict = send(client, pipeline, "update_cues", **emptied(**{"cue-0-say": "Hello there"}))
    assert conflict.status_code == 412
    response = send(client, pipeline, "update_cues", **chosen(conflict, cue=choice))
    assert response.status_code == 200
    assert agent(pipeline).cues == cues


def test_a_cue_removed_by_another_person_stays_removed_if_unchanged(client, emptied, pipeline):
    assert send(client, pipeline, "update_cues", **emptied()).status_code == 200
    assert agent(pipeline).cues == ()


def test_a_page_without_old_values_asks_about_all_differences(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **mine(agent_id="agent-intake"))
    for was in ("", "{}"):
        response = send(client, pipeline, "update_stage", **mine(description="Mine", was=was))
        assert response.status_code == 412
        assert response.text.count('<fieldset class="merge__field"') == 2


@pytest.mark.parametrize(
    "was",
    [
        "[]",
        "{",
        "[" * 100_000,
        '{"description": {}}',
        '{"description": 1}',
        '{"description": ["a", {}]}',
        '{"description": "\\ud800"}',
        '{"group": "all"}',
        '{"group": {"order": "parallel"}}',
        '{"cue": ["a"]}',
        '{"field": [{"name": {}}]}',
    ],
)
def test_unreadable_old_values_are_refused(client, other_client, pipeline, was):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **mine(description="Theirs"))
    response = send(client, pipeline, "update_stage", **mine(description="Mine", was=was))
    assert response.status_code == 422
    assert "cannot be read, so nothing is saved." in response.text
    assert swapped(response) == {"notice"}
    assert stage(pipeline).description == "Theirs"


def test_old_values_that_are_too_long_are_refused(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **mine(description="Theirs"))
    was = '{"description": "%s"}' % ("x" * MAX_OLD_VALUES)
    response = send(client, pipeline, "update_stage", **mine(description="Mine", was=was))
    assert response.status_code == 422
    assert "is longer than 1,000,000 characters, so nothing is saved." in response.text
    assert stage(pipeline).description == "Theirs"


def test_a_change_in_another_tab_of_the_same_person_is_named_so(client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(client, pipeline, "update_stage", **mine(description="One"))
    response = send(client, pipeline, "update_stage", **mine(description="Two"))
    assert "changed by you in another tab" in response.text


def test_typed_text_survives_the_deletion_of_its_part(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "delete_parts", stages='["review"]')
    response = send(client, pipeline, "update_stage", **mine(description="Long thought"))
    assert response.status_code == 409
    assert "The stage review was deleted by grace." in response.text
    assert {"stages", "merge", "save-state"} <= swapped(response)
    assert "inspector" not in swapped(response)


def test_a_form_about_a_missing_agent_of_a_stage_stays_with_a_notice(client, pipeline):
    mine = opened(client, pipeline, "agent-form", select="stage:review", tab="agent")
    response = send(client, pipeline, "update_agent", **mine(subject="nobody", name="Auditor"))
    assert response.status_code == 409
    assert {"merge", "save-state"} <= swapped(response)
    assert "Last changed by" in response.text
    assert not any("inspector" in name for name in swapped(response))


def test_a_person_with_view_only_access_cannot_merge(conflict, other_user, pipeline):
    Membership.objects.update(role="viewer")
    client = Client()
    client.force_login(other_user)
    answer = send(client, pipeline, "update_stage", **chosen(conflict, description="mine"))
    assert answer.status_code == 403
    assert stage(pipeline).description == "Checks the papers"


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "[]",
        "{",
        '{"mine": 1, "theirs": 2}',
        '{"typed": "", "mine": "", "theirs": {"x": {}}}',
        '{"typed": "", "mine": "", "theirs": {"group": {}}}',
        '{"typed": "", "mine": "", "theirs": {"cue": [{"say": "Hello"}, "z"]}}',
        '{"typed": "", "mine": "", "theirs": {"cue": [{"say": ["Hello"]}]}}',
    ],
)
def test_a_choice_with_unreadable_data_is_refused(client, pipeline, kept):
    response = send(client, pipeline, "update_stage", merge=kept, choose_all="theirs")
    assert response.status_code == 422
    assert "cannot be read, so nothing is saved." in response.text


def test_a_choice_keeps_the_state_of_the_page(client, pipeline):
    kept = '{"typed": "", "mine": "", "theirs": {"select": [], "base": [], "subject": []}}'
    response = send(client, pipeline, "update_stage", merge=kept, choose_all="theirs")
    assert response.status_code in (409, 422)


def test_only_different_changes_of_the_same_field_are_a_conflict():
    base = {"a": "1", "b": "1", "c": "1", "d": "1", "picks": ["x", "y"]}
    mine = {"a": "1", "b": "2", "c": "2", "d": "2", "picks": ["y", "z"]}
    theirs = {"a": "2", "b": "1", "c": "2", "d": "3", "picks": ["x", "y", "w"]}
    found = merge(base, mine, theirs)
    assert found.settled == {"a": "2", "picks": ["y", "w", "z"]}
    assert found.conflicts == (Conflict("d", "1", "2", "3"),)


def test_an_undo_that_another_person_prevents_names_the_person(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(client, pipeline, "update_stage", **mine(description="Mine"))
    theirs = opened(other_client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **theirs(description="Theirs"))
    response = send(client, pipeline, "undo")
    assert response.status_code == 412
    assert "cannot be undone: grace has changed the same thing since." in response.text
