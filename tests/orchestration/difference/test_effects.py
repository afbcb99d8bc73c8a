"""Effect of a difference on conversations."""

from itertools import pairwise

from orchestration.definition import Agent, PipelineDefinition, Stage, Transition
from orchestration.difference import Effect, effect


def drawn(*edges: str, human: str = "") -> PipelineDefinition:
    """Return a pipeline with edges such as `a>b`; it begins at `a`."""
    pairs = [tuple(edge.split(">")) for edge in edges]
    phases = dict.fromkeys(["a", "b", "c", "d", *(phase for pair in pairs for phase in pair)])
    return PipelineDefinition(
        name="Desk",
        entry="a",
        agents=tuple(Agent(id=f"agent-{phase}", name=phase.upper()) for phase in phases),
        stages=tuple(
            Stage(phase=phase, kind="human")
            if phase == human
            else Stage(phase=phase, agent_id=f"agent-{phase}")
            for phase in phases
        ),
        transitions=tuple(
            Transition(source=source, target=target, kind="return") for source, target in pairs
        ),
    )


def test_equal_definitions_have_no_effect():
    same = effect(drawn("a>b"), drawn("a>b"))
    assert same == Effect(to_end=same.to_end)


def test_paths_are_gained_and_lost():
    result = effect(drawn("a>b", "b>c"), drawn("a>b", "b>d"))
    assert (result.paths_lost, result.paths_gained) == ((("a", "b", "c"),), (("a", "b", "d"),))
    assert (result.unreachable, result.newly_reachable) == (("c",), ("d",))
    assert result.all_paths


def test_the_shortest_paths_to_an_end_and_to_the_human():
    result = effect(drawn("a>b", "b>c", human="c"), drawn("a>c", "a>b", "b>c", human="c"))
    assert result.to_human == (("a", "b", "c"), ("a", "c"))
    assert result.to_end == (("a", "b", "c"), ("a", "c"))
    assert effect(drawn("a>b", human="b"), drawn("a>c", human="b")).to_human == (("a", "b"), None)


def test_a_definition_with_too_many_paths_is_compared_by_its_shortest_ones():
    layers = [[f"{row}-{column}" for column in range(3)] for row in range(6)]
    edges = [f"a>{phase}" for phase in layers[0]]
    edges += [
        f"{one}>{other}" for upper, lower in pairwise(layers) for one in upper for other in lower
    ]
    result = effect(drawn(*edges), drawn(*edges[:-1]))
    assert not result.all_paths
    assert result.paths_lost == ()


def test_issues_appear_and_disappear_wherever_their_part_is_listed():
    result = effect(drawn("a>b", "b>c", "c>d"), drawn("a>b", "b>c"))
    assert {issue.code for issue in result.new_issues} == {"stage-unreachable"}
    assert effect(drawn("a>b", "b>c"), drawn("a>b", "b>c", "c>d")).resolved_issues


def test_the_handoff_tools_of_the_changed_stages_are_shown():
    result = effect(drawn("a>b", "b>c"), drawn("a>b", "b>d"))
    [change] = result.tools
    assert change.phase == "b"
    assert [option.phase for option in change.before[0].options if option.phase] == [
        "c",
        "escalation",
    ]
    assert [option.phase for option in change.after[0].options if option.phase] == [
        "d",
        "escalation",
    ]
