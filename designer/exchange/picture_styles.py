"""Styles of pictures without variables, nested rules and functions: the colours of one theme.

The rules come from the style sheets of the pages. Renderers of SVG outside of browsers know plain
rules and plain colours only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings

TOKENS: Final = "core/tokens.css"
RULES: Final = "canvas/difference-picture.css"

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;{}]+);")
_USE = re.compile(r"var\((--[\w-]+)\)")
_RULE = re.compile(r"([^{};]+)\{([^{}]*)\}")
_NOT = re.compile(r":not\([^()]*\)")
_STATE = re.compile(r"\.(?:is-[\w-]+|was)\b")
"""Classes of changed parts, which a picture of one definition does not have."""
_COLOUR = r"(?:oklch\([^()]*\)|rgb\([^()]*\)|[^(),]+)"
_LIGHT_DARK = re.compile(rf"light-dark\(\s*({_COLOUR}),\s*({_COLOUR})\)")
_OKLCH = re.compile(r"oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)")
_ATTRIBUTE = re.compile(r'\b(fill|stroke)="((?:var|light-dark|oklch)\([^"]*)"')


@cache
def plain_styles(theme: str, *, font: str) -> str:
    """Return the rules of the drawing with the colours of a theme and a font."""
    text = _read(RULES)
    nested = "".join(f"{selector}{{{values}}}" for selector, values in _nested(text))
    own = _RULE.sub("", text[text.index("{") + 1 :])
    colour = _plain("var(--ink)", theme)
    root = f".difference-picture{{color:{colour};font:{_font_size(own)} {font},sans-serif}}"
    return root + _plain(nested, theme)


def plain_colours(text: str, theme: str) -> str:
    """Return a drawing whose attributes `fill` and `stroke` have the colours of a theme."""
    return _ATTRIBUTE.sub(lambda match: f'{match[1]}="{_plain(match[2], theme)}"', text)


def _plain(text: str, theme: str) -> str:
    variables = _variables()
    while _USE.search(text):
        text = _USE.sub(lambda match: variables[match[1]], text)
    text = _LIGHT_DARK.sub(lambda match: match[1 if theme == "light" else 2].strip(), text)
    return _OKLCH.sub(lambda match: _hex(*map(float, match.groups())), text)


def _nested(text: str) -> Iterator[tuple[str, str]]:
    """Yield the nested rules with their selectors in full, without rules for changed parts."""
    body = text[text.index("{") + 1 :]
    for selectors, values in _RULE.findall(body):
        parts = [part.strip() for part in _NOT.sub("", selectors).split(",")]
        kept = [f".difference-picture {part}" for part in parts if not _STATE.search(part)]
        if kept:
            yield ",".join(kept), re.sub(r"\s*\n\s*", "", values)


def _font_size(declarations: str) -> str:
    found = re.search(r"font:\s*(\d+px)", declarations)
    return found[1] if found else "20px"


@cache
def _variables() -> dict[str, str]:
    return dict(_VARIABLE.findall(_read(TOKENS) + _read(RULES)))


@cache
def _read(name: str) -> str:
    path = Path(settings.BASE_DIR, "static", "css", name)
    return _COMMENT.sub("", path.read_text(encoding="utf-8"))


def _hex(lightness: float, chroma: float, hue: float) -> str:
    """Return a colour of the OKLCH space in sRGB: `oklch(62% 0.13 250)` → `#418ad1`."""
    a, b = (chroma * f(math.radians(hue)) for f in (math.cos, math.sin))
    cones = (
        lightness / 100 + 0.3963377774 * a + 0.2158037573 * b,
        lightness / 100 - 0.1055613458 * a - 0.0638541728 * b,
        lightness / 100 - 0.0894841775 * a - 1.2914855480 * b,
    )
    long, middle, short = (each**3 for each in cones)
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(each)):02x}" for each in linear)


def _gamma(value: float) -> float:
    value = min(1.0, max(0.0, value))
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
