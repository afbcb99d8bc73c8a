"""Choice between two people's texts of the same fields."""

from designer.editor.fragments.form_notice import Deletion
from designer.editor.fragments.merge import differences, render_merge


def test_similar_texts_are_compared_word_by_word():
    assert differences("Check the papers.", "Check all the papers.") == [
        ("same", "Check "),
        ("new", "all "),
        ("same", "the papers."),
    ]
    assert differences("Hello", "Goodbye now") == [("new", "Goodbye now")]
    assert differences("Hello", "") == [("gone", "Hello")]
    assert differences(None, "x") == [("same", "x")]
    long = "word " * 9_000
    assert ("new", "more\n") in differences(f"{long}\n", f"{long}\nmore\n")


def test_texts_with_very_many_lines_are_compared_with_bounded_effort():
    was, now = "a\n" + "b\nc\n" * 600, "d\n" + "c\ne\n" * 600
    same = "The same at the end. " * 400
    kinds = [kind for kind, _ in differences(was + same, now + same)]
    assert kinds == ["gone", "new", "same"]


def test_an_empty_notice_only_clears_the_old_one():
    html = render_merge({})
    assert 'hx-swap-oob="true"' in html
    assert "<form" not in html


def test_the_notice_of_a_deleted_part_names_it_and_its_author():
    html = render_merge({"deletion": Deletion("The stage review", "Ben", "")})
    assert "The stage review was deleted by Ben." in html
    assert "gesture-undo" not in html
    own = render_merge({"deletion": Deletion("The stage review", "", "Delete review")})
    assert "The stage review was deleted by you." in own
    assert 'title="Undo: Delete review"' in own
