"""Rows of a trace in a page."""

import re


def numbers(html: str) -> list[int]:
    return [int(one) for one in re.findall(r'id="event-(\d+)"', html)]


def before(html: str, what: str = "trace") -> int:
    """From which event on the way to earlier ones leads back; 0 where there is none."""
    found = re.search(rf'data-earlier="{what}".*?name="before" value="(\d+)"', html)
    return int(found[1]) if found else 0
