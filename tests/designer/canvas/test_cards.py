"""Cards of stages, groups and the supervisor, and notes: rendering, saving and undo."""

import re

import pytest
from django.urls import reverse

from designer import definitions
from designer.canvas.cards import hue_of, stage_cards, supervisor_card
from designer.core.edits import make_edit
from designer.core.forms.page_state import PageState
from designer.core.undo import undo_edit
from designer.definitions.patches import Patch
from designer.editor.actions import agents
from designer.editor.fragments.edits import render_edit
from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import Agent, Group, Note, PipelineDefinition, Position, Stage
from orchestration.validation import validate
from tests.designer.editor_page import as_shown
from tests.designer.editor_requests import chain, moves, now, send, swapped

pytestmark = pytest.mark.django_db

TEAM = Group(
    agents=("agent-review", "agent-intake"),
    parallel=False,
    dependencies={"agent-intake": ("agent-review",)},
)
NOTE = Note(id="why", text="Why two?\n\n  - <b>safer</b>", x=5, y=300.5, width=240)


def grouped(group: Group | None = TEAM, *notes: Note) -> PipelineDefinition:
    """A chain of stages; the agents of the first two serve the last stage as a group."""
    definition = chain("intake", "review", "resolution")
    last = Stage(phase="resolution", kind="group", group=group, description="Decides.")
    layout = definition.layout.model_copy(update={"notes": notes})
    stages = tuple(stage for stage in definition.stages if stage.phase != "resolution")
    return definition.model_copy(update={"stages": (*stages, last), "layout": layout})


@pytest.fixture
def pipeline(user):
    return import_definition(user=user, definition=grouped(TEAM, NOTE))


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


def stage_fields(**changes):
    """Return the fields of the form of the group's stage."""
    as_is = {
        "select": "stage:resolution",
        "subject": "resolution",
        "token": "i12345678",
        "phase": "resolution",
        "agent_id": ":group",
        "new_agent": "",
        "next_phase": "",
        "add_return": "",
        "description": "Decides.",
    }
    return as_is | changes


def shown(client, view, pipeline, **query):
    response = client.get(reverse(view, args=[pipeline.pk]), query)
    assert response.status_code == 200
    return response.content.decode()


def stage(pipeline):
    return now(pipeline).stages_by_phase["resolution"]


# Groups


def test_a_card_shows_its_group_and_names_it_for_screen_readers(client, pipeline):
    html = shown(client, "editor", pipeline)
    assert "Group of 2" in html
    assert '<small class="stage__details">in turn</small>' in html
    assert 'aria-label="Stage resolution, group of 2: Review, Intake, in turn, terminal"' in html


def test_members_keep_their_order_and_unknown_agents_show_their_key():
    definition = grouped(Group(agents=("ghost", "agent-review")))
    (card,) = stage_cards(definition, ["resolution"])
    assert [member.name for member in card.members] == ["ghost", "Review"]
    assert card.is_parallel
    assert (card.agent_key, card.agent_name, card.hue) == ("", "", None)


def test_a_group_stage_without_members_is_shown_as_a_group(client, user):
    pipeline = import_definition(user=user, definition=grouped(None))
    assert 'aria-label="Stage resolution, group without members, terminal"' in shown(
        client, "editor", pipeline
    )
    send(client, pipeline, "update_stage", **stage_fields(description="Later."))
    assert (stage(pipeline).kind, stage(pipeline).group) == ("group", None)


def test_a_moved_group_stage_is_drawn_with_its_members(client, pipeline):
    response = send(client, pipeline, "move_stages", moves=moves(resolution=(5, 6)))
    assert "group of 2: Review, Intake" in response.content.decode()


def test_the_panels_count_a_group_among_the_stages_of_its_members(client, pipeline):
    html = shown(client, "inspect", pipeline, kind="agent", key="agent-intake")
    assert "Serves intake, resolution." in html
    assert "<small>2 stages</small>" in shown(client, "editor", pipeline)


def test_a_members_new_name_is_drawn_on_the_groups_card(client, pipeline):
    fields = {"select": "agent:agent-review", "subject": "agent-review", "token": "i12345678"}
    fields |= {"id": "judge", "name": "Judge", "instructions": "", "provider": "default"}
    response = send(client, pipeline, "update_agent", **fields)
    assert {"stage-review", "stage-resolution"} <= swapped(response)
    assert "group of 2: Judge, Intake" in response.content.decode()


def test_the_form_of_a_stage_selects_its_group_and_keeps_it(client, pipeline):
    html = shown(client, "inspect", pipeline, kind="stage", key="resolution")
    assert '<option value=":group" selected>A group of agents</option>' in html
    fields = as_shown(html, "stage-form", description="Decides at last.")
    send(client, pipeline, "update_stage", **fields)
    assert stage(pipeline).description == "Decides at last."
    assert (stage(pipeline).kind, stage(pipeline).group) == ("group", TEAM)


@pytest.mark.parametrize(
    ("chosen", "kind", "agent_id"),
    [
        ({"agent_id": "agent-review"}, "agent", "agent-review"),
        ({"agent_id": "human"}, "human", None),
        ({"agent_id": "human", "new_agent": "Judge"}, "agent", "agent-judge"),
    ],
)
def test_choosing_an_agent_replaces_the_group_and_undo_restores_it(
    client, pipeline, chosen, kind, agent_id
):
    response = send(client, pipeline, "update_stage", **stage_fields(**chosen))
    saved = stage(pipeline)
    assert (saved.kind, saved.agent_id, saved.group) == (kind, agent_id, None)
    assert "group of 2" not in response.content.decode()
    send(client, pipeline, "undo")
    assert stage(pipeline).group == TEAM


