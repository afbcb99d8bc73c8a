"""Preview of the tools and prompts of a stage's models."""

import pytest

from designer.editor.fragments.model_preview import MOST_STAGES, agent_preview, stage_preview
from orchestration.definition import Group, Rule, Stage, Transition
from tests.designer.editor_requests import chain
from tests.orchestration.supervised_sessions import WATCHER, supervised


def with_stage(stage: Stage, **fields):
    """Return a chain with this stage in place of the stage `review`."""
    definition = chain("intake", "review", "end", **fields)
    stages = tuple(stage if old.phase == "review" else old for old in definition.stages)
    return definition.model_copy(update={"stages": stages})


def test_each_member_of_a_group_has_a_view():
    group = Group(agents=("agent-intake", "agent-end"))
    preview = stage_preview(with_stage(Stage(phase="review", kind="group", group=group)), "review")
    assert [view.name for view in preview.views] == ["Intake", "End"]
    assert preview.has_names
    assert "the group continues" in preview.views[0].signatures.text


@pytest.mark.parametrize(
    ("stage", "reason"),
    [
        (Stage(phase="review", kind="human"), "no model is called"),
        (Stage(phase="review"), "has no agent yet"),
        (Stage(phase="review", kind="group"), "has no members yet"),
        (Stage(phase="review", agent_id="ghost"), "No agent of this stage exists"),
    ],
)
def test_a_stage_without_a_model_shows_the_reason(stage, reason):
    preview = stage_preview(with_stage(stage), "review")
    assert not preview.views
    assert reason in preview.empty_text


@pytest.mark.parametrize(
    ("topology", "phase", "text"),
    [
        ("workflow", "review", "goes to the next stage"),
        ("team", "review", "answers the lead"),
        ("pipeline", "end", "is terminal"),
    ],
)
def test_a_model_without_tools_shows_the_reason(topology, phase, text):
    definition = chain("intake", "review", "end", topology=topology, allow_human=False)
    [view] = stage_preview(definition, phase).views
    assert text in view.signatures.text


def test_a_target_limits_the_tools_to_its_handoff():
    schema = {"type": "object", "properties": {"why": {"type": "string"}}}
    definition = chain("intake", "review", "end")
    typed = Transition(source="intake", target="end", kind="return", input_schema=schema)
    definition = definition.model_copy(update={"transitions": (*definition.transitions, typed)})
    [view] = stage_preview(definition, "intake", "end").views
    assert len(view.tool_list) == 1
    [view] = stage_preview(definition, "intake").views
    assert len(view.tool_list) == 2


def test_only_differences_from_the_saved_definition_are_marked():
    saved = chain("intake", "review")
    same = stage_preview(saved, "intake").compared_with(stage_preview(saved, "intake"))
    assert not same.is_unsaved
    agents = (saved.agents[0].model_copy(update={"instructions": "Be kind."}), *saved.agents[1:])
    changed = saved.model_copy(update={"agents": agents})
    preview = stage_preview(changed, "intake").compared_with(stage_preview(saved, "intake"))
    assert preview.is_unsaved
    [view] = preview.views
    assert view.has_other_prompt
    assert not view.tools.is_changed
    added = [run.text for part in view.prompt for run in part.runs if run.mark == "added"]
    assert added == ["Be kind."]


def test_a_view_without_a_saved_version_is_marked_as_added():
    definition = chain("intake")
    empty = stage_preview(with_stage(Stage(phase="review")), "review")
    [view] = stage_preview(definition, "intake").compared_with(empty).views
    assert {run.mark for part in view.prompt for run in part.runs} == {"added"}


def test_an_agent_without_a_stage_is_shown_if_its_model_is_called():
    [view] = agent_preview(supervised("handoff", may=["note"]), WATCHER).views
    assert view.name == "intake, as the supervisor"
    assert [(tool.name, tool.kind) for tool in view.tool_list] == [
        ("note", "an action of the supervisor")
    ]
    observing = agent_preview(supervised(), WATCHER)
    assert observing.empty_text == "The supervisor only observes: no model is called."
    definition = chain("intake", "review")
    alone = definition.model_copy(update={"stages": definition.stages[:1]})
    assert agent_preview(alone, "agent-review").views == []
    rule = Rule(id="r", agent_id="agent-review")
    [view] = agent_preview(alone.model_copy(update={"rules": (rule,)}), "agent-review").views
    assert view.name == "intake"


def test_an_agent_is_shown_in_a_limited_number_of_its_stages():
    definition = chain(*(f"s{n}" for n in range(MOST_STAGES + 3)))
    stages = tuple(stage.model_copy(update={"agent_id": "agent-s0"}) for stage in definition.stages)
    preview = agent_preview(definition.model_copy(update={"stages": stages}), "agent-s0")
    assert (len(preview.views), preview.omitted) == (MOST_STAGES, 3)
    unused = agent_preview(definition.model_copy(update={"stages": stages}), "agent-s1")
    assert unused.empty_text == "This agent serves no stage yet, so nothing is sent to a model."
