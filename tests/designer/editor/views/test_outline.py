"""The outline: the pipeline as a table, and its edits."""

import re

import pytest
from django.urls import reverse

from designer.models import Edit
from designer.pipelines.actions import import_definition
from orchestration.definition import HUMAN, Frame, Layout, Note, Position
from tests.designer.editor_requests import chain, draw, now, send, swapped

pytestmark = pytest.mark.django_db

OUTLINE = {"panel": "outline"}


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def outline(client, pipeline):
    return client.get(reverse("show_panel", args=[pipeline.pk]), OUTLINE).content.decode()


def row(html: str, phase: str) -> str:
    """Return the text of a stage's row."""
    found = re.search(rf'<tr id="outline-{phase}".*?</tr>', html, re.DOTALL)
    return re.sub(r"<[^>]+>|\s+", " ", found[0]) if found else ""


def test_every_stage_is_a_row_with_its_agent_and_targets(client, pipeline):
    send(client, pipeline, "connect", source="review", target="intake")
    html = outline(client, pipeline)
    assert re.findall(r"<tr id=.outline-(\w+)", html) == ["intake", "review", "resolution"]
    words = row(html, "review").split()
    assert words[:4] == ["review", "Review", "resolution", "intake"]
    assert "entry" in row(html, "intake")
    assert "Begin here" not in row(html, "intake")


@pytest.mark.parametrize(
    ("url", "typed", "place", "says"),
    [
        ("describe_stage", {"phase": "review", "kind": "agent"}, "add-phase", "a stage “review”"),
        ("connect", {"source": "intake", "target": "review"}, "connect-target", "already leads"),
        ("connect", {"source": "intake", "target": "nowhere"}, "connect-target", "no stage “now"),
        (
            "splice_stage",
            {"stage": "!", "source": "intake", "target": "review"},
            "insert-stage",
            "Use the letters",
        ),
        ("place_stage", {"stage": "review", "x": "far", "y": "1"}, "place-x", "a number"),
    ],
)
def test_an_invalid_field_of_the_outline_is_refused_next_to_it(
    client, pipeline, url, typed, place, says
):
    form = f"outline-{place.rpartition('-')[0]}"
    html = send(client, pipeline, url, **OUTLINE, **typed, told_in=form).content.decode()
    told = dict(re.findall(r'id="error-(outline-[\w-]+)"[^>]*role="alert">([^<]*)<', html))
    assert [*told] == [f"outline-{place}"]
    assert says in told[f"outline-{place}"]
    assert f'id="outline-{place}"' in outline(client, pipeline)


def test_a_stage_is_added_by_its_description(client, pipeline):
    response = send(
        client,
        pipeline,
        "describe_stage",
        **OUTLINE,
        phase="Second Look",
        served_by="Nadir",
        kind="agent",
        source="review",
    )
    assert response.status_code == 200
    after = now(pipeline)
    assert after.stages_by_phase["second-look"].agent_id == "agent-nadir"
    assert after.agents_by_id["agent-nadir"].name == "Nadir"
    (way,) = [one for one in after.transitions if one.target == "second-look"]
    assert (way.source, way.kind) == ("review", "return")
    assert "outline-review" in swapped(response)
    assert "Second Look" not in row(response.content.decode(), "second-look")
    assert Edit.objects.get(pipeline=pipeline).label == "Add stage second-look"


def test_an_existing_agent_is_given_by_name_or_id(client, pipeline):
    for phase, served_by in [("one", "Review"), ("two", "agent-review")]:
        send(client, pipeline, "describe_stage", phase=phase, served_by=served_by, kind="agent")
    stages = now(pipeline).stages_by_phase
    assert {stages["one"].agent_id, stages["two"].agent_id} == {"agent-review"}
    assert len(now(pipeline).agents) == 3


def test_an_ambiguous_name_of_an_agent_is_refused(client, user):
    row = chain("intake", "review")
    agents = tuple(agent.model_copy(update={"name": "Ada"}) for agent in row.agents)
    twins = row.model_copy(update={"agents": agents})
    pipeline = import_definition(user=user, definition=twins)
    before = now(pipeline)
    first, second = (agent.id for agent in before.agents)
    fields = {"phase": "desk", "kind": "agent"}
    response = send(client, pipeline, "describe_stage", **fields, served_by="Ada")
    assert response.status_code == 422
    assert f"the id of one of them, {first} or {second}." in response.text
    assert now(pipeline) == before
    send(client, pipeline, "describe_stage", **fields, served_by=second)
    assert now(pipeline).stages_by_phase["desk"].agent_id == second


def test_a_group_and_a_human_serve_too(client, pipeline):
    send(client, pipeline, "describe_stage", phase="jury", served_by="Review", kind="group")
    send(client, pipeline, "describe_stage", phase="desk", kind="human")
    stages = now(pipeline).stages_by_phase
    assert stages["jury"].agent_ids == ("agent-review",)
    assert (stages["desk"].kind, stages["desk"].agent_id) == (HUMAN, None)
    html = outline(client, pipeline)
    assert "the group of Review" in row(html, "jury")
    assert "the human" in row(html, "desk")


