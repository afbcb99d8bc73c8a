"""Marks of comments and strings in the preview of a file."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

import pytest

from designer.exchange.code_colors import MAX_CHARACTERS, marked_lines

STRING = '<span class="export__string">'


def plain(lines: Sequence[str]) -> list[str]:
    return [html.unescape(re.sub("<[^>]*>", "", line)) for line in lines]


@pytest.mark.parametrize(
    ("path", "line", "mark"),
    [
        ("agents.py", 'a = "b"', "export__string"),
        ("agents.py", "a = 1  # b", "export__comment"),
        ("agent-spec.json", '{"a": "b"}', "export__string"),
        ("agents.yaml", "a: b", "export__string"),
        ("pyproject.toml", 'a = "b"', "export__string"),
    ],
)
def test_strings_and_comments_are_marked(path: str, line: str, mark: str) -> None:
    [found] = marked_lines(path, [line])
    assert f'<span class="{mark}">' in found
    assert plain([found]) == [line]


def test_a_string_of_several_lines_is_marked_in_each() -> None:
    lines = ['"""A', "", 'B"""']
    found = marked_lines("tools.py", lines)
    assert [STRING in each for each in found] == [True, False, True]
    assert plain(found) == lines


@pytest.mark.parametrize("path", ["a.py", "a.json", "a.yaml", "a.toml", "README.md"])
@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "\"'</pre>&amp;", "# <b>", "\\\x0b\ufeff\u202e{x:", ""]
)
def test_a_hostile_text_is_escaped_and_complete(path: str, text: str) -> None:
    lines = [text, f'x = "{text}', "", text]
    found = marked_lines(path, lines)
    assert plain(found) == lines
    for line in found:
        assert re.sub(r'<span class="export__(string|comment)">|</span>', "", line).count("<") == 0


@pytest.mark.parametrize(
    ("path", "line"), [("README.md", '"a"'), ("a.py", '"' + "a" * MAX_CHARACTERS + '"')]
)
def test_another_or_a_long_file_has_no_marks(path: str, line: str) -> None:
    assert marked_lines(path, [line]) == [html.escape(line)]


def test_no_lines_give_no_lines() -> None:
    assert marked_lines("a.py", []) == []
