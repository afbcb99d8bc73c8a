"""Any gestures in any order, through the real views: definition, page and a plain model agree."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.designer.editor.machine.clipboard import Clipboard
from tests.designer.editor.machine.drawing import Drawing
from tests.designer.editor.machine.forms import Forms
from tests.designer.editor.machine.paper import Paper
from tests.designer.editor.machine.routing import Routing
from tests.designer.editor.machine.texts import Texts

pytestmark = pytest.mark.django_db


class Editor(Drawing, Paper, Clipboard, Forms, Routing, Texts):
    """Someone who does whatever can be done in the editor."""


def test_any_gestures_leave_definition_page_and_model_in_agreement() -> None:
    run_state_machine_as_test(
        Editor, settings=settings(max_examples=8, stateful_step_count=18, deadline=None)
    )
