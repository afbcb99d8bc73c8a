"""Someone at the editor: makes gestures through the views, and has what the page then shows."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Mapping
from datetime import timedelta
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
from tests.designer.editor.machine.past import Past
from tests.designer.editor.machine.sketch import Place, Sketch
from tests.designer.editor.page_tree import Element, Tree
from tests.designer.editor_page import as_shown, inspected, page
from tests.designer.editor_requests import HTMX, draw, now

PARTS = (
    "stages", "edges", "notes", "frames", "problems", "agents", "tools", "outline-rows",
    "outline-phases", "outline-agents",
)  # fmt: skip
"""What holds elements with ids, which come, go and change one by one."""

LISTS = ("problems", "agents", "tools")
"""Those that have an order."""

WHOLE = (
    "version-chip", "undo-buttons", "pipeline-name", "supervisor-card", "problem-count",
    "outline-paper", "rules-table", "inspector",
)  # fmt: skip
"""What is swapped as one."""

STATES = ("version-chip", "inspector-state", "panel-state")
"""Where the page keeps what it sends along with every gesture."""

PANELS = ("problems", "outline", "rules", "find")

__all__ = ["Gestures", "Place", "listed", "picks", "places", "several", "words"]

committed = TestCase.captureOnCommitCallbacks
"""So that what is kept on commit is kept."""

coordinates = st.integers(min_value=-2_000, max_value=2_000)
places = st.tuples(coordinates, coordinates)
picks = st.integers(min_value=0, max_value=23)
"""Which of those there are: whatever number comes up, counted round."""
several = st.sets(picks, max_size=3)
words = st.sampled_from(["", "desk", "A desk for refunds", "Refunds first,\nthen the desk."])

NOT_THERE = (
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

SOMEWHERE = tuple(f'id="{name}"' for name in ("notice", "error-writing", "find-error"))


RULE = "i12345678"
"""The token of a rule's form, which is on the page beside the inspector's."""


def steady(html: str) -> str:
    """HTML without what differs each time that it is drawn: tokens of forms and of requests."""
    html = re.sub(rf"\b(?!{RULE})i[0-9a-f]{{8}}\b", "i00000000", html)
    return re.sub(r'<input type="hidden" name="csrfmiddlewaretoken"[^>]*>', "", html)


class Gestures(RuleBasedStateMachine):
    """One person at one pipeline: what all gestures have in common, and undo and redo."""

    @initialize(phases=st.sampled_from([(), ("intake", "review", "done")]))
    def open(self, phases: tuple[str, ...]) -> None:
        user = User.objects.create_user(uuid.uuid4().hex)
        self.client = signed_in(user)
        self.pipeline = draw(user, *phases)
        Edit.objects.filter(pipeline=self.pipeline).delete()
        self.past = Past(Sketch.of(now(self.pipeline)), HISTORY_DEPTH)
        self.seen: dict[str, Tree] = {}
        self.checked = -1
        self.page = Tree(self.load({}))

    @property
    def sketch(self) -> Sketch:
        return self.past.now

    # What is picked

    def one(self, pick: int, parts: Collection[Any]) -> Any:
        return sorted(parts)[pick % len(parts)]

    def some(self, of: Collection[int], parts: Collection[Any]) -> list[Any]:
        return sorted({self.one(pick, parts) for pick in of}) if parts else []

    def phase(self, pick: int) -> str:
        return str(self.one(pick, self.sketch.stages))

    # What the page does

    def load(self, shown: Mapping[str, str]) -> str:
        return steady(page(self.client, self.pipeline, **shown))

    def state(self) -> dict[str, str]:
        """What the page says of itself with every gesture."""
        found = (self.page.root.find(name) for name in STATES)
        return {name: value for one in found if one for name, value in _sent_by("input", one[1])}

    def send(self, view: str, fields: Mapping[str, Any], *, at_once: bool = False) -> Any:
        """Post a gesture, long after the one before it or at once, and take its answer in."""
        pause = timedelta(0) if at_once else timedelta(hours=1)
        Edit.objects.filter(pipeline=self.pipeline).update(made=timezone.now() - pause)
        with committed(execute=True):
            response = self.client.post(
                reverse(view, args=[self.pipeline.pk]), {**self.state(), **fields}, headers=HTMX
            )
        self.page.swap(steady(response.content.decode()))
        return response

    def gesture(self, view: str, /, *, at_once: Any = False, **fields: Any) -> str:
        """Make a gesture that is to be accepted."""
        response = self.send(view, fields, at_once=at_once)
        assert response.status_code == 200, response.content.decode()
        return str(response.content.decode())

    def refused(self, view: str, /, **fields: Any) -> None:
        """Make a gesture that is to be refused with a sentence."""
        response = self.send(view, fields)
        assert response.status_code in (409, 412, 422), response.content.decode()
        said = response.content.decode()
        assert any(place in said for place in SOMEWHERE), said

    def buttons(self, dom_id: str) -> list[tuple[str, str]]:
        """The names and values of the buttons in an element."""
        found = self.page.root.find(dom_id)
        return _sent_by("button", found[1]) if found else []

    def select(self, kind: str, key: str = "", tab: str = "stage") -> str:
        """Select something, and have its forms."""
        asked = {"select": f"{kind}:{key}" if key else kind, "tab": tab}
        html = inspected(self.client, self.pipeline, **self.state() | asked)
        self.page.fill("inspector", steady(html))
        return steady(html)

    def change(self, kind: str, key: str, form: str, view: str, /, **changes: Any) -> None:
        """Change a field of a form of the inspector, which is to be saved."""
        at_once, tab = changes.pop("at_once", False), changes.pop("tab", "stage")
        html = self.select(kind, key, tab)
        was = dict(_inputs_of(self.page, "inspector-was"))
        self.gesture(view, at_once=at_once, **as_shown(html, form, **was | changes))
        self.look_again()

    def change_in_vain(self, kind: str, key: str, form: str, view: str, /, **changes: Any) -> None:
        """Change a field of a form of the inspector, which is to be refused beside it."""
        html = self.select(kind, key)
        was = dict(_inputs_of(self.page, "inspector-was"))
        response = self.send(view, as_shown(html, form, **was | changes))
        assert response.status_code == 422, response.content.decode()
        for name in changes:
            assert f'id="error-i00000000-{name}"' in steady(response.content.decode())
        self.look_again()

    def look_again(self) -> None:
        """Draw the form anew. Answers leave alone what stands in fields, but know its ground."""
        state = self.state()
        ground = [*_inputs_of(self.page, "inspector-was")]
        kind, _, key = state["select"].partition(":")
        self.select(kind, key, state["tab"])
        assert state == self.state()
        assert ground == [*_inputs_of(self.page, "inspector-was")]

    # What is asked for, refused, undone and done again

    @rule(panel=st.sampled_from(PANELS))
    def open_panel(self, panel: str) -> None:
        shown = self.state() | {"panel": panel}
        address = reverse("show_panel", args=[self.pipeline.pk])
        response = self.client.get(address, shown, headers=HTMX)
        self.page.fill("bottom-panel", steady(response.content.decode()))

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

    @rule(times=st.integers(min_value=1, max_value=9))
    def undo_down_to(self, times: int) -> None:
        address = reverse("steps", args=[self.pipeline.pk])
        html = self.client.get(address, headers=HTMX).content.decode()
        offered = re.findall(r'name="down_to" value="(\d+)"', html)
        assert len(offered) == min(self.past.steps, 15)
        if not offered:
            return
        times = min(times, len(offered))
        for _ in range(times):
            self.past.undo()
        self.gesture("undo", down_to=offered[times - 1])

    @rule(most=st.integers(min_value=1, max_value=6))
    def undo_and_redo(self, most: int) -> None:
        times = 0
        while times < most and self.past.undo():
            times += 1
            self.gesture("undo")
        self.the_definition_is_as_the_model_says()
        self.the_page_is_as_if_it_was_loaded_anew()
        for _ in range(times):
            self.past.redo()
            self.gesture("redo")

    # What holds after each of them

    @invariant()
    def the_definition_is_as_the_model_says(self) -> None:
        if hasattr(self, "past"):
            assert Sketch.of(now(self.pipeline)) == self.sketch

    @invariant()
    def the_page_is_as_if_it_was_loaded_anew(self) -> None:
        if not hasattr(self, "page"):
            return
        shown = self.state()
        key = json.dumps(shown)
        if key not in self.seen:
            query = {name: shown[name] for name in ("select", "tab", "panel")}
            self.seen = {key: Tree(self.load(query))}
        fresh = self.seen[key]
        for name in PARTS:
            assert self.page.shows(name) == fresh.shows(name), name
        for name in LISTS:
            assert self.page.order(name) == fresh.order(name), name
        for name in WHOLE:
            assert self.page.says(name) == fresh.says(name), name
        cards = {name.removeprefix("stage-") for name in self.page.shows("stages")}
        assert cards == self.sketch.stages.keys()

    @invariant()
    def what_is_kept_is_what_the_rows_say_and_the_rules_find_in_it(self) -> None:
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
    """The names and values of the inputs or buttons in an element, or of itself."""
    own = element.attributes
    found = [(own.get("name") or "", own.get("value") or "")] if element.tag == tag else []
    return found + [one for child in element.children for one in _sent_by(tag, child)]


def _inputs_of(tree: Tree, dom_id: str) -> list[tuple[str, str]]:
    found = tree.root.find(dom_id)
    assert found, dom_id
    return _sent_by("input", found[1])


def listed(keys: Collection[str]) -> str:
    """Keys as a gesture sends them."""
    return json.dumps(sorted(keys))
