"""Avatars, announcements and version messages of the editor's socket."""

import pytest

from designer.editor.fragments.presence import render_notice, render_people, render_version


def test_a_person_is_shown_with_the_selected_parts():
    html = render_people(
        [(7, "Ada", ["stage-review", "edge-intake--review"])], joined=["Ada"], left=[]
    )
    assert 'data-at="stage-review edge-intake--review"' in html
    assert 'title="Ada: review, intake → review"' in html
    assert '<p id="announcer" hx-swap-oob="innerHTML">Ada is here.</p>' in html


@pytest.mark.parametrize(
    ("joined", "left", "text"),
    [
        (["ben", "Ada"], [], "Ada and ben are here."),
        (["a", "b", "c"], [], "a, b and c are here."),
        ([], ["Ada"], "Ada has left."),
        (["Ada"], ["Ben", "Cleo"], "Ada is here. Ben and Cleo have left."),
    ],
)
def test_people_who_join_or_leave_are_announced_in_a_sentence(joined, left, text):
    assert f">{text}</p>" in render_people([], joined=joined, left=left)


def test_nobody_is_announced_without_a_change():
    html = render_people([], joined=[], left=[])
    assert "announcer" not in html
    assert " hidden" in html


def test_a_version_message_names_the_change_and_its_author():
    html = render_version(5, label="Move <b>", who="Ada", made=4)
    assert 'data-version="5"' in html
    assert 'data-made="4"' in html
    assert 'data-label="Move &lt;b&gt;"' in html
    assert 'data-who="Ada"' in html


def test_a_notice_is_escaped():
    assert "Too &lt;fast&gt;." in render_notice("Too <fast>.")
