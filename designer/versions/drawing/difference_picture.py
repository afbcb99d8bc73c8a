"""Picture of a comparison as SVG: both sides on one canvas, marked by shape, word and colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor
from pathlib import Path

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from designer.canvas import Box, StageCard
from designer.versions.drawing.comparison import (
    DrawnCard,
    DrawnDifference,
    DrawnFrame,
    DrawnLine,
    DrawnMark,
    DrawnNote,
    DrawnSupervisor,
)
from designer.versions.drawing.label_places import TakenBoxes, line_boxes, take_place
from designer.versions.drawing.text_fit import fitted, text_width, wrapped

MARGIN = 48
FIRST_SCALE = 0.55
"""Scale of the first view on a page: the smallest text has 11 pixels then."""
TEXT = 20
"""Size of all texts, the same as in `difference-picture.css`."""
LINE = 26
LABEL_HEIGHT, LABEL_PADDING, LABEL_MARGIN = 30, 10, 8
LABEL_WIDTHS = (260, 180, 120, 84)
"""Maximum widths of a label, in the order in which they are tried."""
MAX_LABELS = 60
"""Maximum number of lines with a label each; beyond it only changed lines have a short one."""
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
    labels = list(_labels(comparison))
    x, y, right, bottom = _view_of(comparison.bounds, [box for _, box in labels])
    width, height = right - x, bottom - y
    drawn = [
        *map(_frame, comparison.frames),
        *map(_note, comparison.notes),
        *_unmarked_lines(comparison.lines),
        *(_line(line) for line in comparison.lines if line.mark),
        *map(_card, comparison.cards),
        *map(_supervisor, comparison.supervisors),
        *(label for label, _ in labels),
    ]
    look = "difference-picture is-large" if _is_large(comparison) else "difference-picture"
    return mark_safe(  # noqa: S308 - every text is escaped by `_text` and `_title`
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{look}" role="img"'
        f' viewBox="{x} {y} {width} {height}" data-scale="{FIRST_SCALE}"'
        f' width="{width * FIRST_SCALE:.0f}" height="{height * FIRST_SCALE:.0f}"'
        f' aria-label="{_description(comparison)}">{_HEADS}{"".join(drawn)}</svg>'
    )


def _view_of(bounds: Box, labels: Sequence[Box]) -> tuple[int, int, int, int]:
    """Return the edges of the picture: those of the drawing, further out for outlying labels."""
    left, top, right, bottom = bounds
    return (
        min([round(left) - MARGIN, *(floor(box[0]) - LABEL_MARGIN for box in labels)]),
        min([round(top) - MARGIN, *(floor(box[1]) - LABEL_MARGIN for box in labels)]),
        max([round(right) + MARGIN, *(ceil(box[2]) + LABEL_MARGIN for box in labels)]),
        max([round(bottom) + MARGIN, *(ceil(box[3]) + LABEL_MARGIN for box in labels)]),
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
        ' viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="14" markerHeight="14"'
        ' markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0 1L9 5L0 9z"/></marker>'
        for name in ("added", "removed", "changed", "retargeted")
    )
    + "</defs>"
)


def _frame(frame: DrawnFrame) -> str:
    left, top, right, bottom = frame.box
    title = fitted(frame.title, right - left - 24, TEXT, is_bold=True)
    return (
        f'<g class="difference-frame">{_title(frame.title, title)}'
        f"{_rect(left, top, right - left, bottom - top, 8, colours=_wash(frame.hue))}"
        f"{_text(left + 12, top + 22, title)}</g>"
    )


def _frame_title_box(frame: DrawnFrame) -> Box:
    left, top, right, _ = frame.box
    return (
        left,
        top,
        min(right, left + 24 + text_width(frame.title, TEXT, is_bold=True)),
        top + LINE,
    )


def _note(note: DrawnNote) -> str:
    left, top, right, bottom = note.box
    lines = wrapped(note.text, right - left - 20, TEXT, max(1, int((bottom - top - 8) / LINE)))
    texts = (_text(left + 10, top + LINE * place, line) for place, line in enumerate(lines, 1))
    return (
        f'<g class="difference-note">{_title(note.text, *lines)}'
        f"{_rect(left, top, right - left, bottom - top, 4, colours=_wash(note.hue))}"
        f"{''.join(texts)}</g>"
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


def _labels(comparison: DrawnDifference) -> Iterator[tuple[str, Box]]:
    """Yield the labels of the lines and their boxes, changed lines first, where there is room."""
    taken = TakenBoxes(
        [
            *comparison.solid_boxes,
            *(_badge_box(card) for card in comparison.cards if card.mark),
            *(_frame_title_box(frame) for frame in comparison.frames),
        ]
    )
    drawn = TakenBoxes(box for line in comparison.lines for box in line_boxes(line.route))
    lines = [line for line in comparison.lines if line.mark]
    widths: Sequence[int] = LABEL_WIDTHS[-1:]
    if not _is_large(comparison):
        lines += [line for line in comparison.lines if not line.mark]
        widths = LABEL_WIDTHS
    for line in lines:
        if (label := _label(line, widths, taken, drawn)) is not None:
            yield label


def _is_large(comparison: DrawnDifference) -> bool:
    return len(comparison.lines) > MAX_LABELS


def _label(
    line: DrawnLine, label_widths: Sequence[int], taken: TakenBoxes, lines: TakenBoxes
) -> tuple[str, Box] | None:
    symbol = SYMBOLS["removed" if line.is_ghost else line.mark] if line.mark else ""
    texts = [(line.line.label, "")]
    if line.earlier is not None:
        texts = [(line.earlier.label, "was"), (line.line.label, "now")]
    full = [(f"{symbol} {text}".strip(), when) for text, when in texts]
    choices = [
        [(fitted(text, width - 2 * LABEL_PADDING, TEXT), when) for text, when in full]
        for width in (label_widths if any(text for text, _ in texts) else ())
    ]
    if symbol:
        choices.append([(symbol, when) for _, when in full])
    widths = [max(_label_width(text) for text, _ in choice) for choice in choices]
    found = take_place(line.route, widths, LABEL_HEIGHT, taken, lines)
    if found is None:
        return None
    number, (x, y) = found
    labels = (
        f'<g class="{when}">{_title(long, text)}{_pill(x, y, text)}</g>'
        for (text, when), (long, _) in zip(choices[number], full, strict=True)
        if text
    )
    classes = _classes(line.mark, line.side, is_ghost=line.is_ghost)
    label = f'<g class="difference-label {classes}"{_change(line.change)}>{"".join(labels)}</g>'
    half, rise = widths[number] / 2, LABEL_HEIGHT / 2
    return label, (x - half, y - rise, x + half, y + rise)


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
    texts = [("phase", card.phase, 30), ("agent", name, 57)]
    if card.details:
        texts.append(("details", " · ".join(card.details), 84))
    shown = [
        fitted(text, right - left - 30, TEXT, is_bold=kind == "agent") for kind, text, _ in texts
    ]
    parts = [
        _text(left + 18, top + down, text, f"difference-card__{kind}")
        for text, (kind, _, down) in zip(shown, texts, strict=True)
    ]
    if card.hue is not None:
        parts.append(
            f'<path class="difference-card__spine" fill="oklch(62% 0.13 {card.hue})"'
            f' d="M{left:.10g} {top + 8:.10g}h5v{bottom - top - 16:g}h-5z"/>'
        )
    middle = (top + bottom) / 2
    if card.is_entry:
        at = f'cx="{left - 22:.10g}" cy="{middle:.10g}"'
        parts.append(f'<circle class="difference-card__entry" {at} r="7"/>')
    if card.is_terminal:
        parts.append(_rect(right + 14, middle - 6, 12, 12, 0, "difference-card__end"))
    title = _title("\n".join(text for _, text, _ in texts), "\n".join(shown))
    return f"{title}{''.join(parts)}"


def _supervisor(drawn: DrawnSupervisor) -> str:
    left, top, right, bottom = drawn.box
    names = [(drawn.name, "now"), (drawn.earlier, "was")] if drawn.earlier else [(drawn.name, "")]
    parts = []
    for name, when in names:
        shown = fitted(name, right - left - 30, TEXT, is_bold=True)
        text = _text(left + 18, top + 50, shown, "difference-card__agent")
        parts.append(f'<g class="{when}">{_title(name, shown)}{text}</g>')
    classes = _classes(drawn.mark, drawn.side, is_ghost=drawn.side == "before")
    rect = _rect(left, top, right - left, bottom - top, 8, "difference-card__face")
    role = _text(left + 18, top + 25, "Supervisor", "difference-card__phase")
    symbol = SYMBOLS[drawn.mark] if drawn.mark else ""
    badge = _badge_of(drawn.box, symbol, WORDS[drawn.mark]) if drawn.mark else ""
    return (
        f'<g class="difference-card difference-card--supervisor {classes}"{_change(drawn.change)}>'
        f"{rect}{role}{''.join(parts)}{badge}</g>"
    )


def _badge(drawn: DrawnCard) -> str:
    """Return the mark at a card's corner: a sign, for changes with their number."""
    word = f"{drawn.count} changed" if drawn.mark == "changed" else WORDS[drawn.mark]
    return _badge_of(drawn.box, _badge_text(drawn), word)


