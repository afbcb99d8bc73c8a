"""Line-by-line difference of two texts."""

from hypothesis import given
from hypothesis import strategies as st

from orchestration.difference import TextRun, line_differences

LINES = st.lists(st.sampled_from(["a", "b", "", "c d"]), max_size=12).map("\n".join)


@given(LINES, LINES)
def test_a_difference_contains_both_texts(before, after):
    runs = line_differences(before, after)
    kept = [run.text for run in runs if run.mark != "removed"]
    was = [run.text for run in runs if run.mark != "added"]
    assert "\n".join(kept) == after
    assert "\n".join(was) == before


def test_very_long_texts_are_compared_with_bounded_effort():
    before, after = "\n" * 30_000, "x\n" * 15_000
    marks = [run.mark for run in line_differences(before, after)]
    assert marks == ["removed", "added", ""]


def test_a_missing_earlier_text_marks_every_line_as_added():
    assert line_differences(None, "a\nb") == (TextRun("added", "a\nb"),)
    assert line_differences("a\nb", "a\nc") == (
        TextRun("", "a"),
        TextRun("removed", "b"),
        TextRun("added", "c"),
    )
