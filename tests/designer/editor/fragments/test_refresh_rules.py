"""Fragments that an edit of another part changes."""

import pytest

from tests.designer.editor_page import inspected, page
from tests.designer.editor_requests import draw, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review")


@pytest.mark.parametrize(
    "shown",
    [
        {"select": "agent:agent-review"},
        {"select": "stage:review", "tab": "agent"},
    ],
)
def test_the_inspector_of_an_agent_shows_the_tool_of_a_new_transition(client, pipeline, shown):
    response = send(client, pipeline, "connect", source="review", target="intake", **shown)
    assert "inspector" in swapped(response)
    assert "handoff" in response.content.decode()


def test_a_change_of_another_agent_updates_the_preview_of_a_stage(client, pipeline):
    agent = {"select": "stage:intake", "agent": "agent-review"}
    assert "inspector" in swapped(send(client, pipeline, "delete_agent", **agent))
    assert "inspector" not in swapped(
        send(client, pipeline, "make_entry", entry="review", select="stage:intake")
    ), "what it shows is as it was"


def test_the_outline_suggests_the_current_names_of_agents(client, pipeline):
    added = send(client, pipeline, "add_agent", name="Ada", panel="outline").content.decode()
    option = '<option id="outline-name-agent-ada" value="Ada"></option>'
    assert f'hx-swap-oob="beforeend:#outline-agents">{option}' in added
    gone = send(client, pipeline, "delete_agent", agent="agent-ada", panel="outline")
    assert "-outline-name-agent-ada" in swapped(gone)


def test_the_outline_lists_the_current_notes_and_frames(client, pipeline):
    shown = {"panel": "outline"}
    assert "outline-annotations" in swapped(send(client, pipeline, "add_note", x=5, y=5, **shown))
    framed = send(client, pipeline, "add_frame", stages='["review"]', **shown)
    assert "Frame 1</button> with review" in framed.content.decode()
    named = send(client, pipeline, "rename_frame", frame="frame-1", title="Desk", **shown)
    assert "Desk</button> with review" in named.content.decode()
    lain = '[{"note": "note-1", "x": 90, "y": 5}]'
    moved = send(client, pipeline, "move_stages", notes=lain, **shown)
    assert "outline-annotations" not in swapped(moved), "the outline does not say where"


def test_an_error_of_a_human_stage_is_shown_when_it_is_selected(client, user):
    team = draw(user, "intake", "review", topology="team")
    team.stages.filter(phase="intake").update(kind="human", agent=None)
    said = "in a team the agent of the entry leads"
    assert said in page(client, team, select="stage:intake")
    assert said in inspected(client, team, select="stage:intake")