def _badge_of(box: Box, text: str, word: str) -> str:
    x = _badge_middle(box, text)
    return f'<g class="difference-badge"><title>{word}</title>{_pill(x, box[1], text)}</g>'


def _badge_text(drawn: DrawnCard) -> str:
    symbol = SYMBOLS[drawn.mark]
    return f"{symbol} {drawn.count}" if drawn.mark == "changed" else symbol


def _badge_middle(box: Box, text: str) -> float:
    return box[2] - _label_width(text) / 2 + 12


def _badge_box(drawn: DrawnCard) -> Box:
    text = _badge_text(drawn)
    x, half, top = _badge_middle(drawn.box, text), _label_width(text) / 2, drawn.box[1]
    return x - half, top - LABEL_HEIGHT / 2, x + half, top + LABEL_HEIGHT / 2


def _pill(x: float, y: float, text: str) -> str:
    """Return a text in the middle of a rounded box."""
    width = _label_width(text)
    rect = _rect(x - width / 2, y - LABEL_HEIGHT / 2, width, LABEL_HEIGHT, LABEL_HEIGHT // 2)
    return f"{rect}{_text(x, y + 7, text, is_middle=True)}"


def _label_width(text: str) -> float:
    return max(float(LABEL_HEIGHT), text_width(text, TEXT) + 2 * LABEL_PADDING)


def _rect(
    x: float, y: float, width: float, height: float, radius: int, name: str = "", colours: str = ""
) -> str:
    named = f' class="{name}"' if name else ""
    size = f'width="{width:.10g}" height="{height:.10g}"'
    return f'<rect{named}{colours} x="{x:.10g}" y="{y:.10g}" {size} rx="{radius}"/>'


def _text(x: float, y: float, text: str, name: str = "", *, is_middle: bool = False) -> str:
    named = f' class="{name}"' if name else ""
    anchor = ' text-anchor="middle"' if is_middle else ""
    return f'<text{named} x="{x:.10g}" y="{y:.10g}"{anchor}>{escape(text)}</text>'


def _title(text: str, *shown: str) -> str:
    """Return the whole text as a tooltip, if it is not shown as it is."""
    return "" if " ".join(shown) == text else f"<title>{escape(text)}</title>"


def _wash(hue: int | None) -> str:
    """Return the colours of a note or a frame, as in `tokens.css`."""
    if hue is None:
        return ""
    fill = f"light-dark(oklch(95.5% 0.035 {hue}), oklch(28% 0.035 {hue}))"
    line = f"light-dark(oklch(82% 0.075 {hue}), oklch(46% 0.07 {hue}))"
    return f' fill="{fill}" stroke="{line}"'


def _classes(mark: DrawnMark, side: str, *, is_ghost: bool) -> str:
    names = [f"is-{mark}"] if mark else []
    if is_ghost:
        names.append("is-ghost")
    if side != "both":
        names.append(f"only-{side}")
    return " ".join(names)


def _change(number: int | None) -> str:
    return f' data-change="{number}"' if number else ""


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
