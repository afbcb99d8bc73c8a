"""Views that save, use, rename and delete templates."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_POST
from django_htmx.http import trigger_client_event

from designer.core import (
    HtmxHttpRequest,
    ImportRunningError,
    RefusedError,
    document_job,
    get_pipeline,
    get_template,
)
from designer.pipelines.sample_pipelines import samples
from designer.pipelines.template_form import SampleForm, TemplateForm, TemplateNameForm
from designer.pipelines.templates import (
    delete_template,
    rename_template,
    save_template,
    use_definition,
    use_template,
)
from designer.pipelines.views import TOO_MANY, get_or_post, list_page


@require_POST
def template_save(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Save a pipeline as a template. The dialog stays open while it has errors."""
    pipeline = get_pipeline(request, pk, right="view")
    form = TemplateForm(request.POST, auto_id="template-%s")
    if form.is_valid():
        try:
            template = save_template(pipeline=pipeline, user=request.user, **form.cleaned_data)
        except RefusedError as error:
            form.add_error(error.field, str(error))
    if not form.is_valid():
        context = {"pipeline": pipeline, "template_form": form}
        return render(request, "editor/page/_template_form.html", context, status=422)
    message = f"“{template.name}” is saved as a template."
    if not request.htmx:
        messages.success(request, message)
        return redirect("editor", pipeline.pk)
    html = render_to_string("editor/page/_template_form.html", {"pipeline": pipeline}, request)
    html += render_to_string(
        "components/_notice.html",
        {
            "text": message,
            "level": "success",
            "link": f"{reverse('pipelines')}#templates",
            "link_text": "Show templates",
            "oob": True,
        },
    )
    return trigger_client_event(HttpResponse(html), "baton:done", after="settle")


@require_POST
def template_use(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Create a pipeline from one of the user's templates and open it."""
    template = get_template(request, pk)
    try:
        with document_job(request.user.pk):
            pipeline = use_template(user=request.user, template=template)
    except ImportRunningError as error:
        messages.error(request, str(error))
        return list_page(request, status=TOO_MANY)
    return redirect("editor", pipeline.pk)


@require_POST
def sample_use(request: HtmxHttpRequest) -> HttpResponse:
    """Create a pipeline from a sample and open it."""
    form = SampleForm(request.POST)
    definition = samples().get(form.cleaned_data["sample"]) if form.is_valid() else None
    if definition is None:
        raise Http404
    return redirect("editor", use_definition(user=request.user, definition=definition).pk)


@get_or_post
def template_rename(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Rename a template."""
    template = get_template(request, pk)
    if request.method == "GET":
        return redirect("pipelines")
    form = TemplateNameForm(request.POST)
    if form.is_valid():
        try:
            rename_template(template=template, name=form.cleaned_data["name"])
        except RefusedError as error:
            form.add_error(error.field, str(error))
    if not form.is_valid():
        context: dict[str, Any] = {"template_rename_form": form, "renamed_template": template}
        return list_page(request, status=422, **context)
    return redirect(f"{reverse('pipelines')}#templates")


@require_POST
def template_delete(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a template."""
    template = get_template(request, pk)
    delete_template(template=template)
    messages.success(request, f"The template “{template.name}” is deleted.")
    return redirect("pipelines")
