"""Views of imports: a file becomes a new pipeline, or replaces the draft of one with its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from designer.core import (
    HtmxHttpRequest,
    ImportRunningError,
    document_job,
    get_pipeline,
)
from designer.models import Pipeline
from designer.pipelines.actions import (
    NAME_LENGTH,
    free_name,
    import_definition,
    pipeline_to_replace,
)
from designer.pipelines.forms import ImportForm
from designer.pipelines.import_losses import keep_losses, losses_of_import
from designer.pipelines.views import TOO_MANY, get_or_post, list_page
from designer.versions import (
    DRAFT,
    ComparisonSide,
    SideError,
    difference_context,
    find_side,
    store_file,
)
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError, Fault
from orchestration.interchange import UNNAMED, Import, format_named, read
from orchestration.loading import MAX_FAULTS

BATON = "baton"
"""Key of Baton's own format."""


@get_or_post
def pipeline_import(request: HtmxHttpRequest) -> HttpResponse:
    """Create a pipeline from a file of a known format, or list the errors in the file.

    If the user may edit a pipeline with the name in the file, a page offers to replace its draft.
    """
    if request.method == "GET":
        return redirect("pipelines")
    form = ImportForm(request.POST, request.FILES, auto_id="import-%s")
    if not form.is_valid():
        return _import_error(request, form)
    name, document = form.document
    try:
        with document_job(request.user.pk):
            result = _named_after(request.FILES.get("file"), read(document))
            address = _address_after(request, name, result)
    except DefinitionError as error:
        return _import_error(
            request,
            form,
            faults=_distinct(error.faults),
            fault_count=len(error.faults),
            has_more=len(error.faults) == MAX_FAULTS,
        )
    except ImportRunningError as error:
        form.add_error("file", str(error))
        return _import_error(request, form, status=TOO_MANY)
    if result.format != BATON and not result.losses:
        title = format_named(result.format).title
        messages.success(
            request,
            f"“{name}” was read from {title}. "
            "Parts without a place in this format are not in the file.",
        )
    return redirect(address)


@require_GET
def import_report(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Show the parts of a file that its import into a new pipeline changed or left out."""
    pipeline = get_pipeline(request, pk)
    losses = losses_of_import(request.session, pk)
    if losses is None:
        return redirect("editor", pk)
    context = {"pipeline": pipeline, "losses": losses}
    return render(request, "pipelines/import_report.html", context)


@get_or_post
def import_choice(request: HtmxHttpRequest, pk: int, number: int) -> HttpResponse:
    """Show the difference of a draft and an imported file; POST creates a new pipeline from it."""
    pipeline = get_pipeline(request, pk, right="edit")
    try:
        file = find_side(request.user, pipeline, f"file-{number}")
    except SideError:
        messages.error(request, "The imported file is no longer stored: import it again.")
        return redirect("pipelines")
    if request.method == "POST":
        created = _import(request, file.definition)
        return redirect("editor", created.pk)
    context = _choice_context(request, pipeline, file)
    return render(request, "pipelines/import_choice.html", context)


def _named_after(file: UploadedFile[bytes] | None, result: Import) -> Import:
    """Name a pipeline from a document without a name after its file."""
    stem = PurePath(file.name or "").stem.strip()[:NAME_LENGTH] if file else ""
    if result.definition.name != UNNAMED or not stem.isprintable() or not stem:
        return result
    return replace(result, definition=result.definition.model_copy(update={"name": stem}))


def _address_after(request: HtmxHttpRequest, name: str, result: Import) -> str:
    """Return the address of the new pipeline, or of the choice between it and an existing one.

    An import with losses goes to their report first.
    """
    definition = result.definition
    existing = pipeline_to_replace(user=request.user, name=definition.name)
    if existing is not None:
        keep_losses(request.session, existing.pk, name, result)
        row = store_file(pipeline=existing, user=request.user, name=name, definition=definition)
        return reverse("import_choice", args=[existing.pk, row.pk])
    created = _import(request, definition)
    keep_losses(request.session, created.pk, name, result)
    return reverse("import_report" if result.losses else "editor", args=[created.pk])


def _import(request: HtmxHttpRequest, definition: PipelineDefinition) -> Pipeline:
    choose_name = partial(free_name, definition.name)
    return import_definition(user=request.user, definition=definition, choose_name=choose_name)


def _choice_context(
    request: HtmxHttpRequest, pipeline: Pipeline, file: ComparisonSide
) -> dict[str, Any]:
    draft = find_side(request.user, pipeline, DRAFT)
    sides = urlencode({"from": DRAFT, "to": file.name})
    return {
        "pipeline": pipeline,
        "file": file,
        "losses": losses_of_import(request.session, pipeline.pk, file.title),
        **difference_context(
            draft.definition,
            file.definition,
            titles=(draft.title, file.title),
            meaning_address=f"{reverse('difference_meaning', args=[pipeline.pk])}?{sides}",
        ),
    }


def _distinct(faults: Iterable[Fault]) -> list[tuple[Fault, int]]:
    """Return the first fault with each message, and the number of others with it."""
    firsts: dict[str, Fault] = {}
    counts: Counter[str] = Counter()
    for fault in faults:
        firsts.setdefault(fault.message, fault)
        counts[fault.message] += 1
    return [(fault, counts[message] - 1) for message, fault in firsts.items()]


def _import_error(
    request: HtmxHttpRequest, form: Form, *, status: int = 422, **context: Any
) -> HttpResponse:
    file = request.FILES.get("file")
    name = getattr(file, "name", "") or ("The text" if request.POST.get("text") else "")
    return list_page(
        request, status=status, import_form=form, file_name=name, opened="import", **context
    )
