"""Automatic layout: from left to right, the entry first, without overlaps."""

from itertools import chain, combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from designer.canvas.geometry import FRAME_HEADER, FRAME_PADDING, HEIGHT, WIDTH
from designer.canvas.layout import (
    notes_off_cards,
    supervisor_off_cards,
    tidy_positions,
    with_positions,
)
from designer.canvas.wrapping import FreeArea
from orchestration.definition import (
    Frame,
    Layout,
    Note,
    PipelineDefinition,
    Position,
    Stage,
    Transition,
)


def pipeline(
    *pairs: str, alone: str = "", places=None, entry=None, frames: tuple[str, ...] = ()
) -> PipelineDefinition:
    """A pipeline of transitions such as `ab`, from stage a to stage b; `ab<` is a return."""
    phases = dict.fromkeys("".join(pairs).replace("<", "") + alone)
    return PipelineDefinition(
        name="Drawn",
        entry=entry or next(iter(phases), None),
        stages=tuple(Stage(phase=phase, kind="human") for phase in phases),
        transitions=tuple(
            Transition(source=pair[0], target=pair[1], kind="return" if "<" in pair else "next")
            for pair in pairs
        ),
        layout=Layout(
            stages=places or {},
            frames=tuple(Frame(id=phases, title=phases, stages=tuple(phases)) for phases in frames),
        ),
    )


def box(frame: Frame, places: dict[str, Position]) -> tuple[float, float, float, float]:
    """Return the box of a frame on the page: left, top, right, bottom."""
    cards = [places[phase] for phase in frame.stages]
    return (
        min(at.x for at in cards) - FRAME_PADDING,
        min(at.y for at in cards) - FRAME_PADDING - FRAME_HEADER,
        max(at.x for at in cards) + WIDTH + FRAME_PADDING,
        max(at.y for at in cards) + HEIGHT + FRAME_PADDING,
    )


def touch(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]


def everything(definition: PipelineDefinition) -> dict[str, Position]:
    return tidy_positions(definition, set(definition.stages_by_phase))


def in_layers(definition: PipelineDefinition) -> dict[str, Position]:
    """Tidy for a window so large that nothing is wrapped."""
    return tidy_positions(definition, set(definition.stages_by_phase), FreeArea(1e6, 1e6))


def with_places(definition: PipelineDefinition, places: dict[str, Position]) -> PipelineDefinition:
    layout = definition.layout.model_copy(update={"stages": {**definition.layout.stages, **places}})
    return definition.model_copy(update={"layout": layout})


def overlap(places: dict[str, Position]) -> bool:
    cards = list(places.values())
    return any(
        abs(a.x - b.x) < WIDTH and abs(a.y - b.y) < HEIGHT
        for at, a in enumerate(cards)
        for b in cards[:at]
    )


@st.composite
def drawings(draw: st.DrawFn) -> PipelineDefinition:
    """Any stages with any transitions and positions."""
    phases = "abcdefghij"[: draw(st.integers(1, 10))]
    phase = st.sampled_from(phases)
    pairs = draw(st.lists(st.tuples(phase, phase, st.sampled_from(["", "<"])), max_size=20))
    unique = {(source, target): kind for source, target, kind in pairs}
    far = st.integers(-1_000_000, 1_000_000) | st.integers(-500, 500)
    places = {phase: Position(x=draw(far), y=draw(far)) for phase in phases if draw(st.booleans())}
    choices = [draw(st.sampled_from(["", "", "one", "two"])) for _ in phases]
    frames = [
        "".join(p for p, choice in zip(phases, choices, strict=True) if choice == frame)
        for frame in ("one", "two")
    ]
    return pipeline(
        *("".join(key) + kind for key, kind in unique.items()),
        alone=phases,
        places=places,
        entry=draw(phase),
        frames=tuple(filter(None, frames)),
    )


@given(drawings())
def test_no_cards_overlap_and_a_tidy_layout_is_kept(definition):
    places = everything(definition)
    assert set(places) == set(definition.stages_by_phase)
    assert not overlap(places)
    assert everything(with_places(definition, places)) == places


@given(drawings())
def test_the_stages_of_a_frame_stay_together_without_other_stages(definition):
    places = everything(definition)
    boxes = [box(frame, places) for frame in definition.layout.frames]
    assert not any(touch(a, b) for a, b in combinations(boxes, 2))
    for frame, around in zip(definition.layout.frames, boxes, strict=True):
        for phase, at in places.items():
            card = (at.x, at.y, at.x + WIDTH, at.y + HEIGHT)
            assert touch(around, card) == (phase in frame.stages)


@given(drawings(), st.sets(st.sampled_from("abcdefghij")))
def test_some_stages_are_tidied_clear_of_the_others(definition, phases):
    places = tidy_positions(definition, phases)
    assert set(places) <= phases
    whole = with_places(definition, places)
    others = {phase: at for phase, at in whole.layout.stages.items() if phase not in places}
    for at in places.values():
        assert not any(overlap({"a": at, "b": other}) for other in others.values())
    assert tidy_positions(whole, phases) == places


