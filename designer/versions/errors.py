"""Errors of the package.

VersionError
├── UnknownVersionError
├── UnknownPointError
├── DraftChangedError
├── DraftHasErrorsError
├── VersionHasErrorsError
├── PromotedMeanwhileError
└── NothingToRollBackError
"""

from __future__ import annotations


class VersionError(Exception):
    """An action on versions is refused; the text is a sentence for the user."""


class UnknownVersionError(VersionError):
    """The pipeline does not have the version."""


class UnknownPointError(VersionError):
    """The history does not reach back to the edit."""

    def __init__(self) -> None:
        super().__init__(
            "The history does not hold this edit any more: choose one of the list, or a version."
        )


class DraftChangedError(VersionError):
    """The draft was edited after the user had looked at the difference."""

    def __init__(self) -> None:
        super().__init__(
            "The draft was edited meanwhile, and nothing was changed: look at the difference "
            "again, then repeat the action."
        )


class DraftHasErrorsError(VersionError):
    """The draft cannot be published, because the rules report errors."""

    def __init__(self, count: int) -> None:
        errors = "an error" if count == 1 else f"{count} errors"
        super().__init__(f"The draft has {errors}: fix them in Design, then publish again.")


class VersionHasErrorsError(VersionError):
    """The version cannot become the live one, because it cannot be rehearsed."""

    def __init__(self, version: object, count: int) -> None:
        errors = "an error" if count == 1 else f"{count} errors"
        super().__init__(
            f"{version} has {errors}, such as a missing connection, and was not promoted: restore "
            "it as the draft, fix it in Design, then publish."
        )


class PromotedMeanwhileError(VersionError):
    """Another version became the live one after the user had looked."""

    def __init__(self, user_name: str, version: object) -> None:
        super().__init__(
            f"{user_name} promoted {version} meanwhile, and nothing was changed: look at the "
            "difference from it, then try again."
        )


class NothingToRollBackError(VersionError):
    """There is no earlier live version."""

    def __init__(self) -> None:
        super().__init__(
            "There is no earlier live version to roll back to: promote the one you want."
        )
