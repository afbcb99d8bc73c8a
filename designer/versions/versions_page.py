"""The page of versions: the list, the difference of two sides on one canvas, and its changes."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from designer.core import DefinitionFileForm, HtmxHttpRequest
from designer.models import LIVE, Pipeline
from designer.versions.comparison_context import difference_context
from designer.versions.selection import DRAFT
from designer.versions.sides import ComparisonSide, SideError, find_side, first_side, side_groups
from designer.versions.state import DraftState, draft_state
from designer.versions.usage import usage_of_removed_parts
from designer.versions.version_list import comparison_query, listed_sides

MAX_LISTED = 300
"""Maximum number of versions in the list, the newest ones."""

NOT_FOUND = 404


def named_sides(request: HtmxHttpRequest, pipeline: Pipeline) -> tuple[str, str]:
    """Return the names of both sides in the address, or of the first comparison."""
    before, after = request.GET.get("from", ""), request.GET.get("to", "")
    return before or first_side(pipeline), after or DRAFT


def comparison_address(view: str, pipeline: Pipeline, before: str, after: str) -> str:
    """Return the address of a view of two sides."""
    return f"{reverse(view, args=[pipeline.pk])}?{comparison_query(before, after)}"


def render_versions(
    request: HtmxHttpRequest,
    pipeline: Pipeline,
    before: str,
    after: str,
    *,
    status: int = 200,
    form: DefinitionFileForm | None = None,
    text: str = "",
) -> HttpResponse:
    """Render the page, or for htmx its panes that depend on the chosen sides.

    `text` is shown in place of the difference; so is the error of a side that does not exist.
    """
    only_named = bool(request.GET.get("named"))
    state = draft_state(pipeline)
    live = str(state.live.number) if state.live else ""
    chosen = [live if name == LIVE and live else name for name in (before, after)]
    context: dict[str, Any] = {}
    shown: dict[str, str] = {}
    if not text and form is None:
        try:
            old, new = (find_side(request.user, pipeline, name) for name in chosen)
        except SideError as error:
            text, status = str(error), NOT_FOUND
        else:
            shown = {old.name: old.title, new.name: new.title}
            context = _difference(request, pipeline, old, new)
    rows = pipeline.versions.without_definition()
    if only_named:
        rows = rows.exclude(name="")
    context |= _actions(state, *chosen)
    context |= {
        "pipeline": pipeline,
        "mode": "versions",
        "state": state,
        "release": pipeline.releases.select_related("previous").filter(name=LIVE).first(),
        "listed": list(listed_sides(rows[:MAX_LISTED], *chosen, only_named=only_named)),
        "only_named": only_named,
        "side_groups": side_groups(request.user, pipeline, shown),
        "before_name": chosen[0],
        "after_name": chosen[1],
        "is_same_side": chosen[0] == chosen[1],
        "query": comparison_query(*chosen),
        "swapped_query": comparison_query(*chosen[::-1], only_named=only_named),
        "file_form": form or DefinitionFileForm(),
        "text": text,
    }
    is_part = request.htmx and not request.htmx.history_restore_request
    template = "versions/_compared.html" if is_part else "versions/versions.html"
    return render(request, template, context, status=status)


def _difference(
    request: HtmxHttpRequest, pipeline: Pipeline, old: ComparisonSide, new: ComparisonSide
) -> dict[str, Any]:
    """Return the context of the difference of two sides."""
    return difference_context(
        old.definition,
        new.definition,
        titles=(old.title, new.title),
        usage=partial(usage_of_removed_parts, request.user, pipeline),
        meaning_address=comparison_address("difference_meaning", pipeline, old.name, new.name),
    )


def _actions(state: DraftState, before: str, after: str) -> dict[str, Any]:
    """Return the actions beside the difference: restore, replace the draft, or publish it."""
    if before == DRAFT and after != DRAFT:
        return {"restored": after} if after.isdigit() else {"replacing": after}
    if after != DRAFT:
        return {}
    is_published = state.newest is not None and not state.changes and state.newest == state.live
    number = state.newest.number if state.newest else 0
    is_new = state.newest is None or state.changes > 0
    return {
        "restorable": before if before.isdigit() else "",
        "publication": "" if is_published else f"as v{number + 1}" if is_new else f"v{number}",
    }
