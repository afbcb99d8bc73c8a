"""Forms that two people changed: put together field by field, or chosen from."""

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
    """What the merge view would send with these choices."""
    kept = re.search(r'name="merge" value="([^"]*)"', response.text)
    assert kept
    fields = {f"choose-{name}": value for name, value in choices.items() if name != "choose_all"}
    every = {name: choices[name] for name in choices if name == "choose_all"}
    return {"merge": unescape(kept[1])} | fields | every


# By itself


def test_what_only_one_of_two_changed_is_put_together_without_asking(
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


def test_both_may_make_the_same_change(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **mine(description="Checks"))
    response = send(client, pipeline, "update_stage", **mine(description="Checks"))
    assert response.status_code == 200
    assert stage(pipeline).description == "Checks"


def test_picks_are_added_and_taken_away_by_both(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="resolution")
    send(other_client, pipeline, "update_stage", **mine(add_return="intake"))
    response = send(client, pipeline, "update_stage", **mine(add_return="review"))
    assert response.status_code == 200
    ways = now(pipeline).transitions_from["resolution"]
    assert {way.target for way in ways} == {"intake", "review"}


def test_cues_and_the_agent_itself_do_not_stand_in_each_others_way(client, other_client, pipeline):
    what = {"kind": "agent", "key": "agent-review"}
    cues = opened(client, pipeline, "cues-form", **what)
    form = opened(other_client, pipeline, "agent-form", **what)
    send(other_client, pipeline, "update_agent", **form(name="Auditor"))
    rows = {"cue-TOTAL_FORMS": 1, "cue-INITIAL_FORMS": 0, "cue-0-say": "Hello"}
    assert send(client, pipeline, "update_cues", **cues(**rows)).status_code == 200
    assert (agent(pipeline).name, agent(pipeline).cues) == ("Auditor", (Cue(say="Hello"),))


# By choice


@pytest.fixture
def asked(client, other_client, pipeline):
    """The answer to a form of which both changed the description, and one of them the agent."""
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    theirs = mine(description="Checks the papers", agent_id="agent-intake")
    assert send(other_client, pipeline, "update_stage", **theirs).status_code == 200
    return send(client, pipeline, "update_stage", **mine(description="Checks the <b>facts</b>"))


def test_of_a_field_that_both_changed_the_person_is_shown_both_and_what_it_was(asked, pipeline):
    assert asked.status_code == 412
    assert swapped(asked) == {"merge", "save-state"}
    assert "This was changed by grace since you opened it" in asked.text
    assert asked.text.count("<fieldset") == 1
    assert "&lt;b&gt;facts" in asked.text
    assert "papers" in asked.text
    assert "What it was" in asked.text
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
def test_what_is_chosen_is_saved_with_what_was_put_together(client, asked, pipeline, choice, kept):
    response = send(client, pipeline, "update_stage", **chosen(asked, **choice))
    assert response.status_code == 200
    assert (stage(pipeline).description, stage(pipeline).agent_id) == (kept, "agent-intake")
    assert '<div id="merge" class="merge" hx-swap-oob="true"></div>' in response.text
    assert (f">\n{kept}</textarea>" in response.text) == (kept == "Checks the papers")


def test_who_changes_it_again_meanwhile_is_asked_about_again(client, other_client, asked, pipeline):
    theirs = opened(other_client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **theirs(description="Reads it all"))
    response = send(client, pipeline, "update_stage", **chosen(asked, description="mine"))
    assert response.status_code == 412
    assert "Reads" in response.text
    assert stage(pipeline).description == "Reads it all"


def test_cues_that_both_wrote_are_chosen_as_a_whole(client, other_client, pipeline):
    mine = opened(client, pipeline, "cues-form", kind="agent", key="agent-review")
    one = {"cue-TOTAL_FORMS": 1, "cue-INITIAL_FORMS": 0}
    send(other_client, pipeline, "update_cues", **mine(**one, **{"cue-0-say": "Theirs"}))
    asked = send(client, pipeline, "update_cues", **mine(**one, **{"cue-0-say": "Mine"}))
    assert asked.status_code == 412
    response = send(client, pipeline, "update_cues", **chosen(asked, cue="theirs"))
    assert response.status_code == 200
    assert agent(pipeline).cues == (Cue(say="Theirs"),)
    assert "Theirs</textarea>" in response.text
    response = send(client, pipeline, "update_cues", **chosen(asked, cue="mine"))
    assert agent(pipeline).cues == (Cue(say="Mine"),)
    assert response.status_code == 200


@pytest.fixture
def emptied(client, other_client, pipeline):
    """What Ada's form of the cues would send, of which Grace has taken away the only one."""
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
def test_that_there_are_no_cues_any_more_can_be_chosen(client, emptied, pipeline, choice, cues):
    asked = send(client, pipeline, "update_cues", **emptied(**{"cue-0-say": "Hello there"}))
    assert asked.status_code == 412
    response = send(client, pipeline, "update_cues", **chosen(asked, cue=choice))
    assert response.status_code == 200
    assert agent(pipeline).cues == cues


def test_the_last_cue_that_someone_took_away_stays_away_where_it_was_not_changed(
    client, emptied, pipeline
):
    assert send(client, pipeline, "update_cues", **emptied()).status_code == 200
    assert agent(pipeline).cues == ()


def test_a_page_that_does_not_know_what_it_was_asks_about_all_that_differs(
    client, other_client, pipeline
):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **mine(agent_id="agent-intake"))
    for was in ("", "{}"):
        response = send(client, pipeline, "update_stage", **mine(description="Mine", was=was))
        assert response.status_code == 412
        assert response.text.count("<fieldset") == 2


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
def test_what_it_was_is_refused_where_it_cannot_be_read(client, other_client, pipeline, was):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **mine(description="Theirs"))
    response = send(client, pipeline, "update_stage", **mine(description="Mine", was=was))
    assert response.status_code == 422
    assert "cannot be read, so nothing is saved." in response.text
    assert swapped(response) == {"notice"}
    assert stage(pipeline).description == "Theirs"


