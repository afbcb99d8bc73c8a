"""Copying, cutting, pasting and duplicating, through the views."""

import json
import re
from html import unescape

import pytest

from designer.canvas.geometry import bounding_box, drawn_boxes, overlapping
from designer.core.undo import last_edit
from designer.editor.actions.subgraphs import extract_subgraph
from designer.models import Membership, Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import (
    MAX_STAGES,
    Agent,
    Cue,
    CueCall,
    CueHandoff,
    Frame,
    Group,
    Layout,
    Note,
    PipelineDefinition,
    Position,
    Stage,
    Tool,
    Transition,
)
from orchestration.loading import MAX_BYTES, load_storable
from tests.designer.editor_requests import ALWAYS, draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def other(user):
    return draw(user, name="Elsewhere")


def picked(*stages, notes=(), frames=()):
    parts = {"stages": list(stages), "notes": list(notes), "frames": list(frames)}
    return {name: json.dumps(keys) for name, keys in parts.items()}


def copied(client, pipeline, *stages, **more):
    """The text that copying puts on the clipboard."""
    response = send(client, pipeline, "copy_parts", **picked(*stages, **more))
    assert response.status_code == 200
    found = re.search(r'<pre id="copied"[^>]*>(.*)</pre>', response.content.decode(), re.DOTALL)
    assert found
    return unescape(found[1])


def came(response):
    """The ids of the elements that the page is to select."""
    found = re.search(r'id="pasted" hidden data-ids="([^"]*)"', response.content.decode())
    assert found
    return found[1].split()


def said(response):
    found = re.search(r'class="notice__text"[^>]*>([^<]*)<', response.content.decode())
    assert found
    return unescape(found[1])


def label(user, pipeline):
    edit = last_edit(pipeline=pipeline, user=user)
    return edit and edit.label


def rich():
    """Stages with all that can hang on them."""
    return PipelineDefinition(
        name="Desk",
        topology="team",
        agents=(
            Agent(
                id="triage",
                name="Triage",
                tools=("lookup",),
                cues=(
                    Cue(
                        in_phase="review",
                        after_handoff_from="writer",
                        call=CueCall(tool="lookup"),
                        hand_over=CueHandoff(target="writer", phase="answer"),
                    ),
                    Cue(when=("done",), hand_over=CueHandoff(target="answer")),
                ),
            ),
            Agent(id="writer", name="Writer"),
            Agent(id="idle", name="Idle"),
        ),
        stages=(
            Stage(phase="review", agent_id="triage"),
            Stage(
                phase="answer",
                kind="group",
                group=Group(agents=("writer", "triage"), dependencies={"writer": ("triage",)}),
            ),
            Stage(phase="end", kind="human"),
        ),
        transitions=(
            Transition(source="review", target="answer", description="ready"),
            Transition(source="answer", target="end"),
        ),
        tools=(Tool(name="lookup"), Tool(name="unused")),
        entry="review",
        layout=Layout(
            stages={
                "review": Position(x=0, y=0),
                "answer": Position(x=300, y=0),
                "end": Position(x=600, y=0),
            },
            hues={"triage": 120, "idle": 3},
            notes=(Note(id="why", text="Because", x=0, y=-120),),
            frames=(
                Frame(id="desk", title="Desk", hue=40, stages=("answer", "review")),
                Frame(id="last", title="Last", stages=("end",)),
            ),
        ),
    )


# Copying


def test_a_copy_is_a_complete_definition_of_the_selected_parts(client, user):
    pipeline = import_definition(user=user, definition=rich())
    text = copied(client, pipeline, "review", "answer", notes=["why"])
    part = load_storable(text)
    assert text == part.dump()
    assert [stage.phase for stage in part.stages] == ["answer", "review"]
    assert [agent.id for agent in part.agents] == ["triage", "writer"]
    assert [tool.name for tool in part.tools] == ["lookup"]
    assert [(way.source, way.target) for way in part.transitions] == [("review", "answer")]
    assert part.entry == "review"
    assert part.layout.hues == {"triage": 120}
    assert [note.text for note in part.layout.notes] == ["Because"]
    assert [frame.id for frame in part.layout.frames] == ["desk"]


def test_a_copied_frame_contains_its_stages(client, user):
    pipeline = import_definition(user=user, definition=rich())
    part = load_storable(copied(client, pipeline, frames=["last"]))
    assert [stage.phase for stage in part.stages] == ["end"]
    assert [frame.id for frame in part.layout.frames] == ["last"]


def test_copying_changes_nothing(client, user, pipeline):
    before = Pipeline.objects.get(pk=pipeline.pk)
    copied(client, pipeline, "review")
    assert Pipeline.objects.get(pk=pipeline.pk).updated == before.updated
    assert last_edit(pipeline=pipeline, user=user) is None


