"""Pages of conversations: of one pipeline, and of all pipelines of the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from designer.conversations.charts import draw_charts
from designer.conversations.filters import ConversationFilterForm, apply_filter, page_of
from designer.conversations.retention import RetentionForm, set_retention
from designer.conversations.rows import hues_of, legend, rows_of
from designer.conversations.selections import (
    TagForm,
    TooManyTagsError,
    address_after,
    pin_conversations,
    selected,
    tag_conversations,
)
from designer.core import HtmxHttpRequest, form_errors, get_pipeline, natural_key
from designer.models import (
    LIVE,
    Agent,
    ConversationSummary,
    ConversationSummaryQuerySet,
    ConversationTag,
    Pipeline,
    Release,
)

PAGE = 50
"""Number of conversations on a page."""

MAX_CHOICES = 50
"""Maximum number of versions and tags in the filter."""

COLUMNS = (
    ("first_words", "First words", ""),
    ("path", "Path", ""),
    ("outcome", "Outcome", ""),
    ("version", "Version", ""),
    ("handoffs", "Handoffs", "number"),
    ("rejections", "Rejected", "number"),
    ("turns", "Turns", "number"),
    ("tokens", "Tokens", "number"),
    ("cost", "Cost", "number"),
    ("seconds", "Time", "number"),
    ("source", "Source", ""),
    ("last_at", "When", ""),
)
"""Columns with their headings and their kinds."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Heading of a sortable column."""

    label: str
    kind: str
    query: str
    """Query string for the order by this column."""
    direction: str
    """`ascending` or `descending`; empty if the list is not sorted by this column."""


