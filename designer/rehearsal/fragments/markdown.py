"""Safe HTML from a model's Markdown, rendered when the message is complete.

Two fences, each of which would be enough: the parser takes no HTML and follows no dangerous
address, and what it gives is cleaned by a list of what may be in a page. Neither has images, which
would tell a stranger's server that the answer was read.
"""

from __future__ import annotations

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
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

MAX_RENDERED = 32 * 1024
"""Bytes of a text that are rendered; a larger one is shown as it is."""

MAX_BRACKETS = 1_000
"""Brackets in a text that is rendered: each that closes nowhere is looked for to the end."""

MAX_CELLS = 6_000
"""Cells that the tables of a text may come to, most of them empty: every row gets them all."""

MAX_KEPT = 4_000_000
"""Characters that are kept of texts and what they were rendered to."""

MAX_DEPTH = 12
"""Maximum nesting depth of quotes and lists."""

_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "a"),
    *("ul", "ol", "li", "h4", "h5", "h6"),
    *("div", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "code": {"data-language"},
    "div": {"tabindex", "role", "aria-label"},
    "pre": {"tabindex"},
    "th": {"data-align"},
    "td": {"data-align"},
}
_VALUES = {"div": {"class": {"table"}}}
_SCHEMES = {"http", "https", "mailto"}


@dataclass
class Rendered:
    """Renders a text once, however many read it, and keeps what it rendered last.

    That is bounded in characters and not in texts: a short text may have a large table.
    """

    render: Callable[[str], SafeString | str]
    max_characters: int = MAX_KEPT
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._cached: LRUCache[str, tuple[str, SafeString | str]] = LRUCache(
            self.max_characters, getsizeof=lambda kept: len(kept[0]) + len(kept[1])
        )

    def __call__(self, text: str) -> SafeString | str:
        """The text, rendered now or before. Pages are made in several threads."""
        with self._lock:
            if (known := self._cached.get(text)) is not None:
                return known[1]
        html = self.render(text)
        with self._lock, suppress(ValueError):  # larger than the whole cache
            self._cached[text] = text, html
        return html

    def __len__(self) -> int:
        """Return the number of cached texts."""
        return len(self._cached)

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._cached.clear()


def _render(text: str) -> SafeString | str:
    """The text as HTML; a very large one as plain text, which its template escapes."""
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
    return mark_safe(html.strip())  # noqa: S308 - that is what nh3 is for


class _Renderer(RendererHTML):
    """HTML without a style and without an image."""

    def image(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        """Its words in place of an image."""
        token = tokens[index]
        return self.renderInlineAsText(token.children or [], options, env)

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        """Code, with the language that it says it is in."""
        token = tokens[index]
        language = (
            escape(token.info.strip().split(maxsplit=1)[0][:40]) if token.info.strip() else ""
        )
        named = f' data-language="{language}"' if language else ""
        return f'<pre tabindex="0"><code{named}>{escape(token.content)}</code></pre>\n'

    def code_block(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Indented code."""
        return f'<pre tabindex="0"><code>{escape(tokens[index].content)}</code></pre>\n'

    def table_open(self, *_: object) -> str:
        """A table may be wider than the chat: it scrolls in a box of its own."""
        return '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n'

    def table_close(self, *_: object) -> str:
        """The end of the table and of its box."""
        return "</table></div>\n"

    def heading_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """The page has headings of its own: those of an answer stand below them."""
        return f"<{_lowered(tokens[index].tag)}>"

    def heading_close(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """The end of a heading."""
        return f"</{_lowered(tokens[index].tag)}>\n"

    def th_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """A head, to which side it leans."""
        return _cell(tokens[index])

    td_open = th_open


def _lowered(tag: str) -> str:
    return f"h{min(6, int(tag[1:]) + 3)}"


def _cell(token: Token) -> str:
    leaning = str(token.attrs.get("style", "")).removeprefix("text-align:")
    aligned = f' data-align="{leaning}"' if leaning in ("left", "center", "right") else ""
    return f"<{token.tag}{aligned}>"


_PARSER = MarkdownIt(
    "commonmark",
    {"html": False, "linkify": False, "breaks": True, "maxNesting": MAX_DEPTH},
    renderer_cls=_Renderer,
).enable(["table", "strikethrough"])

render_markdown = Rendered(_render)
"""A message as HTML; a very large one as plain text, which its template escapes."""
