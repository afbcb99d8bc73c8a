"""What an edit draws anew because it follows from it, though the edit names something else."""

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
def test_the_inspector_of_an_agent_shows_the_tools_of_a_new_way(client, pipeline, shown):
    response = send(client, pipeline, "connect", source="review", target="intake", **shown)
    assert "inspector" in swapped(response)
    assert "handoff" in response.content.decode()


def test_the_inspector_of_a_stage_shows_what_a_model_sees_once_another_agent_changed(
    client, pipeline
):
    agent = {"select": "stage:intake", "agent": "agent-review"}
    assert "inspector" in swapped(send(client, pipeline, "delete_agent", **agent))
    assert "inspector" not in swapped(
        send(client, pipeline, "make_entry", entry="review", select="stage:intake")
    ), "what it shows is as it was"


def test_the_outline_offers_the_names_that_agents_have_now(client, pipeline):
    added = send(client, pipeline, "add_agent", name="Ada", panel="outline").content.decode()
    option = '<option id="outline-name-agent-ada" value="Ada"></option>'
    assert f'hx-swap-oob="beforeend:#outline-agents">{option}' in added
    gone = send(client, pipeline, "delete_agent", agent="agent-ada", panel="outline")
    assert "-outline-name-agent-ada" in swapped(gone)


def test_the_outline_lists_notes_and_frames_as_they_are_drawn(client, pipeline):
    shown = {"panel": "outline"}
    assert "outline-paper" in swapped(send(client, pipeline, "add_note", x=5, y=5, **shown))
    framed = send(client, pipeline, "add_frame", stages='["review"]', **shown)
    assert "Frame 1</button>: review" in framed.content.decode()
    named = send(client, pipeline, "rename_frame", frame="frame-1", title="Desk", **shown)
    assert "Desk</button>: review" in named.content.decode()
    lain = '[{"note": "note-1", "x": 90, "y": 5}]'
    moved = send(client, pipeline, "move_stages", notes=lain, **shown)
    assert "outline-paper" not in swapped(moved), "the outline does not say where"


def test_what_the_rules_say_of_a_stage_of_the_human_stands_there_once_it_is_selected(client, user):
    team = draw(user, "intake", "review", topology="team")
    team.stages.filter(phase="intake").update(kind="human", agent=None)
    said = "in a team the agent of the entry leads"
    assert said in page(client, team, select="stage:intake")
    assert said in inspected(client, team, select="stage:intake")
