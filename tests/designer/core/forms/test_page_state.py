"""State of the page."""

import re

import pytest

from designer.core.forms.page_state import PageState, Selection, new_token, number, token_of


@pytest.mark.parametrize("text", ["stage:review", "transition:intake>review", "pipeline"])
def test_a_selection_is_written_as_it_is_parsed(text):
    assert str(Selection.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "stage", "stage:", "planet:a", "stage:\0", "stage:" + "x" * 131]
)
def test_an_invalid_selection_is_the_pipeline(text):
    assert Selection.parse(text) == Selection()


@pytest.mark.parametrize(
    ("text", "value"), [("12", 12), ("", None), ("1" * 10, None), ("-1", None)]
)
def test_a_number_has_at_most_nine_digits(text, value):
    assert number(text) == value


def test_an_invalid_token_is_replaced():
    token = new_token()
    assert token_of(token) == token
    assert re.fullmatch(r"i[0-9a-f]{8}", token_of("<script>"))


def test_invalid_values_of_the_page_get_their_defaults():
    state = PageState.parse({"tab": "x", "panel": "x", "version": "x", "typing": "x"})
    assert (state.tab, state.panel, state.version, state.typing) == ("stage", "problems", None, "")


def test_another_selection_resets_the_unsaved_text():
    fields = {"select": "agent:a", "tab": "agent", "typing": "typed", "base": "1", "version": "7"}
    state = PageState.parse(fields)
    other = state.selecting("agent", "b")
    assert (other.selection, other.tab) == (Selection("agent", "b"), "agent")
    assert (other.typing, other.base, other.version) == ("", "", 7)
    assert other.token != state.token
    assert state.selecting("tool", "t").tab == "stage"
