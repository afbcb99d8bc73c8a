"""Finding places: from left to right, the entry first, no card on another."""

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
    *ways: str, alone: str = "", places=None, entry=None, frames: tuple[str, ...] = ()
) -> PipelineDefinition:
    """Ways such as `ab`, from stage a to stage b; one that ends in `<` is a return."""
    phases = dict.fromkeys("".join(ways).replace("<", "") + alone)
    return PipelineDefinition(
        name="Drawn",
        entry=entry or next(iter(phases), None),
        stages=tuple(Stage(phase=phase, kind="human") for phase in phases),
        transitions=tuple(
            Transition(source=way[0], target=way[1], kind="return" if "<" in way else "next")
            for way in ways
        ),
        layout=Layout(
            stages=places or {},
            frames=tuple(Frame(id=one, title=one, stages=tuple(one)) for one in frames),
        ),
    )


def box(frame: Frame, places: dict[str, Position]) -> tuple[float, float, float, float]:
    """What the page draws around the stages of a frame: left, top, right, bottom."""
    cards = [places[phase] for phase in frame.stages]
    return (
        min(at.x for at in cards) - FRAME_PADDING,
        min(at.y for at in cards) - FRAME_PADDING - FRAME_HEADER,
        max(at.x for at in cards) + WIDTH + FRAME_PADDING,
        max(at.y for at in cards) + HEIGHT + FRAME_PADDING,
    )


