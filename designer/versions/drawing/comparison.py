"""Union of two definitions for one canvas: each card and line with its mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from designer.canvas import (
    CARD_WIDTH,
    SUPERVISOR_HEIGHT,
    Box,
    EdgeLine,
    EdgePath,
    StageCard,
    bounding_box,
    boxes_of_frame,
    card_boxes,
    clearing_move,
    edge_lines,
    find_routes,
    note_box,
    stage_cards,
    supervisor_card,
    with_positions,
)
from orchestration.definition import Layout, PipelineDefinition, Position, Transition
from orchestration.difference import (
    Difference,
    Effect,
    PartChange,
    PartKind,
    PartMark,
    difference,
    effect,
)

DrawnMark = PartMark | Literal[""]
Side = Literal["both", "before", "after"]
"""Sides that show a card or a line."""

SUPERVISION = ("supervisor_id", "supervision")
"""Settings that the card of the supervisor shows."""

ORDER: tuple[PartKind, ...] = ("stage", "transition", "agent", "rule", "tool", "setting")
"""Kinds of parts in the order of the list of changes."""


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A stage of either side."""

    card: StageCard
    """The card of the later side, or of the earlier one for a removed stage."""
    earlier: StageCard | None
    """The card of the earlier side, if the stage has another one there."""
    mark: DrawnMark
    count: int
    """Number of changes of the stage, its agents, and its transitions with another target or other
    values."""
    change: int | None
    """Number of its change in the list, or of the first change that counts for it."""
    side: Side
    box: Box


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A transition of either side. One with another target is drawn twice."""

    line: EdgeLine
    earlier: EdgeLine | None
    mark: DrawnMark
    change: int | None
    side: Side
    route: EdgePath

    @property
    def is_ghost(self) -> bool:
        """Report whether the later definition does not have the line."""
        return self.side == "before"


@dataclass(frozen=True, slots=True)
class DrawnFrame:
    """A frame of the later side."""

    title: str
    hue: int | None
    box: Box


@dataclass(frozen=True, slots=True)
class DrawnNote:
    """A note of the later side. Notes are not compared."""

    text: str
    hue: int | None
    box: Box


@dataclass(frozen=True, slots=True)
class DrawnSupervisor:
    """The supervisor of either side."""

    name: str
    """Its name in the later side, or in the earlier one if it is removed."""
    earlier: str
    """Its name in the earlier side if it differs; empty otherwise."""
    mark: DrawnMark
    change: int | None
    side: Side
    box: Box


class DrawnDifference:
    """Two definitions, their difference, and the drawing of both on one canvas."""

    def __init__(self, before: PipelineDefinition, after: PipelineDefinition) -> None:
        self.before, self.after = before, after
        found = difference(before, after).changes
        place = {kind: number for number, kind in enumerate(ORDER)}
        self.difference = Difference(tuple(sorted(found, key=lambda each: place[each.kind])))

    @property
    def changes(self) -> tuple[PartChange, ...]:
        """The changes in the order of the list; a change's number is its place from 1."""
        return self.difference.changes

    @cached_property
    def effect(self) -> Effect:
        """The effect of the change on conversations."""
        return effect(self.before, self.after)

    @cached_property
    def cards(self) -> list[DrawnCard]:
        """The stages of the later side in its order, then removed ones."""
        old, new = (
            {card.phase: card for card in stage_cards(each, each.stages_by_phase)}
            for each in (self._old, self._new)
        )
        owners, counts = self._card_changes
        drawn = []
        for phase, card in {**old, **new}.items():
            earlier = old.get(phase)
            own = self._numbers.get(("stage", phase))
            mark: DrawnMark = ""
            if phase not in old or phase not in new:
                mark = "added" if phase in new else "removed"
            elif counts[phase]:
                mark = "changed"
            is_common = phase in old and phase in new
            drawn.append(
                DrawnCard(
                    card,
                    earlier if _differs(earlier, card) else None,
                    mark,
                    counts[phase] if mark == "changed" else 0,
                    own or owners.get(phase),
                    "both" if is_common else "after" if phase in new else "before",
                    self.boxes[phase],
                )
            )
        return drawn

    @cached_property
    def lines(self) -> list[DrawnLine]:
        """The transitions of both sides with both ends; ghosts come first, under the others."""
        new = {line.key: line for line in edge_lines(self._new, self._new.transitions)}
        old = {line.key: line for line in edge_lines(self._old, self._old.transitions)}
        ghosts = [key for key in old if key not in new]
        order = [*ghosts, *new]
        known = {**old, **new}
        ends = [(known[key].source, known[key].target) for key in order]
        places = find_routes(self.boxes, ends, self._other_boxes)
        return [
            self._line(known[key], old.get(key), key in old, key in new, route)
            for key, route in zip(order, places, strict=True)
        ]

    @cached_property
    def frames(self) -> list[DrawnFrame]:
        """The frames of the later side around their stages."""
        places = self._places
        return [
            DrawnFrame(frame.title, frame.hue, box)
            for frame in self._new.layout.frames
            for box in boxes_of_frame(frame, places)
        ]

    @cached_property
    def notes(self) -> list[DrawnNote]:
        """The notes of the later side."""
        return [DrawnNote(note.text, note.hue, note_box(note)) for note in self._new.layout.notes]

    @cached_property
    def supervisors(self) -> list[DrawnSupervisor]:
        """The supervisor, if either side has one."""
        old, new = supervisor_card(self._old), supervisor_card(self._new)
        card = new or old
        if card is None:
            return []
        number = next(
            filter(None, (self._numbers.get(("setting", key)) for key in SUPERVISION)), None
        )
        mark: DrawnMark = "added" if old is None else "removed" if new is None else ""
        if not mark:
            number = number or self._numbers.get(("agent", card.agent_key))
            mark = "changed" if number else ""
        earlier = old.agent_name if old and old.agent_name != card.agent_name else ""
        side: Side = "both" if old and new else "after" if new else "before"
        box = (card.x, card.y, card.x + CARD_WIDTH, card.y + SUPERVISOR_HEIGHT)
        return [DrawnSupervisor(card.agent_name, earlier, mark, number, side, box)]

    @cached_property
    def boxes(self) -> Mapping[str, Box]:
        """The boxes of the stages: in the later layout, and removed ones clear of the others."""
        return dict(zip(self._places, card_boxes(self._places.values()), strict=True))

    @property
    def solid_boxes(self) -> list[Box]:
        """The boxes that neither a line nor a label should cover: cards and notes."""
        return [*self.boxes.values(), *self._other_boxes]

    @cached_property
    def bounds(self) -> Box:
        """The box around the drawing."""
        drawn = [*self.solid_boxes, *(frame.box for frame in self.frames)]
        for line in self.lines:
            xs, ys = zip(*line.route.points, strict=True)
            drawn.append((min(xs), min(ys), max(xs), max(ys)))
        return bounding_box(drawn) if drawn else (0.0, 0.0, 0.0, 0.0)

    @cached_property
    def _numbers(self) -> Mapping[tuple[PartKind, str], int]:
        """Numbers of the changes by part; a transition also by its earlier key."""
        numbers: dict[tuple[PartKind, str], int] = {}
        for number, change in enumerate(self.changes, start=1):
            numbers[change.kind, change.key] = number
            if change.previous_key:
                numbers.setdefault((change.kind, change.previous_key), number)
        return numbers

    @cached_property
    def _card_changes(self) -> tuple[Mapping[str, int], Counter[str]]:
        """The first change and the number of changes of each card."""
        stages_of: dict[str, list[str]] = {}
        for definition in (self.before, self.after):
            for stage in definition.stages:
                for agent in stage.agent_ids:
                    phases = stages_of.setdefault(agent, [])
                    if stage.phase not in phases:
                        phases.append(stage.phase)
        first: dict[str, int] = {}
        counts: Counter[str] = Counter()
        for number, change in enumerate(self.changes, start=1):
            for phase in _phases_of(change, stages_of):
                first.setdefault(phase, number)
                counts[phase] += 1
        return first, counts

    @cached_property
    def _new(self) -> PipelineDefinition:
        """The later definition; stages without a position take their place from the earlier one."""
        return with_positions(_placed(self.after, self.before.layout))

    @cached_property
    def _old(self) -> PipelineDefinition:
        """The earlier definition; stages without a position take their place from the later one."""
        return with_positions(_placed(self.before, self._new.layout))

    @cached_property
    def _other_boxes(self) -> list[Box]:
        """The boxes of the notes and of the supervisor."""
        notes = [note.box for note in self.notes]
        return [*notes, *(supervisor.box for supervisor in self.supervisors)]

    @cached_property
    def _places(self) -> dict[str, Position]:
        """Positions of the stages of both sides."""
        later = self._new.layout.stages
        places = {phase: later[phase] for phase in self._new.stages_by_phase}
        taken = [*card_boxes(places.values()), *self._other_boxes]
        for phase in self._old.stages_by_phase:
            if phase not in places:
                at = self._old.layout.stages[phase]
                [box] = card_boxes([at])
                across, down = clearing_move(box, taken)
                places[phase] = Position(x=at.x + across, y=at.y + down)
                taken += card_boxes([places[phase]])
        return places

    def _line(
        self, line: EdgeLine, earlier: EdgeLine | None, was: bool, exists: bool, route: EdgePath
    ) -> DrawnLine:
        number = self._numbers.get(("transition", line.key))
        mark: DrawnMark = self.changes[number - 1].mark if number else ""
        side: Side = "both" if was and exists else "after" if exists else "before"
        differs = earlier is not None and exists and earlier.label != line.label
        return DrawnLine(line, earlier if differs else None, mark, number, side, route)


def _phases_of(change: PartChange, stages_of: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the stages with a card that counts a change."""
    if change.kind == "stage":
        yield change.key
    elif change.kind == "agent" and change.mark == "changed":
        yield from stages_of.get(change.key, ())
    elif change.kind == "transition" and change.mark in ("changed", "retargeted"):
        part = change.after
        if isinstance(part, Transition):
            yield part.source


def _placed(definition: PipelineDefinition, other: Layout) -> PipelineDefinition:
    """Return the definition with the positions of another layout where it has none."""
    places = definition.layout.stages
    missing = {
        phase: other.stages[phase]
        for phase in definition.stages_by_phase
        if phase not in places and phase in other.stages
    }
    if not missing:
        return definition
    layout = definition.layout.model_copy(update={"stages": {**places, **missing}})
    return definition.model_copy(update={"layout": layout})


def _differs(earlier: StageCard | None, card: StageCard) -> bool:
    """Report whether a card shows something else than earlier; place and colour do not count."""
    return earlier is not None and replace(earlier, x=card.x, y=card.y, hue=card.hue) != card
