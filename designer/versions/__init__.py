"""Versions of a pipeline, and the view of the difference of two definitions."""

from designer.versions.comparison import DrawnDifference
from designer.versions.difference_picture import picture, picture_file

__all__ = ["DrawnDifference", "picture", "picture_file"]
