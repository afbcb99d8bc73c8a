"""Parts that must be checked again after a change."""

from orchestration.definition import PipelineDefinition
from orchestration.validation import ChangedParts
from orchestration.validation.affected_parts import focus_after
from orchestration.validation.changed_parts import Focus
from orchestration.validation.sketches import sketch

LINE = "intake > review, review > reply"


def focus_of(touched: ChangedParts, now: PipelineDefinition | None = None) -> Focus:
    before = sketch(LINE)
    focus = focus_after(before, now or before, touched)
    assert focus is not None
    return focus


def test_a_stage_affects_its_agent_and_the_stages_that_lead_to_it() -> None:
    focus = focus_of(ChangedParts(stages={"review"}))
    assert focus.stages == {"intake", "review"}
    assert focus.agents == {"agent-intake", "agent-review"}


def test_a_transition_affects_both_of_its_stages() -> None:
    focus = focus_of(ChangedParts(transitions={("review", "reply")}))
    assert {"review", "reply"} <= focus.stages


def test_a_renamed_agent_affects_agents_with_the_same_name() -> None:
    after = sketch(LINE, agents={"agent-reply": {"name": "Intake"}})
    focus = focus_of(ChangedParts(agents={"agent-reply"}), after)
    assert "agent-intake" in focus.agents


def test_a_tool_affects_its_agents_only() -> None:
    after = sketch(LINE, agents={"agent-reply": {"tools": ["look_up"]}})
    focus = focus_of(ChangedParts(tools={"look_up"}), after)
    assert (focus.tools, focus.agents, focus.stages) == ({"look_up"}, {"agent-reply"}, set())


def test_the_topology_affects_all_parts() -> None:
    before, after = sketch(LINE), sketch(LINE, topology="swarm")
    assert focus_after(before, after, ChangedParts(settings={"topology"})) is None


def test_the_entry_of_a_team_affects_all_parts() -> None:
    team = sketch(LINE, topology="team")
    assert focus_after(team, team, ChangedParts(settings={"entry"})) is None
    assert focus_after(team, team, ChangedParts(stages={"reply"})) is not None
