"""Filter of the page of conversations, as a query string."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import Exists, F, OuterRef

from designer.conversations.outcomes import OUTCOMES
from designer.conversations.search import matching, split_search
from designer.core import BatonForm
from designer.models import (
    SORTED_COLUMNS,
    ConversationSummary,
    ConversationSummaryQuerySet,
    ConversationTag,
)
from orchestration.messages import CHANNELS

SOURCES = (("rehearsal", "Rehearsals"), ("fork", "Forks"))
"""Sources of the filter."""

MAX_PAGES = 2_000
"""Number of the last page that can be opened."""

NEWEST = "-last_at"
"""Default order."""

_MAX_VERSION = 2**31 - 1


class ConversationFilterForm(BatonForm):
    """Filter, order and page of a list of conversations. Every field is optional."""

    q = forms.CharField(label="Search the messages", required=False, max_length=200)
    outcome = forms.MultipleChoiceField(
        label="Outcome",
        required=False,
        choices=[(outcome.name, outcome.label) for outcome in OUTCOMES],
        widget=forms.CheckboxSelectMultiple,
    )
    version = forms.IntegerField(
        label="Version", required=False, min_value=0, max_value=_MAX_VERSION
    )
    agent = forms.CharField(label="Agent", required=False, max_length=64)
    channel = forms.ChoiceField(
        label="Channel", required=False, choices=[("", "Any channel"), *CHANNELS.items()]
    )
    source = forms.ChoiceField(
        label="Source", required=False, choices=[("", "Any source"), *SOURCES]
    )
    tag = forms.CharField(label="Tag", required=False, max_length=24)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    sort = forms.ChoiceField(
        required=False,
        choices=[(sign + name, name) for name in SORTED_COLUMNS for sign in ("", "-")],
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGES)

    def __init__(
        self, data: Any, *, agents: Sequence[tuple[str, str]] = (), versions: Sequence[int] = ()
    ) -> None:
        """Set the choices of the agents' and versions' select elements."""
        super().__init__(data, auto_id="filter-%s")
        self._choose("agent", "Any agent", agents)
        self._choose(
            "version",
            "Any version",
            [(str(one), f"v{one}" if one else "Draft") for one in versions],
        )

    def clean_q(self) -> str:
        """Return the search; it must contain a letter or a digit."""
        text: str = self.cleaned_data["q"]
        if text.strip() and not split_search(text):
            raise forms.ValidationError("Search for words: the text has no letter or digit.")
        return text

    def clean(self) -> dict[str, Any]:
        """Check that the dates are in order."""
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since > until:
            self.add_error("until", "The end is before the start: exchange the dates.")
        return self.cleaned_data

    @property
    def is_filtered(self) -> bool:
        """True if the list is not complete."""
        others = ("sort", "page")
        return any(value for name, value in self.cleaned_data.items() if name not in others)

    @property
    def order(self) -> str:
        """Name of the sorted column, with `-` for descending order."""
        return self.cleaned_data.get("sort") or NEWEST

    def _choose(self, name: str, empty: str, choices: Sequence[tuple[str, str]]) -> None:
        """Render a field as a select element, which keeps a value that is no choice any more."""
        value = self.data.get(name, "")
        known = [("", empty), *choices]
        if value and value not in dict(known):
            known.append((value, value))
        self.fields[name].widget = forms.Select(choices=known)


def apply_filter(
    rows: ConversationSummaryQuerySet, values: dict[str, Any]
) -> ConversationSummaryQuerySet:
    """Return the summaries that match the values of a valid form."""
    for part in split_search(values.get("q") or ""):
        rows = rows.filter(pk__in=matching(part))
    if outcomes := values.get("outcome"):
        rows = rows.filter(outcome__in=outcomes)
    if (version := values.get("version")) is not None:
        rows = rows.filter(version=version)
    if agent := values.get("agent"):
        rows = rows.filter(agents__contains=f" {agent} ")
    if tag := values.get("tag"):
        rows = rows.filter(
            Exists(ConversationTag.objects.filter(summary=OuterRef("pk"), name__iexact=tag))
        )
    for name in ("channel", "source"):
        if value := values.get(name):
            rows = rows.filter(**{name: value})
    return _between(rows, values.get("since"), values.get("until"))


def page_of(
    rows: ConversationSummaryQuerySet, order: str, start: int, size: int
) -> list[ConversationSummary]:
    """Return some summaries in the order of a column; the newest of equal ones comes first.

    Their ids are read from the index first: reading the skipped rows takes seconds.
    """
    pks = list(ordered(rows, order).values_list("pk", flat=True)[start : start + size])
    listed = ConversationSummary.objects.filter(pk__in=pks).select_related("pipeline", "started_by")
    listed = listed.prefetch_related("tags").defer("rejected", "answer_times")
    listed = listed.annotate(name=F("conversation__name"), number=F("conversation__number"))
    by_pk = {row.pk: row for row in listed}
    return [by_pk[pk] for pk in pks if pk in by_pk]


def ordered(rows: ConversationSummaryQuerySet, order: str) -> ConversationSummaryQuerySet:
    """Return the summaries in the order of a column."""
    name = order.removeprefix("-")
    if order.startswith("-"):
        return rows.order_by(F(name).desc(), "-pk")
    return rows.order_by(F(name).asc(), "pk")


def _between(
    rows: ConversationSummaryQuerySet, since: date | None, until: date | None
) -> ConversationSummaryQuerySet:
    if since:
        rows = rows.filter(last_at__gte=datetime.combine(since, time(), UTC))
    if until and until < date.max:
        rows = rows.filter(last_at__lt=datetime.combine(until + timedelta(days=1), time(), UTC))
    return rows