@pytest.mark.parametrize("tab", ["stage", "agent", "handoffs"])
def test_no_tab_of_a_group_stage_calls_it_unserved(client, pipeline, tab):
    html = shown(client, "inspect", pipeline, select="stage:resolution", tab=tab)
    assert "has no agent yet" not in html


def test_a_renamed_agent_is_renamed_in_groups(who, pipeline):
    before = now(pipeline)
    agents.update_agent(**who, agent_id="agent-review", agent=Agent(id="judge", name="Judge"))
    assert stage(pipeline).group == Group(
        agents=("judge", "agent-intake"),
        parallel=False,
        dependencies={"agent-intake": ("judge",)},
    )
    undo_edit(**who)
    assert now(pipeline) == before


def test_an_agent_renamed_to_a_missing_member_becomes_that_member_once(user):
    group = Group(
        agents=("judge", "agent-review"),
        dependencies={"judge": ("agent-intake",), "agent-review": ("judge",)},
    )
    pipeline = import_definition(user=user, definition=grouped(group))
    judge = Agent(id="judge", name="Judge")
    agents.update_agent(pipeline=pipeline, user=user, agent_id="agent-review", agent=judge)
    assert stage(pipeline).group == Group(
        agents=("judge",), dependencies={"judge": ("agent-intake", "judge")}
    )


def test_a_deleted_agent_leaves_its_groups_and_the_last_member_leaves_no_agent(who, pipeline):
    before = now(pipeline)
    agents.delete_agent(**who, agent_id="agent-review")
    assert stage(pipeline).group == Group(
        agents=("agent-intake",), parallel=False, dependencies={"agent-intake": ()}
    )
    agents.delete_agent(**who, agent_id="agent-intake")
    saved = stage(pipeline)
    assert (saved.kind, saved.agent_id, saved.group) == ("agent", None, None)
    unserved = [issue for issue in validate(now(pipeline)) if issue.code == "stage-agentless"]
    assert "resolution" in {key for issue in unserved for key in issue.where.keys}
    undo_edit(**who)
    undo_edit(**who)
    assert now(pipeline) == before


def test_a_group_with_an_unknown_agent_cannot_be_rehearsed(client, user, pipeline):
    assert 'class="blocking-problems"' not in shown(client, "rehearse", pipeline)
    unknown = import_definition(user=user, definition=grouped(Group(agents=("ghost",))))
    html = shown(client, "rehearse", unknown)
    assert 'class="blocking-problems"' in html
    assert "names &#x27;ghost&#x27;, and there is no such agent" in html


# Notes


@pytest.mark.parametrize("view", ["editor", "rehearse"])
def test_a_note_keeps_its_spaces_and_is_escaped_in_both_modes(client, pipeline, view):
    html = shown(client, view, pipeline)
    assert "Why two?\n\n  - &lt;b&gt;safer&lt;/b&gt;</p>" in html
    assert '<p id="note-why" class="note" role="note" data-x="5" data-y="300.5"' in html
    assert 'data-width="240"' in html


def test_a_note_of_spaces_keeps_them(client, user):
    blank = Note(id="blank", text="\n  \n", x=1, y=2)
    pipeline = import_definition(user=user, definition=grouped(TEAM, blank))
    assert re.search(r'data-y="2"[^>]*>\n  \n</p>', shown(client, "rehearse", pipeline))


def test_notes_are_copied_and_exported(client, pipeline):
    send(client, pipeline, "pipeline_duplicate")
    copy = Pipeline.objects.exclude(pk=pipeline.pk).get()
    assert definitions.read(copy).layout.notes == (NOTE,)
    assert '"id": "why"' in shown(client, "pipeline_export", pipeline)


def test_an_edit_of_notes_renders_only_those_notes(user, pipeline, who):
    new = Note(id="new", text="New", x=1, y=2)
    changed = NOTE.model_copy(update={"text": "Two see more."})
    patch = Patch(notes={"why": changed, "new": new})
    change = make_edit(**who, label="Write notes", patch=patch)
    html = render_edit(change, user, PageState())
    assert 'id="note-why"' in html
    assert '<div hx-swap-oob="beforeend:#notes"><p id="note-new"' in html
    assert "stage-" not in html.partition("problems")[0]
    undone = undo_edit(**who)
    assert undone
    assert '<div id="note-new" hx-swap-oob="delete"></div>' in render_edit(
        undone, user, PageState()
    )
    assert now(pipeline).layout.notes == (NOTE,)


def test_a_page_that_missed_an_edit_gets_the_notes_too(client, pipeline):
    response = send(client, pipeline, "add_agent", version=0)
    assert "notes" in swapped(response)


def test_a_hue_is_stored_or_derived_from_the_agents_key():
    assert hue_of("agent-a", {"agent-a": 7}) == 7
    assert hue_of("agent-a", {}) == hue_of("agent-a", {})


def test_a_supervisor_without_a_position_is_placed_above_the_stages():
    definition = chain("intake", "review", supervisor_id="agent-intake")
    card = supervisor_card(definition)
    assert card
    assert (card.x, card.y) == (350, 90)
    assert supervisor_card(PipelineDefinition(name="P")) is None
    assert definition.layout.stages["intake"] == Position(x=60, y=250)
