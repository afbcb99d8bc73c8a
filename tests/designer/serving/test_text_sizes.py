"""The smallest text: 12 px, and 11 px on the canvas."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CSS = Path(__file__).resolve().parents[3] / "static" / "css"
TOKENS = dict(
    re.findall(r"(--text[a-z-]*): ([\d.]+)rem", (CSS / "core" / "tokens.css").read_text())
)
ROOT_SIZE = 16


def sizes(text: str) -> Iterator[tuple[str, float]]:
    """Yield the values of font sizes in a style sheet, each with its smallest size in pixels."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for value in re.findall(r"(?:font-size|font|--level-text):([^;}]+)", text):
        resolved = re.sub(r"var\((--text[a-z-]*)\)", lambda match: f"{TOKENS[match[1]]}rem", value)
        found = [float(size) * ROOT_SIZE for size in re.findall(r"(?<![\w.])([\d.]+)rem", resolved)]
        found += [float(size) for size in re.findall(r"(?<![\w.])([\d.]+)px", resolved)]
        if found and (positive := [size for size in found if size]):
            yield value.strip(), max(positive) if "max(" in value else min(positive)
        elif re.search(r"(?<![\w.])0?\.\d+em", value):
            yield value.strip(), 0


@pytest.mark.parametrize("path", sorted(CSS.rglob("*.css")), ids=lambda path: path.name)
def test_no_text_is_smaller_than_12_px_or_11_px_on_the_canvas(path: Path) -> None:
    smallest = 11 if path.parent.name == "canvas" else 12
    small = [(value, size) for value, size in sizes(path.read_text()) if size < smallest]
    assert small == []


def test_small_sizes_are_found_in_each_notation() -> None:
    css = "a{font-size:0.6rem} b{font:600 11px/1 x} c{font-size:.9em} d{font:var(--text-tiny) x}"
    assert [size < 12 for _, size in sizes(css)] == [True] * 4
    assert [size for _, size in sizes("a{font-size:max(0.9em, 0.75rem)} b{font-size:0}")] == [12]
