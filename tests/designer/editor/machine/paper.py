"""Gestures with notes and frames, on the canvas and in the inspector."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from orchestration.definition import Note
from tests.designer.editor.machine.gestures import (
    Gestures,
    Place,
    listed,
    picks,
    places,
    several,
    words,
)
from tests.designer.editor.machine.sketch import free

MOST = 4
"""How many notes there are at most, and how many frames."""

titles = st.sampled_from(["Desk", "Frame 1", "Refunds"])
hues = st.sampled_from([None, 25, 210])
widths = st.sampled_from([None, 80, 420.5])


class Paper(Gestures):
    """What one does with what is laid on the canvas for people."""

    @precondition(lambda self: len(self.sketch.notes) < MOST)
    @rule(at=places)
    def add_note(self, at: Place) -> None:
        with self.past.step() as sketch:
            key = free("note", sketch.notes)
            sketch.notes[key] = Note(id=key, text="", x=at[0], y=at[1])
        self.gesture("add_note", x=at[0], y=at[1])

    @precondition(lambda self: self.sketch.notes)
    @rule(pick=picks, text=words, in_form=st.booleans(), at_once=st.booleans())
    def write_note(self, pick: int, text: str, in_form: bool, at_once: bool) -> None:
        key = self.one(pick, self.sketch.notes)
        was = self.sketch.notes[key].text
        with self.past.step(("notes", key, "text"), at_once=at_once) as sketch:
            sketch.change("notes", key, text=text)
        if in_form:
            self.change("note", key, "note-form", "update_note", text=text, at_once=at_once)
        else:
            self.gesture("write_note", at_once=at_once, note=key, text=text, was=was)

    @precondition(lambda self: self.sketch.notes)
    @rule(pick=picks, text=words)
    def write_note_on_stale_ground(self, pick: int, text: str) -> None:
        key = self.one(pick, self.sketch.notes)
        if text != self.sketch.notes[key].text:
            self.refused("write_note", note=key, text=text, was="something else")

    @precondition(lambda self: self.sketch.notes)
    @rule(pick=picks, width=st.sampled_from([60, 300]))
    def size_note(self, pick: int, width: float) -> None:
        key = self.one(pick, self.sketch.notes)
        with self.past.step() as sketch:
            sketch.change("notes", key, width=float(width))
        self.gesture("size_note", note=key, width=width)

    @precondition(lambda self: self.sketch.notes)
    @rule(pick=picks, hue=hues, width=widths)
    def colour_note(self, pick: int, hue: int | None, width: float | None) -> None:
        key = self.one(pick, self.sketch.notes)
        with self.past.step() as sketch:
            sketch.change("notes", key, hue=hue, width=width)
        sent = {"hue": _sent(hue), "width": _sent(width)}
        self.change("note", key, "note-form", "update_note", **sent)

    @precondition(lambda self: self.sketch.stages and len(self.sketch.frames) < MOST)
    @rule(pick=picks, stages=several)
    def frame(self, pick: int, stages: set[int]) -> None:
        phases = self.some(stages | {pick}, self.sketch.stages)
        with self.past.step() as sketch:
            sketch.frame(free("frame", sketch.frames), phases)
        self.gesture("add_frame", stages=listed(phases))

    @precondition(lambda self: self.sketch.frames)
    @rule(pick=picks, one=picks, stages=several, out=st.booleans())
    def put_in_frame(self, pick: int, one: int, stages: set[int], out: bool) -> None:
        phases = self.some(stages | {one}, self.sketch.stages)
        key = None if out else self.one(pick, self.sketch.frames)
        sent = {"stages": listed(phases), "frame": key or ":out"}
        if out and not any(map(self.sketch.frame_of, phases)):
            self.refused("put_in_frame", **sent)
            return
        with self.past.step() as sketch:
            sketch.put_in_frame(key, phases)
        self.gesture("put_in_frame", **sent)

    @precondition(lambda self: self.sketch.frames)
    @rule(pick=picks, title=titles)
    def rename_frame(self, pick: int, title: str) -> None:
        key = self.one(pick, self.sketch.frames)
        was = self.sketch.frames[key].title
        with self.past.step() as sketch:
            sketch.change("frames", key, title=title)
        self.gesture("rename_frame", frame=key, title=title, was=was)

    @precondition(lambda self: self.sketch.frames)
    @rule(pick=picks, title=titles, hue=hues)
    def colour_frame(self, pick: int, title: str, hue: int | None) -> None:
        key = self.one(pick, self.sketch.frames)
        with self.past.step() as sketch:
            sketch.change("frames", key, title=title, hue=hue)
        sent = {"title": title, "hue": _sent(hue)}
        self.change("frame", key, "frame-form", "update_frame", **sent)

    @precondition(lambda self: self.sketch.frames)
    @rule(pick=picks)
    def leave_a_frame_without_title(self, pick: int) -> None:
        key = self.one(pick, self.sketch.frames)
        self.change_in_vain("frame", key, "frame-form", "update_frame", title="")


def _sent(value: Any) -> Any:
    return "" if value is None else value
