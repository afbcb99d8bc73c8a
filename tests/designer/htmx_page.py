"""A loaded page with the swaps of the socket's messages."""

from __future__ import annotations

from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any

from designer.rehearsal.trace.event_fragments import PANES
from designer.rehearsal.trace.events import render_panes

IDLE = {
    "composer_state": '<div id="composer-actions"></div>',
    "composer_question": '<p id="composer-asked"></p>',
    "steering_state": '<div id="steering"></div>',
    "supervisor_sums": '<p id="sums"></p>',
    "context_meter": '<span id="context-now"></span>',
    "next_step_state": '<span id="next-step"></span>',
}
"""Panes of a page without events."""


class Page(HTMLParser):
    """A tree of elements, which out-of-band swaps change."""

    VOID = frozenset({"input", "br", "meta"})

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.root: list[Any] = []
        self.open: list[tuple[str, dict[str, Any], list[Any]]] = [("root", {}, self.root)]
        self.feed(html)
        assert len(self.open) == 1, "every element is closed"

    def handle_starttag(self, tag, attributes):
        element: tuple[str, dict[str, Any], list[Any]] = (tag, dict(attributes), [])
        self.open[-1][2].append(element)
        if tag not in self.VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.open[-1][2].append(data)

    def handle_entityref(self, name):
        self.open[-1][2].append(f"&{name};")

    def handle_charref(self, name):
        self.open[-1][2].append(f"&#{name};")


def find(elements, dom_id):
    for element in elements:
        if isinstance(element, tuple):
            if element[1].get("id") == dom_id:
                return elements, element
            if match := find(element[2], dom_id):
                return match
    return None


def text_of(elements: Iterable[Any]) -> str:
    """Return the text of elements without markup."""
    return "".join(part if isinstance(part, str) else text_of(part[2]) for part in elements)


def swap(page, html):
    """Swap a message of a socket into the page."""
    for tag, attributes, children in Page(html).root:
        how, _, selector = attributes.pop("hx-swap-oob").partition(":")
        if how == "true":
            siblings, old = find(page, attributes["id"])
            siblings[siblings.index(old)] = (tag, attributes, children)
        elif how == "beforebegin":
            siblings, old = find(page, selector.removeprefix("#"))
            at = siblings.index(old)
            siblings[at:at] = children
        else:
            _, (_, _, content) = find(page, selector.removeprefix("#"))
            content[:] = children if how == "innerHTML" else content + children


def page_of(events, trace_state):
    """Return the panes of a page that is loaded after these events."""
    rendered = IDLE | {
        pane: html for pane, html in render_panes(events, trace_state).items() if html
    }
    return "".join(
        f'<div id="{pane}">{rendered.get(pane.replace("-", "_"), "")}</div>' for pane in PANES
    )


def without_space(elements):
    return [
        (part[0], part[1], without_space(part[2])) if isinstance(part, tuple) else part
        for part in elements
        if isinstance(part, tuple) or part.strip()
    ]
