"""Tags for canvas elements: `{% drawn "stage" stage %}` renders `canvas/_stage.html` with a cache.

A card or a line is a frozen value. Its HTML depends only on the value and the `mode` of the page,
so it is rendered once for all pages and users. `oob="true"` is for a single swapped element.
`waits=True` defers the content: `{% waiting %}` renders it as a comment, for which the browser
creates no elements until static/js/canvas/deferred-elements.js needs them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.template.defaulttags import TemplateIfParser
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

MAX_CACHED = 8_192
"""Maximum number of cached fragments, of about a kibibyte each."""


@register.simple_tag(takes_context=True)
def drawn(
    context: Context, name: str, part: Any, oob: str = "", *, waits: bool = False
) -> SafeString:
    """Render a card, a line or another frozen value."""
    return rendered(name, part, context.get("mode", ""), oob, waits=waits)


@lru_cache(maxsize=MAX_CACHED)
def rendered(name: str, part: Any, mode: str, oob: str, *, waits: bool = False) -> SafeString:
    """Render a part for a page mode; with `oob` for a swap of this element."""
    context = {name: part, "mode": mode, "oob": oob, "waits": waits}
    html = get_template(f"canvas/_{name}.html").render(context)
    return mark_safe(html.strip())  # noqa: S308 - its template escapes


@register.tag
def waiting(parser: Parser, token: Token) -> WaitingNode:
    """Parse `{% waiting CONDITION %}...{% endwaiting %}`, which defers its content as a comment."""
    condition = TemplateIfParser(parser, token.split_contents()[1:]).parse()
    content = parser.parse(("endwaiting",))
    parser.delete_first_token()
    return WaitingNode(condition, content)


class WaitingNode(template.Node):
    """Content rendered as a comment; templates escape `>`, so it cannot contain `-->`."""

    def __init__(self, condition: Any, content: NodeList) -> None:
        self.condition = condition
        self.content = content

    def render(self, context: Context) -> SafeString:
        """Render the content, as a comment if it is deferred and not blank."""
        html = self.content.render(context)
        if not self.condition.eval(context) or not html.strip():
            return html
        return mark_safe(f"<!--{html}-->")  # noqa: S308 - its template escapes