@require_GET
@never_cache
def pipeline_conversations(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """List the conversations of a pipeline that match the filter."""
    pipeline = get_pipeline(request, pk, right="edit")
    rows = ConversationSummary.objects.in_pipeline(pipeline, request.user)
    context = {
        "pipeline": pipeline,
        "mode": "conversations",
        "hues": hues_of(pipeline),
        "is_owner": pipeline.owner_id == request.user.pk,
        "charts_url": reverse("pipeline_conversation_charts", args=[pipeline.pk]),
    }
    if pipeline.owner_id != request.user.pk:
        hidden = ConversationSummary.objects.hidden_from(request.user)
        context["hidden"] = hidden.filter(pipeline=pipeline).count()
    return _list(request, rows, _form(request, rows, pipeline), context)


@require_GET
@never_cache
def conversations(request: HtmxHttpRequest) -> HttpResponse:
    """List the conversations of all pipelines that the user may open."""
    rows = ConversationSummary.objects.of(request.user)
    context = {
        "hues": {},
        "charts_url": reverse("conversation_charts"),
        "hidden": ConversationSummary.objects.hidden_from(request.user).count(),
    }
    return _list(request, rows, _form(request, rows, None), context)


@require_GET
@never_cache
def pipeline_conversation_charts(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the charts of a pipeline's conversations that match the filter."""
    pipeline = get_pipeline(request, pk, right="edit")
    rows = ConversationSummary.objects.in_pipeline(pipeline, request.user)
    live = pipeline.releases.select_related("version").defer("version__definition")
    names = dict(pipeline.agents.values_list("key", "name"))
    return _charts(request, rows, names, live.filter(name=LIVE).first())


@require_GET
@never_cache
def conversation_charts(request: HtmxHttpRequest) -> HttpResponse:
    """Return the charts of all conversations that match the filter."""
    rows = ConversationSummary.objects.of(request.user)
    agents = Agent.objects.filter(pipeline__in=rows.values("pipeline"))
    return _charts(request, rows, dict(agents.values_list("key", "name")))


@require_POST
def tag_selection(request: HtmxHttpRequest) -> HttpResponse:
    """Add tags to the selected conversations, or remove them."""
    summaries = selected(request)
    form = TagForm(request.POST)
    if not form.is_valid():
        messages.error(request, next(form_errors(form)))
    else:
        try:
            tags, remove = form.cleaned_data["tag"], form.cleaned_data["remove"]
            tag_conversations(summaries=summaries, tags=tags, remove=remove)
        except TooManyTagsError as error:
            messages.error(request, str(error))
    return redirect(address_after(request, reverse("conversations")))


@require_POST
def pin_selection(request: HtmxHttpRequest) -> HttpResponse:
    """Pin the selected conversations, or with `unpin` unpin them."""
    pin_conversations(summaries=selected(request), pinned="unpin" not in request.POST)
    return redirect(address_after(request, reverse("conversations")))


@require_POST
def pipeline_retention(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Set the number of days for which the conversations of a pipeline are kept."""
    pipeline = get_pipeline(request, pk, right="own")
    form = RetentionForm(request.POST)
    if form.is_valid():
        set_retention(pipeline=pipeline, days=form.cleaned_data["days"])
        messages.success(request, "The retention is saved.")
    else:
        messages.error(request, next(form_errors(form)))
    return redirect("pipeline_conversations", pipeline.pk)


def _list(
    request: HtmxHttpRequest,
    rows: ConversationSummaryQuerySet,
    form: ConversationFilterForm,
    context: dict[str, Any],
) -> HttpResponse:
    """Render a page of the list; after an invalid filter it is empty."""
    is_valid = form.is_valid()
    found = apply_filter(rows, form.cleaned_data) if is_valid else rows.none()
    total = found.count()
    number = form.cleaned_data.get("page") or 1
    start = (number - 1) * PAGE
    listed = page_of(found, form.order, start, PAGE)
    page = rows_of(listed, context["hues"], request.user.pk)
    context |= {
        "form": form,
        "rows": page,
        "legend": legend(page),
        "total": total,
        "first": start + 1,
        "last": start + len(page),
        "headings": _headings(request, form.order),
        "newer": _query(request, page=number - 1) if number > 1 else "",
        "older": _query(request, page=number + 1) if start + PAGE < total else "",
        "is_filtered": form.is_filtered,
        "query": _query(request),
        "tags": _tags(rows),
    }
    return render(
        request, "conversations/conversations.html", context, status=200 if is_valid else 422
    )


def _charts(
    request: HtmxHttpRequest,
    rows: ConversationSummaryQuerySet,
    names: dict[str, str],
    live: Release | None = None,
) -> HttpResponse:
    form = ConversationFilterForm(request.GET)
    is_valid = form.is_valid()
    found = apply_filter(rows, form.cleaned_data) if is_valid else rows.none()
    since, until = form.cleaned_data.get("since"), form.cleaned_data.get("until")
    today = timezone.now().date()
    charts = draw_charts(found, since=since, until=until, today=today, names=names, live=live)
    return render(request, "conversations/_charts.html", {"charts": charts})


def _form(
    request: HtmxHttpRequest, rows: ConversationSummaryQuerySet, pipeline: Pipeline | None
) -> ConversationFilterForm:
    """Return the filter with the agents and versions of a pipeline."""
    if pipeline is None:
        return ConversationFilterForm(request.GET)
    agents = sorted(pipeline.agents.values_list("key", "name"), key=lambda row: natural_key(row[1]))
    versions = rows.order_by("-version").values_list("version", flat=True).distinct()
    return ConversationFilterForm(request.GET, agents=agents, versions=list(versions[:MAX_CHOICES]))


def _tags(rows: ConversationSummaryQuerySet) -> Sequence[str]:
    names = ConversationTag.objects.filter(Exists(rows.filter(pk=OuterRef("summary"))))
    chosen = names.order_by("name").values_list("name", flat=True).distinct()[:MAX_CHOICES]
    return sorted(chosen, key=natural_key)


def _headings(request: HtmxHttpRequest, order: str) -> list[Heading]:
    """Return the headings; the link of the sorted column reverses the order."""
    sorted_name, is_descending = order.removeprefix("-"), order.startswith("-")
    headings = []
    for name, label, kind in COLUMNS:
        is_sorted = name == sorted_name
        descends = not is_descending if is_sorted else kind == "number" or name == "last_at"
        query = _query(request, sort=f"-{name}" if descends else name)
        direction = "descending" if is_descending else "ascending"
        headings.append(Heading(label, kind, query, direction if is_sorted else ""))
    return headings


def _query(request: HtmxHttpRequest, **changes: object) -> str:
    """Return the query string with changes, without empty values, on the first page."""
    query = request.GET.copy()
    query.pop("page", None)
    for name in list(query):
        query.setlist(name, [value for value in query.getlist(name) if value])
    for name, value in changes.items():
        query[name] = str(value)
    return query.urlencode()
