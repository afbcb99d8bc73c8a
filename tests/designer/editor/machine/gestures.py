"""A person in the editor: gestures through the views, and the resulting page."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Mapping
from datetime import timedelta
from itertools import chain
from typing import Any

from django.contrib.auth.models import User
from django.test import TestCase
from django.urls import reverse
from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from designer import definitions
from designer.core.edits import HISTORY_DEPTH
from designer.models import Edit, Pipeline
from orchestration.validation import validate
from tests.conftest import signed_in
from tests.designer.editor.machine.history import History
from tests.designer.editor.machine.model import PipelineModel, Place
from tests.designer.editor.page_tree import Element, Tree
from tests.designer.editor_page import as_shown, inspected, page
from tests.designer.editor_requests import HTMX, draw, now

CONTAINERS = (
    "stages", "edges", "notes", "frames", "problems", "agents", "tools", "outline-rows",
    "outline-phases", "outline-agents",
)  # fmt: skip
"""Containers of elements with ids, which change one by one."""

LISTS = ("problems", "agents", "tools")
"""Containers with an order."""

ELEMENTS = (
    "version-chip", "undo-buttons", "pipeline-name", "supervisor-card", "problem-count",
    "outline-annotations", "rules-table", "inspector",
)  # fmt: skip
"""Elements that are swapped as a whole."""

STATES = ("version-chip", "inspector-state", "panel-state")
"""Elements with the state that the page sends with every gesture."""

PANELS = ("problems", "outline", "rules", "find")

__all__ = ["Gestures", "Place", "listed", "picks", "places", "several", "words"]

committed = TestCase.captureOnCommitCallbacks
"""Runs the callbacks for the commit."""

coordinates = st.integers(min_value=-2_000, max_value=2_000)
places = st.tuples(coordinates, coordinates)
picks = st.integers(min_value=0, max_value=23)
"""Index of an existing part, modulo their number."""
several = st.sets(picks, max_size=3)
words = st.sampled_from(["", "desk", "A desk for refunds", "Refunds first,\nthen the desk."])

DELETED_PARTS = (
    ("connect", {"source": "attic", "target": "cellar"}),
    ("delete_parts", {"stages": '["attic"]', "notes": '["nowhere"]'}),
    ("move_stages", {"moves": '[{"phase": "attic", "x": 0, "y": 0}]'}),
    ("cut_parts", {"stages": '["attic"]'}),
    ("paste_parts", {"text": "no pipeline"}),
    ("delete_agent", {"agent": "nobody"}),
    ("delete_tool", {"tool": "nothing"}),
    ("delete_rule", {"rule": "none"}),
    ("fix_problem", {"issue": "stage-agentless|0123456789abcdef"}),
)

ERROR_PLACES = tuple(f'id="{name}"' for name in ("notice", "error-writing", "find-error"))


RULE = "i12345678"
"""Token of a rule's form, which differs from the inspector's."""


def normalised(html: str) -> str:
    """Return HTML without the tokens of forms and requests, which are random."""
    html = re.sub(rf"\b(?!{RULE})i[0-9a-f]{{8}}\b", "i00000000", html)
    return re.sub(r'<input type="hidden" name="csrfmiddlewaretoken"[^>]*>', "", html)


class Gestures(RuleBasedStateMachine):
    """One person in one pipeline: the base of all gestures, with undo and redo."""

    @initialize(phases=st.sampled_from([(), ("intake", "review", "done")]))
    def open(self, phases: tuple[str, ...]) -> None:
        user = User.objects.create_user(uuid.uuid4().hex)
        self.client = signed_in(user)
        self.pipeline = draw(user, *phases)
        Edit.objects.filter(pipeline=self.pipeline).delete()
        self.history = History(PipelineModel.of(now(self.pipeline)), HISTORY_DEPTH)
        self.seen: dict[str, Tree] = {}
        self.checked = -1
        self.page = Tree(self.load({}))

    @property
    def model(self) -> PipelineModel:
        return self.history.now

    # Selected parts

    def choose(self, pick: int, parts: Collection[Any]) -> Any:
        return sorted(parts)[pick % len(parts)]

    def choose_some(self, numbers: Collection[int], parts: Collection[Any]) -> list[Any]:
        return sorted({self.choose(pick, parts) for pick in numbers}) if parts else []

    def phase(self, pick: int) -> str:
        return str(self.choose(pick, self.model.stages))

    # The page

    def load(self, shown: Mapping[str, str]) -> str:
        return normalised(page(self.client, self.pipeline, **shown))

    def state(self) -> dict[str, str]:
        """Return the state that the page sends with every gesture."""
        elements = (self.page.root.find(name) for name in STATES)
        pairs = (_sent_by("input", match[1]) for match in elements if match)
        return dict(chain.from_iterable(pairs))

    def send(self, view: str, fields: Mapping[str, Any], *, at_once: bool = False) -> Any:
        """Post a gesture, at once or after a pause, and swap its response into the page."""
        pause = timedelta(0) if at_once else timedelta(hours=1)
        Edit.objects.filter(pipeline=self.pipeline).update(made=timezone.now() - pause)
        with committed(execute=True):
            response = self.client.post(
                reverse(view, args=[self.pipeline.pk]), {**self.state(), **fields}, headers=HTMX
            )
        self.page.swap(normalised(response.content.decode()))
        return response

    def gesture(self, view: str, /, *, at_once: Any = False, **fields: Any) -> str:
        """Make a gesture that must be accepted."""
        response = self.send(view, fields, at_once=at_once)
        assert response.status_code == 200, response.content.decode()
        return str(response.content.decode())

    def refused(self, view: str, /, **fields: Any) -> None:
        """Make a gesture that must be refused with a sentence."""
        response = self.send(view, fields)
        assert response.status_code in (409, 412, 422), response.content.decode()
        html = response.content.decode()
        assert any(place in html for place in ERROR_PLACES), html

    def buttons(self, dom_id: str) -> list[tuple[str, str]]:
        """Return the names and values of the buttons in an element."""
        match = self.page.root.find(dom_id)
        return _sent_by("button", match[1]) if match else []

    def select(self, kind: str, key: str = "", tab: str = "stage") -> str:
        """Select a part and return its forms."""
        query = {"select": f"{kind}:{key}" if key else kind, "tab": tab}
        html = inspected(self.client, self.pipeline, **self.state() | query)
        self.page.fill("inspector", normalised(html))
        return normalised(html)

    def change(self, kind: str, key: str, form: str, view: str, /, **changes: Any) -> None:
        """Change a field of a form of the inspector; it must be saved."""
        at_once, tab = changes.pop("at_once", False), changes.pop("tab", "stage")
        html = self.select(kind, key, tab)
        was = dict(_inputs_of(self.page, "inspector-was"))
        self.gesture(view, at_once=at_once, **as_shown(html, form, **was | changes))
        self.reload_form()

    def change_refused(self, kind: str, key: str, form: str, view: str, /, **changes: Any) -> None:
        """Change a field of a form of the inspector; it must be refused next to the field."""
        html = self.select(kind, key)
        was = dict(_inputs_of(self.page, "inspector-was"))
        response = self.send(view, as_shown(html, form, **was | changes))
        assert response.status_code == 422, response.content.decode()
        for name in changes:
            assert f'id="error-i00000000-{name}"' in normalised(response.content.decode())
        self.reload_form()

    def reload_form(self) -> None:
        """Reload the form with the current field values; its base must not change."""
        state = self.state()
        old_values = [*_inputs_of(self.page, "inspector-was")]
        kind, _, key = state["select"].partition(":")
        self.select(kind, key, state["tab"])
        assert state == self.state()
        assert old_values == [*_inputs_of(self.page, "inspector-was")]

    # Panels, refusals, undo and redo

    @rule(panel=st.sampled_from(PANELS))
    def open_panel(self, panel: str) -> None:
        shown = self.state() | {"panel": panel}
        address = reverse("show_panel", args=[self.pipeline.pk])
        response = self.client.get(address, shown, headers=HTMX)
        self.page.fill("bottom-panel", normalised(response.content.decode()))

    @rule(request=st.sampled_from(DELETED_PARTS))
    def change_deleted_part(self, request: tuple[str, dict[str, str]]) -> None:
        view, fields = request
        self.refused(view, **fields)

    @rule(times=st.integers(min_value=1, max_value=3))
    def undo(self, times: int) -> None:
        for _ in range(times):
            (self.gesture if self.history.undo() else self.refused)("undo")

    @rule(times=st.integers(min_value=1, max_value=3))
    def redo(self, times: int) -> None:
        for _ in range(times):
            (self.gesture if self.history.redo() else self.refused)("redo")

    @rule(times=st.integers(min_value=1, max_value=9))
    def undo_down_to(self, times: int) -> None:
        address = reverse("steps", args=[self.pipeline.pk])
        html = self.client.get(address, headers=HTMX).content.decode()
        steps = re.findall(r'name="down_to" value="(\d+)"', html)
        assert len(steps) == min(self.history.steps, 15)
        if not steps:
            return
        times = min(times, len(steps))
        for _ in range(times):
            self.history.undo()
        self.gesture("undo", down_to=steps[times - 1])

    @rule(most=st.integers(min_value=1, max_value=6))
    def undo_and_redo(self, most: int) -> None:
        times = 0
        while times < most and self.history.undo():
            times += 1
            self.gesture("undo")
        self.definition_equals_model()
        self.page_equals_reloaded_page()
        for _ in range(times):
            self.history.redo()
            self.gesture("redo")

    # Invariants

    @invariant()
    def definition_equals_model(self) -> None:
        if hasattr(self, "history"):
            assert PipelineModel.of(now(self.pipeline)) == self.model

    @invariant()
    def every_stage_has_a_position(self) -> None:
        if hasattr(self, "history"):
            assert self.model.places.keys() == self.model.stages.keys()

    @invariant()
    def page_equals_reloaded_page(self) -> None:
        if not hasattr(self, "page"):
            return
        shown = self.state()
        key = json.dumps(shown)
        if key not in self.seen:
            query = {name: shown[name] for name in ("select", "tab", "panel")}
            self.seen = {key: Tree(self.load(query))}
        fresh = self.seen[key]
        for name in CONTAINERS:
            assert self.page.shows(name) == fresh.shows(name), name
        for name in LISTS:
            assert self.page.order(name) == fresh.order(name), name
        for name in ELEMENTS:
            assert self.page.says(name) == fresh.says(name), name
        cards = {name.removeprefix("stage-") for name in self.page.shows("stages")}
        assert cards == self.model.stages.keys()

    @invariant()
    def cached_edition_equals_rows_and_issues(self) -> None:
        if not hasattr(self, "pipeline"):
            return
        pipeline = Pipeline.objects.get(pk=self.pipeline.pk)
        if pipeline.version == self.checked:
            return
        self.checked = pipeline.version
        edition = definitions.edition(pipeline)
        assert edition.definition == definitions.read_rows(pipeline)
        assert edition.issues == validate(edition.definition)


def _sent_by(tag: str, element: Element) -> list[tuple[str, str]]:
    """Return the names and values of the inputs or buttons in an element and of itself."""
    own = element.attributes
    pairs = [(own.get("name") or "", own.get("value") or "")] if element.tag == tag else []
    return pairs + [pair for child in element.children for pair in _sent_by(tag, child)]


def _inputs_of(tree: Tree, dom_id: str) -> list[tuple[str, str]]:
    match = tree.root.find(dom_id)
    assert match, dom_id
    return _sent_by("input", match[1])


def listed(keys: Collection[str]) -> str:
    """Return keys as a gesture sends them."""
    return json.dumps(sorted(keys))
