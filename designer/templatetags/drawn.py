"""Tags for what is drawn by the thousand: `{% drawn "stage" stage %}` is `canvas/_stage.html`.

A card or a line is a frozen value, and its HTML follows from that value and from the page's `mode`
alone. So it is rendered once, however often the page is opened, and by whomever; and once for an
edit, however many have the pipeline open. `oob="true"` is for what is swapped alone, `waits=True`
for what has its words as text until they can be read: `{% waiting %}` makes a comment of what is in
it, of which a browser makes no elements; static/js/canvas/deferred-elements.js does, when they are
wanted.
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

MOST_KEPT = 8_192
"""Maximum number of cached fragments, of about a kibibyte each."""


@register.simple_tag(takes_context=True)
def drawn(
    context: Context, name: str, part: Any, oob: str = "", *, waits: bool = False
) -> SafeString:
    """The HTML of a card, a line or another frozen value."""
    return rendered(name, part, context.get("mode", ""), oob, waits=waits)


@lru_cache(maxsize=MOST_KEPT)
def rendered(name: str, part: Any, mode: str, oob: str, *, waits: bool = False) -> SafeString:
    """The HTML of a part in pages of a mode; with `oob` as it is swapped alone."""
    context = {name: part, "mode": mode, "oob": oob, "waits": waits}
    html = get_template(f"canvas/_{name}.html").render(context)
    return mark_safe(html.strip())  # noqa: S308 - its template escapes


@register.tag
def waiting(parser: Parser, token: Token) -> WaitingNode:
    """`{% waiting CONDITION %}...{% endwaiting %}`: a comment where the condition holds."""
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
        """The content, as a comment where it waits and there is any."""
        html = self.content.render(context)
        if not self.condition.eval(context) or not html.strip():
            return html
        return mark_safe(f"<!--{html}-->")  # noqa: S308 - its template escapes
