"""Gestures with what was found: a text is replaced by another, and a problem is mended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

from django.urls import reverse
from hypothesis import strategies as st
from hypothesis.stateful import rule

from designer.canvas.problem_form import issue_token
from orchestration.validation import validate
from orchestration.validation.fixes import apply_fix, find_fix
from tests.designer.editor.machine.gestures import Gestures, picks
from tests.designer.editor.machine.sketch import Sketch
from tests.designer.editor_requests import HTMX, now

KINDS = {
    "stage": ("stages", ("phase", "description")),
    "agent": ("agents", ("name", "id", "instructions")),
    "transition": ("ways", ("description",)),
    "tool": ("tools", ("name", "description")),
    "note": ("notes", ("text",)),
    "frame": ("frames", ("title",)),
}
"""Where the parts of a kind are in a sketch, and which texts they have as one reads them."""

KEYS = {("stages", "phase"), ("agents", "id"), ("tools", "name")}

TYPED = {"name", "description", "instructions", "text"}

Passage = tuple[str, Any, str]
"""In which parts, under which key, in which field."""


class Texts(Gestures):
    """What one does in the tab “Find”, and with the buttons of problems."""

    @rule(
        sought=st.sampled_from(["desk", "refund", "Frame", "nowhere"]),
        by=st.sampled_from(["counter", "Desk", "a refund"]),
        match_case=st.booleans(),
        at_once=st.booleans(),
    )
    def replace_all(self, sought: str, by: str, match_case: bool, at_once: bool) -> None:
        pattern = re.compile(sought, 0 if match_case else re.IGNORECASE)
        sent = {"text": sought, "replacement": by} | ({"match_case": "on"} if match_case else {})
        found = [
            passage
            for passage in _passages(self.sketch)
            if passage[::2] not in KEYS and pattern.search(_text(self.sketch, passage))
        ]
        if not found:
            self.refused("replace", **sent)
            return
        field = _typed(found[0]) if len(found) == 1 else None
        with self.past.step(field, at_once=at_once) as sketch:
            for passage in found:
                _write(sketch, passage, lambda text: pattern.sub(by, text))
        self.gesture("replace", at_once=at_once, **sent)

    @rule(
        sought=st.sampled_from(["desk", "refund", "a"]),
        by=st.sampled_from(["counter", "Desk"]),
        pick=picks,
        at_once=st.booleans(),
    )
    def replace_one(self, sought: str, by: str, pick: int, at_once: bool) -> None:
        address = reverse("search", args=[self.pipeline.pk])
        html = self.client.post(address, {"text": sought}, headers=HTMX).content.decode()
        hits = [unescape(one) for one in re.findall(r'name="place" value="([^"]*)"', html)]
        if not hits:
            return
        place = hits[pick % len(hits)]
        kind, key, number, start = re.fullmatch(r"(\w+):(.*):(\d+)@(\d+)", place).groups()  # type: ignore[union-attr]
        passage = _of_part(self.sketch, kind, key)[int(number)]
        begin, end = int(start), int(start) + len(sought)
        with self.past.step(_typed(passage), at_once=at_once) as sketch:
            _write(sketch, passage, lambda text: text[:begin] + by + text[end:])
        sent = {"text": sought, "replacement": by, "place": place}
        self.gesture("replace", at_once=at_once, **sent)

    @rule(pick=picks)
    def fix_problem(self, pick: int) -> None:
        """What mends it is the engine's to say; the problem is to be gone then."""
        offered = [value for name, value in self.buttons("problems") if name == "issue"]
        if not offered:
            return
        token = self.one(pick, offered)
        definition = now(self.pipeline)
        issue = next(one for one in validate(definition) if issue_token(one) == token)
        fix = find_fix(definition, issue)
        assert fix is not None
        with self.past.step() as sketch:
            vars(sketch).update(vars(Sketch.of(apply_fix(definition, fix))))
        self.gesture("fix_problem", issue=token)
        assert token not in map(issue_token, validate(now(self.pipeline)))


def _passages(sketch: Sketch) -> Iterator[Passage]:
    yield from _of_part(sketch, "pipeline", "")
    for kind, (parts, _) in KINDS.items():
        for key in getattr(sketch, parts):
            yield from _of_part(sketch, kind, ">".join(key) if kind == "transition" else key)


def _of_part(sketch: Sketch, kind: str, key: str) -> list[Passage]:
    """The texts of a part that say something."""
    if kind == "pipeline":
        found: list[Passage] = [("settings", "", name) for name in ("name", "description")]
    else:
        parts, names = KINDS[kind]
        where = tuple(key.split(">")) if kind == "transition" else key
        found = [(parts, where, name) for name in names]
    return [passage for passage in found if _text(sketch, passage)]


def _text(sketch: Sketch, passage: Passage) -> str:
    parts, key, name = passage
    if parts == "settings":
        return str(sketch.settings[name])
    return str(getattr(getattr(sketch, parts)[key], name))


def _write(sketch: Sketch, passage: Passage, said: Callable[[str], str]) -> None:
    parts, key, name = passage
    text = said(_text(sketch, passage))
    if parts == "settings":
        sketch.settings[name] = text
    else:
        sketch.change(parts, key, **{name: text})


def _typed(passage: Passage) -> object:
    """The field that a burst of typing would be in."""
    return passage if passage[2] in TYPED else None
