"""Forms that several people edit at the same time.

The page submits the fields together with their old values: the values with which the form was
rendered. A field that differs from its old value is the person's change.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from django.http import QueryDict
from pydantic import BaseModel, ConfigDict

from designer.core import (
    Change,
    EditError,
    GoneError,
    RefusedError,
    attempt_edit,
    preview_edit,
)
from designer.editor.forms.form_values import (
    MALFORMED,
    Values,
    check_values,
    parse_values,
    read_old_values,
    read_values,
    values_of,
    with_values,
)
from designer.editor.forms.merging import Merge, merge
from designer.editor.forms.refused_fields import changed_names, without_refused
from designer.editor.forms.sent_forms import SentForms
from orchestration.definition import PipelineDefinition

Sent = TypeVar("Sent", bound=SentForms[Any])


@dataclass(frozen=True)
class SavedForm(Generic[Sent]):
    """The change is applied, perhaps without the refused fields."""

    change: Change
    sent: Sent
    """The forms as they are saved."""
    typed: Sent
    """The forms as the page shows them: with refused values, and without merged changes."""
    refused: dict[str, str]
    """Errors of the fields that are not saved. Empty text: restored together with another field."""
    merged_with: str
    """Author of the changes that were merged; empty: there were none."""


@dataclass(frozen=True)
class InvalidForm(Generic[Sent]):
    """Nothing is saved; the errors are in the forms."""

    sent: Sent


@dataclass(frozen=True)
class ConflictingForm(Generic[Sent]):
    """Nothing is saved: two people changed the same fields, and the person chooses."""

    sent: Sent
    merge: Merge
    author: str
    """Author of the other changes."""
    pending: PendingChoice
    mine: PipelineDefinition | None = None
    """The pipeline with the person's own texts; None if they cannot be applied to it."""


@dataclass(frozen=True)
class OutdatedForm:
    """Nothing is saved: the part now has other fields, or it changed twice in a moment."""


@dataclass(frozen=True)
class DeletedForm:
    """Nothing is saved: the part, or something it refers to, is deleted."""

    text: str


Outcome = SavedForm[Sent] | InvalidForm[Sent] | ConflictingForm[Sent] | OutdatedForm | DeletedForm


class PendingChoice(BaseModel):
    """Data that a page keeps while a person chooses between two texts."""

    model_config = ConfigDict(strict=True)

    typed: str
    """The submission as typed."""
    mine: str
    """The submission to save, if the person's own texts are chosen."""
    theirs: Values
    """The other person's values of the fields in conflict."""


