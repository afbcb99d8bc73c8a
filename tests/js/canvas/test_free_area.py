"""The part of the canvas between the floating panels: a pure function of boxes."""

from collections.abc import Callable
from typing import Any

WINDOW: dict[str, float] = {"x": 0, "y": 52, "width": 1440, "height": 848}


def box(x: float, y: float, width: float, height: float) -> dict[str, float]:
    return {"x": x, "y": y, "width": width, "height": height}


LEFT, RIGHT = box(12, 64, 200, 400), box(1108, 64, 320, 560)
BAR, OPEN, FOLDED = box(12, 852, 738, 36), box(12, 560, 1084, 328), box(0, 0, 0, 0)


def test_the_free_area_lies_between_the_panels(module: Callable[..., Any]) -> None:
    def free(*panels: dict[str, float]) -> list[float]:
        area = module("canvas/geometry.js", "freeArea", WINDOW, panels)
        return [area[side] for side in ("x", "y", "width", "height")]

    assert free() == [0, 0, 1440, 848]
    assert free(LEFT, RIGHT, BAR) == [212, 0, 896, 800]
    assert free(LEFT, RIGHT, OPEN) == [212, 0, 896, 508]
    assert free(FOLDED, RIGHT, BAR) == [0, 0, 1108, 800]
    assert free(LEFT, box(300, 64, 1128, 560), BAR)[2] >= 300, "a wide inspector leaves a part"
