"""Notes and frames: laid down, written on, moved with stages, coloured, and taken away."""

import json
import re

import pytest

from designer import definitions
from designer.core.edits import make_edit
from designer.core.undo import undo_edit
from designer.definitions.patches import Patch
from designer.editor.actions import notes_and_frames, stages
from designer.pipelines.actions import duplicate_pipeline, import_definition
from orchestration.definition import MAX_NOTES, MAX_TEXT, Frame, Note, Position
from orchestration.loading import load_storable
from tests.designer.edit_actions import label, values
from tests.designer.editor_page import as_shown, field_error, inspected
from tests.designer.editor_requests import ALWAYS, chain, draw, moves, now, send, swapped

pytestmark = pytest.mark.django_db

NOTE = Note(id="why", text="Why two?", x=5, y=300)
FRAME = Frame(id="desk", title="The desk", hue=150, stages=("intake", "review"))


@pytest.fixture
def pipeline(user):
    definition = chain("intake", "review", "resolution")
    layout = definition.layout.model_copy(update={"notes": (NOTE,), "frames": (FRAME,)})
    return import_definition(user=user, definition=definition.model_copy(update={"layout": layout}))


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


def notes(pipeline):
    return {note.id: note for note in now(pipeline).layout.notes}


def frames(pipeline):
    return {frame.id: frame.stages for frame in now(pipeline).layout.frames}


def note_fields(**changes):
    """The form of the note as the page holds it."""
    as_is = {"select": "note:why", "subject": "why", "token": "i12345678"}
    return as_is | {"text": "Why two?", "width": "", "hue": ""} | changes


# Notes


def test_a_note_is_added_at_the_given_position_and_selected(client, pipeline, who):
    response = send(client, pipeline, "add_note", x="40", y="-8.5")
    added = notes(pipeline)["note-1"]
    assert (added.x, added.y, added.text) == (40, -8.5, "")
    assert '"key": "note-1"' in response.headers["HX-Trigger-After-Settle"]
    assert swapped(response) == {*ALWAYS, "+#notes", "inspector"}
    assert label(who) == "Add a note"
    send(client, pipeline, "undo")
    assert set(notes(pipeline)) == {"why"}


def test_the_text_of_a_note_keeps_its_spaces(client, pipeline):
    text = "  <b>Because</b>\r\n\r\n - two see more \n"
    response = send(client, pipeline, "write_note", note="why", text=text)
    assert notes(pipeline)["why"].text == "  <b>Because</b>\n\n - two see more \n"
    assert "&lt;b&gt;Because" in response.content.decode()
    assert swapped(response) == {*ALWAYS, "note-why"}


@pytest.mark.parametrize(
    ("view", "fields", "now_says", "was"),
    [
        ("write_note", {"note": "why", "text": "Mine"}, "Because", "Why two?"),
        ("rename_frame", {"frame": "desk", "title": "Mine"}, "Because", "The desk"),
    ],
)
def test_writing_over_another_persons_change_is_refused(
    client, pipeline, view, fields, now_says, was
):
    what = "text" if view == "write_note" else "title"
    assert send(client, pipeline, view, **fields | {what: now_says, "was": was}).status_code == 200
    before = now(pipeline)
    response = send(client, pipeline, view, **fields, was=was)
    assert response.status_code == 412
    assert re.search(r'id="error-writing"[^>]*role="alert">[^<]*changed elsewhere', response.text)
    assert {"notes", "frames", "error-writing"} <= swapped(response)
    assert "inspector" not in swapped(response)
    assert now(pipeline) == before
    again = send(client, pipeline, view, **fields | {what: now_says}, was=was)
    assert again.status_code == 200  # both wrote the same
    assert send(client, pipeline, view, **fields, was=now_says).status_code == 200


def test_line_breaks_and_outer_spaces_do_not_change_a_text(client, pipeline, who):
    note = NOTE.model_copy(update={"text": "One\r\ntwo "})
    frame = FRAME.model_copy(update={"title": " Desk "})
    patch = Patch(notes={"why": note}, frames={"desk": frame})
    make_edit(**who, label="Bring", patch=patch)
    text = send(client, pipeline, "write_note", note="why", text="Mine", was="One\r\ntwo ")
    title = send(client, pipeline, "rename_frame", frame="desk", title="Mine", was=" Desk ")
    assert (text.status_code, title.status_code) == (200, 200)