def test_the_first_stage_is_the_entry(client, user):
    pipeline = draw(user)
    send(client, pipeline, "describe_stage", phase="intake", served_by="Triage", kind="agent")
    assert now(pipeline).entry == "intake"


def test_described_stages_do_not_overlap_others(client, user):
    pipeline = draw(user, "intake", "review")
    for number in range(6):
        send(client, pipeline, "describe_stage", phase=f"s{number}", kind="agent", source="intake")
    places = [(at.x, at.y) for at in now(pipeline).layout.stages.values()]
    for one, (x, y) in enumerate(places):
        for left, top in places[:one]:
            assert abs(x - left) >= 230 or abs(y - top) >= 96


@pytest.mark.parametrize(
    ("fields", "status", "sentence"),
    [
        ({"phase": "intake", "kind": "agent"}, 422, "There is a stage “intake” already."),
        ({"phase": "", "kind": "agent"}, 422, "Stage name must not be empty"),
        ({"phase": "x", "kind": "robot"}, 422, "robot"),
        ({"phase": "x", "kind": "agent", "source": "attic"}, 409, "no stage “attic” any more"),
        ({"phase": "x", "kind": "human", "served_by": "Ada"}, 422, "leave the agent empty"),
        ({"phase": "x" * 99, "kind": "agent"}, 422, "at most 64"),
        ({"phase": "x", "kind": "agent", "served_by": "n" * 200}, 422, "at most 120"),
    ],
)
def test_an_invalid_description_is_refused(client, pipeline, fields, status, sentence):
    before = now(pipeline)
    response = send(client, pipeline, "describe_stage", **fields)
    assert response.status_code == status
    assert sentence in response.content.decode()
    assert now(pipeline) == before


def test_the_entry_is_moved(client, pipeline):
    response = send(client, pipeline, "make_entry", **OUTLINE, entry="review")
    assert now(pipeline).entry == "review"
    assert {"outline-intake", "outline-review"} <= swapped(response)
    assert "entry" in row(response.content.decode(), "review")
    assert send(client, pipeline, "make_entry", entry="attic").status_code == 422


def test_a_deleted_stage_is_removed_from_the_table(client, pipeline):
    response = send(client, pipeline, "delete_parts", **OUTLINE, stages='["review"]')
    html = response.content.decode()
    assert '<div id="outline-review" hx-swap-oob="delete">' in html
    assert "review" not in row(html, "intake")


def test_an_edit_sends_only_the_changed_rows(client, user):
    pipeline = draw(user, *(f"s{number}" for number in range(300)))
    response = send(client, pipeline, "connect", **OUTLINE, source="s5", target="s2")
    assert {name for name in swapped(response) if name.startswith("outline")} == {"outline-s5"}
    assert "s2" in row(response.content.decode(), "s5")
    closed = send(client, pipeline, "connect", source="s6", target="s2")
    assert "outline" not in closed.content.decode()


def test_a_page_that_has_missed_an_edit_gets_every_row(client, pipeline):
    send(client, pipeline, "connect", source="review", target="intake")
    response = send(
        client,
        pipeline,
        "connect",
        **OUTLINE | {"version": 0},
        source="resolution",
        target="intake",
    )
    html = response.content.decode()
    assert 'id="outline-rows" hx-swap-oob="innerHTML"' in html
    assert "intake" in row(html, "resolution")


def test_an_empty_outline_shows_the_next_step(client, user):
    pipeline = draw(user)
    assert "name the first one above" in outline(client, pipeline)


def test_notes_and_frames_are_listed(client, user):
    layout = Layout(
        notes=(Note(id="n", text="Remember the milk", x=0, y=0),),
        frames=(Frame(id="f", title="At the door", stages=("intake",)),),
    )
    definition = chain("intake").model_copy(update={"layout": layout})
    html = outline(client, import_definition(user=user, definition=definition))
    assert "Remember the milk" in html
    assert re.search(r"At the door</button> with intake", html)


def test_a_stage_is_moved_to_an_exact_position(client, pipeline):
    response = send(client, pipeline, "place_stage", **OUTLINE, stage="review", x="40", y="-8.5")
    assert response.status_code == 200
    assert now(pipeline).layout.stages["review"] == Position(x=40, y=-8.5)
    for wrong in ({"stage": "nowhere"}, {"x": ""}, {"y": "far"}, {"x": "9" * 40}):
        response = send(
            client, pipeline, "place_stage", **{"stage": "review", "x": "1", "y": "1"} | wrong
        )
        assert response.status_code in (409, 422)
    assert now(pipeline).layout.stages["review"] == Position(x=40, y=-8.5)


def test_a_stage_is_inserted_between_two_others_without_a_position(client, user):
    pipeline = draw(user, "intake", "resolution", "review")
    send(client, pipeline, "delete_parts", transitions='["resolution>review"]')
    response = send(
        client,
        pipeline,
        "splice_stage",
        **OUTLINE,
        stage="review",
        source="intake",
        target="resolution",
    )
    assert response.status_code == 200
    ways = {(way.source, way.target) for way in now(pipeline).transitions}
    assert ways == {("intake", "review"), ("review", "resolution")}
