"""Rows of a trace in a page."""

import re


def numbers(html: str) -> list[int]:
    return [int(one) for one in re.findall(r'id="event-(\d+)"', html)]


def before(html: str, what: str = "trace") -> int:
    """Return the event of the link to earlier ones; 0 without a link."""
    found = re.search(rf'data-earlier="{what}".*?name="before" value="(\d+)"', html)
    return int(found[1]) if found else 0
