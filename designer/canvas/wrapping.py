"""Wrap a drawing to the shape of the window: wide ones into rows, tall ones into blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, sqrt
from typing import NamedTuple

from designer.canvas.geometry import COLUMN_GAP, ROW_GAP

BAND_GAP = ROW_GAP + 40
"""Gap between two rows of layers, with room for the transitions from one row to the next."""
MARGIN = 40
READABLE = 0.62
"""Scale at which a drawing may stay in one row: names are readable."""
STEPS = (0.5, 0.62, 0.75, 0.87, 1.0, 1.15, 1.35, 1.6, 2.0, 2.6)
"""Sizes to try, relative to a block without gaps."""

Spots = dict[str, tuple[float, float]]
"""Upper left corners, relative to the drawing."""
Sizes = Mapping[str, tuple[float, float]]
Column = list[str]


class FreeArea(NamedTuple):
    """Part of the canvas between the panels, in CSS pixels."""

    width: float
    height: float

    def scale(self, size: tuple[float, float]) -> float:
        """Return the scale at which a drawing of this size fits, at most 1."""
        across, down = self.width - 2 * MARGIN, self.height - 2 * MARGIN
        return min(1.0, across / max(size[0], 1.0), down / max(size[1], 1.0))


USUAL_AREA = FreeArea(872, 776)
"""In a window of 1440 x 900 pixels with all panels open."""


def wrap_layers(spots: Spots, sizes: Sizes, window: FreeArea) -> Spots:
    """Return the layers of a connected part in rows that fit the window best.

    A part that is readable in one row stays as it is. Layers that are too tall become several
    columns.
    """
    best, best_scale = spots, window.scale(extent(spots, sizes))
    if best_scale >= READABLE:
        return spots
    best_scale *= 1.1  # a small gain is not worth a break
    layers = _layers(spots, sizes)
    cells = [(width + COLUMN_GAP, height + ROW_GAP) for width, height in map(sizes.get, spots)]  # type: ignore[misc]
    area = sum(width * height for width, height in cells)
    ideal_height = sqrt(area * window.height / window.width)
    for tall in dict.fromkeys(_column_height(layers, sizes, ideal_height * step) for step in STEPS):
        columns = [column for layer in layers for column in _split(layer, sizes, tall)]
        kept = spots if len(columns) == len(layers) else {}
        for step in STEPS:
            bands = _bands(columns, sizes, ideal_height * window.width / window.height * step)
            candidate = _placed(bands, sizes, kept)
            scale = window.scale(extent(candidate, sizes))
            if scale > best_scale:
                best, best_scale = candidate, scale
    return best


def pack_parts(parts: Sequence[Spots], sizes: Sizes, window: FreeArea) -> Spots:
    """Return unconnected parts below each other or, if they are not readable so, in rows."""
    extents = [extent(part, sizes) for part in parts]
    best = _shelves(parts, extents, 0)
    best_scale = window.scale(extent(best, sizes))
    if best_scale >= READABLE:
        return best
    area = sum((width + COLUMN_GAP) * (height + ROW_GAP) for width, height in extents)
    for step in STEPS:
        width = sqrt(area * window.width / window.height) * step
        candidate = _shelves(parts, extents, width)
        scale = window.scale(extent(candidate, sizes))
        if scale > best_scale:
            best, best_scale = candidate, scale
    return best


def extent(spots: Spots, sizes: Sizes) -> tuple[float, float]:
    """Return the size of a drawing."""
    if not spots:
        return 0.0, 0.0
    right = max(x + sizes[name][0] for name, (x, _) in spots.items())
    bottom = max(y + sizes[name][1] for name, (_, y) in spots.items())
    left, top = min(x for x, _ in spots.values()), min(y for _, y in spots.values())
    return right - left, bottom - top


def _layers(spots: Spots, sizes: Sizes) -> list[Column]:
    """Return the layers from left to right, each from top to bottom."""
    layers: list[Column] = []
    end = float("-inf")
    for name in sorted(spots, key=lambda name: spots[name]):
        left = spots[name][0]
        if left >= end:
            layers.append([])
        layers[-1].append(name)
        end = max(end, left + sizes[name][0])
    return [sorted(layer, key=lambda name: spots[name][1]) for layer in layers]


def _height(column: Iterable[str], sizes: Sizes) -> float:
    return sum(sizes[name][1] + ROW_GAP for name in column) - ROW_GAP


def _width(column: Iterable[str], sizes: Sizes) -> float:
    return max(sizes[name][0] for name in column)


def _column_height(layers: Iterable[Column], sizes: Sizes, height: float) -> float:
    """Return a height of columns, at most the height of the tallest layer."""
    return min(height, max(_height(layer, sizes) for layer in layers))


def _split(layer: Column, sizes: Sizes, tall: float) -> list[Column]:
    """Return a layer as columns of about equal length, none much taller than `tall`."""
    count = ceil(_height(layer, sizes) / max(tall, 1.0) - 0.01)
    length = ceil(len(layer) / max(count, 1))
    return [layer[at : at + length] for at in range(0, len(layer), length)]


def _bands(columns: Sequence[Column], sizes: Sizes, wide: float) -> list[list[Column]]:
    """Return rows of columns, none wider than `wide` if it has several columns."""
    bands: list[list[Column]] = [[]]
    used = 0.0
    for column in columns:
        width = _width(column, sizes)
        if bands[-1] and used + width > wide:
            bands.append([])
            used = 0.0
        bands[-1].append(column)
        used += width + COLUMN_GAP
    return bands


def _placed(bands: Sequence[Sequence[Column]], sizes: Sizes, kept: Spots) -> Spots:
    """Return positions of the columns; `kept` has the heights of unsplit layers."""
    spots: Spots = {}
    top = 0.0
    for band in bands:
        names = [name for column in band for name in column]
        highest = min((kept[name][1] for name in names if name in kept), default=0.0)
        tallest = max(_height(column, sizes) for column in band)
        x = 0.0
        for column in band:
            y = (tallest - _height(column, sizes)) / 2
            for name in column:
                spots[name] = (x, top + (kept[name][1] - highest if kept else y))
                y += sizes[name][1] + ROW_GAP
            x += _width(column, sizes) + COLUMN_GAP
        top = max(spots[name][1] + sizes[name][1] for name in names) + BAND_GAP
    return spots


def _shelves(parts: Sequence[Spots], extents: Sequence[tuple[float, float]], wide: float) -> Spots:
    """Return parts in rows of at most this width; each row has at least one part."""
    spots: Spots = {}
    x = top = tallest = 0.0
    for part, (width, height) in zip(parts, extents, strict=True):
        if x and x + width > wide:
            x, top, tallest = 0.0, top + tallest + ROW_GAP, 0.0
        left, above = min(x for x, _ in part.values()), min(y for _, y in part.values())
        spots |= {name: (at - left + x, y - above + top) for name, (at, y) in part.items()}
        x, tallest = x + width + COLUMN_GAP, max(tallest, height)
    return spots
