"""Traversals over the graph of stages."""

import pytest
from hypothesis import given

from orchestration import graph
from orchestration.definition import PipelineDefinition, Stage, Topology, Transition
from tests.orchestration.strategies import storable_definitions


def pipeline(*transitions: str, human: str = "") -> PipelineDefinition:
    """Return a definition with transitions such as `a>b`; `human` lists the human's stages."""
    pairs = [each.split(">") for each in transitions]
    phases = sorted({phase for pair in pairs for phase in pair if phase})
    return PipelineDefinition(
        name="Graph",
        stages=tuple(
            Stage(phase=phase, kind="human" if phase in human.split() else "agent")
            for phase in phases
        ),
        transitions=tuple(
            Transition(source=source, target=target) for source, target in pairs if target
        ),
    )


def test_transitions_of_both_kinds_are_edges() -> None:
    definition = PipelineDefinition(
        name="Two kinds",
        stages=(Stage(phase="a"), Stage(phase="b")),
        transitions=(
            Transition(source="a", target="b"),
            Transition(source="b", target="a", kind="return"),
        ),
    )
    assert set(graph.stage_graph(definition).edges) == {("a", "b"), ("b", "a")}


def test_a_transition_to_a_missing_stage_is_no_edge() -> None:
    definition = PipelineDefinition(
        name="Dangling",
        stages=(Stage(phase="a"),),
        transitions=(Transition(source="a", target="gone"), Transition(source="gone", target="a")),
    )
    stages = graph.stage_graph(definition)
    assert list(stages.nodes) == ["a"]
    assert not stages.edges


def test_ends_are_stages_without_edges_and_stages_of_the_human() -> None:
    definition = pipeline("a>b", "b>desk", "desk>a", "b>c", human="desk")
    assert graph.ends(definition, graph.stage_graph(definition)) == {"c", "desk"}


def test_reachable_stages_include_the_start() -> None:
    stages = graph.stage_graph(pipeline("a>b", "b>c", "c>a", "island>a"))
    assert graph.reachable(stages, ["a"]) == {"a", "b", "c"}
    assert graph.reachable(stages, ["a", "island"]) == {"a", "b", "c", "island"}


def test_leading_to_follows_transitions_backwards() -> None:
    stages = graph.stage_graph(pipeline("a>b", "b>c", "c>d", "d>c", "x>d"))
    assert graph.leading_to(stages, {"b"}) == {"a", "b"}
    assert graph.leading_to(stages, ()) == frozenset()


def test_handoffs_are_counted_on_the_shortest_path() -> None:
    stages = graph.stage_graph(pipeline("a>b", "b>c", "c>d", "a>c", "island>"))
    assert graph.handoffs_to(stages, "a", frozenset({"d"})) == 2
    assert graph.handoffs_to(stages, "a", frozenset({"a", "d"})) == 0
    assert graph.handoffs_to(stages, "a", frozenset({"island"})) is None


def test_leaving_a_group_is_not_counted_as_a_handoff() -> None:
    """Contract H-9."""
    stages = graph.stage_graph(pipeline("a>b", "b>c", "c>e", "a>d", "d>e"))
    assert graph.handoffs_to(stages, "a", frozenset({"e"})) == 2
    assert graph.handoffs_to(stages, "a", frozenset({"e"}), groups={"b", "c"}) == 1


def two_kinds(topology: Topology, *, source: str = "agent") -> PipelineDefinition:
    """Return a stage with a next and a return, and a stage that leads back to it."""
    return PipelineDefinition.model_validate(
        {
            "name": "Two kinds",
            "topology": topology,
            "entry": "b",
            "stages": [{"phase": "a", "kind": source}, {"phase": "b"}, {"phase": "c"}],
            "transitions": [
                {"source": "a", "target": "b"},
                {"source": "a", "target": "c", "kind": "return"},
                {"source": "b", "target": "a"},
            ],
        }
    )


@pytest.mark.parametrize(
    ("definition", "edges"),
    [
        (two_kinds("pipeline"), {("a", "b"), ("a", "c"), ("b", "a")}),
        (two_kinds("swarm"), {("a", "b"), ("a", "c"), ("b", "a")}),
        (two_kinds("pipeline", source="group"), {("a", "b"), ("b", "a")}),
        (two_kinds("workflow"), {("a", "b"), ("b", "a")}),
        (two_kinds("team"), {("b", "a")}),
    ],
    ids=["pipeline", "swarm", "group", "workflow", "team"],
)
def test_edges_are_the_transitions_that_can_be_taken(
    definition: PipelineDefinition, edges: set[tuple[str, str]]
) -> None:
    assert set(graph.stage_graph(definition).edges) == edges