def test_a_megabyte_of_text_is_refused_next_to_the_note(client, pipeline):
    response = send(client, pipeline, "write_note", note="why", text="x" * 1_000_000)
    assert response.status_code == 422
    html = response.content.decode()
    assert 'id="error-writing"' in html
    assert f"at most {MAX_TEXT} characters; this has 1000000." in html
    assert notes(pipeline)["why"] == NOTE
    whole = send(client, pipeline, "write_note", note="why", text="x" * MAX_TEXT)
    assert whole.status_code == 200


@pytest.mark.parametrize(
    ("view", "fields"),
    [
        ("add_note", {"x": "far", "y": "1"}),
        ("add_note", {"x": "1"}),
        ("add_note", {"x": "1e9", "y": "1"}),
        ("write_note", {"note": "", "text": "Hello"}),
        ("size_note", {"note": "why", "width": "12"}),
        ("size_note", {"note": "why", "width": "1e9"}),
        ("add_frame", {"stages": "[]"}),
        ("add_frame", {"stages": "no list"}),
        ("put_in_frame", {"stages": "[]", "frame": "desk"}),
        ("put_in_frame", {"stages": '["resolution"]', "frame": ":out"}),
        ("update_note", note_fields(hue="9" * 5_000)),
        ("update_note", note_fields(hue="360")),
        ("rename_frame", {"frame": "desk", "title": ""}),
        ("rename_frame", {"frame": "desk", "title": "x" * 121}),
        ("move_stages", {"notes": '[{"note": "why"}]'}),
        ("move_stages", {}),
    ],
)
def test_invalid_values_are_refused_with_a_sentence(client, pipeline, view, fields):
    before = now(pipeline)
    response = send(client, pipeline, view, **fields)
    assert response.status_code == 422
    assert re.search(r">[^<]*\.\s*<", response.content.decode())
    assert now(pipeline) == before


@pytest.mark.parametrize(
    ("view", "fields"),
    [
        ("write_note", {"note": "gone", "text": "Hello"}),
        ("size_note", {"note": "gone", "width": "200"}),
        ("update_note", note_fields(subject="No Key", select="note:gone")),
        ("add_frame", {"stages": '["gone"]'}),
        ("put_in_frame", {"stages": '["intake"]', "frame": "gone"}),
        ("rename_frame", {"frame": "gone", "title": "Desk"}),
        ("update_frame", {"subject": "gone", "title": "Desk", "hue": ""}),
        ("delete_parts", {"notes": '["gone"]', "frames": '["no key"]'}),
        ("move_stages", {"notes": '[{"note": "gone", "x": 1, "y": 2}]'}),
    ],
)
def test_a_change_of_a_deleted_part_updates_the_page(client, pipeline, view, fields):
    response = send(client, pipeline, view, **fields)
    assert response.status_code == 409
    assert "no longer exist" in response.content.decode()
    assert {"notes", "frames", "stages"} <= swapped(response)


def test_notes_and_stages_move_as_one_edit(client, pipeline, who):
    places = json.dumps([{"note": "why", "x": 1, "y": 2}])
    response = send(client, pipeline, "move_stages", moves=moves(review=(7, 8)), notes=places)
    assert (notes(pipeline)["why"].x, notes(pipeline)["why"].y) == (1, 2)
    assert now(pipeline).layout.stages["review"] == Position(x=7, y=8)
    assert label(who) == "Move stage review and a note"
    assert swapped(response) == {*ALWAYS, "stage-review", "note-why"}
    send(client, pipeline, "undo")
    assert notes(pipeline)["why"] == NOTE


