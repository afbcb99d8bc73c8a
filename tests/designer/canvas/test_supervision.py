"""Words for a supervision, and the card that shows them."""

import pytest

from designer.canvas import ACTION_WORDS, POINT_WORDS, supervisor_card
from designer.canvas.supervision import supervision_in_words
from orchestration.definition import SUPERVISION_POINTS, SUPERVISOR_ACTIONS, Supervision
from tests.designer.editor_requests import chain


def test_every_moment_and_action_has_words_in_the_order_of_the_definition():
    assert tuple(POINT_WORDS) == SUPERVISION_POINTS
    assert tuple(ACTION_WORDS) == SUPERVISOR_ACTIONS


@pytest.mark.parametrize(
    ("supervision", "words"),
    [
        (None, "observes every event"),
        (Supervision(may=("note",)), "observes every event"),
        (Supervision(ask_at=("every_turn",)), "supervises at turns"),
        (
            Supervision(ask_at=("handoff", "rejection", "run_end")),
            "supervises at handoffs, rejections and run ends",
        ),
    ],
)
def test_the_card_says_when_the_supervisor_is_called(supervision, words):
    assert supervision_in_words(supervision) == words
    definition = chain("intake", supervisor_id="agent-intake", supervision=supervision)
    card = supervisor_card(definition)
    assert card is not None
    assert card.does == words