def test_a_viewer_can_copy_but_not_paste(other_client, other_user, pipeline):
    Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")
    text = copied(other_client, pipeline, "review")
    was = now(pipeline)
    for view, fields in (
        ("paste_parts", {"text": text}),
        ("cut_parts", picked("review")),
        ("duplicate_parts", picked("review")),
    ):
        assert send(other_client, pipeline, view, **fields).status_code == 403
    assert now(pipeline) == was


@pytest.mark.parametrize("view", ["copy_parts", "cut_parts", "duplicate_parts"])
def test_deleted_parts_cannot_be_copied_or_cut(client, pipeline, view):
    response = send(client, pipeline, view, **picked("gone"))
    assert response.status_code == 409
    assert said(response) == "The selected parts no longer exist."


@pytest.mark.parametrize(
    ("fields", "status"), [(picked("gone"), 409), (picked(), 422), ({"stages": "{"}, 422)]
)
def test_a_viewer_gets_the_reason_for_a_refused_copy(
    client, other_client, other_user, pipeline, fields, status
):
    Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")
    answers = [send(one, pipeline, "copy_parts", **fields) for one in (client, other_client)]
    assert [answer.status_code for answer in answers] == [status, status]
    assert said(answers[0]) == said(answers[1]) != ""


@pytest.mark.parametrize("view", ["copy_parts", "cut_parts", "duplicate_parts"])
@pytest.mark.parametrize("fields", [{}, {"stages": "{"}, {"stages": "[1]"}, {"notes": '"a"'}])
def test_an_empty_selection_is_refused(client, pipeline, view, fields):
    was = now(pipeline)
    assert send(client, pipeline, view, **fields).status_code == 422
    assert now(pipeline) == was


# Pasting


def test_a_copy_is_pasted_into_another_pipeline(client, user, other):
    pipeline = import_definition(user=user, definition=rich())
    text = copied(client, pipeline, "review", "answer", "end", notes=["why"])
    response = send(client, other, "paste_parts", text=text)
    assert came(response) == ["stage-answer", "stage-end", "stage-review", "note-why"]
    assert label(user, other) == "Paste 3 stages"
    part, there = load_storable(text), now(other)
    assert there.model_copy(update={"name": part.name, "topology": part.topology}) == part


def test_pasted_keys_get_the_next_number_and_equal_agents_are_reused(client, user, pipeline):
    text = copied(client, pipeline, "intake", "review")
    first = send(client, pipeline, "paste_parts", text=text)
    assert came(first) == ["stage-intake-2", "stage-review-2"]
    second = send(client, pipeline, "paste_parts", text=text)
    assert came(second) == ["stage-intake-3", "stage-review-3"]
    definition = now(pipeline)
    assert {agent.id for agent in definition.agents} == {
        "agent-intake",
        "agent-review",
        "agent-resolution",
    }
    assert definition.stages_by_phase["review-3"].agent_id == "agent-review"
    assert ("intake-3", "review-3") in {(way.source, way.target) for way in definition.transitions}
    assert definition.entry == "intake"
    places = definition.layout.stages
    assert places["review-2"].x - places["intake-2"].x == places["review"].x - places["intake"].x
    assert len({(at.x, at.y) for at in places.values()}) == len(places)


def test_different_agents_and_tools_get_free_names_with_their_references(client, user):
    here = rich().model_copy(
        update={
            "agents": (
                Agent(id="triage", name="Someone else"),
                Agent(id="writer", name="Writer"),
            ),
            "tools": (Tool(name="lookup", description="Another"),),
        }
    )
    pipeline = import_definition(user=user, definition=here)
    text = rich().dump()
    send(client, pipeline, "paste_parts", text=text)
    definition = now(pipeline)
    agent = definition.agents_by_id["triage-2"]
    assert agent.tools == ("lookup-2",)
    cue, other = agent.cues
    assert cue.call == CueCall(tool="lookup-2")
    assert (cue.in_phase, cue.after_handoff_from) == ("review-2", "writer")
    assert cue.hand_over == CueHandoff(target="writer", phase="answer-2")
    assert other.hand_over == CueHandoff(target="answer-2")
    assert definition.stages_by_phase["answer-2"].group == Group(
        agents=("writer", "triage-2"), dependencies={"writer": ("triage-2",)}
    )
    assert definition.layout.hues["triage-2"] == 120
    frames = {frame.id: frame.stages for frame in definition.layout.frames}
    assert frames["desk-2"] == ("answer-2", "review-2")
    assert "idle" not in definition.agents_by_id


def test_a_file_without_a_layout_is_pasted_next_to_existing_parts(client, other):
    undrawn = rich().without_layout()
    response = send(client, other, "paste_parts", text=undrawn.dump())
    assert response.status_code == 200
    places = now(other).layout.stages
    assert len({(at.x, at.y) for at in places.values()}) == 3


def test_pasted_parts_surround_the_given_point_on_the_grid(client, pipeline, other):
    text = copied(client, pipeline, "intake", "review")
    send(client, other, "paste_parts", text=text, x="1003", y="-497")
    places = now(other).layout.stages
    assert places["review"].x - places["intake"].x == 290
    assert abs((places["review"].x + places["intake"].x) / 2 - 1003) <= 4
    assert abs(places["intake"].y + 497) <= 4


