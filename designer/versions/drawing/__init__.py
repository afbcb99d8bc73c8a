"""The drawing of two definitions on one canvas."""

from designer.versions.drawing.comparison import DrawnDifference
from designer.versions.drawing.difference_picture import SYMBOLS, WORDS, picture, picture_file

__all__ = ["SYMBOLS", "WORDS", "DrawnDifference", "picture", "picture_file"]