def touch(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and one[2] > other[0] and one[1] < other[3] and one[3] > other[1]


def everything(definition: PipelineDefinition) -> dict[str, Position]:
    return tidy_positions(definition, set(definition.stages_by_phase))


def standing(definition: PipelineDefinition, places: dict[str, Position]) -> PipelineDefinition:
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
    """Any stages, any ways between them, anywhere."""
    phases = "abcdefghij"[: draw(st.integers(1, 10))]
    one = st.sampled_from(phases)
    ways = draw(st.lists(st.tuples(one, one, st.sampled_from(["", "<"])), max_size=20))
    unique = {(source, target): kind for source, target, kind in ways}
    far = st.integers(-1_000_000, 1_000_000) | st.integers(-500, 500)
    places = {phase: Position(x=draw(far), y=draw(far)) for phase in phases if draw(st.booleans())}
    homes = [draw(st.sampled_from(["", "", "one", "two"])) for _ in phases]
    frames = [
        "".join(p for p, home in zip(phases, homes, strict=True) if home == at)
        for at in ("one", "two")
    ]
    return pipeline(
        *("".join(key) + kind for key, kind in unique.items()),
        alone=phases,
        places=places,
        entry=draw(one),
        frames=tuple(filter(None, frames)),
    )


@given(drawings())
def test_no_card_stands_on_another_and_what_is_tidy_stays(definition):
    places = everything(definition)
    assert set(places) == set(definition.stages_by_phase)
    assert not overlap(places)
    assert everything(standing(definition, places)) == places


@given(drawings())
def test_the_stages_of_a_frame_stay_together_and_nobody_else_stands_among_them(definition):
    places = everything(definition)
    boxes = [box(frame, places) for frame in definition.layout.frames]
    assert not any(touch(one, other) for one, other in combinations(boxes, 2))
    for frame, around in zip(definition.layout.frames, boxes, strict=True):
        for phase, at in places.items():
            card = (at.x, at.y, at.x + WIDTH, at.y + HEIGHT)
            assert touch(around, card) == (phase in frame.stages)


@given(drawings(), st.sets(st.sampled_from("abcdefghij")))
def test_some_stages_are_tidied_clear_of_the_others(definition, phases):
    places = tidy_positions(definition, phases)
    assert set(places) <= phases
    whole = standing(definition, places)
    others = {phase: at for phase, at in whole.layout.stages.items() if phase not in places}
    for at in places.values():
        assert not any(overlap({"one": at, "other": other}) for other in others.values())
    assert tidy_positions(whole, phases) == places


def test_a_conversation_reads_from_left_to_right():
    places = everything(pipeline("ab", "ac", "bd", "cd", "db<", "de"))
    columns = [places[phase].x for phase in "abde"]
    assert columns == sorted(set(columns))
    assert places["b"].x == places["c"].x


def test_the_entry_comes_first_though_others_lead_to_it():
    places = everything(pipeline("ab", "bc", "ca", "da", entry="b"))
    assert places["b"].x == min(at.x for at in places.values())


def test_what_is_not_connected_stands_below():
    places = everything(pipeline("ab", "cd", alone="e"))
    assert places["a"].y < places["c"].y < places["e"].y


def test_a_frame_reads_from_left_to_right_too_and_stands_where_its_stages_would():
    places = everything(pipeline("ab", "bc", "cd", "de", frames=("bc", "e")))
    columns = [places[phase].x for phase in "abcde"]
    assert columns == sorted(set(columns))


def test_a_frame_of_others_is_no_place_for_stages_that_are_tidied():
    away = {"c": Position(x=0, y=200), "d": Position(x=2000, y=900)}
    definition = pipeline("ab", alone="cd", places=away, frames=("cd",))
    definition = standing(definition, {"a": Position(x=0, y=400), "b": Position(x=9, y=500)})
    places = tidy_positions(definition, {"a", "b"})
    _, _, _, bottom = box(definition.layout.frames[0], away)
    assert min(at.y for at in places.values()) > bottom


def test_the_drawing_stays_where_it_is():
    places = everything(
        pipeline("ab", places={"a": Position(x=70, y=-30), "b": Position(x=9, y=8)})
    )
    assert (places["a"].x, places["a"].y) == (9, -30)


def test_a_stage_without_a_place_gets_one_below_those_that_have_one():
    definition = pipeline("ab", "bc", places={"a": Position(x=0, y=0)})
    found = with_positions(definition).layout.stages
    assert found["a"] == Position(x=0, y=0)
    assert min(found["b"].y, found["c"].y) > HEIGHT
    assert not overlap(found)


def numbered(*ways: tuple[int, int]) -> PipelineDefinition:
    """Stages by number, of which there may be more than letters."""
    return PipelineDefinition(
        name="Numbered",
        entry="s0",
        stages=tuple(Stage(phase=f"s{at}", kind="human") for at in range(max(chain(*ways)) + 1)),
        transitions=tuple(Transition(source=f"s{one}", target=f"s{other}") for one, other in ways),
    )


def knot(stages: range) -> list[tuple[int, int]]:
    """A way from each stage to every one after it."""
    return list(combinations(stages, 2))


def columns(places: dict[str, Position], stages: range) -> int:
    return len({places[f"s{at}"].x for at in stages})


def test_what_is_too_tangled_to_be_untangled_soon_stands_in_simple_layers():
    few, many = range(8), range(60)
    assert columns(everything(numbered(*knot(few))), few) == len(few)
    places = everything(numbered(*knot(many)))
    assert columns(places, many) == 2
    assert not overlap(places)


def test_many_tangled_parts_are_not_all_untangled():
    parts = [range(at, at + 12) for at in range(0, 240, 12)]
    places = everything(numbered(*chain.from_iterable(map(knot, parts))))
    assert columns(places, parts[0]) == len(parts[0])
    assert columns(places, parts[-1]) == 2
    assert not overlap(places)


def test_a_long_conversation_reads_from_left_to_right_too():
    stages = range(300)
    short_cuts = [(at, at + 5) for at in range(0, 290, 20)]
    places = everything(numbered(*pairwise(stages), *short_cuts))
    assert columns(places, stages) == len(stages)


def test_a_note_and_the_supervisor_make_way_for_cards():
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


def test_beside_a_stage_at_the_edge_of_the_paper_others_still_find_a_place() -> None:
    definition = PipelineDefinition(
        name="Far out",
        stages=tuple(Stage(phase=phase) for phase in ("far", "one", "two")),
        layout=Layout(stages={"far": Position(x=1_000_000, y=1_000_000)}),
    )
    there = with_positions(definition).layout.stages
    assert there.keys() == {"far", "one", "two"}
    assert there["far"] == Position(x=1_000_000, y=1_000_000)