def test_a_note_is_made_wider_and_coloured_in_the_inspector(client, pipeline):
    send(client, pipeline, "size_note", note="why", width="320")
    assert notes(pipeline)["why"].width == 320
    html = inspected(client, pipeline, kind="note", key="why")
    response = send(client, pipeline, "update_note", **as_shown(html, "note-form", hue="260"))
    assert response.status_code == 200
    assert (notes(pipeline)["why"].hue, notes(pipeline)["why"].width) == (260, 320)
    assert 'data-hue="260"' in response.content.decode()
    html = inspected(client, pipeline, kind="note", key="why")
    send(client, pipeline, "update_note", **as_shown(html, "note-form", hue="", width=""))
    assert notes(pipeline)["why"] == NOTE


def test_the_form_keeps_an_imported_hue(client, pipeline, user):
    coloured = NOTE.model_copy(update={"hue": 137})
    make_edit(pipeline=pipeline, user=user, label="Colour", patch=Patch(notes={"why": coloured}))
    html = inspected(client, pipeline, kind="note", key="why")
    send(client, pipeline, "update_note", **as_shown(html, "note-form", text="Still."))
    assert (notes(pipeline)["why"].hue, notes(pipeline)["why"].text) == (137, "Still.")


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"text": "x" * 40_000}, "text"), ({"width": "3"}, "width"), ({"hue": "400"}, "hue")],
)
def test_an_invalid_field_of_a_note_is_refused_next_to_it(client, pipeline, fields, field):
    response = send(client, pipeline, "update_note", **note_fields(**fields))
    assert response.status_code == 422
    assert field_error(response, field)
    assert notes(pipeline)["why"] == NOTE


def test_an_outdated_form_of_a_note_is_refused_unless_only_moved(client, pipeline, user):
    html = inspected(client, pipeline, kind="note", key="why")
    send(client, pipeline, "move_stages", notes='[{"note": "why", "x": 1, "y": 2}]')
    fields = as_shown(html, "note-form", text="Mine.")
    assert send(client, pipeline, "update_note", **fields).status_code == 200
    fields = as_shown(html, "note-form", text="Mine again.")
    assert send(client, pipeline, "update_note", **fields).status_code == 412
    assert notes(pipeline)["why"].text == "Mine."


def test_a_note_above_the_limit_is_refused_also_by_undo(client, pipeline, user):
    full = {f"n{n}": Note(id=f"n{n}", text="", x=n, y=0) for n in range(MAX_NOTES - 1)}
    make_edit(pipeline=pipeline, user=user, label="Fill", patch=Patch(notes=full))
    response = send(client, pipeline, "add_note", x="1", y="2")
    assert response.status_code == 422
    assert f"at most {MAX_NOTES} notes" in response.content.decode()
    assert len(notes(pipeline)) == MAX_NOTES


def test_deleting_the_selected_note_shows_the_pipeline(client, pipeline):
    response = send(client, pipeline, "delete_parts", select="note:why", notes='["why"]')
    assert notes(pipeline) == {}
    assert {"-note-why", "inspector"} <= swapped(response)
    assert 'name="select" value="pipeline"' in response.content.decode()
    back = send(client, pipeline, "undo")
    assert "+#notes" in swapped(back)


# Frames


def test_a_new_frame_takes_its_stages_from_others_and_is_selected(client, pipeline, who):
    response = send(client, pipeline, "add_frame", stages='["review", "resolution", "ghost"]')
    assert frames(pipeline) == {"desk": ("intake",), "frame-1": ("resolution", "review")}
    assert '"key": "frame-1"' in response.headers["HX-Trigger-After-Settle"]
    assert swapped(response) == {*ALWAYS, "frame-desk", "+#frames", "inspector"}
    assert label(who) == "Frame 2 stages"
    send(client, pipeline, "undo")
    assert frames(pipeline) == {"desk": ("intake", "review")}


def test_stages_are_added_to_a_frame_and_removed(client, pipeline):
    send(client, pipeline, "put_in_frame", stages='["resolution"]', frame="desk")
    assert frames(pipeline) == {"desk": ("intake", "resolution", "review")}
    send(client, pipeline, "put_in_frame", stages='["resolution", "intake"]', frame=":out")
    assert frames(pipeline) == {"desk": ("review",)}
    response = send(client, pipeline, "put_in_frame", stages='["review"]', frame=":out")
    assert frames(pipeline) == {}
    assert "-frame-desk" in swapped(response)


