"""Views of the difference of two sides: reports, uploaded files, and replacing the draft."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from designer.core import (
    DefinitionFileForm,
    EditError,
    HtmxHttpRequest,
    ImportRunningError,
    document_job,
    get_pipeline,
    slug,
)
from designer.versions.compared_files import replace_draft, store_file
from designer.versions.drawing import DrawnDifference, picture_file
from designer.versions.errors import DraftChangedError
from designer.versions.forms import MoveForm
from designer.versions.meaning import meaning_of
from designer.versions.selection import DRAFT
from designer.versions.sides import SideError, find_side
from designer.versions.usage import usage_of_removed_parts
from designer.versions.versions_page import comparison_address, named_sides, render_versions
from orchestration.difference import as_json, as_markdown, difference, effect
from orchestration.exceptions import DefinitionError
from orchestration.interchange import read

NOT_FOUND, CONFLICT, UNPROCESSABLE, TOO_MANY = 404, 409, 422, 429


@require_GET
def difference_meaning(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Render the consequences of a large difference, which the page loads after the canvas."""
    pipeline = get_pipeline(request, pk)
    try:
        before, after = (
            find_side(request.user, pipeline, name) for name in named_sides(request, pipeline)
        )
    except SideError as error:
        return HttpResponse(
            f"{error}\n", status=NOT_FOUND, content_type="text/plain; charset=utf-8"
        )
    changes = difference(before.definition, after.definition)
    context = {
        "meaning": meaning_of(effect(before.definition, after.definition)),
        "usage": usage_of_removed_parts(request.user, pipeline, changes),
    }
    return render(request, "versions/_difference_meaning.html", context)


@require_GET
def difference_report(request: HtmxHttpRequest, pk: int, form: str) -> HttpResponse:
    """Download the difference of two sides as Markdown, JSON or SVG."""
    pipeline = get_pipeline(request, pk)
    try:
        before, after = (
            find_side(request.user, pipeline, name) for name in named_sides(request, pipeline)
        )
    except SideError as error:
        return HttpResponse(
            f"{error}\n", status=NOT_FOUND, content_type="text/plain; charset=utf-8"
        )
    drawn = DrawnDifference(before.definition, after.definition)
    match form:
        case "svg":
            text, kind = picture_file(drawn), "image/svg+xml"
        case "json":
            text, kind = as_json(drawn.difference, drawn.effect), "application/json"
        case _:
            text, kind = as_markdown(drawn.difference, drawn.effect), "text/markdown; charset=utf-8"
    response = HttpResponse(text, content_type=kind)
    name = f"{slug(pipeline.name) or 'pipeline'}-{slug(before.title)}-{slug(after.title)}"
    response["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    return response


@require_http_methods(["GET", "POST"])
def difference_file(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Store a file and compare the draft with it."""
    pipeline = get_pipeline(request, pk, right="view")
    if request.method == "GET":
        return redirect("versions", pk)
    form = DefinitionFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return render_versions(request, pipeline, DRAFT, "", status=UNPROCESSABLE, form=form)
    file = form.cleaned_data["file"]
    try:
        with document_job(request.user.pk):
            definition = read(file.read()).definition
            row = store_file(
                pipeline=pipeline, user=request.user, name=file.name, definition=definition
            )
    except DefinitionError as error:
        form.add_error("file", f"{file.name} cannot be compared. {error.faults[0].message}")
        return render_versions(request, pipeline, DRAFT, "", status=UNPROCESSABLE, form=form)
    except ImportRunningError as error:
        form.add_error("file", str(error))
        return render_versions(request, pipeline, DRAFT, "", status=TOO_MANY, form=form)
    return redirect(comparison_address("versions", pipeline, DRAFT, f"file-{row.pk}"))


@require_POST
def difference_apply(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Replace the draft by the later side, as one edit."""
    pipeline = get_pipeline(request, pk)
    name = request.POST.get("to", "")
    seen = MoveForm(request.POST)
    try:
        side = find_side(request.user, pipeline, name)
        change = replace_draft(
            pipeline=pipeline,
            user=request.user,
            definition=side.definition,
            label=f"Replace the draft by {side.title}",
            expected=seen.cleaned_data["draft"] if seen.is_valid() else None,
        )
    except DraftChangedError as error:
        messages.error(request, str(error))
        return redirect(comparison_address("versions", pipeline, DRAFT, name))
    except SideError as error:
        return render_versions(request, pipeline, DRAFT, name, status=NOT_FOUND, text=str(error))
    except EditError as error:
        return render_versions(request, pipeline, DRAFT, name, status=CONFLICT, text=str(error))
    messages.success(request, f"The draft is now {side.title}. Undo restores the previous draft.")
    return redirect("editor", change.pipeline.pk)
