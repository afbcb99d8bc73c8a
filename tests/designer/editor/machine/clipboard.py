"""Gestures with the clipboard: copy, cut, paste, and duplicate without it."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from orchestration.definition import Frame, Note, Tool
from orchestration.loading import load_storable
from tests.designer.editor.machine.clip import excerpt, named, take_in
from tests.designer.editor.machine.gestures import Gestures, Place, listed, places, several
from tests.designer.editor.machine.sketch import Sketch
from tests.designer.editor_requests import chain, now

MOST = 9
"""How many stages there are at most once something is pasted."""


def elsewhere() -> str:
    """What was copied in another pipeline, some of whose keys are in use here."""
    there = chain("intake", "archive")
    (first, second), note = there.agents, Note(id="note-1", text="Refunds", x=40, y=40)
    first = first.model_copy(update={"name": "Archivist", "tools": ("tool-1",)})
    update = {
        "agents": (first, second),
        "tools": (Tool(name="tool-1", description="Elsewhere"),),
        "layout": there.layout.model_copy(
            update={
                "notes": (note,),
                "frames": (Frame(id="frame-1", title="Archive", stages=("archive", "intake")),),
                "hues": {"agent-archive": 77, "agent-intake": 78},
            }
        ),
    }
    return there.model_copy(update=update).dump()


ELSEWHERE = elsewhere()


class Clipboard(Gestures):
    """What one does with parts of a pipeline as text."""

    text = ELSEWHERE
    """What is on the clipboard."""

    @rule(stages=several, notes=several, frames=several)
    def copy(self, **several: set[int]) -> None:
        picked, sent = self._picked(several)
        if not any(picked.values()):
            self.refused("copy_parts", **sent)
            return
        copied = re.search(
            r'<pre id="copied"[^>]*>(.*)</pre>', self.gesture("copy_parts", **sent), re.DOTALL
        )
        assert copied
        self.text = unescape(copied[1])
        clip = Sketch.of(load_storable(self.text))
        clip.settings = {"entry": clip.entry}
        assert clip == excerpt(self.sketch, *picked.values())

    @rule(stages=several, notes=several, frames=several)
    def cut(self, **several: set[int]) -> None:
        picked, sent = self._picked(several)
        if not any(picked.values()):
            self.refused("cut_parts", **sent)
            return
        clip = excerpt(self.sketch, *picked.values())
        with self.past.step() as sketch:
            sketch.delete(clip.stages, (), clip.notes)
        self.gesture("cut_parts", **sent)

    @precondition(lambda self: len(self.sketch.stages) < MOST)
    @rule(at=st.none() | places, foreign=st.booleans())
    def paste(self, at: Place | None, foreign: bool) -> None:
        text = ELSEWHERE if foreign else self.text
        clip = Sketch.of(load_storable(text))
        clip = excerpt(clip, clip.stages, clip.notes, ())
        sent = {"x": at[0], "y": at[1]} if at else {}
        if not clip.stages and not clip.notes:
            self.refused("paste_parts", text=text, **sent)
            return
        self._take_in(clip, "paste_parts", text=text, **sent)

    @precondition(lambda self: len(self.sketch.stages) < MOST)
    @rule(stages=several, notes=several, frames=several)
    def duplicate(self, **several: set[int]) -> None:
        picked, sent = self._picked(several)
        if not any(picked.values()):
            self.refused("duplicate_parts", **sent)
            return
        self._take_in(excerpt(self.sketch, *picked.values()), "duplicate_parts", **sent)

    def _picked(self, several: dict[str, set[int]]) -> tuple[dict[str, list[str]], dict[str, str]]:
        kinds = ("stages", "notes", "frames")
        picked = {kind: self.some(several[kind], getattr(self.sketch, kind)) for kind in kinds}
        return picked, {kind: listed(keys) for kind, keys in picked.items()}

    def _take_in(self, clip: Sketch, view: str, **sent: object) -> None:
        """How far aside all of it comes to lie is read from the definition, at one of its parts."""
        names = named(self.sketch, clip)
        self.gesture(view, **sent)
        here = Sketch.of(now(self.pipeline))
        if clip.stages:
            phase = next(iter(clip.stages))
            was, at = clip.places[phase], here.places[names.stages[phase]]
            shift = at.x - was.x, at.y - was.y
        else:
            key = next(iter(clip.notes))
            old, new = clip.notes[key], here.notes[names.notes[key]]
            shift = new.x - old.x, new.y - old.y
        with self.past.step() as sketch:
            take_in(sketch, clip, names, shift)