def test_pasted_parts_keep_their_shape_at_the_coordinate_limit(client, pipeline, other):
    text = copied(client, pipeline, "intake", "review")
    for _ in range(2):
        response = send(client, other, "paste_parts", text=text, x="1000000", y="1000000")
        assert response.status_code == 200
    assert now(other).layout.stages["review"] == Position(x=1_000_000, y=1_000_000)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no text on the clipboard."),
        ("Hello there", "The pasted text is not a pipeline. Paste"),
        ("[1, 2]", "The pasted text is not a pipeline. Paste"),
        ('{"a": ', "is not a pipeline: This is not JSON"),
        ('{"name": "X", "stages": [{"phase": "A B"}]}', "at $.stages[0].phase: 'A B' is no key"),
        ('{"name": "X", "nodes": []}', "no Baton pipeline: it has 'nodes'"),
        ('{"name": "X", "stages": [], "surprise": 1}', "at $.surprise: There is no field"),
        ('{"name": "X", "stages": [{"phase": "a", "agent_id": "b"}]}', "at $.stages[0]"),
        ('{"name": "X"}', "has no stages and no notes"),
        ('{"name": "X", "stages": [], "a": 1, "b": 2}', "(and 1 more fault)"),
        ('{"a":' * 40 + "1" + "}" * 40, "nested more than 32 deep"),
        ("{" + " " * MAX_BYTES, "larger than 2 MiB"),
        ("{\0}", "must not contain the character NUL"),
    ],
)
def test_invalid_text_is_refused_with_a_sentence(client, pipeline, text, sentence):
    was = Pipeline.objects.get(pk=pipeline.pk).version
    response = send(client, pipeline, "paste_parts", text=text)
    assert response.status_code == 422
    assert sentence in said(response)
    assert swapped(response) == {"notice"}
    assert Pipeline.objects.get(pk=pipeline.pk).version == was


def test_pasting_more_stages_than_the_limit_is_refused(client, pipeline):
    stages = tuple(Stage(phase=f"s-{number}") for number in range(MAX_STAGES - 2))
    text = PipelineDefinition(name="Many", stages=stages).dump()
    response = send(client, pipeline, "paste_parts", text=text)
    assert response.status_code == 422
    assert said(response) == "That would make 2,001 stages; a pipeline has at most 2,000."


def test_a_single_pasted_stage_is_shown_in_the_inspector(client, user, pipeline, other):
    text = copied(client, pipeline, "review")
    response = send(client, other, "paste_parts", text=text)
    assert label(user, other) == "Paste review"
    assert json.loads(response["HX-Trigger-After-Settle"])["baton:selected"]["key"] == "review"


# Duplicating and cutting


def test_a_duplicate_is_placed_below_the_original_with_its_agent(client, user, pipeline):
    response = send(client, pipeline, "duplicate_parts", **picked("review"))
    assert came(response) == ["stage-review-2"]
    assert label(user, pipeline) == "Duplicate review"
    definition = now(pipeline)
    assert definition.stages_by_phase["review-2"].agent_id == "agent-review"
    was, is_now = (definition.layout.stages[phase] for phase in ("review", "review-2"))
    assert (is_now.x - was.x, is_now.y - was.y) == (0, 160)
    assert {*ALWAYS, "+#stages", "pasted"} <= swapped(response)


def test_pasted_parts_do_not_overlap_existing_parts(client, user):
    here = import_definition(user=user, definition=rich())
    send(client, here, "paste_parts", text=rich().dump())
    definition = now(here)
    copies = definition.stages_by_phase.keys() - rich().stages_by_phase.keys()
    part = extract_subgraph(definition, copies)
    assert len(part.stages) == len(rich().stages)
    assert overlapping(bounding_box(drawn_boxes(part)), drawn_boxes(rich())) == []


def test_a_number_at_the_end_of_a_key_is_increased(client, user):
    pipeline = draw(user, "stage-1", "stage-2")
    response = send(client, pipeline, "duplicate_parts", **picked("stage-1", "stage-2"))
    assert came(response) == ["stage-stage-3", "stage-stage-4"]


def test_a_cut_is_one_edit_with_transitions_and_can_be_undone(client, user):
    pipeline = import_definition(user=user, definition=rich())
    was = now(pipeline)
    response = send(client, pipeline, "cut_parts", **picked("review", "answer", notes=["why"]))
    assert response.status_code == 200
    assert label(user, pipeline) == "Cut 2 stages"
    left = now(pipeline)
    assert [stage.phase for stage in left.stages] == ["end"]
    assert (left.transitions, left.entry, left.layout.notes) == ((), None, ())
    assert [frame.id for frame in left.layout.frames] == ["last"]
    send(client, pipeline, "undo")
    assert now(pipeline) == was
