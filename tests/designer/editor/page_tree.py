"""The editor's page as a tree of elements, with htmx's out-of-band swaps."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

VOID = frozenset(
    {"input", "br", "meta", "link", "img", "hr", "path", "circle", "rect", "line", "ellipse"}
)
WRAPPERS = frozenset({"template", "svg"})


class Element:
    """An element: its tag, attributes and content."""

    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.content: list[Element | str] = []

    @property
    def children(self) -> list[Element]:
        return [child for child in self.content if isinstance(child, Element)]

    @property
    def dom_id(self) -> str:
        return self.attributes.get("id") or ""

    def find(self, dom_id: str) -> tuple[Element, Element] | None:
        """Return the descendant with this id, with its parent before it."""
        for child in self.children:
            if child.dom_id == dom_id:
                return self, child
            if match := child.find(dom_id):
                return match
        return None

    def snapshot(self) -> Any:
        """Return the whole content of the element as one value, without swap attributes."""
        attributes = {
            name: value for name, value in self.attributes.items() if name != "hx-swap-oob"
        }
        texts = (
            re.sub(r"\s+", " ", part).strip() for part in self.content if isinstance(part, str)
        )
        return (
            self.tag,
            tuple(sorted(attributes.items(), key=str)),
            tuple(filter(None, texts)),
            tuple(child.snapshot() for child in self.children),
        )


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("root", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].content.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].content.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def parse(html: str) -> Element:
    """Return the tree of HTML with closed elements."""
    builder = _Builder()
    builder.feed(html)
    (root,) = builder.open
    return root


class Tree:
    """A loaded page with the changes by later responses."""

    def __init__(self, html: str) -> None:
        self.root = parse(html)

    def swap(self, html: str) -> None:
        """Swap the out-of-band elements of a response."""
        self._swap_all(parse(html))

    def _swap_all(self, parent: Element) -> None:
        for element in parent.children:
            how = element.attributes.get("hx-swap-oob")
            if how:
                self._swap(element, how)
            elif element.tag in WRAPPERS:
                self._swap_all(element)

    def _swap(self, element: Element, how: str) -> None:
        action, _, selector = how.partition(":")
        found = self.root.find(element.dom_id) if not selector else None
        match action:
            case "beforeend":
                self._at(selector).content += element.content
            case "afterbegin":
                self._at(selector).content[:0] = element.content
            case "afterend":
                beside = self.root.find(selector.removeprefix("#"))
                assert beside, selector
                place = beside[0].content.index(beside[1]) + 1
                beside[0].content[place:place] = element.content
            case "innerHTML" if found:
                found[1].content = element.content
            case "delete" if found:
                found[0].content.remove(found[1])
            case "true" | "outerHTML" if found:
                place = found[0].content.index(found[1])
                found[0].content[place] = element

    def _at(self, selector: str) -> Element:
        if selector.startswith("#"):
            found = self.root.find(selector[1:])
            assert found, selector
            return found[1]
        (found_one,) = _of_class(self.root, selector.removeprefix("."))
        return found_one

    def shows(self, container: str) -> dict[str, Any]:
        """Return the snapshots of the elements in a container, by their ids."""
        found = self.root.find(container)
        return {child.dom_id: child.snapshot() for child in found[1].children} if found else {}

    def says(self, dom_id: str) -> list[str]:
        """Return the content of an element line by line; empty without the element."""
        found = self.root.find(dom_id)
        return lines(found[1].snapshot()) if found else []

    def fill(self, dom_id: str, html: str) -> None:
        """Replace the content of an element, as htmx does with a response."""
        found = self.root.find(dom_id)
        assert found, dom_id
        found[1].content = parse(html).content

    def order(self, container: str) -> list[str]:
        """Return the ids of the elements in a container in order."""
        return list(self.shows(container))


def lines(snapshot: Any, depth: int = 0) -> list[str]:
    """Return a snapshot as lines, so that a difference is readable."""
    if not snapshot:
        return []
    tag, attributes, texts, children = snapshot
    own = [f"{'  ' * depth}{tag} {dict(attributes)} {' '.join(texts)}"]
    return own + [line for child in children for line in lines(child, depth + 1)]


def _of_class(element: Element, name: str) -> list[Element]:
    own = [element] if name in (element.attributes.get("class") or "").split() else []
    return own + [found for child in element.children for found in _of_class(child, name)]
