"""Pictures of a pipeline as SVG and PNG, drawn like the canvas, in both themes.

The drawing and its styles are those of the view of differences. A file of its own contains the
colours of one theme, because many viewers know neither variables of CSS nor `light-dark()`.
"""

from __future__ import annotations

import math
import re
from html import escape
from typing import Final, Literal

import fontpkg
import resvg_py

from designer.exchange.picture_styles import plain_colours, plain_styles
from designer.versions import DrawnDifference, picture
from orchestration.definition import PipelineDefinition
from orchestration.interchange import FEATURE_KEYS, Files, Format, Support

Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")

FONT: Final = "Inter"
"""Font of the PNG files, which the package `fontpkg-inter` contains; a server may have none.

The server's fonts, if any, draw what this one does not contain, such as Hebrew.
"""

MAX_PIXELS: Final = 8_000_000
"""Maximum size of a PNG file; a larger drawing is scaled down."""

_VIEW_BOX = re.compile(r'viewBox="(-?\d+) (-?\d+) (\d+) (\d+)"')
_OPENING = re.compile(r"<svg [^>]*>")

_NOT_DRAWN = Support(
    "lost",
    "not drawn",
    "The picture shows stages with the names of agents and tools, transitions and notes.",
)
_DRAWN = Support("native")
_FEATURES = (
    *("agent", "stage", "entry", "transition", "kind", "description", "group", "human"),
    *("function_tool", "http_tool", "mcp_tool", "subtask", "user_input"),  # their names
    *("supervisor", "layout", "notes"),
)


def svg_files(definition: PipelineDefinition) -> Files:
    """Return the picture as SVG for the light and for the dark theme."""
    return {f"pipeline-{theme}.svg": svg_picture(definition, theme) for theme in THEMES}


def svg_picture(definition: PipelineDefinition, theme: Theme) -> str:
    """Return the picture as SVG with the colours of a theme."""
    drawing = str(picture(DrawnDifference(definition, definition)))
    size = _VIEW_BOX.search(drawing)
    if size is None:
        raise ValueError("The drawing has no size.")
    x, y, width, height = map(int, size.groups())
    paper = plain_colours('fill="var(--paper)"', theme)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="difference-picture" role="img"'
        f' viewBox="{x} {y} {width} {height}" width="{width}" height="{height}"'
        f' aria-label="{escape(_description(definition))}">'
        f"<style>{plain_styles(theme, font=FONT)}</style>"
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {paper}/>'
    )
    parts = plain_colours(drawing[drawing.index(">") + 1 :], theme)
    return f"{opening}{parts}\n"


def png_name(path: str) -> str:
    """Return the path of a picture as PNG for its path as SVG."""
    return f"{path.removesuffix('.svg')}.png"


def png_picture(svg: str) -> bytes:
    """Return an SVG as PNG."""
    size = _VIEW_BOX.search(svg)
    width, height = map(int, size.groups()[2:]) if size else (1, 1)
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        zoom=min(1.0, math.sqrt(MAX_PIXELS / (width * height))),
        skip_system_fonts=False,
        font_files=[str(fontpkg.path(FONT))],
        font_family=FONT,
        sans_serif_family=FONT,
    )


def _description(definition: PipelineDefinition) -> str:
    count = len(definition.stages)
    return f"{definition.name}: {count} stage{'' if count == 1 else 's'}"


def _picture_format(key: str, title: str, summary: str) -> Format:
    return Format(
        key=key,
        title=title,
        summary=summary,
        kind="picture",
        support=dict.fromkeys(FEATURE_KEYS, _NOT_DRAWN) | dict.fromkeys(_FEATURES, _DRAWN),
        write=svg_files,
    )


SVG: Final = _picture_format("svg", "SVG", "picture that scales")
PNG: Final = _picture_format("png", "PNG", "picture of pixels")
