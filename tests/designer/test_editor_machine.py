"""Any gestures in any order, through the real views: definition, page and a plain model agree."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import TestCase
from django.utils.text import slugify
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from designer import definitions
from designer.actions.edits import HISTORY_DEPTH
from designer.models import Edit, Pipeline
from orchestration.validation import validate
from tests.conftest import signed_in
from tests.designer.drawing import draw, now, send
from tests.designer.editing import page
from tests.designer.sketch import Past, Sketch
from tests.designer.tree import Tree

pytestmark = pytest.mark.django_db

CONTAINERS = ("stages", "edges", "notes", "frames", "problems", "outline-rows", "agents")

LISTS = ("problems", "agents")
"""Those that have an order."""

committed = TestCase.captureOnCommitCallbacks
"""So that what is kept on commit is kept."""

coordinates = st.integers(min_value=-2_000, max_value=2_000)
places = st.tuples(coordinates, coordinates)
picks = st.integers(min_value=0)
"""Which of those there are: whatever number comes up, counted round."""


NOT_THERE = (
    ("connect", {"source": "attic", "target": "cellar"}),
    ("delete_parts", {"stages": '["attic"]'}),
    ("move_stages", {"moves": '[{"phase": "attic", "x": 0, "y": 0}]'}),
)


class Gestures(RuleBasedStateMachine):
    """One person at one pipeline, with the outline open."""

    @initialize()
    def open(self) -> None:
        user = User.objects.create_user(uuid.uuid4().hex)
        self.client = signed_in(user)
        self.pipeline = draw(user)
        Edit.objects.filter(pipeline=self.pipeline).delete()
        self.past = Past(HISTORY_DEPTH)
        self.page = self.loaded()

    def loaded(self) -> Tree:
        return Tree(page(self.client, self.pipeline, panel="outline"))

    @property
    def sketch(self) -> Sketch:
        return self.past.now

    def gesture(self, view: str, **fields: Any) -> None:
        """Make a gesture that is to be accepted, and take its answer in."""
        with committed(execute=True):
            response = send(self.client, self.pipeline, view, panel="outline", **fields)
        assert response.status_code == 200, response.content.decode()
        self.page.swap(response.content.decode())

    def refused(self, view: str, **fields: Any) -> None:
        """Make a gesture that is to be refused with a sentence."""
        response = send(self.client, self.pipeline, view, panel="outline", **fields)
        assert response.status_code in (409, 412, 422)
        said = response.content.decode()
        assert 'id="notice"' in said or 'id="error-writing"' in said
        self.page.swap(response.content.decode())

    def phase(self, pick: int) -> str:
        return sorted(self.sketch.stages)[pick % len(self.sketch.stages)]

    def way(self, pick: int) -> tuple[str, str]:
        return sorted(self.sketch.ways)[pick % len(self.sketch.ways)]

    def free(self, stem: str, taken: Any) -> str:
        return next(key for n in range(1, 999) if (key := f"{stem}-{n}") not in taken)

    # Gestures on stages and ways

    @precondition(lambda self: len(self.sketch.stages) < 8)
    @rule(at=places, kind=st.sampled_from(["agent", "group", "human"]), pick=st.none() | picks)
    def add_stage(self, at: tuple[int, int], kind: str, pick: int | None) -> None:
        source = self.phase(pick) if pick is not None and self.sketch.stages else None
        phase = self.free("stage", self.sketch.stages)
        self.past.begin().add_stage(phase, at, source)
        self.gesture("add_stage", x=at[0], y=at[1], kind=kind, source=source or "")

    @precondition(lambda self: 0 < len(self.sketch.stages) < 8)
    @rule(at=places, pick=picks, name=st.sampled_from(["", "Ada", "Grace"]))
    def create_connected(self, at: tuple[int, int], pick: int, name: str) -> None:
        source = self.phase(pick)
        self.gesture("create_stage", x=at[0], y=at[1], kind="new", name=name, source=source)
        (stage,) = (s for s in now(self.pipeline).stages if s.phase not in self.sketch.stages)
        named = self.free("stage", self.sketch.stages) if not name else name.lower()
        assert stage.phase.startswith(named), "after its agent, where that has a name"
        self.past.begin().add_stage(stage.phase, at, source)

    @precondition(lambda self: self.sketch.stages)
    @rule(one=picks, other=picks)
    def connect(self, one: int, other: int) -> None:
        source, target = self.phase(one), self.phase(other)
        if (source, target) in self.sketch.ways:
            self.refused("connect", source=source, target=target)
            return
        self.past.begin().connect(source, target)
        self.gesture("connect", source=source, target=target)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, at=places)
    def move(self, pick: int, at: tuple[int, int]) -> None:
        phase = self.phase(pick)
        moves = json.dumps([{"phase": phase, "x": at[0], "y": at[1]}])
        if self.sketch.stages[phase] != at:
            self.past.begin().stages[phase] = at
        self.gesture("move_stages", moves=moves)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, name=st.sampled_from(["Desk", "stage-1", "the end"]))
    def rename(self, pick: int, name: str) -> None:
        phase, key = self.phase(pick), slugify(name)
        if key != phase and key in self.sketch.stages:
            self.refused("rename_stage", phase=phase, name=name)
            return
        if key != phase:
            self.past.begin().rename(phase, key)
        self.gesture("rename_stage", phase=phase, name=name)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, reconnects=st.booleans())
    def delete(self, pick: int, reconnects: bool) -> None:
        phase = self.phase(pick)
        sketch = self.past.begin()
        (sketch.bypass if reconnects else sketch.delete)(phase)
        view = "bypass_stages" if reconnects else "delete_parts"
        self.gesture(view, stages=json.dumps([phase]))

    @precondition(lambda self: self.sketch.ways)
    @rule(pick=picks)
    def delete_way(self, pick: int) -> None:
        source, target = self.way(pick)
        del self.past.begin().ways[source, target]
        self.gesture("delete_parts", transitions=json.dumps([f"{source}>{target}"]))

    @precondition(lambda self: self.sketch.ways)
    @rule(pick=picks, stage=picks)
    def splice(self, pick: int, stage: int) -> None:
        (source, target), phase = self.way(pick), self.phase(stage)
        fields = {"source": source, "target": target, "stage": phase}
        if phase in (source, target):
            self.refused("splice_stage", **fields)
            return
        self.past.begin().splice(phase, source, target)
        self.gesture("splice_stage", **fields)

    @precondition(lambda self: self.sketch.ways)
    @rule(pick=picks, stage=picks, end=st.sampled_from(["source", "target"]))
    def replug(self, pick: int, stage: int, end: str) -> None:
        way, phase = self.way(pick), self.phase(stage)
        moved = (phase, way[1]) if end == "source" else (way[0], phase)
        fields = {"source": way[0], "target": way[1], "end": end, "stage": phase}
        if moved != way and moved in self.sketch.ways:
            self.refused("move_plug", **fields)
            return
        if moved != way:
            self.past.begin().replug(way, end, phase)
        self.gesture("move_plug", **fields)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks)
    def make_entry(self, pick: int) -> None:
        phase = self.phase(pick)
        if self.sketch.entry != phase:
            self.past.begin().entry = phase
        self.gesture("make_entry", entry=phase)

    # Notes and frames

    @precondition(lambda self: len(self.sketch.notes) < 3)
    @rule(at=places)
    def add_note(self, at: tuple[int, int]) -> None:
        key = self.free("note", self.sketch.notes)
        self.past.begin().notes[key] = at
        self.gesture("add_note", x=at[0], y=at[1])

    @precondition(lambda self: self.sketch.notes)
    @rule(pick=picks)
    def delete_note(self, pick: int) -> None:
        key = sorted(self.sketch.notes)[pick % len(self.sketch.notes)]
        del self.past.begin().notes[key]
        self.gesture("delete_parts", notes=json.dumps([key]))

    @precondition(lambda self: self.sketch.stages)
    @rule(several=st.sets(picks, min_size=1, max_size=3))
    def frame(self, several: set[int]) -> None:
        phases = {self.phase(pick) for pick in several}
        key = self.free("frame", self.sketch.frames)
        self.past.begin().frame(key, phases)
        self.gesture("add_frame", stages=json.dumps(sorted(phases)))

    @precondition(lambda self: self.sketch.frames)
    @rule(pick=picks)
    def delete_frame(self, pick: int) -> None:
        key = sorted(self.sketch.frames)[pick % len(self.sketch.frames)]
        del self.past.begin().frames[key]
        self.gesture("delete_parts", frames=json.dumps([key]))

    # What is refused, and undo and redo

    @rule(asked=st.sampled_from(NOT_THERE))
    def ask_for_what_is_not_there(self, asked: tuple[str, dict[str, str]]) -> None:
        view, fields = asked
        self.refused(view, **fields)

    @rule(times=st.integers(min_value=1, max_value=3))
    def undo(self, times: int) -> None:
        for _ in range(times):
            (self.gesture if self.past.undo() else self.refused)("undo")

    @rule(times=st.integers(min_value=1, max_value=3))
    def redo(self, times: int) -> None:
        for _ in range(times):
            (self.gesture if self.past.redo() else self.refused)("redo")

    # What holds after each of them

    @invariant()
    def the_definition_is_as_the_model_says(self) -> None:
        if hasattr(self, "past"):
            assert Sketch.of(now(self.pipeline)) == self.sketch

    @invariant()
    def the_page_is_as_if_it_was_loaded_anew(self) -> None:
        if not hasattr(self, "page"):
            return
        fresh = self.loaded()
        for container in CONTAINERS:
            assert self.page.shows(container) == fresh.shows(container), container
        for container in LISTS:
            assert self.page.order(container) == fresh.order(container), container
        shown = {name.removeprefix("stage-") for name in self.page.shows("stages")}
        assert shown == set(self.sketch.stages)

    @invariant()
    def what_is_kept_is_what_the_rows_say_and_the_rules_find_in_it(self) -> None:
        if not hasattr(self, "pipeline"):
            return
        pipeline = Pipeline.objects.get(pk=self.pipeline.pk)
        edition = definitions.edition(pipeline)
        assert edition.definition == definitions.read_rows(pipeline)
        assert edition.issues == validate(edition.definition)


def test_any_gestures_leave_definition_page_and_model_in_agreement() -> None:
    run_state_machine_as_test(
        Gestures, settings=settings(max_examples=8, stateful_step_count=25, deadline=None)
    )
