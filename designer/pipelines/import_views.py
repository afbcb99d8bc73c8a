"""Views of imports: a file becomes a new pipeline, or replaces the draft of one with its name."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from designer.core import (
    DefinitionFileForm,
    HtmxHttpRequest,
    ImportRunningError,
    document_job,
    get_pipeline,
)
from designer.models import Pipeline
from designer.pipelines.actions import (
    free_name,
    import_definition,
    pipeline_to_replace,
)
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
from orchestration.exceptions import DefinitionError
from orchestration.loading import MAX_FAULTS, load_storable, without_unknown_layout

MAX_LEFT_OUT = 10
"""Maximum number of names in the message about parts that were left out."""


@get_or_post
def pipeline_import(request: HtmxHttpRequest) -> HttpResponse:
    """Create a pipeline from a JSON file, or list the errors in the file.

    If the user may edit a pipeline with the name in the file, a page offers to replace its draft.
    """
    if request.method == "GET":
        return redirect("pipelines")
    form = DefinitionFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _import_error(request, form)
    try:
        with document_job(request.user.pk):
            file = load_storable(form.cleaned_data["file"].read(), keeps_unknown=True)
            definition, left_out = without_unknown_layout(file)
            address = _address_after(request, form.cleaned_data["file"].name, definition)
    except DefinitionError as error:
        return _import_error(
            request, form, faults=error.faults, has_more=len(error.faults) == MAX_FAULTS
        )
    except ImportRunningError as error:
        form.add_error("file", str(error))
        return _import_error(request, form, status=TOO_MANY)
    if left_out:
        messages.warning(
            request,
            "Positions, frames or colours of parts that do not exist were left out:"
            f" {', '.join(left_out[:MAX_LEFT_OUT])}.",
        )
    return redirect(address)


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


def _address_after(request: HtmxHttpRequest, name: str, definition: PipelineDefinition) -> str:
    """Return the address of the new pipeline, or of the choice between it and an existing one."""
    existing = pipeline_to_replace(user=request.user, name=definition.name)
    if existing is None:
        return reverse("editor", args=[_import(request, definition).pk])
    row = store_file(pipeline=existing, user=request.user, name=name, definition=definition)
    return reverse("import_choice", args=[existing.pk, row.pk])


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
        **difference_context(
            draft.definition,
            file.definition,
            titles=(draft.title, file.title),
            meaning_address=f"{reverse('difference_meaning', args=[pipeline.pk])}?{sides}",
        ),
    }


def _import_error(
    request: HtmxHttpRequest, form: Form, *, status: int = 422, **context: Any
) -> HttpResponse:
    file = request.FILES.get("file")
    name = getattr(file, "name", "")
    return list_page(
        request, status=status, import_form=form, file_name=name, opened="import", **context
    )
