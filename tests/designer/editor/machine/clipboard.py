"""Gestures with the clipboard: copy, cut, paste and duplicate."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from orchestration.definition import Frame, Note, Tool
from orchestration.loading import load_storable
from tests.designer.editor.machine.excerpts import add_parts, excerpt, new_names
from tests.designer.editor.machine.gestures import Gestures, Place, listed, places, several
from tests.designer.editor.machine.model import PipelineModel
from tests.designer.editor_requests import chain, now

MOST = 9
"""Maximum number of stages before a paste."""


def foreign_text() -> str:
    """Return parts of another pipeline as text, some with keys that are in use here."""
    other = chain("intake", "archive")
    (first, second), note = other.agents, Note(id="note-1", text="Refunds", x=40, y=40)
    first = first.model_copy(update={"name": "Archivist", "tools": ("tool-1",)})
    update = {
        "agents": (first, second),
        "tools": (Tool(name="tool-1", description="Elsewhere"),),
        "layout": other.layout.model_copy(
            update={
                "notes": (note,),
                "frames": (Frame(id="frame-1", title="Archive", stages=("archive", "intake")),),
                "hues": {"agent-archive": 77, "agent-intake": 78},
            }
        ),
    }
    return other.model_copy(update=update).dump()


FOREIGN_TEXT = foreign_text()


class Clipboard(Gestures):
    """Gestures with parts of a pipeline as text."""

    text = FOREIGN_TEXT
    """Content of the clipboard."""

    @rule(stages=several, notes=several, frames=several)
    def copy(self, **several: set[int]) -> None:
        selected, sent = self._selected(several)
        if not any(selected.values()):
            self.refused("copy_parts", **sent)
            return
        copied = re.search(
            r'<pre id="copied"[^>]*>(.*)</pre>', self.gesture("copy_parts", **sent), re.DOTALL
        )
        assert copied
        self.text = unescape(copied[1])
        clip = PipelineModel.of(load_storable(self.text))
        clip.settings = {"entry": clip.entry}
        assert clip == excerpt(self.model, *selected.values())

    @rule(stages=several, notes=several, frames=several)
    def cut(self, **several: set[int]) -> None:
        selected, sent = self._selected(several)
        if not any(selected.values()):
            self.refused("cut_parts", **sent)
            return
        clip = excerpt(self.model, *selected.values())
        with self.history.step() as model:
            model.delete(clip.stages, (), clip.notes)
        self.gesture("cut_parts", **sent)

    @precondition(lambda self: len(self.model.stages) < MOST)
    @rule(at=st.none() | places, foreign=st.booleans())
    def paste(self, at: Place | None, foreign: bool) -> None:
        text = FOREIGN_TEXT if foreign else self.text
        clip = PipelineModel.of(load_storable(text))
        clip = excerpt(clip, clip.stages, clip.notes, ())
        sent = {"x": at[0], "y": at[1]} if at else {}
        if not clip.stages and not clip.notes:
            self.refused("paste_parts", text=text, **sent)
            return
        self._add(clip, "paste_parts", text=text, **sent)

    @precondition(lambda self: len(self.model.stages) < MOST)
    @rule(stages=several, notes=several, frames=several)
    def duplicate(self, **several: set[int]) -> None:
        selected, sent = self._selected(several)
        if not any(selected.values()):
            self.refused("duplicate_parts", **sent)
            return
        self._add(excerpt(self.model, *selected.values()), "duplicate_parts", **sent)

    def _selected(
        self, several: dict[str, set[int]]
    ) -> tuple[dict[str, list[str]], dict[str, str]]:
        kinds = ("stages", "notes", "frames")
        selected = {
            kind: self.choose_some(several[kind], getattr(self.model, kind)) for kind in kinds
        }
        return selected, {kind: listed(keys) for kind, keys in selected.items()}

    def _add(self, clip: PipelineModel, view: str, **sent: object) -> None:
        """Add the parts to the model; their shift is read from the definition at one of them."""
        names = new_names(self.model, clip)
        self.gesture(view, **sent)
        here = PipelineModel.of(now(self.pipeline))
        if clip.stages:
            phase = next(iter(clip.stages))
            was, at = clip.places[phase], here.places[names.stages[phase]]
            shift = at.x - was.x, at.y - was.y
        else:
            key = next(iter(clip.notes))
            old, new = clip.notes[key], here.notes[names.notes[key]]
            shift = new.x - old.x, new.y - old.y
        with self.history.step() as model:
            add_parts(model, clip, names, shift)
