"""Gestures with search results and problems: replace texts, and fix problems."""

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
from tests.designer.editor.machine.model import PipelineModel
from tests.designer.editor_requests import HTMX, now

KINDS = {
    "stage": ("stages", ("phase", "description")),
    "agent": ("agents", ("name", "id", "instructions")),
    "transition": ("transitions", ("description",)),
    "tool": ("tools", ("name", "description")),
    "note": ("notes", ("text",)),
    "frame": ("frames", ("title",)),
}
"""The field of the model for each kind of part, and its texts in reading order."""

KEYS = {("stages", "phase"), ("agents", "id"), ("tools", "name")}

TYPED = {"name", "description", "instructions", "text"}

Passage = tuple[str, Any, str]
"""Field of the model, key of the part, and name of the text."""


class Search(Gestures):
    """Gestures in the tab “Find”, and with the buttons of problems."""

    @rule(
        query=st.sampled_from(["desk", "refund", "Frame", "nowhere"]),
        by=st.sampled_from(["counter", "Desk", "a refund"]),
        match_case=st.booleans(),
        at_once=st.booleans(),
    )
    def replace_all(self, query: str, by: str, match_case: bool, at_once: bool) -> None:
        pattern = re.compile(query, 0 if match_case else re.IGNORECASE)
        sent = {"text": query, "replacement": by} | ({"match_case": "on"} if match_case else {})
        matches = [
            passage
            for passage in _passages(self.model)
            if passage[::2] not in KEYS and pattern.search(_text(self.model, passage))
        ]
        if not matches:
            self.refused("replace", **sent)
            return
        field = _typed(matches[0]) if len(matches) == 1 else None
        with self.history.step(field, at_once=at_once) as model:
            for passage in matches:
                _write(model, passage, lambda text: pattern.sub(by, text))
        self.gesture("replace", at_once=at_once, **sent)

    @rule(
        query=st.sampled_from(["desk", "refund", "a"]),
        by=st.sampled_from(["counter", "Desk"]),
        pick=picks,
        at_once=st.booleans(),
    )
    def replace_one(self, query: str, by: str, pick: int, at_once: bool) -> None:
        address = reverse("search", args=[self.pipeline.pk])
        html = self.client.post(address, {"text": query}, headers=HTMX).content.decode()
        hits = [unescape(value) for value in re.findall(r'name="place" value="([^"]*)"', html)]
        if not hits:
            return
        place = hits[pick % len(hits)]
        kind, key, number, start = re.fullmatch(r"(\w+):(.*):(\d+)@(\d+)", place).groups()  # type: ignore[union-attr]
        passage = _of_part(self.model, kind, key)[int(number)]
        begin, end = int(start), int(start) + len(query)
        with self.history.step(_typed(passage), at_once=at_once) as model:
            _write(model, passage, lambda text: text[:begin] + by + text[end:])
        sent = {"text": query, "replacement": by, "place": place}
        self.gesture("replace", at_once=at_once, **sent)

    @rule(pick=picks)
    def fix_problem(self, pick: int) -> None:
        """Apply the engine's fix to the model; the problem must disappear.

        Read the positions of added stages from the definition.
        """
        offered = [value for name, value in self.buttons("problems") if name == "issue"]
        if not offered:
            return
        token = self.choose(pick, offered)
        definition = now(self.pipeline)
        issue = next(issue for issue in validate(definition) if issue_token(issue) == token)
        fix = find_fix(definition, issue)
        assert fix is not None
        self.gesture("fix_problem", issue=token)
        fixed = now(self.pipeline)
        with self.history.step() as model:
            vars(model).update(vars(PipelineModel.of(apply_fix(definition, fix))))
            model.places.update(
                {phase: fixed.layout.stages[phase] for phase in model.stages.keys() - model.places}
            )
        assert token not in map(issue_token, validate(fixed))


def _passages(model: PipelineModel) -> Iterator[Passage]:
    yield from _of_part(model, "pipeline", "")
    for kind, (parts, _) in KINDS.items():
        for key in getattr(model, parts):
            yield from _of_part(model, kind, ">".join(key) if kind == "transition" else key)


def _of_part(model: PipelineModel, kind: str, key: str) -> list[Passage]:
    """Return the texts of a part that are not empty."""
    if kind == "pipeline":
        passages: list[Passage] = [("settings", "", name) for name in ("name", "description")]
    else:
        parts, names = KINDS[kind]
        where = tuple(key.split(">")) if kind == "transition" else key
        passages = [(parts, where, name) for name in names]
    return [passage for passage in passages if _text(model, passage)]


def _text(model: PipelineModel, passage: Passage) -> str:
    parts, key, name = passage
    if parts == "settings":
        return str(model.settings[name])
    return str(getattr(getattr(model, parts)[key], name))


def _write(model: PipelineModel, passage: Passage, change: Callable[[str], str]) -> None:
    parts, key, name = passage
    text = change(_text(model, passage))
    if parts == "settings":
        model.settings[name] = text
    else:
        model.change(parts, key, **{name: text})


def _typed(passage: Passage) -> object:
    """Return the field for continued typing, if the text has one."""
    return passage if passage[2] in TYPED else None
