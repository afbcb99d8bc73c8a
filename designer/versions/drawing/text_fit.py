"""Width of texts in a drawing: SVG has no ellipsis, so the server shortens them."""

from __future__ import annotations

from collections.abc import Iterator

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
DEFAULT, UPPER = 0.6, 0.7
"""Width of a letter relative to its size, in the widest of the usual fonts."""
BOLD = 1.12
WIDTHS = (
    dict.fromkeys("ijl|'.,:;", 0.3)
    | dict.fromkeys(' frtI()[]/-"', 0.42)
    | dict.fromkeys("mwMW@%&", 0.97)
)


def text_width(text: str, size: float, *, is_bold: bool = False) -> float:
    """Return the estimated width of a text; real texts are seldom wider."""
    letters = sum(
        WIDTHS.get(letter, UPPER if letter.isupper() else _other(letter)) for letter in text
    )
    return letters * size * (BOLD if is_bold else 1.0)


def fitted(text: str, width: float, size: float, *, is_bold: bool = False) -> str:
    """Return the text, or as much of its beginning as fits, with an ellipsis."""
    if len(text) * size * BOLD <= width or text_width(text, size, is_bold=is_bold) <= width:
        return text
    room = width - text_width(ELLIPSIS, size, is_bold=is_bold)
    end = 0
    for letter in text:
        room -= text_width(letter, size, is_bold=is_bold)
        if room < 0:
            break
        end += 1
    return f"{text[:end].rstrip()}{ELLIPSIS}"


def wrapped(text: str, width: float, size: float, lines: int) -> list[str]:
    """Return the text in lines; the last of at most `lines` ends with an ellipsis if it is cut."""
    found = list(_lines(text, width, size))
    if len(found) <= lines:
        return found
    last = fitted(f"{found[lines - 1]} {ELLIPSIS * 2}", width, size)
    return [*found[: lines - 1], last.rstrip(f" {ELLIPSIS}") + ELLIPSIS]


def _lines(text: str, width: float, size: float) -> Iterator[str]:
    for paragraph in text.splitlines():
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, size) > width:
                yield fitted(line, width, size)
                line = word
            else:
                line = longer
        yield fitted(line, width, size)


def _other(letter: str) -> float:
    return 1.0 if ord(letter) > 0x2E7F else DEFAULT  # ideographs are square
