"""Picture of a comparison as SVG: both sides on one canvas, marked by shape, word and colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from designer.canvas import Box, StageCard
from designer.versions.comparison import (
    DrawnCard,
    DrawnDifference,
    DrawnFrame,
    DrawnLine,
    DrawnMark,
)

MARGIN = 48
FIRST_SCALE = 0.55
"""Scale of the first view on a page: the smallest text of 20 units then has 11 pixels."""
MAX_LABELS = 60
"""Maximum number of lines with a label each; beyond it only changed lines have one."""
FEWEST_LETTERS = 9
"""Number of letters below which a shortened label says too little: a changed line then shows its
sign only."""
LETTER, SMALL_LETTER = 7.2, 6.2
"""Average width of a letter in a card's name and in a label."""
SYMBOLS = {"added": "+", "removed": "\N{MINUS SIGN}", "changed": "●", "retargeted": "↷"}
WORDS = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "retargeted": "leads elsewhere",
}
STYLES = ("core/tokens.css", "canvas/difference-picture.css")


def picture(comparison: DrawnDifference) -> SafeString:
    """Return the picture for a page, which has the style sheet."""
    left, top, right, bottom = comparison.bounds
    x, y = round(left) - MARGIN, round(top) - MARGIN
    width, height = round(right) + MARGIN - x, round(bottom) + MARGIN - y
    shows_labels = len(comparison.lines) <= MAX_LABELS
    drawn = [
        *map(_frame, comparison.frames),
        *_unmarked_lines(comparison.lines),
        *(_line(line) for line in comparison.lines if line.mark),
        *map(_card, comparison.cards),
        *(_label(line) for line in comparison.lines if line.mark or shows_labels),
    ]
    look = "difference-picture" if shows_labels else "difference-picture is-large"
    return mark_safe(  # noqa: S308 - every text is escaped by `_text`
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{look}" role="img"'
        f' viewBox="{x} {y} {width} {height}" data-scale="{FIRST_SCALE}"'
        f' width="{width * FIRST_SCALE:.0f}" height="{height * FIRST_SCALE:.0f}"'
        f' aria-label="{_description(comparison)}">{_HEADS}{"".join(drawn)}</svg>'
    )


def picture_file(comparison: DrawnDifference) -> str:
    """Return the picture as a file of its own, with its styles, for both themes."""
    styles = "".join(
        Path(settings.BASE_DIR, "static", "css", name).read_text(encoding="utf-8")
        for name in STYLES
    )
    start, rest = picture(comparison).split(">", 1)
    return f"{start}><style>{styles}</style>{rest}\n"


_HEADS = mark_safe(  # noqa: S308 - a constant
    "<defs>"
    + "".join(
        f'<marker id="head-{name}" class="difference-head difference-head--{name}"'
        ' viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="12" markerHeight="12"'
        ' markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0 1L9 5L0 9z"/></marker>'
        for name in ("added", "removed", "changed", "retargeted")
    )
    + "</defs>"
)


def _frame(frame: DrawnFrame) -> str:
    left, top, right, bottom = frame.box
    title = _shortened(frame.title, right - left - 24)
    return (
        f'<g class="difference-frame">{_rect(left, top, right - left, bottom - top, 8)}'
        f"{_text(left + 12, top + 19, title)}</g>"
    )


def _unmarked_lines(lines: Iterable[DrawnLine]) -> Iterator[str]:
    """Yield one path for all unmarked lines of a look, and one for all their heads."""
    paths: dict[str, list[str]] = {}
    heads = []
    for line in lines:
        if not line.mark:
            paths.setdefault(line.line.look, []).append(line.route.path)
            heads.append(line.route.head)
    for look, parts in paths.items():
        yield f'<path class="difference-line difference-line--{look}" d="{"".join(parts)}"/>'
    yield f'<path class="difference-heads" d="{"".join(heads)}"/>'


def _line(line: DrawnLine) -> str:
    classes = _classes(line.mark, line.side, is_ghost=line.is_ghost)
    head = "removed" if line.is_ghost else line.mark
    return (
        f'<path class="difference-line difference-line--{line.line.look} {classes}"'
        f'{_change(line.change)} d="{line.route.path}" marker-end="url(#head-{head})"/>'
    )


def _label(line: DrawnLine) -> str:
    x, y = line.route.middle
    symbol, word = (SYMBOLS[line.mark], "") if line.mark else ("", "")
    if line.is_ghost and line.mark == "retargeted":
        symbol, word = SYMBOLS["removed"], "was here: "
    texts = [(line.line.label, "")]
    if line.earlier is not None:
        texts = [(line.earlier.label, "was"), (line.line.label, "now")]
    labels = []
    for text, when in texts:
        shown = _shortened(f"{symbol} {word}{text}".strip(), line.route.room - 16, SMALL_LETTER)
        if len(shown) < FEWEST_LETTERS:
            shown = symbol
        if shown:
            labels.append(f'<g class="{when}">{_pill(x, y, shown)}</g>')
    classes = _classes(line.mark, line.side, is_ghost=line.is_ghost)
    return (
        f'<g class="difference-label {classes}"{_change(line.change)}>{"".join(labels)}</g>'
        if labels
        else ""
    )