def test_what_it_was_is_refused_where_no_form_is_as_long(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **mine(description="Theirs"))
    was = '{"description": "%s"}' % ("x" * MAX_OLD_VALUES)
    response = send(client, pipeline, "update_stage", **mine(description="Mine", was=was))
    assert response.status_code == 422
    assert "is longer than 1,000,000 characters, so nothing is saved." in response.text
    assert stage(pipeline).description == "Theirs"


def test_another_tab_of_the_same_person_is_called_so(client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(client, pipeline, "update_stage", **mine(description="One"))
    response = send(client, pipeline, "update_stage", **mine(description="Two"))
    assert "changed by you in another tab" in response.text


def test_what_is_gone_takes_nothing_along_that_was_typed(client, other_client, pipeline):
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


def test_whoever_may_only_look_cannot_merge(asked, other_user, pipeline):
    Membership.objects.update(role="viewer")
    client = Client()
    client.force_login(other_user)
    answer = send(client, pipeline, "update_stage", **chosen(asked, description="mine"))
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
def test_a_choice_from_what_cannot_be_read_is_refused(client, pipeline, kept):
    response = send(client, pipeline, "update_stage", merge=kept, choose_all="theirs")
    assert response.status_code == 422
    assert "cannot be read, so nothing is saved." in response.text


def test_a_choice_may_not_empty_what_the_page_says_of_itself(client, pipeline):
    kept = '{"typed": "", "mine": "", "theirs": {"select": [], "base": [], "subject": []}}'
    response = send(client, pipeline, "update_stage", merge=kept, choose_all="theirs")
    assert response.status_code in (409, 422)


# The rule


def test_only_what_both_changed_in_different_ways_is_a_conflict():
    base = {"a": "1", "b": "1", "c": "1", "d": "1", "picks": ["x", "y"]}
    mine = {"a": "1", "b": "2", "c": "2", "d": "2", "picks": ["y", "z"]}
    theirs = {"a": "2", "b": "1", "c": "2", "d": "3", "picks": ["x", "y", "w"]}
    found = merge(base, mine, theirs)
    assert found.settled == {"a": "2", "picks": ["y", "w", "z"]}
    assert found.conflicts == (Conflict("d", "1", "2", "3"),)


def test_an_undo_that_someone_else_bars_names_them(client, other_client, pipeline):
    mine = opened(client, pipeline, "stage-form", kind="stage", key="review")
    send(client, pipeline, "update_stage", **mine(description="Mine"))
    theirs = opened(other_client, pipeline, "stage-form", kind="stage", key="review")
    send(other_client, pipeline, "update_stage", **theirs(description="Theirs"))
    response = send(client, pipeline, "undo")
    assert response.status_code == 412
    assert "cannot be undone: grace has changed the same thing since." in response.text
