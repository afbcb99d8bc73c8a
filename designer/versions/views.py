"""Views of versions: the list, publishing, promotion and restoration."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from designer import definitions
from designer.core import (
    HtmxHttpRequest,
    find_issues,
    focus_first_error,
    get_pipeline,
    schema_address,
    slug,
)
from designer.models import Pipeline
from designer.versions.comparison_context import difference_context
from designer.versions.errors import VersionError
from designer.versions.forms import MoveForm, PublishAgainForm, PublishForm
from designer.versions.publishing import (
    promote,
    publish,
    roll_back,
    save_version,
    version_of_draft,
)
from designer.versions.restoration import restore_version
from designer.versions.selection import find_version
from designer.versions.state import definition_of, draft_state
from designer.versions.versions_page import named_sides, render_versions
from orchestration.definition import PipelineDefinition
from orchestration.validation import errors


@require_GET
@never_cache
def versions(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """List the draft and the versions, and show the difference of two sides: `?from=7&to=draft`."""
    pipeline = get_pipeline(request, pk)
    return render_versions(request, pipeline, *named_sides(request, pipeline))


@require_POST
def version_save(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Save the draft as a checkpoint."""
    pipeline = get_pipeline(request, pk)
    version = save_version(pipeline=pipeline, user=request.user)
    text = f"The draft is saved as {version}."
    if request.htmx:
        return render(request, "versions/_saved.html", {"pipeline": pipeline, "text": text})
    messages.success(request, text)
    return redirect("versions", pipeline.pk)


@require_http_methods(["GET", "POST"])
@never_cache
def version_publish(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Show the difference from the live version and the checks, and publish the draft."""
    pipeline = get_pipeline(request, pk, right="edit")
    draft = definitions.read(pipeline)
    state = draft_state(pipeline)
    live = state.live.number if state.live else None
    published = version_of_draft(pipeline, draft)
    form_class = PublishAgainForm if published else PublishForm
    form = form_class(request.POST or None)
    refusal = ""
    if form.is_valid():
        data = form.cleaned_data
        try:
            version = publish(
                pipeline=pipeline,
                user=request.user,
                name=data.get("name", ""),
                note=data.get("note", ""),
                expected=data["live"],
                draft=data["draft"],
            )
        except VersionError as error:
            refusal = str(error)
        else:
            messages.success(request, f"{version} is live.")
            return redirect("versions", pipeline.pk)
    focus_first_error(form)
    form.see(live=live, draft=pipeline.version)
    before = definition_of(state.live) if state.live else PipelineDefinition(name=draft.name)
    meaning_address = ""
    if state.live:
        meaning_address = f"{reverse('difference_meaning', args=[pipeline.pk])}?from=live&to=draft"
    titles = (str(state.live) if state.live else "Nothing", "Draft")
    context = {
        **difference_context(before, draft, titles=titles, meaning_address=meaning_address),
        "pipeline": pipeline,
        "mode": "versions",
        "state": state,
        "published": published,
        "is_live": published is not None and published == state.live,
        "form": form,
        "refusal": refusal,
        "errors": errors(find_issues(pipeline, request.user, draft)),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "versions/publish.html", context, status=status)


@require_POST
def version_promote(request: HtmxHttpRequest, pk: int, number: int) -> HttpResponse:
    """Make a version the live one."""
    pipeline = get_pipeline(request, pk)
    seen = _seen(request)
    try:
        version = find_version(pipeline, str(number))
        promote(pipeline=pipeline, version=version, user=request.user, expected=seen["live"])
    except VersionError as error:
        return _refused(request, pipeline, error)
    messages.success(request, f"{version} is live. Conversations in progress keep their version.")
    return redirect("versions", pipeline.pk)


@require_POST
def version_roll_back(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Make the previous live version the live one again."""
    pipeline = get_pipeline(request, pk)
    try:
        version = roll_back(pipeline=pipeline, user=request.user, expected=_seen(request)["live"])
    except VersionError as error:
        return _refused(request, pipeline, error)
    messages.success(request, f"{version} is live again.")
    return redirect("versions", pipeline.pk)


@require_POST
def version_restore(request: HtmxHttpRequest, pk: int, number: int) -> HttpResponse:
    """Turn the draft into a version, as one edit."""
    pipeline = get_pipeline(request, pk)
    try:
        version = find_version(pipeline, str(number))
        restore_version(
            pipeline=pipeline,
            version=version,
            user=request.user,
            expected=_seen(request)["draft"],
        )
    except VersionError as error:
        return _refused(request, pipeline, error)
    messages.success(request, f"The draft is {version} again. Undo in Design takes this back.")
    return redirect("editor", pipeline.pk)


@require_GET
def version_export(request: HtmxHttpRequest, pk: int, number: int) -> HttpResponse:
    """Export the definition of a version as a file."""
    pipeline = get_pipeline(request, pk)
    try:
        version = find_version(pipeline, str(number))
    except VersionError as error:
        return _refused(request, pipeline, error)
    name = slug(pipeline.name) or f"pipeline-{pipeline.pk}"
    response = HttpResponse(
        version.snapshot().dump(schema_address(request)), content_type="application/json"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}-{version}.baton.json"'
    return response


def _seen(request: HtmxHttpRequest) -> dict[str, int | None]:
    """Return the live version and the draft that the page of the user showed."""
    form = MoveForm(request.POST)
    return form.cleaned_data if form.is_valid() else {"live": None, "draft": None}


def _refused(request: HtmxHttpRequest, pipeline: Pipeline, error: VersionError) -> HttpResponse:
    """Show the page with the reason of a refusal."""
    messages.error(request, str(error))
    return redirect("versions", pipeline.pk)
