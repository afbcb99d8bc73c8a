"""What a pipeline is to look like after gestures: a model that is as plain as can be."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

from orchestration.definition import PipelineDefinition

Way = tuple[str, str]
Place = tuple[float, float]


@dataclass
class Sketch:
    """Stages with their places, ways with their kinds, notes, frames, the entry; and no more."""

    stages: dict[str, Place] = field(default_factory=dict)
    ways: dict[Way, str] = field(default_factory=dict)
    notes: dict[str, Place] = field(default_factory=dict)
    frames: dict[str, set[str]] = field(default_factory=dict)
    entry: str | None = None

    @classmethod
    def of(cls, definition: PipelineDefinition) -> Sketch:
        """What of a definition a sketch shows."""
        layout = definition.layout
        return cls(
            stages={phase: (at.x, at.y) for phase, at in layout.stages.items()},
            ways={(way.source, way.target): way.kind for way in definition.transitions},
            notes={note.id: (note.x, note.y) for note in layout.notes},
            frames={frame.id: set(frame.stages) for frame in layout.frames},
            entry=definition.entry,
        )

    def next_of(self, phase: str) -> str | None:
        """Where a stage leads to by its `next`."""
        return next(
            (t for (s, t), kind in self.ways.items() if s == phase and kind == "next"), None
        )

    def add_stage(self, phase: str, at: Place, source: str | None = None) -> None:
        if not self.stages:
            self.entry = phase
        self.stages[phase] = at
        if source:
            self.connect(source, phase)

    def connect(self, source: str, target: str) -> None:
        self.ways[source, target] = "return" if self.next_of(source) else "next"

    def delete(self, phase: str) -> None:
        del self.stages[phase]
        self.ways = {way: kind for way, kind in self.ways.items() if phase not in way}
        self.unframe({phase})
        if self.entry == phase:
            self.entry = None

    def rename(self, phase: str, name: str) -> None:
        def new(one: str) -> str:
            return name if one == phase else one

        self.stages = {new(one): at for one, at in self.stages.items()}
        self.ways = {(new(s), new(t)): kind for (s, t), kind in self.ways.items()}
        self.frames = {key: set(map(new, stages)) for key, stages in self.frames.items()}
        self.entry = new(self.entry) if self.entry else None

    def bypass(self, phase: str) -> None:
        """Delete a stage, and lead what led there on to its next."""
        beyond = self.next_of(phase)
        beyond = None if beyond == phase else beyond
        was_entry = self.entry == phase
        led = [(s, kind) for (s, t), kind in self.ways.items() if t == phase and s != phase]
        self.delete(phase)
        for source, kind in led if beyond else ():
            assert beyond
            if source != beyond and (kind == "next" or (source, beyond) not in self.ways):
                self.ways[source, beyond] = kind
        self.entry = beyond if was_entry else self.entry

    def splice(self, phase: str, source: str, target: str) -> None:
        """Put a stage into a way."""
        leads_on = self.next_of(phase) is not None
        kind = self.ways.pop((source, target))
        if kind == "next" or (source, phase) not in self.ways:
            self.ways[source, phase] = kind
        self.ways.setdefault((phase, target), "return" if leads_on else "next")

    def replug(self, way: Way, end: str, phase: str) -> None:
        """Put one end of a way into another stage."""
        source, target = (phase, way[1]) if end == "source" else (way[0], phase)
        kind = self.ways.pop(way)
        if end == "source" and kind == "next" and self.next_of(phase):
            kind = "return"
        self.ways[source, target] = kind

    def frame(self, key: str, phases: set[str]) -> None:
        self.unframe(phases)
        self.frames[key] = set(phases)

    def unframe(self, phases: set[str]) -> None:
        """Take stages out of their frames; one that is empty is none."""
        left = {key: stages - phases for key, stages in self.frames.items()}
        self.frames = {key: stages for key, stages in left.items() if stages}


class Past:
    """The sketches that undo and redo go through, as deep as the history is."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.now = Sketch()
        self._undone: list[Sketch] = []
        self._done: list[Sketch] = []

    def begin(self) -> Sketch:
        """The sketch to change, of which the one before is kept."""
        self._done = [*self._done, deepcopy(self.now)][-self.depth :]
        self._undone = []
        return self.now

    def undo(self) -> bool:
        """Go one step back; False: there is none."""
        return self._turn(self._done, self._undone)

    def redo(self) -> bool:
        """Go one step on again; False: there is none."""
        return self._turn(self._undone, self._done)

    def _turn(self, these: list[Sketch], those: list[Sketch]) -> bool:
        if not these:
            return False
        those.append(self.now)
        self.now = these.pop()
        return True
