"""The list of pipelines, and what is done with a whole one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from designer import definitions
from designer.canvas import pictures_of
from designer.core import HtmxHttpRequest, count_obstacles, get_pipeline
from designer.models import Pipeline
from designer.pipelines.actions import (
    create_pipeline,
    delete_pipeline,
    duplicate_pipeline,
    import_definition,
    rename_pipeline,
)
from designer.pipelines.forms import ImportForm, NameForm
from designer.pipelines.gallery import gallery
from designer.pipelines.sample_pipelines import create_samples, sample_names
from designer.pipelines.trace_file_form import TraceFileForm
from designer.pipelines.traces import opened_traces
from orchestration.exceptions import DefinitionError
from orchestration.loading import MAX_BYTES, MAX_FAULTS, json_schema, load_storable

TOO_LARGE = (
    f"is larger than the {MAX_BYTES // 1024**2} MiB that Import takes: to bring it back, shorten "
    "instructions first, or draw it as two pipelines."
)

shown_again = require_http_methods(["GET", "POST"])
"""For a form of the list. After a refusal its address stays in the browser, and is asked for anew:
that shows the list."""


@require_GET
def pipelines(request: HtmxHttpRequest) -> HttpResponse:
    """The person's pipelines, the one changed last first."""
    return list_page(request)


@shown_again
def pipeline_create(request: HtmxHttpRequest) -> HttpResponse:
    """Make an empty pipeline, and open it."""
    if request.method == "GET":
        return redirect("pipelines")
    form = NameForm(request.POST)
    if not form.is_valid():
        return list_page(request, status=422, create_form=form, opened="create")
    pipeline = create_pipeline(user=request.user, name=form.cleaned_data["name"])
    return redirect("editor", pipeline.pk)


@require_POST
def samples_create(request: HtmxHttpRequest) -> HttpResponse:
    """Give the person those samples that they do not have."""
    create_samples(user=request.user)
    return redirect("pipelines")


@shown_again
def pipeline_import(request: HtmxHttpRequest) -> HttpResponse:
    """Make a pipeline out of a JSON file, or list everything that is wrong with the file."""
    if request.method == "GET":
        return redirect("pipelines")
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _import_refused(request, form)
    try:
        definition = load_storable(form.cleaned_data["file"].read())
    except DefinitionError as error:
        return _import_refused(
            request, form, faults=error.faults, has_more=len(error.faults) == MAX_FAULTS
        )
    pipeline = import_definition(user=request.user, definition=definition)
    return redirect("editor", pipeline.pk)


@shown_again
def pipeline_rename(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Give a pipeline another name."""
    pipeline = get_pipeline(request, pk)
    if request.method == "GET":
        return redirect("pipelines")
    form = NameForm(request.POST)
    if not form.is_valid():
        return list_page(request, status=422, rename_form=form, renamed=pipeline)
    rename_pipeline(pipeline=pipeline, user=request.user, name=form.cleaned_data["name"])
    return redirect("pipelines")


@require_POST
def pipeline_duplicate(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Copy a pipeline. Who may look at it may have a copy."""
    pipeline = get_pipeline(request, pk, right="view")
    copy = duplicate_pipeline(pipeline=pipeline, user=request.user)
    messages.success(request, f"“{copy.name}” is a copy of “{pipeline.name}”.")
    return redirect("pipelines")


@require_POST
def pipeline_delete(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a pipeline with its conversations."""
    pipeline = get_pipeline(request, pk, right="own")
    delete_pipeline(pipeline=pipeline)
    messages.success(request, f"“{pipeline.name}” is deleted.")
    return redirect("pipelines")


@require_GET
def pipeline_export(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """The definition as a file, whatever its issues."""
    pipeline = get_pipeline(request, pk)
    text = definitions.read(pipeline).dump()
    if len(text.encode()) > MAX_BYTES:
        messages.warning(request, f"The file of “{pipeline.name}” {TOO_LARGE}")
    name = slugify(pipeline.name) or f"pipeline-{pipeline.pk}"
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{name}.baton.json"'
    return response


@require_GET
def definition_schema(request: HtmxHttpRequest) -> HttpResponse:
    """The JSON Schema of a definition."""
    return JsonResponse(json_schema(), json_dumps_params={"indent": 2})


def list_page(request: HtmxHttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:
    """The list, with what a refused form of it is to show."""
    rows = list(Pipeline.objects.seen_by(request.user).listed().select_related("owner"))
    barring = count_obstacles(request.user)
    for row in rows:
        row.errors += barring.get(row.pk, 0)
    pictures = pictures_of(rows)
    forms = {
        "create_form": NameForm(auto_id="create-%s"),
        "import_form": ImportForm(),
        "trace_form": TraceFileForm(auto_id="trace-%s"),
    }
    samples = [] if rows else sample_names()
    context = {
        **forms,
        "pipelines": [(row, pictures[row.pk]) for row in rows],
        "samples": samples,
        "gallery": gallery(request.user),
        "traces": opened_traces(request.user),
        **context,
    }
    return render(request, "pipelines/pipelines.html", context, status=status)


def _import_refused(request: HtmxHttpRequest, form: Form, **context: Any) -> HttpResponse:
    file = request.FILES.get("file")
    name = getattr(file, "name", "")
    return list_page(
        request, status=422, import_form=form, file_name=name, opened="import", **context
    )
