"""Edits that form one undo step, and the depth of the history."""

from datetime import UTC, datetime, timedelta

import pytest

from designer.core.edit_coalescing import NUDGING, TYPING, continues
from designer.core.edits import make_edit
from designer.core.undo import undo_edit
from designer.definitions.patches import Patch
from designer.editor.actions import topology
from designer.models import Edit
from orchestration.definition import Agent, Cue, Position
from tests.designer.editor_requests import draw, now

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SOON = TYPING / 2


def agent(**fields):
    return Patch(agents={"agent-review": Agent(id="agent-review", name="Review", **fields)}).dump()


def place(x, y=0):
    return Patch(positions={"review": Position(x=x, y=y)}).dump()


def is_one(before, between, after, pause=SOON, labels=("Change", "Change")):
    return continues(before=before, between=between, after=after, labels=labels, pause=pause)


def test_continuous_typing_in_a_field_is_one_step():
    assert is_one(agent(), agent(instructions="Ch"), agent(instructions="Check"))
    cues = [agent(cues=(Cue(say=text), Cue(say="Bye"))) for text in ("H", "He", "Hello")]
    assert is_one(*cues)


def test_typing_after_a_pause_is_another_step():
    texts = agent(), agent(instructions="Ch"), agent(instructions="Check")
    assert is_one(*texts, pause=TYPING)
    assert not is_one(*texts, pause=TYPING + timedelta(milliseconds=1))
    assert not is_one(*texts, pause=timedelta(seconds=-1))


def test_another_field_or_a_choice_is_another_step():
    assert not is_one(agent(), agent(instructions="Ch"), agent(instructions="Ch", model="m"))
    assert not is_one(agent(), agent(instructions="Ch", model="m"), agent())
    assert not is_one(agent(), agent(provider="scripted"), agent(provider="other"))
    assert not is_one(agent(), agent(cues=(Cue(say="H"),)), agent(cues=(Cue(say="He"),)))
    gone = Patch(agents={"agent-review": None}).dump()
    assert not is_one(gone, agent(), agent(instructions="Ch"))
    assert not is_one(agent(), agent(instructions="C"), agent(instructions="C"))


def test_nudges_are_one_step_and_each_drag_is_another():
    nudges = ("Nudge stage review", "Nudge stage review")
    assert is_one(place(0), place(8), place(16), NUDGING, nudges)
    assert not is_one(place(0), place(8), place(16), NUDGING * 1.1, nudges)
    assert not is_one(place(0), place(8), place(16), NUDGING, ("Nudge stage review", "Move"))
    other = Patch(positions={"intake": Position(x=1, y=1)}).dump()
    assert not is_one(place(0), place(8), other, NUDGING, nudges)


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review")


def write(pipeline, user, text, at):
    was = now(pipeline).agents_by_id["agent-review"]
    written = was.model_copy(update={"instructions": text})
    patch = Patch(agents={"agent-review": written})
    make_edit(pipeline=pipeline, user=user, label="Change agent Review", patch=patch, now=at)


def instructions(pipeline):
    return now(pipeline).agents_by_id["agent-review"].instructions


@pytest.mark.django_db
def test_continuous_typing_is_undone_at_once(pipeline, user):
    for number, text in enumerate(("C", "Ch", "Check")):
        write(pipeline, user, text, NOON + number * SOON)
    write(pipeline, user, "Check it", NOON + 20 * SOON)
    assert Edit.objects.count() == 2
    undo_edit(pipeline=pipeline, user=user)
    assert instructions(pipeline) == "Check"
    undo_edit(pipeline=pipeline, user=user)
    assert instructions(pipeline) == ""
    assert undo_edit(pipeline=pipeline, user=user) is None


@pytest.mark.django_db
def test_typing_that_restores_the_text_leaves_no_step(pipeline, user):
    write(pipeline, user, "C", NOON)
    write(pipeline, user, "", NOON + SOON)
    assert Edit.objects.count() == 0


@pytest.mark.django_db
def test_an_edit_by_another_user_ends_the_step(pipeline, user, other_user):
    write(pipeline, user, "C", NOON)
    to = {"intake": Position(x=1, y=1)}
    topology.move_stages(pipeline=pipeline, user=other_user, to=to)
    write(pipeline, user, "Ch", NOON + SOON)
    assert Edit.objects.filter(user=user).count() == 2


@pytest.mark.django_db
def test_moves_by_keys_are_undone_together(pipeline, user):
    for x in (8, 16, 24):
        to = {"intake": Position(x=x, y=0)}
        topology.move_stages(pipeline=pipeline, user=user, to=to, by_keys=True)
    undo_edit(pipeline=pipeline, user=user)
    assert now(pipeline).layout.stages["intake"] == Position(x=60, y=250)
