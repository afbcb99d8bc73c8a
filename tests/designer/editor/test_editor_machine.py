"""Any gestures in any order, through the real views: definition, page and a plain model agree."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.designer.editor.machine.clipboard import Clipboard
from tests.designer.editor.machine.forms import Forms
from tests.designer.editor.machine.notes_and_frames import NotesAndFrames
from tests.designer.editor.machine.routing import Routing
from tests.designer.editor.machine.search import Search
from tests.designer.editor.machine.stages import Stages

pytestmark = pytest.mark.django_db


class Editor(Stages, NotesAndFrames, Clipboard, Forms, Routing, Search):
    """A person who makes all gestures of the editor."""


def test_definition_page_and_model_agree_after_any_gestures() -> None:
    run_state_machine_as_test(
        Editor, settings=settings(max_examples=8, stateful_step_count=18, deadline=None)
    )