class SharedForm(ABC, Generic[Sent]):
    """A form that several people edit at the same time.

    Subclasses know the part of the pipeline that the form edits.
    """

    BASE: ClassVar[str]
    """Name of the submitted digest of the part at the time when the form was rendered."""
    OLD_VALUES: ClassVar[str]
    """Name of the submitted old values."""
    PAGE_STATE: ClassVar = ("version", "panel", "supervised")
    """State of the page that is submitted anew together with a choice."""

    def __init__(
        self, data: QueryDict, read: Callable[[QueryDict], Sent], *, saves_partially: bool
    ) -> None:
        """Read a submission, or the choice between two texts of an earlier one.

        `saves_partially`: the page keeps what is typed, so valid fields are saved without the
        refused ones.
        """
        self.read = read
        self.saves_partially = saves_partially
        self.typed, self.data = _chosen(data, self.PAGE_STATE) if "merge" in data else (data, data)
        self.refused: dict[str, str] = {}
        self.first_invalid: InvalidForm[Sent] | None = None
        self.merged_with = ""

    @abstractmethod
    def current_base(self) -> str | None:
        """Return the digest of the part now; None if it is deleted."""

    @abstractmethod
    def current_fields(self) -> dict[str, str]:
        """Return the hidden fields of the form as it would be rendered now."""

    @abstractmethod
    def last_author(self) -> str:
        """Return the author of the last change of the part."""

    def save(self, act: Callable[[Sent], Change]) -> Outcome[Sent]:
        """Apply the person's changes, or return the reason for a refusal.

        1. Validate the fields. Put refused fields back to their old values and start again.
        2. Compare the part with the time when the form was rendered. If it is the same, run the
           action; fields that the action refuses are treated like invalid ones.
        3. Otherwise merge the other person's changes and start again. If both changed the same
           field, return both texts.
        """
        while True:
            sent = self.read(self.data)
            if sent.are_valid():
                try:
                    change = self._act_unless_outdated(sent, act)
                except RefusedError as error:
                    sent.add_error(error)
                except GoneError as error:
                    if not self.saves_partially or self.BASE not in self.data:
                        raise
                    return DeletedForm(str(error))
                else:
                    if change is not None:
                        return self._saved(change, sent)
                    if (unsaved := self._merge(sent, act)) is not None:
                        return unsaved
                    continue
            if (invalid := self._restore_refused(sent)) is not None:
                return invalid

    def _act_unless_outdated(self, sent: Sent, act: Callable[[Sent], Change]) -> Change | None:
        """Run the action, or return None without a change if the part is outdated.

        Both are one attempt: no edit by others comes between the comparison and the action.
        """

        def compare_and_act() -> Change | None:
            base = self.data.get(self.BASE)
            is_outdated = base and self.current_base() not in (base, None)
            return None if is_outdated else act(sent)

        return attempt_edit(compare_and_act)

    def _saved(self, change: Change, sent: Sent) -> SavedForm[Sent]:
        typed = sent
        if self.typed is not self.data:
            typed = self.read(self.typed)
            typed.are_valid()
        return SavedForm(change, sent, typed, self.refused, self.merged_with)

    def _restore_refused(self, sent: Sent) -> InvalidForm[Sent] | None:
        """Put refused fields back to their old values.

        The form is invalid as a whole if that is not possible, or if nothing else was changed.
        """
        self.first_invalid = self.first_invalid or InvalidForm(sent)
        is_progress = sent.errors and self.refused.keys().isdisjoint(sent.errors)
        if not self.saves_partially or not is_progress:
            return self.first_invalid
        try:
            old = read_old_values(self.data.get(self.OLD_VALUES, ""))
        except RefusedError:
            return self.first_invalid
        data = without_refused(self.data, sent, old)
        if data is None or _is_unchanged(self.read(data), old):
            return self.first_invalid
        restored = dict.fromkeys(changed_names(self.data, data), "")
        self.refused |= restored | sent.errors
        self.data = data
        return None

    def _merge(self, sent: Sent, act: Callable[[Sent], Change]) -> Outcome[Sent] | None:
        """Merge the changes of another person into the data.

        Refused fields have to be corrected before a person chooses, and before rows are merged.
        """
        if self.merged_with:
            return OutdatedForm()
        current = self.current_fields()
        theirs = read_values(current[self.OLD_VALUES])
        mine = values_of(sent.parts, without=sent.removed_row)
        if self.first_invalid and sent.rows is not None:
            return self.first_invalid
        if not mine.keys() <= theirs.keys():  # the part has other fields now
            return self.first_invalid or OutdatedForm()
        merged = merge(read_old_values(self.data.get(self.OLD_VALUES, "")), mine, theirs)
        data = with_values(self.data, merged.settled)
        for name, value in current.items():
            data[name] = value
        if not merged.conflicts:
            self.data, self.merged_with = data, self.last_author()
            return None
        if self.first_invalid:
            return self.first_invalid
        fields = {conflict.name: conflict.theirs for conflict in merged.conflicts}
        pending = PendingChoice(typed=self.typed.urlencode(), mine=data.urlencode(), theirs=fields)
        preview = self._preview(pending, act)
        return ConflictingForm(sent, merged, self.last_author(), pending, preview)

    def _preview(
        self, pending: PendingChoice, act: Callable[[Sent], Change]
    ) -> PipelineDefinition | None:
        """Return the pipeline as it would be with the person's own texts."""
        sent = self.read(QueryDict(pending.mine))
        if not sent.are_valid():
            return None
        try:
            return preview_edit(partial(act, sent)).definition
        except EditError:
            return None


def _is_unchanged(sent: SentForms[Any], old: Values) -> bool:
    return all(old.get(name) == value for name, value in values_of(sent.parts).items())


def _chosen(data: QueryDict, page_state: tuple[str, ...]) -> tuple[QueryDict, QueryDict]:
    """Return the typed data, and the data to save after a choice."""
    try:
        pending = PendingChoice.model_validate(parse_values(str(data["merge"])))
        theirs = check_values(pending.theirs)
    except ValueError:
        raise RefusedError(MALFORMED) from None
    choice = data.get("choose_all")
    chosen = {
        name: value
        for name, value in theirs.items()
        if (choice or data.get(f"choose-{name}")) == "theirs"
    }
    mine = with_values(QueryDict(pending.mine), chosen)
    for name in page_state:
        mine[name] = data.get(name, "")
    return QueryDict(pending.typed), mine
