"""Traversals over the graph of stages."""

import pytest
from hypothesis import given

from orchestration import graph
from orchestration.definition import PipelineDefinition, Stage, Topology, Transition
from tests.orchestration.strategies import storable_definitions


def pipeline(*ways: str, human: str = "") -> PipelineDefinition:
    """A definition from ways such as `a>b`; `human` names the stages the human serves."""
    pairs = [way.split(">") for way in ways]
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


def test_returns_and_next_are_edges_alike() -> None:
    definition = PipelineDefinition(
        name="Two kinds",
        stages=(Stage(phase="a"), Stage(phase="b")),
        transitions=(
            Transition(source="a", target="b"),
            Transition(source="b", target="a", kind="return"),
        ),
    )
    assert set(graph.stage_graph(definition).edges) == {("a", "b"), ("b", "a")}


def test_a_transition_to_a_stage_that_is_not_there_is_no_edge() -> None:
    definition = PipelineDefinition(
        name="Dangling",
        stages=(Stage(phase="a"),),
        transitions=(Transition(source="a", target="gone"), Transition(source="gone", target="a")),
    )
    found = graph.stage_graph(definition)
    assert list(found.nodes) == ["a"]
    assert not found.edges


def test_ends_are_stages_with_no_way_on_and_those_the_human_serves() -> None:
    definition = pipeline("a>b", "b>desk", "desk>a", "b>c", human="desk")
    assert graph.ends(definition, graph.stage_graph(definition)) == {"c", "desk"}


def test_reachable_are_the_entry_and_all_that_transitions_lead_to() -> None:
    found = graph.stage_graph(pipeline("a>b", "b>c", "c>a", "island>a"))
    assert graph.reachable(found, ["a"]) == {"a", "b", "c"}
    assert graph.reachable(found, ["a", "island"]) == {"a", "b", "c", "island"}


def test_leading_to_goes_against_the_transitions() -> None:
    found = graph.stage_graph(pipeline("a>b", "b>c", "c>d", "d>c", "x>d"))
    assert graph.leading_to(found, {"b"}) == {"a", "b"}
    assert graph.leading_to(found, ()) == frozenset()


def test_handoffs_are_counted_on_the_shortest_way() -> None:
    found = graph.stage_graph(pipeline("a>b", "b>c", "c>d", "a>c", "island>"))
    assert graph.handoffs_to(found, "a", frozenset({"d"})) == 2
    assert graph.handoffs_to(found, "a", frozenset({"a", "d"})) == 0
    assert graph.handoffs_to(found, "a", frozenset({"island"})) is None


def test_no_handoff_is_counted_away_from_a_group() -> None:
    """Contract H-9: what follows a group follows by itself."""
    found = graph.stage_graph(pipeline("a>b", "b>c", "c>e", "a>d", "d>e"))
    assert graph.handoffs_to(found, "a", frozenset({"e"})) == 2
    assert graph.handoffs_to(found, "a", frozenset({"e"}), groups={"b", "c"}) == 1


def shaped(topology: Topology, *, source: str = "agent") -> PipelineDefinition:
    """A stage of some kind with a next and a return, and a stage that leads back to it."""
    return PipelineDefinition.model_validate(
        {
            "name": "Shaped",
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
        (shaped("pipeline"), {("a", "b"), ("a", "c"), ("b", "a")}),
        (shaped("swarm"), {("a", "b"), ("a", "c"), ("b", "a")}),
        (shaped("pipeline", source="group"), {("a", "b"), ("b", "a")}),
        (shaped("workflow"), {("a", "b"), ("b", "a")}),
        (shaped("team"), {("b", "a")}),
    ],
    ids=["pipeline", "swarm", "group", "workflow", "team"],
)
def test_edges_are_the_transitions_that_can_be_taken(
    definition: PipelineDefinition, edges: set[tuple[str, str]]
) -> None:
    assert set(graph.stage_graph(definition).edges) == edges


def test_a_circle_is_endless_where_every_stage_follows_by_itself() -> None:
    assert graph.endless_loops(shaped("workflow")) == (("a", "b"),)
    assert graph.endless_loops(shaped("workflow", source="human")) == ()
    assert graph.endless_loops(shaped("pipeline", source="group")) == ()
    assert graph.endless_loops(shaped("team")) == ()
    alone = PipelineDefinition(
        name="Alone",
        stages=(Stage(phase="a", kind="group"),),
        transitions=(Transition(source="a", target="a"),),
    )
    assert graph.endless_loops(alone) == (("a",),)


def test_loops_that_share_a_stage_are_one() -> None:
    found = graph.stage_graph(pipeline("a>b", "b>a", "b>c", "c>b", "c>d", "e>e"))
    assert graph.loops(found) == (("a", "b", "c"), ("e",))


def test_ways_out_of_a_loop_are_its_edges_to_the_outside() -> None:
    found = graph.stage_graph(pipeline("a>b", "b>a", "b>c", "a>d"))
    assert graph.ways_out(found, ("a", "b")) == (("a", "d"), ("b", "c"))


@given(storable_definitions())
def test_a_stage_leads_to_an_end_or_into_a_loop_that_never_leaves(
    definition: PipelineDefinition,
) -> None:
    found = graph.stage_graph(definition)
    closed = [loop for loop in graph.loops(found) if not graph.ways_out(found, loop)]
    resting = graph.ends(definition, found).union(*closed)
    assert graph.leading_to(found, resting) == set(definition.stages_by_phase)


def ways(line: str, *others: str, entry: str | None = "a") -> PipelineDefinition:
    """A definition from what is `next`, parted by blanks, and ways of the other kind."""
    pairs = [(way.split(">"), "next") for way in line.split()]
    pairs += [(way.split(">"), "return") for way in others]
    phases = sorted({phase for pair, _ in pairs for phase in pair})
    return PipelineDefinition.model_validate(
        {
            "name": "Ways",
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
        (ways("a>b b>c", "c>a", "c>b"), {"c>a", "c>b"}),
        (ways("a>b", "a>c", "a>d", "c>a", "d>a", "c>d", "d>c"), {"c>a", "d>a"}),
        (ways("a>b c>a d>a", "a>c", "a>d"), set()),  # spokes that follow on to the hub
        (ways("a>b b>c c>d", "a>d", "d>c", "d>b"), {"d>c", "d>b"}),  # a short cut changes nothing
        (ways("a>b b>c", "a>desk", "c>desk"), set()),  # nearer, and leading nowhere
        (ways("b>c", "a>b", "a>c", "c>b"), {"c>b"}),
        (ways("a>b", "b>b"), {"b>b"}),
        (ways("b>c", "c>b", entry=None), {"c>b"}),  # nothing leads here: it begins with the first
        (ways("a>b", "x>y", "y>x"), {"y>x"}),
        (ways("a>b", "b>c"), set()),
    ],
)
def test_a_way_leads_back_where_its_target_led_here(
    definition: PipelineDefinition, back: set[str]
) -> None:
    assert {f"{source}>{target}" for source, target in graph.ways_back(definition)} == back


@given(storable_definitions())
def test_a_way_back_closes_a_loop_and_where_all_kinds_of_ways_can_be_told(
    definition: PipelineDefinition,
) -> None:
    found = graph.stage_graph(definition)
    back = graph.ways_back(definition, found)
    assert back == graph.ways_back(definition)
    for source, target in back:
        assert source in graph.reachable(found, [target])
        if source != target:
            assert (target, source) not in back
