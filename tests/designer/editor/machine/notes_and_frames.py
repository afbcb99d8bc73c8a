"""Gestures with notes and frames, on the canvas and in the inspector."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from designer.editor.actions.notes_and_frames import NOTE_HUE
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
from tests.designer.editor.machine.model import free

MOST = 4
"""Maximum number of notes, and of frames."""

titles = st.sampled_from(["Desk", "Frame 1", "Refunds"])
hues = st.sampled_from([None, 25, 210])
widths = st.sampled_from([None, 80, 420.5])


class NotesAndFrames(Gestures):
    """Gestures with notes and frames."""

    @precondition(lambda self: len(self.model.notes) < MOST)
    @rule(at=places)
    def add_note(self, at: Place) -> None:
        with self.history.step() as model:
            key = free("note", model.notes)
            model.notes[key] = Note(id=key, text="", x=at[0], y=at[1], hue=NOTE_HUE)
        self.gesture("add_note", x=at[0], y=at[1])

    @precondition(lambda self: self.model.notes)
    @rule(pick=picks, text=words, in_form=st.booleans(), at_once=st.booleans())
    def write_note(self, pick: int, text: str, in_form: bool, at_once: bool) -> None:
        key = self.choose(pick, self.model.notes)
        was = self.model.notes[key].text
        with self.history.step(("notes", key, "text"), at_once=at_once) as model:
            model.change("notes", key, text=text)
        if in_form:
            self.change("note", key, "note-form", "update_note", text=text, at_once=at_once)
        else:
            self.gesture("write_note", at_once=at_once, note=key, text=text, was=was)

    @precondition(lambda self: self.model.notes)
    @rule(pick=picks, text=words)
    def write_outdated_note(self, pick: int, text: str) -> None:
        key = self.choose(pick, self.model.notes)
        if text != self.model.notes[key].text:
            self.refused("write_note", note=key, text=text, was="something else")

    @precondition(lambda self: self.model.notes)
    @rule(pick=picks, width=st.sampled_from([60, 300]))
    def size_note(self, pick: int, width: float) -> None:
        key = self.choose(pick, self.model.notes)
        with self.history.step() as model:
            model.change("notes", key, width=float(width))
        self.gesture("size_note", note=key, width=width)

    @precondition(lambda self: self.model.notes)
    @rule(pick=picks, hue=hues, width=widths)
    def colour_note(self, pick: int, hue: int | None, width: float | None) -> None:
        key = self.choose(pick, self.model.notes)
        with self.history.step() as model:
            model.change("notes", key, hue=hue, width=width)
        sent = {"hue": _sent(hue), "width": _sent(width)}
        self.change("note", key, "note-form", "update_note", **sent)

    @precondition(lambda self: self.model.stages and len(self.model.frames) < MOST)
    @rule(pick=picks, stages=several)
    def frame(self, pick: int, stages: set[int]) -> None:
        phases = self.choose_some(stages | {pick}, self.model.stages)
        with self.history.step() as model:
            model.frame(free("frame", model.frames), phases)
        self.gesture("add_frame", stages=listed(phases))

    @precondition(lambda self: self.model.frames)
    @rule(pick=picks, phase=picks, stages=several, out=st.booleans())
    def put_in_frame(self, pick: int, phase: int, stages: set[int], out: bool) -> None:
        phases = self.choose_some(stages | {phase}, self.model.stages)
        key = None if out else self.choose(pick, self.model.frames)
        sent = {"stages": listed(phases), "frame": key or ":out"}
        if out and not any(map(self.model.frame_of, phases)):
            self.refused("put_in_frame", **sent)
            return
        with self.history.step() as model:
            model.put_in_frame(key, phases)
        self.gesture("put_in_frame", **sent)

    @precondition(lambda self: self.model.frames)
    @rule(pick=picks, title=titles)
    def rename_frame(self, pick: int, title: str) -> None:
        key = self.choose(pick, self.model.frames)
        was = self.model.frames[key].title
        with self.history.step() as model:
            model.change("frames", key, title=title)
        self.gesture("rename_frame", frame=key, title=title, was=was)

    @precondition(lambda self: self.model.frames)
    @rule(pick=picks, title=titles, hue=hues)
    def colour_frame(self, pick: int, title: str, hue: int | None) -> None:
        key = self.choose(pick, self.model.frames)
        with self.history.step() as model:
            model.change("frames", key, title=title, hue=hue)
        sent = {"title": title, "hue": _sent(hue)}
        self.change("frame", key, "frame-form", "update_frame", **sent)

    @precondition(lambda self: self.model.frames)
    @rule(pick=picks)
    def clear_title_of_frame(self, pick: int) -> None:
        key = self.choose(pick, self.model.frames)
        self.change_refused("frame", key, "frame-form", "update_frame", title="")


def _sent(value: Any) -> Any:
    return "" if value is None else value
