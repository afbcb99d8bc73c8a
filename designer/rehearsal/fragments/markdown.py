"""Safe HTML from a model's Markdown, rendered when the message is complete.

Two independent protections: the parser accepts neither HTML nor dangerous addresses, and its output
is cleaned by a list of allowed elements. Images are not allowed, because loading one would inform
its server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from threading import Lock

import nh3
from cachetools import LRUCache
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

MAX_RENDERED = 32 * 1024
"""Maximum size of a rendered text in bytes; a larger one is shown as plain text."""

MAX_BRACKETS = 1_000
"""Maximum number of brackets: for each unclosed one the parser reads the text to its end."""

MAX_CELLS = 6_000
"""Maximum number of table cells, the empty ones included: every row has all columns."""

MAX_KEPT = 4_000_000
"""Maximum number of cached characters, of texts and their HTML."""

MAX_DEPTH = 12
"""Maximum nesting depth of quotes and lists."""

_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "a"),
    *("ul", "ol", "li", "h4", "h5", "h6"),
    *("div", "table", "thead", "tbody", "tr", "th", "td"),
    "input",
}
_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "code": {"data-language"},
    "div": {"tabindex", "role", "aria-label"},
    "input": {"disabled", "checked", "aria-label"},
    "pre": {"tabindex"},
    "th": {"data-align"},
    "td": {"data-align"},
}
_VALUES = {"div": {"class": {"table"}}, "input": {"type": {"checkbox"}}}
_SCHEMES = {"http", "https", "mailto"}


@dataclass
class Rendered:
    """Cache of rendered texts.

    Its size is limited in characters, not in texts: a short text may have a large table.
    """

    render: Callable[[str], SafeString | str]
    max_characters: int = MAX_KEPT
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._cached: LRUCache[str, tuple[str, SafeString | str]] = LRUCache(
            self.max_characters, getsizeof=lambda kept: len(kept[0]) + len(kept[1])
        )

    def __call__(self, text: str) -> SafeString | str:
        """Return the rendered text; pages are rendered in several threads."""
        with self._lock:
            if (cached := self._cached.get(text)) is not None:
                return cached[1]
        html = self.render(text)
        with self._lock, suppress(ValueError):  # larger than the whole cache
            self._cached[text] = text, html
        return html

    def __len__(self) -> int:
        """Return the number of cached texts."""
        return len(self._cached)

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._cached.clear()


def _render(text: str) -> SafeString | str:
    """Return a text as HTML; return a very large one unchanged, as its template escapes it."""
    if len(text.encode("utf-8", "replace")) > MAX_RENDERED or text.count("[") > MAX_BRACKETS:
        return text
    lines = text.splitlines()
    if (columns := max((line.count("|") for line in lines), default=0)) and (
        (columns + 1) * len(lines) > MAX_CELLS
    ):
        return text
    html = nh3.clean(
        _PARSER.render(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        tag_attribute_values=_VALUES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return mark_safe(html.strip())  # noqa: S308 - cleaned by nh3


class _Renderer(RendererHTML):
    """Renderer of HTML without styles and images."""

    def image(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        """Render the description of an image."""
        token = tokens[index]
        return self.renderInlineAsText(token.children or [], options, env)

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        """Render code with its language."""
        token = tokens[index]
        language = (
            escape(token.info.strip().split(maxsplit=1)[0][:40]) if token.info.strip() else ""
        )
        attribute = f' data-language="{language}"' if language else ""
        return f'<pre tabindex="0"><code{attribute}>{escape(token.content)}</code></pre>\n'

    def code_block(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Render indented code."""
        return f'<pre tabindex="0"><code>{escape(tokens[index].content)}</code></pre>\n'

    def table_open(self, *_: object) -> str:
        """Begin a table in a box that scrolls, as it may be wider than the chat."""
        return '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n'

    def table_close(self, *_: object) -> str:
        """End a table and its box."""
        return "</table></div>\n"

    def heading_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Begin a heading, below the headings of the page."""
        return f"<{_lowered(tokens[index].tag)}>"

    def heading_close(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """End a heading."""
        return f"</{_lowered(tokens[index].tag)}>\n"

    def task_mark(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Render the mark of a task as a checkbox that cannot be changed."""
        is_done = tokens[index].content != " "
        state = ' checked aria-label="done"' if is_done else ' aria-label="to do"'
        return f'<input type="checkbox" disabled{state}> '

    def th_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Begin a cell with its alignment."""
        return _cell(tokens[index])

    td_open = th_open


def _mark_tasks(state: StateCore) -> None:
    """Replace `[ ]` and `[x]` at the beginning of list items by marks of tasks."""
    for item, paragraph, line in zip(
        state.tokens, state.tokens[1:], state.tokens[2:], strict=False
    ):
        if item.type != "list_item_open" or paragraph.type != "paragraph_open":
            continue
        first = line.children[0] if line.children else None
        if first is None or not (mark := _TASK.match(first.content)) or first.type != "text":
            continue
        first.content = first.content[mark.end() :]
        line.children = [Token("task_mark", "input", 0, content=mark[1]), *(line.children or ())]


_TASK = re.compile(r"\[([ xX])\](?: |$)")


def _lowered(tag: str) -> str:
    return f"h{min(6, int(tag[1:]) + 3)}"


def _cell(token: Token) -> str:
    alignment = str(token.attrs.get("style", "")).removeprefix("text-align:")
    is_known = alignment in ("left", "center", "right")
    attribute = f' data-align="{alignment}"' if is_known else ""
    return f"<{token.tag}{attribute}>"


_PARSER = MarkdownIt(
    "commonmark",
    {"html": False, "linkify": False, "breaks": True, "maxNesting": MAX_DEPTH},
    renderer_cls=_Renderer,
).enable(["table", "strikethrough"])
_PARSER.core.ruler.push("tasks", _mark_tasks)

render_markdown = Rendered(_render)
"""Renders a message as HTML; a very large one stays plain text."""
