"""Lines of a file for the preview, with its comments and strings marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from pygments.lexers.configs import TOMLLexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Literal, Number, String

MAX_CHARACTERS: Final = 40_000
"""Maximum length of a text with marks: a longer one would slow the dialog down."""

_LEXERS: Final = {
    ".json": JsonLexer(),
    ".py": PythonLexer(),
    ".toml": TOMLLexer(),
    ".yaml": YamlLexer(),
}


def marked_lines(path: str, lines: Sequence[str]) -> list[SafeString]:
    """Return lines as HTML; a file of another kind, or a long one, has no marks."""
    lexer = _LEXERS.get(PurePath(path).suffix)
    text = "\n".join(lines)
    if lexer is None or len(text) > MAX_CHARACTERS:
        return [format_html("{}", line) for line in lines]
    marked: list[list[SafeString]] = [[]]
    for _, token, value in lexer.get_tokens_unprocessed(text):
        for number, part in enumerate(value.split("\n")):
            if number:
                marked.append([])
            if part:
                marked[-1].append(_mark(token, part))
    return [format_html_join("", "{}", ((each,) for each in line)) for line in marked[: len(lines)]]


def _mark(token: Any, text: str) -> SafeString:
    if token in Comment:
        return format_html('<span class="export__comment">{}</span>', text)
    if token in String or (token in Literal and token not in Number):
        return format_html('<span class="export__string">{}</span>', text)
    return format_html("{}", text)
