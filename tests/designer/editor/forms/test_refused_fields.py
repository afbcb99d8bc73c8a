"""Forms with a refused field: the other fields are saved, and its typed text stays."""

import re

import pytest

from orchestration.definition import Cue
from tests.designer.editor_page import opened
from tests.designer.editor_requests import now, send, swapped

pytestmark = pytest.mark.django_db


def beside(response):
    """Return the errors of a response by field, and the text of the head."""
    found = re.findall(r'id="error-i[0-9a-f]{8}-([^"]+)"[^>]*>([^<]+)<', response.text)
    state = re.search(r'id="save-state"[^>]*>([^<]*)<', response.text)
    return dict(found), state[1] if state else None


def drawn(response):
    """Return the fields that a response renders."""
    return {name[len("field-i12345678-") :] for name in swapped(response) if "field-" in name}


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        ("!", "Use the letters a to z, digits, “-” and “_”."),
        ("intake", "There is a stage “intake” already."),
        ("p" * 65, "This has 65 characters; at most 64 are allowed."),
    ],
)
def test_valid_fields_are_saved_without_the_refused_one(client, pipeline, phase, said):
    form = opened(client, pipeline, "stage-form", kind="stage", key="review")
    response = send(client, pipeline, "update_stage", **form(phase=phase, description="Checks"))
    assert response.status_code == 422
    assert now(pipeline).stages_by_phase["review"].description == "Checks"
    assert beside(response) == ({"phase": said}, "Not saved: Stage name")
    assert drawn(response) == set()
    again = opened(client, pipeline, "stage-form", kind="stage", key="review")
    response = send(client, pipeline, "update_stage", **again(phase="audit"))
    assert response.status_code == 200
    assert now(pipeline).stages_by_phase["audit"].description == "Checks"


def test_nothing_is_saved_if_only_the_refused_field_changed(client, pipeline):
    form = opened(client, pipeline, "stage-form", kind="stage", key="review")
    response = send(client, pipeline, "update_stage", **form(phase="!"))
    assert response.status_code == 422
    assert beside(response)[1] == "Not saved"
    pipeline.refresh_from_db()
    assert pipeline.version == 1


def test_a_field_that_depends_on_a_refused_one_is_refused_too(client, pipeline):
    way = {"kind": "transition", "key": "intake>review"}
    form = opened(client, pipeline, "transition-form", **way)
    fields = form(keep="last", count="many", description="When it is asked for")
    send(client, pipeline, "update_transition", **fields)
    saved = now(pipeline).transitions[0]
    assert (saved.description, saved.input_filter.keep) == ("When it is asked for", "last")


def test_the_other_rows_are_saved_without_a_refused_cell(client, pipeline):
    agent = {"kind": "agent", "key": "agent-review"}
    first = opened(client, pipeline, "cues-form", **agent)
    one = {f"cue-{place}-{name}": "" for place in range(2) for name in ("when", "call_arguments")}
    rows = {"cue-TOTAL_FORMS": 2, "cue-0-say": "Hello", "cue-1-say": "Bye", **one}
    assert send(client, pipeline, "update_cues", **first(**rows)).status_code == 200
    form = opened(client, pipeline, "cues-form", **agent)
    wrong = {"cue-0-call_arguments": "{", "cue-0-say": "Hi", "cue-1-say": "Good bye"}
    response = send(client, pipeline, "update_cues", **form(**wrong))
    assert response.status_code == 422
    cues = now(pipeline).agents_by_id["agent-review"].cues
    assert cues == (Cue(say="Hi"), Cue(say="Good bye"))
    said, state = beside(response)
    assert set(said) == {"cue-0-call_arguments"}
    assert state == "Not saved: With the arguments"
    assert "cues-form" not in swapped(response)
    assert drawn(response) == set()
    form = opened(client, pipeline, "cues-form", **agent)
    new = {"cue-TOTAL_FORMS": 3, "cue-0-say": "Hey", "cue-2-say": "!", "cue-2-call_arguments": "{"}
    response = send(client, pipeline, "update_cues", **form(**new))
    assert [cue.say for cue in now(pipeline).agents_by_id["agent-review"].cues] == [
        "Hey",
        "Good bye",
    ]
    assert set(beside(response)[0]) == {"cue-2-call_arguments"}
    assert "cues-form" not in swapped(response)


def test_valid_fields_are_merged_with_the_changes_of_another_person(client, other_client, pipeline):
    mine = opened(client, pipeline, "agent-form", kind="agent", key="agent-review")
    theirs = opened(other_client, pipeline, "agent-form", kind="agent", key="agent-review")
    send(other_client, pipeline, "update_agent", **theirs(instructions="Check twice."))
    wrong = mine(name="Auditor", temperature="9")
    response = send(client, pipeline, "update_agent", **wrong)
    assert response.status_code == 422
    agent = now(pipeline).agents_by_id["agent-review"]
    assert (agent.name, agent.instructions, agent.temperature) == ("Auditor", "Check twice.", None)
    assert set(beside(response)[0]) == {"temperature"}
    assert {name.rpartition("-")[2] for name in drawn(response)} == {"instructions"}


def test_refused_fields_are_corrected_before_a_choice(client, other_client, pipeline):
    mine = opened(client, pipeline, "agent-form", kind="agent", key="agent-review")
    theirs = opened(other_client, pipeline, "agent-form", kind="agent", key="agent-review")
    send(other_client, pipeline, "update_agent", **theirs(name="Checker"))
    response = send(client, pipeline, "update_agent", **mine(name="Auditor", temperature="9"))
    assert response.status_code == 422
    assert beside(response)[1] == "Not saved"
    assert now(pipeline).agents_by_id["agent-review"].name == "Checker"
    response = send(client, pipeline, "update_agent", **mine(name="Auditor", temperature="1"))
    assert response.status_code == 412


def test_rows_with_a_refused_cell_are_not_merged(client, other_client, pipeline):
    agent = {"kind": "agent", "key": "agent-review"}
    mine = opened(client, pipeline, "cues-form", **agent)
    theirs = opened(other_client, pipeline, "agent-form", **agent)
    send(other_client, pipeline, "update_agent", **theirs(name="Checker"))
    rows = {"cue-TOTAL_FORMS": 2, "cue-0-say": "Hi", "cue-1-say": "!", "cue-1-call_arguments": "{"}
    rows |= {"cue-0-when": "", "cue-0-call_arguments": "", "cue-1-when": ""}
    response = send(client, pipeline, "update_cues", **mine(**rows))
    assert response.status_code == 422
    assert set(beside(response)[0]) == {"cue-1-call_arguments"}
    assert beside(response)[1] == "Not saved"
    assert now(pipeline).agents_by_id["agent-review"].cues == ()
