"""The panels around the canvas, and their changes after an edit."""

from designer.core import PageState
from designer.definitions import Patch
from designer.editor.fragments.panels import bottom_panel, left_changes, left_panel
from designer.templatetags.drawn import rendered
from orchestration.definition import Agent, Group, PipelineDefinition, Stage, Tool
from orchestration.validation import validate
from tests.designer.editor_requests import chain


def changes(before: PipelineDefinition, after: PipelineDefinition, *affected: str):
    """Return the changes of the left panel by an edit."""
    return left_changes(
        after, Patch.between(after, before), Patch.between(before, after), set(affected)
    )


def test_an_agent_counts_its_own_stages_and_those_of_its_groups():
    definition = chain("intake", "review")
    group = Stage(phase="both", kind="group", group=Group(agents=("agent-intake",)))
    definition = definition.model_copy(update={"stages": (*definition.stages, group)})
    counts = {item.key: item.stages for item in left_panel(definition)["agents"]}
    assert counts == {"agent-intake": 2, "agent-review": 1}


def test_a_supervisor_without_a_stage_is_shown_as_the_supervisor():
    definition = chain("intake").model_copy(update={"supervisor_id": "agent-boss"})
    boss = Agent(id="agent-boss", name="Boss")
    definition = definition.model_copy(update={"agents": (*definition.agents, boss)})
    items = [rendered("agent_item", item, "", "") for item in left_panel(definition)["agents"]]
    assert ['title="Supervisor"' in html for html in items] == [True, False]
    assert "0 stages" not in items[0]


def test_agents_are_listed_by_name_also_after_one_is_renamed():
    names = {"a": "Zoe", "b": "anna", "c": "Mia", "d": "anna"}
    agents = tuple(Agent(id=key, name=name) for key, name in names.items())
    before = PipelineDefinition(name="Support", agents=agents)
    assert [item.key for item in left_panel(before)["agents"]] == ["b", "d", "c", "a"]
    renamed = agents[0].model_copy(update={"name": "Bob"})
    result = changes(before, before.model_copy(update={"agents": (renamed, *agents[1:])}))
    assert result.deleted == ["agent-item-a"]
    assert [(place, item.key) for place, item in result.new_agents] == [("agent-item-d", "a")]


def test_names_with_numbers_are_listed_in_the_order_of_the_numbers():
    tools = tuple(Tool(name=f"look_{number}") for number in (1, 10, 2))
    before = chain("step-1", "step-10").model_copy(update={"tools": tools[:2]})
    after = chain("step-1", "step-2", "step-10").model_copy(update={"tools": tools})
    panel, result = left_panel(after), changes(before, after)
    assert [item.name for item in panel["agents"]] == ["Step-1", "Step-2", "Step-10"]
    assert [tool.name for tool in panel["tools"]] == ["look_1", "look_2", "look_10"]
    assert [place for place, _ in result.new_agents] == ["agent-item-agent-step-1"]
    assert result.new_tools == [("tool-item-look_1", "look_2")]


def test_new_agents_and_tools_follow_their_predecessors():
    before = chain("intake").model_copy(update={"tools": (Tool(name="b"),)})
    agents = (Agent(id="agent-a", name="A"), *before.agents, Agent(id="zoe", name="Zoe"))
    after = before.model_copy(update={"agents": agents, "tools": (Tool(name="a"), Tool(name="b"))})
    result = changes(before, after)
    assert [(place, item.key) for place, item in result.new_agents] == [
        ("", "agent-a"),
        ("agent-item-agent-intake", "zoe"),
    ]
    assert result.new_tools == [("", "a")]
    assert (result.deleted, result.agents) == ([], [])


def test_deleted_parts_are_removed_and_affected_agents_are_updated():
    before = chain("intake", "review").model_copy(update={"tools": (Tool(name="a"),)})
    after = before.model_copy(update={"agents": before.agents[1:], "tools": ()})
    result = changes(before, after, "agent-review")
    assert result.deleted == ["agent-item-agent-intake", "tool-item-a"]
    assert [item.key for item in result.agents] == ["agent-review"]


def test_a_panel_contains_the_problems_and_the_open_tab():
    definition = chain("intake")
    issues = validate(definition.model_copy(update={"agents": ()}))
    for panel, name in (("rules", "rules"), ("outline", "outline_rows"), ("definition", "part")):
        context = bottom_panel(definition, issues, PageState.parse({"panel": panel}))
        assert name in context
        assert len(context["problems"]) == len(issues) > 0


def test_an_edit_leaves_out_the_outline_and_the_definition():
    definition = chain("intake")
    for panel in ("outline", "definition"):
        context = bottom_panel(definition, (), PageState.parse({"panel": panel}), whole=False)
        assert context == {"panel": panel, "problems": []}