def test_a_stage_dropped_on_a_frame_moves_and_joins_it_in_one_edit(client, pipeline):
    place = moves(resolution=(70, 400))
    send(client, pipeline, "move_stages", moves=place, frame="desk")
    assert frames(pipeline) == {"desk": ("intake", "resolution", "review")}
    send(client, pipeline, "move_stages", moves=moves(intake=(0, 900)), frame=":out")
    assert frames(pipeline) == {"desk": ("resolution", "review")}
    send(client, pipeline, "undo")
    send(client, pipeline, "undo")
    assert frames(pipeline) == {"desk": ("intake", "review")}
    assert now(pipeline).layout.stages["resolution"] == Position(x=640, y=250)


def test_a_frame_is_renamed_and_coloured(client, pipeline):
    response = send(client, pipeline, "rename_frame", frame="desk", title=" Front <desk> ")
    assert "Front &lt;desk&gt;" in response.content.decode()
    html = inspected(client, pipeline, kind="frame", key="desk")
    send(client, pipeline, "update_frame", **as_shown(html, "frame-form", hue="25"))
    (frame,) = now(pipeline).layout.frames
    assert (frame.title, frame.hue, frame.stages) == ("Front <desk>", 25, ("intake", "review"))


def test_a_deleted_frame_leaves_its_stages(client, pipeline, who):
    before = now(pipeline)
    send(client, pipeline, "delete_parts", frames='["desk"]')
    assert frames(pipeline) == {}
    assert set(now(pipeline).stages_by_phase) == {"intake", "review", "resolution"}
    assert label(who) == "Delete a frame"
    undo_edit(**who)
    assert now(pipeline) == before


def test_a_frame_is_deleted_with_its_last_stage(client, pipeline):
    before = now(pipeline)
    response = send(client, pipeline, "delete_parts", stages='["intake"]')
    assert frames(pipeline) == {"desk": ("review",)}
    assert "frame-desk" in swapped(response)
    send(client, pipeline, "delete_parts", stages='["review"]', notes='["why"]')
    assert frames(pipeline) == {}
    assert notes(pipeline) == {}
    send(client, pipeline, "undo")
    send(client, pipeline, "undo")
    assert now(pipeline) == before


def test_a_renamed_stage_stays_in_its_frame(who, pipeline):
    before = now(pipeline)
    new = values(before, "review", phase="check")
    stages.update_stage(**who, phase="review", values=new)
    assert frames(pipeline) == {"desk": ("check", "intake")}
    undo_edit(**who)
    assert now(pipeline) == before


def test_frames_are_copied_and_exported(client, pipeline, user):
    copy = duplicate_pipeline(pipeline=pipeline, user=user)
    assert now(copy).layout.frames == (FRAME,)
    text = definitions.read(pipeline).dump()
    assert load_storable(text).layout.frames == (FRAME,)


@pytest.mark.parametrize("view", ["editor", "rehearse"])
def test_a_frame_is_drawn_below_the_stages_in_both_modes(client, pipeline, view):
    html = client.get(f"/pipelines/{pipeline.pk}/{'' if view == 'editor' else 'rehearse/'}")
    page = html.content.decode()
    assert 'id="frame-desk"' in page
    assert 'data-stages="intake review"' in page
    assert 'aria-label="Frame The desk, 2 stages: intake review"' in page
    assert page.index('id="frame-desk"') < page.index('id="stage-intake"')


def test_a_gesture_on_a_note_or_frame_costs_the_same_in_a_large_pipeline(
    client, user, django_assert_max_num_queries
):
    pipeline = draw(user, *(f"stage-{n}" for n in range(60)))
    notes_and_frames.add_note(pipeline=pipeline, user=user, at=Position(x=1, y=2))
    with django_assert_max_num_queries(22):
        response = send(client, pipeline, "write_note", note="note-1", text="Short")
    assert len(response.content) < 4_000
