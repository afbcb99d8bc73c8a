"""The cost of a gesture at a thousand stages is at most twice its cost at ten.

The cost is counted in Python calls, which are the same in every run, and in bytes of the answer.
The pipelines are full of problems, rules, and instructions that name other agents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from cProfile import Profile
from operator import methodcaller
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.core.forms.page_state import PageState
from designer.definitions import version_cache
from designer.editor.fragments.edits import render_since
from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from designer.versions import save_version
from orchestration.definition import (
    Agent,
    Conditions,
    Frame,
    Layout,
    Note,
    PipelineDefinition,
    Position,
    Rule,
    Stage,
    Tool,
    Transition,
)
from tests.designer.editor_page import as_shown, inspected
from tests.designer.editor_requests import HTMX, send

pytestmark = pytest.mark.django_db(transaction=True)  # an edit is cached when it is committed

FEW, MANY = 10, 1_000
MOST = 2.0
"""Maximum ratio of a gesture's cost in the large pipeline to its cost in the small one."""


def full(size: int) -> PipelineDefinition:
    """A pipeline of so many stages, one after the other, with ways back. A fifth has no agent."""
    serving = min(size, 400)
    return PipelineDefinition(
        name=f"Of {size}",
        entry="s0",
        agents=tuple(
            Agent(
                id=f"a{n}",
                name=f"Agent {n}",
                instructions=f"When it is about the bill, hand over to Agent {(n + 1) % serving}.",
                tools=("lookup",),
            )
            for n in range(serving)
        ),
        stages=tuple(
            Stage(phase=f"s{n}", agent_id=None if n % 5 == 4 else f"a{n % serving}")
            for n in range(size)
        ),
        transitions=tuple(
            Transition(source=f"s{n}", target=f"s{target}", kind=kind)
            for n in range(size)
            for target, kind in ((n + 1, "next"), (n - 3, "return"))
            if 0 <= target < size and n < size - 1
        ),
        rules=tuple(
            Rule(id=f"r{n}", agent_id=f"a{n}", conditions=Conditions(phases=(f"s{n}",)))
            for n in range(size // 10)
        ),
        tools=(Tool(name="lookup"),),
        layout=Layout(
            stages={f"s{n}": Position(x=n % 10 * 290, y=n // 10 * 140) for n in range(size)},
            notes=tuple(Note(id=f"n{n}", text="A word", x=n, y=9) for n in range(size // 10)),
            frames=tuple(
                Frame(id=f"f{n}", title=f"Row {n}", stages=(f"s{10 * n}", f"s{10 * n + 9}"))
                for n in range(size // 10)
            ),
        ),
    )


Fields = dict[str, Any]
POSTED: tuple[tuple[str, Fields], ...] = (
    ("move_stages", {"moves": '[{"phase": "s3", "x": 4, "y": 5}]'}),
    ("connect", {"source": "s6", "target": "s2"}),
    ("move_plug", {"source": "s6", "target": "s2", "end": "target", "stage": "s1"}),
    ("delete_parts", {"transitions": '["s6>s1"]'}),
    ("add_stage", {"x": 1, "y": 2, "kind": "agent"}),
    ("undo", {}),
    ("redo", {}),
    ("splice_stage", {"stage": "stage-1", "source": "s6", "target": "s7"}),
    ("bypass_stages", {"stages": '["stage-1"]'}),
    ("create_stage", {"x": 1, "y": 2, "kind": "new", "name": "Zoe", "source": "s6"}),
    ("undo", {}),
    ("duplicate_parts", {"stages": '["s4"]'}),
    ("undo", {}),
    ("copy_parts", {"stages": '["s4", "s5"]'}),
    ("cut_parts", {"stages": '["s8"]'}),
    ("undo", {}),
    ("delete_parts", {"stages": '["s5"]'}),
    ("undo", {}),
    ("tidy", {"stages": '["s1", "s2", "s3"]'}),
    ("undo", {}),
    ("make_entry", {"entry": "s1"}),
    ("undo", {}),
    ("add_agent", {}),
    ("delete_agent", {"agent": "agent-1"}),
    ("add_tool", {}),
    ("add_note", {"x": 1, "y": 2}),
    ("write_note", {"note": "n0", "text": "Another", "was": "A word"}),
    ("add_frame", {"stages": '["s1", "s2"]'}),
    ("rename_stage", {"phase": "s2", "name": "second"}),
    ("rename_stage", {"phase": "second", "name": "s2"}),
    ("rename_frame", {"frame": "f0", "title": "Anew", "was": "Row 0"}),
    ("put_in_frame", {"stages": '["s3"]', "frame": "f0"}),
    ("describe_stage", {"phase": "new", "kind": "agent", "served_by": "Agent 2", "source": "s6"}),
    ("undo", {}),
)
"""Gestures of the canvas, one after the other."""

HEARD = {"move_stages", "connect", "delete_parts", "add_agent"}
"""Gestures after which the update of another page is measured too."""

FORMS: tuple[tuple[str, str, str, Fields], ...] = (
    ("update_stage", "stage:s5", "stage-form", {"description": "Anew"}),
    ("update_stage", "stage:s4", "stage-form", {"agent_id": "a2"}),
    ("update_agent", "agent:a5", "agent-form", {"name": "Quite another"}),
    ("update_transition", "transition:s5>s6", "transition-form", {"description": "Anew"}),
    ("update_pipeline", "pipeline", "settings-form", {"description": "Anew"}),
)
"""Forms of the inspector: view, subject, id and changed fields."""

SHOWN: tuple[tuple[str, Fields], ...] = (
    ("inspect", {"kind": "stage", "key": "s5"}),
    ("inspect", {"kind": "stage", "key": "s5", "tab": "handoffs"}),
    ("inspect", {"kind": "transition", "key": "s5>s6"}),
    ("inspect", {"kind": "agent", "key": "a5"}),
    ("inspect", {"kind": "pipeline"}),
)


class Person:
    """A user with an open pipeline, independent of the other users."""

    filled: Fields
    """Fields of a form of the inspector, ready to be sent."""

    def __init__(self, size: int) -> None:
        self.user = User.objects.create_user(f"of-{size}")
        self.client = Client(headers=HTMX)
        self.client.force_login(self.user)
        self.pipeline = import_definition(user=self.user, definition=full(size))
        save_version(pipeline=self.pipeline, user=self.user, name="First")
        assert self.client.get(reverse("editor", args=[self.pipeline.pk])).status_code == 200

    def inspect(self, **query: Any) -> Any:
        return self.client.get(reverse("inspect", args=[self.pipeline.pk]), query)

    def post(self, view: str, fields: Fields) -> Any:
        return send(self.client, self.pipeline, view, **fields)

    def send_filled(self, view: str) -> Any:
        return self.post(view, self.filled)

    def catch_up(self) -> Any:
        """Return the update of another page after an edit."""
        pipeline = Pipeline.objects.get(pk=self.pipeline.pk)
        shown = PageState(version=pipeline.version - 1)
        return render_since(pipeline, self.user, shown)


Gesture = Callable[[Person], Any]


def gestures() -> Iterator[tuple[str, Gesture]]:
    """Yield all gestures in a valid order, and the updates of another page after some of them."""
    for view, fields in POSTED:
        yield view, methodcaller("post", view, fields)
        if view in HEARD:
            yield f"{view}, to another", Person.catch_up
    for view, query in SHOWN:
        yield f"{view} {query['kind']}", methodcaller("inspect", **query)
    for view, about, form, changes in FORMS:

        def fill(at: Person, a: str = about, f: str = form, c: Fields = changes) -> None:
            at.filled = as_shown(inspected(at.client, at.pipeline, select=a), f, **c)

        yield "", fill
        yield f"{view} {about}", methodcaller("send_filled", view)


def counted(gesture: Gesture, person: Person) -> tuple[int, int]:
    """Return the number of calls of a gesture, and of bytes in its answer."""
    profile = Profile()
    answer = profile.runcall(gesture, person)
    calls = sum(entry.callcount for entry in profile.getstats())
    if isinstance(answer, str):
        return calls, len(answer)
    assert answer.status_code == 200, answer.content.decode()
    return calls, len(answer.content)


@pytest.fixture
def people():
    version_cache.clear_cache()
    rehearsal = Person(FEW + 1)  # loads everything that is loaded only once
    for _, gesture in gestures():
        gesture(rehearsal)
    yield Person(FEW), Person(MANY)
    version_cache.clear_cache()


def test_a_gesture_costs_at_a_thousand_stages_at_most_twice_what_it_does_at_ten(people):
    costs = {}
    for name, gesture in gestures():
        if name and name not in costs:
            costs[name] = [counted(gesture, person) for person in people]
        else:
            for person in people:
                gesture(person)
    dear = {
        name: (few, many)
        for name, (few, many) in costs.items()
        if any(more > MOST * less + 500 for less, more in zip(few, many, strict=True))
    }
    assert dear == {}
