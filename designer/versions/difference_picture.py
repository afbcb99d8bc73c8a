"""Picture of a comparison as SVG: both sides on one canvas, marked by shape, word and colour."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.utils.html import format_html, format_html_join
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
        *(_line(line) for line in comparison.lines),
        *(_card(card) for card in comparison.cards),
        *(_label(line) for line in comparison.lines if line.mark or shows_labels),
    ]
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" class="difference-picture" role="img"'
        ' viewBox="{} {} {} {}" width="{}" height="{}" aria-label="{}">{}{}</svg>',
        *(x, y, width, height, width, height),
        _description(comparison),
        _HEADS,
        format_html_join("", "{}", ((part,) for part in drawn)),
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
        for name in ("same", "added", "removed", "changed", "retargeted")
    )
    + "</defs>"
)


def _frame(frame: DrawnFrame) -> SafeString:
    left, top, right, bottom = frame.box
    return format_html(
        '<g class="difference-frame"><rect x="{}" y="{}" width="{}" height="{}" rx="8"/>'
        '<text x="{}" y="{}">{}</text></g>',
        *(_number(left), _number(top), _number(right - left), _number(bottom - top)),
        *(_number(left + 12), _number(top + 19), _shortened(frame.title, right - left - 24)),
    )


def _line(line: DrawnLine) -> SafeString:
    look = "removed" if line.is_ghost else line.mark or "same"
    return format_html(
        '<path class="difference-line difference-line--{} {}"{} d="{}"'
        ' marker-end="url(#head-{})"/>',
        line.line.look,
        _classes(line.mark, line.side, is_ghost=line.is_ghost),
        _change(line.change),
        line.route.path,
        look,
    )


def _label(line: DrawnLine) -> SafeString:
    x, y = line.route.middle
    room = line.route.room
    if line.is_ghost and line.mark == "retargeted":
        symbol, word = SYMBOLS["removed"], "was here: "
    else:
        symbol, word = (SYMBOLS[line.mark], "") if line.mark else ("", "")
    texts = [(line.line.label, "now")]
    if line.earlier is not None:
        texts = [(line.earlier.label, "was"), (line.line.label, "now")]
    labels = []
    for text, when in texts:
        shown = _shortened(f"{symbol} {word}{text}".strip(), room - 16, SMALL_LETTER)
        if len(shown) < FEWEST_LETTERS:
            shown = symbol
        width = max(20.0, len(shown) * SMALL_LETTER + 16)
        is_only = line.earlier is None
        if not shown:
            continue
        labels.append(
            format_html(
                '<g class="{}"><rect x="{}" y="{}" width="{}" height="20" rx="10"/>'
                '<text x="{}" y="{}" text-anchor="middle">{}</text></g>',
                "" if is_only else when,
                *(_number(x - width / 2), _number(y - 10), _number(width)),
                *(_number(x), _number(y + 4), shown),
            )
        )
    return format_html(
        '<g class="difference-label {}"{}>{}</g>',
        _classes(line.mark, line.side, is_ghost=line.is_ghost),
        _change(line.change),
        format_html_join("", "{}", ((label,) for label in labels)),
    )


def _card(drawn: DrawnCard) -> SafeString:
    left, top, right, bottom = drawn.box
    width, height = right - left, bottom - top
    faces = [_face(drawn.card, drawn.box, "" if drawn.earlier is None else "now")]
    if drawn.earlier is not None:
        faces.append(_face(drawn.earlier, drawn.box, "was"))
    return format_html(
        '<g class="difference-card {}"{}><rect class="difference-card__face" x="{}" y="{}"'
        ' width="{}" height="{}" rx="8"/>{}{}</g>',
        _classes(drawn.mark, drawn.side, is_ghost=drawn.side == "before"),
        _change(drawn.change),
        *(_number(left), _number(top), _number(width), _number(height)),
        format_html_join("", "{}", ((face,) for face in faces)),
        _badge(drawn) if drawn.mark else "",
    )


def _face(card: StageCard, box: Box, when: str) -> SafeString:
    left, top, right, bottom = box
    name = (
        card.agent_name or card.unknown_agent or ("Group" if card.kind == "group" else "No agent")
    )
    details = [
        ("difference-card__phase", card.phase.upper(), 28),
        ("difference-card__agent", name, 54),
    ]
    if card.kind == "group" and card.members:
        details[1] = ("difference-card__agent", ", ".join(each.name for each in card.members), 54)
    if card.details:
        details.append(("difference-card__details", " · ".join(card.details), 76))
    spine = ""
    if card.hue is not None:
        spine = format_html(
            '<path class="difference-card__spine" fill="oklch(62% 0.13 {})" d="M{} {}h5v{}h-5z"/>',
            *(card.hue, _number(left), _number(top + 8), _number(bottom - top - 16)),
        )
    entry = end = ""
    middle = (top + bottom) / 2
    if card.is_entry:
        at = (_number(left - 22), _number(middle))
        entry = format_html('<circle class="difference-card__entry" cx="{}" cy="{}" r="6"/>', *at)
    if card.is_terminal:
        at = (_number(right + 14), _number(middle - 5))
        end = format_html(
            '<rect class="difference-card__end" x="{}" y="{}" width="10" height="10"/>', *at
        )
    return format_html(
        '<g class="{}">{}{}{}{}</g>',
        when,
        spine,
        format_html_join(
            "",
            '<text class="{}" x="{}" y="{}">{}</text>',
            (
                (kind, _number(left + 18), _number(top + down), _shortened(text, right - left - 34))
                for kind, text, down in details
            ),
        ),
        entry,
        end,
    )


def _badge(drawn: DrawnCard) -> SafeString:
    """Return the mark at a card's corner: a sign with its word, for changes their number."""
    text = f"{SYMBOLS[drawn.mark]} {WORDS[drawn.mark]}"
    if drawn.mark == "changed":
        text = f"{SYMBOLS['changed']} {drawn.count} changed"
    width = len(text) * SMALL_LETTER + 16
    left, top, right, _ = drawn.box
    x = max(left, right - width + 10)
    return format_html(
        '<g class="difference-badge"><rect x="{}" y="{}" width="{}" height="20" rx="10"/>'
        '<text x="{}" y="{}" text-anchor="middle">{}</text></g>',
        *(_number(x), _number(top - 11), _number(width)),
        *(_number(x + width / 2), _number(top + 3), text),
    )


def _classes(mark: DrawnMark, side: str, *, is_ghost: bool) -> str:
    names = [f"is-{mark}"] if mark else []
    if is_ghost:
        names.append("is-ghost")
    if side != "both":
        names.append(f"only-{side}")
    return " ".join(names)


def _change(number: int | None) -> SafeString:
    return format_html(' data-change="{}"', number) if number else SafeString("")


def _shortened(text: str, width: float, letter: float = LETTER) -> str:
    letters = max(1, int(width / letter))
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _number(value: float) -> str:
    return f"{value:.10g}"


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
