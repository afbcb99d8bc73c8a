"""Forms of which a field is refused: the others are saved, and it stays as it was typed."""

import re

import pytest

from orchestration.definition import Cue
from tests.designer.editor_page import opened
from tests.designer.editor_requests import now, send, swapped

pytestmark = pytest.mark.django_db


def beside(response):
    """The sentences of an answer, by the ends of the fields' ids; and what the head says."""
    found = re.findall(r'id="error-i[0-9a-f]{8}-([^"]+)"[^>]*>([^<]+)<', response.text)
    state = re.search(r'id="save-state"[^>]*>([^<]*)<', response.text)
    return dict(found), state[1] if state else None


def drawn(response):
    """The fields that an answer draws anew."""
    return {name[len("field-i12345678-") :] for name in swapped(response) if "field-" in name}


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        ("!", "A key consists of the letters a to z, digits, “-” and “_”."),
        ("intake", "There is a stage “intake” already."),
        ("p" * 65, "A key has at most 64 characters; this one has 65."),
    ],
)
def test_a_refused_field_does_not_hold_back_what_is_valid_beside_it(client, pipeline, phase, said):
    form = opened(client, pipeline, "stage-form", kind="stage", key="review")
    response = send(client, pipeline, "update_stage", **form(phase=phase, description="Checks"))
    assert response.status_code == 422
    assert now(pipeline).stages_by_phase["review"].description == "Checks"
    assert beside(response) == ({"phase": said}, "All saved but Phase")
    assert drawn(response) == set()
    again = opened(client, pipeline, "stage-form", kind="stage", key="review")
    response = send(client, pipeline, "update_stage", **again(phase="audit"))
    assert response.status_code == 200
    assert now(pipeline).stages_by_phase["audit"].description == "Checks"


def test_where_nothing_else_is_changed_nothing_is_saved(client, pipeline):
    form = opened(client, pipeline, "stage-form", kind="stage", key="review")
    response = send(client, pipeline, "update_stage", **form(phase="!"))
    assert response.status_code == 422
    assert beside(response)[1] == "Not saved"
    pipeline.refresh_from_db()
    assert pipeline.version == 1


def test_what_hangs_on_a_refused_field_is_refused_with_it(client, pipeline):
    way = {"kind": "transition", "key": "intake>review"}
    form = opened(client, pipeline, "transition-form", **way)
    fields = form(keep="last", count="many", description="When it is asked for")
    send(client, pipeline, "update_transition", **fields)
    saved = now(pipeline).transitions[0]
    assert (saved.description, saved.input_filter.keep) == ("When it is asked for", "last")


def test_a_refused_cell_does_not_hold_back_the_other_rows(client, pipeline):
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
    assert state == "All saved but With the arguments"
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


def test_what_someone_else_changed_is_put_together_with_what_is_valid(
    client, other_client, pipeline
):
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


def test_what_is_refused_is_put_right_before_one_chooses_from_two_versions(
    client, other_client, pipeline
):
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
