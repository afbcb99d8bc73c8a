"""Safe HTML from a model's Markdown."""

from html.parser import HTMLParser

import pytest
from django.utils.html import conditional_escape
from hypothesis import given
from hypothesis import strategies as st

from designer.rehearsal.fragments.markdown import MAX_RENDERED, Rendered, render_markdown

HARMLESS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "a", "ul", "ol", "li"),
    *("h4", "h5", "h6", "div", "table", "thead", "tbody", "tr", "th", "td"),
}
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![seen](https://example.org/pixel.png)",
    "[go](javascript:alert(1))",
    "[go](JaVaScRiPt&colon;alert(1))",
    "[go](data:text/html;base64,PHNjcmlwdD4=)",
    "[go](vbscript:x)",
    "<javascript:alert(1)>",
    '[go](https://example.org "\\" onmouseover=alert(1) x=\\"")',
    '```" onload=alert(1) x="\ncode\n```',
    '<div hx-get="/sign-out/" hx-trigger="load">',
    '<form action="//example.org"><input name=x></form>',
    "<style>body{display:none}</style>",
    "<iframe src=//example.org></iframe><svg/onload=alert(1)>",
    "|<b onclick=x>|\n|-|\n|<script>|",
]


class Found(HTMLParser):
    """Elements and attributes of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs


def is_harmless(text: str) -> None:
    found = Found(conditional_escape(render_markdown(text)))
    assert found.tags <= HARMLESS
    for name, value in found.attributes:
        assert not name.startswith(("on", "hx-", "ws-", "style", "src", "id"))
        if name == "href":
            assert (value or "").split(":")[0] in ("http", "https", "mailto")


@pytest.mark.parametrize("text", HOSTILE)
def test_harmful_markup_is_shown_as_text(text):
    is_harmless(text)


@given(st.text(st.sampled_from("<>[]()!`*|-\n #&;:\"'=/ahrefjvscipt1"), max_size=200))
def test_no_text_gives_an_element_that_is_not_on_the_list(text):
    is_harmless(text)


def test_lists_tables_code_and_links_are_rendered():
    html = render_markdown(
        "# Refund\n\n1. *first*\n2. **second**\n\n| a | b |\n|:-|-:|\n| 1 | 2 |\n\n"
        '```json\n{"a": 1}\n```\n\n[docs](https://example.org/a)'
    )
    assert "<h4>Refund</h4>" in html
    assert "<ol>\n<li><em>first</em></li>" in html
    assert '<td data-align="right">2</td>' in html
    assert '<pre tabindex="0"><code data-language="json">{"a": 1}\n</code></pre>' in html
    assert 'href="https://example.org/a" target="_blank" rel="noopener noreferrer nofollow"' in html


def test_a_line_break_stays_a_line_break():
    assert render_markdown("one\ntwo") == "<p>one<br>\ntwo</p>"


def test_an_image_is_its_words():
    assert render_markdown("![a chart](https://example.org/x.png)") == "<p>a chart</p>"


def test_text_beyond_the_limits_stays_plain_and_escaped():
    text = "<b>" + "x" * MAX_RENDERED
    assert conditional_escape(render_markdown(text)).startswith("&lt;b&gt;xxx")
    assert render_markdown("[" * 2_000) == "[" * 2_000


@pytest.mark.parametrize("within", ["", "> ", "- "])
def test_a_table_that_is_mostly_empty_cells_is_shown_as_it_is(within):
    lines = ["|a" * 256, "|-" * 256, *["a"] * 250]
    text = "\n".join(within + line for line in lines)
    assert render_markdown(text) == text


def test_a_text_is_rendered_once_and_cached_within_the_bound():
    """The limit is in characters, because a short text may have a large table."""
    asked: list[str] = []

    def render(text: str) -> str:
        asked.append(text)
        return text * 9

    rendered = Rendered(render, max_characters=250)
    for text in ("a" * 10, "b" * 10, "a" * 10, "c" * 10, "a" * 10):
        assert rendered(text) == text * 9
    assert asked == ["a" * 10, "b" * 10, "c" * 10]
    rendered("b" * 10)
    assert asked[-1] == "b" * 10
    rendered("d" * 100)
    assert len(rendered) == 2, "too large a text is not cached"


def test_a_task_list_has_checkboxes_that_nobody_can_change():
    html = render_markdown("- [x] found\n- [ ] sent\n- [y] no task\n\n[x] no list")
    assert html.count("<input") == 2
    assert '<li><input type="checkbox" disabled="" checked="" aria-label="done"> found</li>' in html
    assert '<li><input type="checkbox" disabled="" aria-label="to do"> sent</li>' in html
    assert "<li>[y] no task</li>" in html
    assert "<p>[x] no list</p>" in html
    assert "<input" not in render_markdown('<input type="text">')
