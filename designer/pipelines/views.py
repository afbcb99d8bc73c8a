"""Views of the list of pipelines and of whole pipelines."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, transaction
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from designer import definitions
from designer.core import (
    HtmxHttpRequest,
    get_pipeline,
    schema_address,
    slug,
)
from designer.pipelines.actions import (
    create_pipeline,
    delete_pipeline,
    duplicate_pipeline,
    rename_pipeline,
)
from designer.pipelines.checklist import record_export
from designer.pipelines.forms import ImportForm, NameForm
from designer.pipelines.gallery import gallery
from designer.pipelines.pipeline_cards import pipeline_cards
from designer.pipelines.sample_pipelines import create_samples
from designer.pipelines.tags import TagsForm, all_tags, set_tags
from designer.pipelines.trace_file_form import TraceFileForm
from designer.pipelines.traces import opened_traces
from designer.versions import UnknownVersionError, find_version
from orchestration.definition import VERSION
from orchestration.interchange import FORMATS
from orchestration.loading import (
    MAX_BYTES,
    json_schema,
)

TOO_MANY = 429

TOO_LARGE = (
    f"is larger than {MAX_BYTES // 1024**2} MiB, so it cannot be imported again: shorten "
    "instructions, or split the pipeline."
)

get_or_post = require_http_methods(["GET", "POST"])
"""Decorator for the forms of the list. After an error the browser shows the address of the form, so
a reload must redirect to the list."""


@require_GET
def pipelines(request: HtmxHttpRequest) -> HttpResponse:
    """List the user's pipelines, most recently changed first."""
    return list_page(request)


@get_or_post
def pipeline_create(request: HtmxHttpRequest) -> HttpResponse:
    """Create an empty pipeline and open it."""
    if request.method == "GET":
        return redirect("pipelines")
    form = NameForm(request.POST)
    if not form.is_valid():
        return list_page(request, status=422, create_form=form, opened="create")
    pipeline = create_pipeline(user=request.user, name=form.cleaned_data["name"])
    return redirect("editor", pipeline.pk)


@require_POST
def samples_create(request: HtmxHttpRequest) -> HttpResponse:
    """Create the samples that the user does not have."""
    create_samples(user=request.user)
    return redirect("pipelines")


@get_or_post
def pipeline_rename(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Rename a pipeline."""
    pipeline = get_pipeline(request, pk)
    if request.method == "GET":
        return redirect("pipelines")
    form = NameForm(request.POST)
    if not form.is_valid():
        return list_page(request, status=422, rename_form=form, renamed=pipeline)
    rename_pipeline(pipeline=pipeline, user=request.user, name=form.cleaned_data["name"])
    return redirect("pipelines")


@get_or_post
def pipeline_tags(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Set the tags of a pipeline."""
    pipeline = get_pipeline(request, pk)
    if request.method == "GET":
        return redirect("pipelines")
    form = TagsForm(request.POST)
    if not form.is_valid():
        return list_page(request, status=422, tags_form=form, tagged=pipeline)
    set_tags(pipeline=pipeline, tags=form.cleaned_data["tags"])
    return redirect("pipelines")


@require_POST
def pipeline_duplicate(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Copy the draft of a pipeline, or a version. Viewers may copy it too."""
    pipeline = get_pipeline(request, pk, right="view")
    version = None
    if choice := request.POST.get("number"):
        try:
            version = find_version(pipeline, choice)
        except UnknownVersionError as error:
            messages.error(request, str(error))
            return redirect("versions", pipeline.pk)
    copy = duplicate_pipeline(pipeline=pipeline, user=request.user, version=version)
    origin = f"{version} of “{pipeline.name}”" if version else f"“{pipeline.name}”"
    messages.success(request, f"“{copy.name}” is a copy of {origin}.")
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
    """Export the definition as a file, even with issues."""
    pipeline = get_pipeline(request, pk)
    text = definitions.read(pipeline).dump(schema_address(request))
    with suppress(DatabaseError), transaction.atomic():  # a full disk does not prevent an export
        record_export(pipeline, request.user)
    if len(text.encode()) > MAX_BYTES:
        messages.warning(request, f"The file of “{pipeline.name}” {TOO_LARGE}")
    name = slug(pipeline.name) or f"pipeline-{pipeline.pk}"
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{name}.baton.json"'
    return response


@login_not_required
@require_GET
def definition_schema(request: HtmxHttpRequest, version: int) -> HttpResponse:
    """Return the JSON Schema of a version of the format, for editors without a session."""
    if version != VERSION:
        raise Http404
    response = JsonResponse(json_schema(), json_dumps_params={"indent": 2})
    response["Access-Control-Allow-Origin"] = "*"
    return response


def list_page(request: HtmxHttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:
    """Render the list, with the context of an invalid form."""
    cards = pipeline_cards(request.user)
    own_names = {card.pipeline.name for card in cards if card.pipeline.owner_id == request.user.pk}
    forms = {
        "create_form": NameForm(auto_id="create-%s"),
        "import_form": ImportForm(auto_id="import-%s"),
        "trace_form": TraceFileForm(auto_id="trace-%s"),
    }
    context = {
        **forms,
        "pipelines": cards,
        "readable_formats": [each.title for each in FORMATS if each.read is not None],
        "tags": all_tags(card.pipeline for card in cards),
        "gallery": gallery(request.user, own_names),
        "traces": opened_traces(request.user),
        **context,
    }
    return render(request, "pipelines/pipelines.html", context, status=status)