def test_a_conversation_reads_from_left_to_right():
    places = in_layers(pipeline("ab", "ac", "bd", "cd", "db<", "de"))
    columns = [places[phase].x for phase in "abde"]
    assert columns == sorted(set(columns))
    assert places["b"].x == places["c"].x


def test_the_entry_comes_first_despite_transitions_to_it():
    places = everything(pipeline("ab", "bc", "ca", "da", entry="b"))
    assert places["b"].x == min(at.x for at in places.values())


def test_unconnected_stages_are_placed_below():
    places = everything(pipeline("ab", "cd", alone="e"))
    assert places["a"].y < places["c"].y < places["e"].y


def test_the_stages_of_a_frame_and_the_frame_read_from_left_to_right():
    places = in_layers(pipeline("ab", "bc", "cd", "de", frames=("bc", "e")))
    columns = [places[phase].x for phase in "abcde"]
    assert columns == sorted(set(columns))


def test_tidied_stages_stay_clear_of_a_frame_of_other_stages():
    away = {"c": Position(x=0, y=200), "d": Position(x=2000, y=900)}
    definition = pipeline("ab", alone="cd", places=away, frames=("cd",))
    definition = with_places(definition, {"a": Position(x=0, y=400), "b": Position(x=9, y=500)})
    places = tidy_positions(definition, {"a", "b"})
    _, _, _, bottom = box(definition.layout.frames[0], away)
    assert min(at.y for at in places.values()) > bottom


def test_the_layout_keeps_its_upper_left_corner():
    places = everything(
        pipeline("ab", places={"a": Position(x=70, y=-30), "b": Position(x=9, y=8)})
    )
    assert (places["a"].x, places["a"].y) == (9, -30)


def test_a_stage_without_a_position_is_placed_below_the_others():
    definition = pipeline("ab", "bc", places={"a": Position(x=0, y=0)})
    found = with_positions(definition).layout.stages
    assert found["a"] == Position(x=0, y=0)
    assert min(found["b"].y, found["c"].y) > HEIGHT
    assert not overlap(found)


def numbered(*pairs: tuple[int, int]) -> PipelineDefinition:
    """A pipeline of transitions between numbered stages, for more stages than letters."""
    return PipelineDefinition(
        name="Numbered",
        entry="s0",
        stages=tuple(Stage(phase=f"s{at}", kind="human") for at in range(max(chain(*pairs)) + 1)),
        transitions=tuple(Transition(source=f"s{a}", target=f"s{b}") for a, b in pairs),
    )


def knot(stages: range) -> list[tuple[int, int]]:
    """Return a transition from each stage to every later stage."""
    return list(combinations(stages, 2))


def columns(places: dict[str, Position], stages: range) -> int:
    return len({places[f"s{at}"].x for at in stages})


def test_a_graph_with_too_many_crossings_gets_simple_layers():
    few, many = range(8), range(60)
    assert columns(in_layers(numbered(*knot(few))), few) == len(few)
    places = in_layers(numbered(*knot(many)))
    assert columns(places, many) == 2
    assert not overlap(places)


def test_parts_beyond_the_effort_limit_get_simple_layers():
    parts = [range(at, at + 12) for at in range(0, 240, 12)]
    places = in_layers(numbered(*chain.from_iterable(map(knot, parts))))
    assert columns(places, parts[0]) == len(parts[0])
    assert columns(places, parts[-1]) == 2
    assert not overlap(places)


def test_a_long_chain_has_one_column_per_stage():
    stages = range(300)
    short_cuts = [(at, at + 5) for at in range(0, 290, 20)]
    places = in_layers(numbered(*pairwise(stages), *short_cuts))
    assert columns(places, stages) == len(stages)


def test_a_note_and_the_supervisor_are_moved_off_cards():
    drawn = pipeline("ab")
    places = everything(drawn)
    on_card = {"x": places["b"].x + 10, "y": places["b"].y + 10}
    layout = Layout(
        stages=places,
        supervisor=Position(**on_card),
        notes=(
            Note(id="aside", text="Mind the gap", x=-900, y=-900),
            Note(id="hidden", text="Mind the gap", **on_card),
        ),
    )
    definition = drawn.model_copy(update={"layout": layout, "supervisor_id": "watcher"})
    moved = notes_off_cards(definition, places)
    assert set(moved) == {"hidden"}
    assert moved["hidden"].y > max(at.y for at in places.values()) + HEIGHT
    above = supervisor_off_cards(definition, places)
    assert above is not None
    assert above.y < min(at.y for at in places.values()) - HEIGHT


def test_stages_find_positions_next_to_one_at_the_coordinate_limit() -> None:
    definition = PipelineDefinition(
        name="Far out",
        stages=tuple(Stage(phase=phase) for phase in ("far", "one", "two")),
        layout=Layout(stages={"far": Position(x=1_000_000, y=1_000_000)}),
    )
    there = with_positions(definition).layout.stages
    assert there.keys() == {"far", "one", "two"}
    assert there["far"] == Position(x=1_000_000, y=1_000_000)