def _card(drawn: DrawnCard) -> str:
    left, top, right, bottom = drawn.box
    face = _face(drawn.card, drawn.box)
    if drawn.earlier is not None:
        earlier = _face(drawn.earlier, drawn.box)
        face = f'<g class="now">{face}</g><g class="was">{earlier}</g>'
    classes = _classes(drawn.mark, drawn.side, is_ghost=drawn.side == "before")
    rect = _rect(left, top, right - left, bottom - top, 8, "difference-card__face")
    badge = _badge(drawn) if drawn.mark else ""
    return f'<g class="difference-card {classes}"{_change(drawn.change)}>{rect}{face}{badge}</g>'


def _face(card: StageCard, box: Box) -> str:
    left, top, right, bottom = box
    name = card.agent_name or card.unknown_agent or "No agent"
    if card.kind == "group":
        name = ", ".join(member.name for member in card.members) or "Empty group"
    texts = [("phase", card.phase.upper(), 28), ("agent", name, 54)]
    if card.details:
        texts.append(("details", " · ".join(card.details), 76))
    parts = [
        _text(
            left + 18, top + down, _shortened(text, right - left - 34), f"difference-card__{kind}"
        )
        for kind, text, down in texts
    ]
    if card.hue is not None:
        parts.append(
            f'<path class="difference-card__spine" fill="oklch(62% 0.13 {card.hue})"'
            f' d="M{left:.10g} {top + 8:.10g}h5v{bottom - top - 16:g}h-5z"/>'
        )
    middle = (top + bottom) / 2
    if card.is_entry:
        at = f'cx="{left - 22:.10g}" cy="{middle:.10g}"'
        parts.append(f'<circle class="difference-card__entry" {at} r="6"/>')
    if card.is_terminal:
        parts.append(_rect(right + 14, middle - 5, 10, 10, 0, "difference-card__end"))
    return "".join(parts)


def _badge(drawn: DrawnCard) -> str:
    """Return the mark at a card's corner: a sign with its word, for changes their number."""
    text = f"{SYMBOLS[drawn.mark]} {WORDS[drawn.mark]}"
    if drawn.mark == "changed":
        text = f"{SYMBOLS['changed']} {drawn.count} changed"
    left, top, right, _ = drawn.box
    half = _width(text) / 2
    return (
        f'<g class="difference-badge">{_pill(max(left + half, right - half + 10), top, text)}</g>'
    )


def _pill(x: float, y: float, text: str) -> str:
    """Return a text in the middle of a rounded box."""
    width = _width(text)
    return f"{_rect(x - width / 2, y - 10, width, 20, 10)}{_text(x, y + 4, text, is_middle=True)}"


def _width(text: str) -> float:
    return max(20.0, len(text) * SMALL_LETTER + 16)


def _rect(x: float, y: float, width: float, height: float, radius: int, name: str = "") -> str:
    named = f' class="{name}"' if name else ""
    size = f'width="{width:.10g}" height="{height:.10g}"'
    return f'<rect{named} x="{x:.10g}" y="{y:.10g}" {size} rx="{radius}"/>'


def _text(x: float, y: float, text: str, name: str = "", *, is_middle: bool = False) -> str:
    named = f' class="{name}"' if name else ""
    anchor = ' text-anchor="middle"' if is_middle else ""
    return f'<text{named} x="{x:.10g}" y="{y:.10g}"{anchor}>{escape(text)}</text>'


def _classes(mark: DrawnMark, side: str, *, is_ghost: bool) -> str:
    names = [f"is-{mark}"] if mark else []
    if is_ghost:
        names.append("is-ghost")
    if side != "both":
        names.append(f"only-{side}")
    return " ".join(names)


def _change(number: int | None) -> str:
    return f' data-change="{number}"' if number else ""


def _shortened(text: str, width: float, letter: float = LETTER) -> str:
    letters = max(1, int(width / letter))
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _description(comparison: DrawnDifference) -> str:
    """Return the accessible name: `Both sides: 12 stages, 1 added, 1 removed, 2 changed`."""
    parts = list(_counted(comparison))
    stages = len(comparison.cards)
    return ", ".join([f"Both sides: {stages} stage{'' if stages == 1 else 's'}", *parts])


def _counted(comparison: DrawnDifference) -> Iterator[str]:
    counts = comparison.difference.counts()
    for mark, word in WORDS.items():
        if number := counts.get(mark):  # type: ignore[call-overload]
            yield f"{number} {word}"
