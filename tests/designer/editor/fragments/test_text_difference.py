"""Line-by-line difference of two texts."""

from hypothesis import given
from hypothesis import strategies as st

from designer.editor.fragments.text_difference import LineRun, differences

LINES = st.lists(st.sampled_from(["a", "b", "", "c d"]), max_size=12).map("\n".join)


@given(LINES, LINES)
def test_a_difference_contains_both_texts(before, after):
    runs = differences(before, after)
    kept = [run.text for run in runs if run.mark != "removed"]
    was = [run.text for run in runs if run.mark != "added"]
    assert "\n".join(kept) == after
    assert "\n".join(was) == before


def test_very_long_texts_are_compared_with_bounded_effort():
    before, after = "\n" * 30_000, "x\n" * 15_000
    marks = [run.mark for run in differences(before, after)]
    assert marks == ["removed", "added", ""]


def test_a_missing_earlier_text_marks_every_line_as_added():
    assert differences(None, "a\nb") == (LineRun("added", "a\nb"),)
    assert differences("a\nb", "a\nc") == (
        LineRun("", "a"),
        LineRun("removed", "b"),
        LineRun("added", "c"),
    )
