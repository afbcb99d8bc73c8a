"""Rows of small forms."""

from designer.editor.forms.agent import CUES


def test_errors_of_the_number_of_rows_are_in_plain_words():
    rows = CUES({"cue-TOTAL_FORMS": "99999", "cue-INITIAL_FORMS": "0"}, prefix="cue")
    assert rows.non_form_errors() == [f"At most {rows.max_num} rows are allowed: remove some."]
    message = "The number of rows is missing: reload the page."
    assert CUES({}, prefix="cue").non_form_errors() == [message]