def test_a_loop_without_handoffs_is_endless() -> None:
    assert graph.endless_loops(two_kinds("workflow")) == (("a", "b"),)
    assert graph.endless_loops(two_kinds("workflow", source="human")) == ()
    assert graph.endless_loops(two_kinds("pipeline", source="group")) == ()
    assert graph.endless_loops(two_kinds("team")) == ()
    alone = PipelineDefinition(
        name="Alone",
        stages=(Stage(phase="a", kind="group"),),
        transitions=(Transition(source="a", target="a"),),
    )
    assert graph.endless_loops(alone) == (("a",),)


def test_loops_that_share_a_stage_are_one() -> None:
    stages = graph.stage_graph(pipeline("a>b", "b>a", "b>c", "c>b", "c>d", "e>e"))
    assert graph.loops(stages) == (("a", "b", "c"), ("e",))


def test_exits_of_a_loop_are_its_edges_to_other_stages() -> None:
    stages = graph.stage_graph(pipeline("a>b", "b>a", "b>c", "a>d"))
    assert graph.exits(stages, ("a", "b")) == (("a", "d"), ("b", "c"))


@given(storable_definitions())
def test_every_stage_leads_to_an_end_or_to_a_loop_without_exits(
    definition: PipelineDefinition,
) -> None:
    stages = graph.stage_graph(definition)
    closed = [loop for loop in graph.loops(stages) if not graph.exits(stages, loop)]
    final = graph.ends(definition, stages).union(*closed)
    assert graph.leading_to(stages, final) == set(definition.stages_by_phase)


def transitions(next_pairs: str, *returns: str, entry: str | None = "a") -> PipelineDefinition:
    """Return a definition with `next` transitions, separated by spaces, and returns."""
    pairs = [(each.split(">"), "next") for each in next_pairs.split()]
    pairs += [(each.split(">"), "return") for each in returns]
    phases = sorted({phase for pair, _ in pairs for phase in pair})
    return PipelineDefinition.model_validate(
        {
            "name": "Returns",
            "stages": [{"phase": phase} for phase in phases],
            "transitions": [
                {"source": source, "target": target, "kind": kind}
                for (source, target), kind in pairs
            ],
            "entry": entry,
        }
    )


@pytest.mark.parametrize(
    ("definition", "back"),
    [
        (transitions("a>b b>c", "c>a", "c>b"), {"c>a", "c>b"}),
        (transitions("a>b", "a>c", "a>d", "c>a", "d>a", "c>d", "d>c"), {"c>a", "d>a"}),
        (transitions("a>b c>a d>a", "a>c", "a>d"), set()),  # spokes with a next to the hub
        (
            transitions("a>b b>c c>d", "a>d", "d>c", "d>b"),
            {"d>c", "d>b"},
        ),  # a short cut has no effect
        (transitions("a>b b>c", "a>desk", "c>desk"), set()),  # nearer, without outgoing edges
        (transitions("b>c", "a>b", "a>c", "c>b"), {"c>b"}),
        (transitions("a>b", "b>b"), {"b>b"}),
        (
            transitions("b>c", "c>b", entry=None),
            {"c>b"},
        ),  # without an entry the first phase is the start
        (transitions("a>b", "x>y", "y>x"), {"y>x"}),
        (transitions("a>b", "b>c"), set()),
    ],
)
def test_a_transition_leads_back_if_its_target_comes_before(
    definition: PipelineDefinition, back: set[str]
) -> None:
    assert {
        f"{source}>{target}" for source, target in graph.backward_transitions(definition)
    } == back


@given(storable_definitions())
def test_a_backward_transition_closes_a_loop(
    definition: PipelineDefinition,
) -> None:
    stages = graph.stage_graph(definition)
    back = graph.backward_transitions(definition, stages)
    assert back == graph.backward_transitions(definition)
    for source, target in back:
        assert source in graph.reachable(stages, [target])
        if source != target:
            assert (target, source) not in back
