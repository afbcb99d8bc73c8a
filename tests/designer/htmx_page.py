"""A page as htmx changes it: what the socket sends, swapped into what was loaded."""

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
}
"""What the page shows where no event says otherwise."""


class Page(HTMLParser):
    """What htmx makes of fragments: a tree of elements, by id, that out-of-band swaps change."""

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
            if found := find(element[2], dom_id):
                return found
    return None


def text_of(elements: Iterable[Any]) -> str:
    """What elements say, without their markup."""
    return "".join(one if isinstance(one, str) else text_of(one[2]) for one in elements)


def swap(page, html):
    """Do what htmx does with one message of a socket."""
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
    """The panes of a page that was loaded after these events."""
    rendered = IDLE | {
        pane: html for pane, html in render_panes(events, trace_state).items() if html
    }
    return "".join(
        f'<div id="{pane}">{rendered.get(pane.replace("-", "_"), "")}</div>' for pane in PANES
    )


def without_space(elements):
    return [
        (one[0], one[1], without_space(one[2])) if isinstance(one, tuple) else one
        for one in elements
        if isinstance(one, tuple) or one.strip()
    ]
