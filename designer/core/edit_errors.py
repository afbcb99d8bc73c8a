"""Errors of edits."""

from __future__ import annotations


class EditError(Exception):
    """An edit that cannot be made. Its text is shown to the user.

    EditError
    ├── RefusedError    the change contradicts the pipeline; `field` is the form field at fault
    ├── GoneError       the part to change no longer exists
    └── StaleEditError  the part to change has changed in the meantime
    """


class RefusedError(EditError):
    """The change contradicts the current pipeline."""

    def __init__(self, sentence: str, *, field: str | None = None) -> None:
        super().__init__(sentence)
        self.field = field


class GoneError(EditError):
    """The part to change no longer exists."""


class StaleEditError(EditError):
    """The part to change has changed since the page was rendered."""
