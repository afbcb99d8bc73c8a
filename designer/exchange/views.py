"""Views of the Export dialog: its content or page, one file, the download, and the round trip."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from django.conf import settings
from django.contrib import messages
from django.db import DatabaseError, transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from designer import definitions
from designer.core import HtmxHttpRequest, get_pipeline, schema_address
from designer.exchange.dialog import ExportDialog
from designer.exchange.export_formats import EXPORT_FORMATS, ExportFormat, export_format
from designer.exchange.files import content_type, download
from designer.exchange.forms import ExportForm
from designer.models import Pipeline
from designer.pipelines import record_export
from designer.versions import (
    DRAFT,
    SelectedDefinition,
    UnknownPointError,
    UnknownVersionError,
    draft_at,
    live_version,
    select_definition,
    store_file,
)
from orchestration.exceptions import UnknownNameError
from orchestration.validation import Issue, errors, validate

NOT_FOUND, UNPROCESSABLE = 404, 422

COOKIE = "export_format"
"""Cookie with the last format, for one browser as the theme is."""
YEAR = 365 * 24 * 3600

MAX_VERSIONS = 300
"""Maximum number of versions in the list, the newest ones."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen state, format and file of a pipeline."""

    selected: SelectedDefinition
    format: ExportFormat
    version: str
    """Name of the state in an address: `draft`, `live` or a number."""
    path: str
    edit: int
    """Edit count of the draft."""

    @property
    def address(self) -> str:
        """The choice as the query of an address, without the file."""
        return urlencode({"version": self.version, "format": self.format.key})

    @property
    def file_address(self) -> str:
        """The same for exactly this state of the draft, which others may edit meanwhile."""
        return f"{self.address}&edit={self.edit}" if self.version == DRAFT else self.address


class ChoiceError(Exception):
    """A choice that does not exist; the text is shown to the user."""


@require_GET
def exchange(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Show the Export dialog: its content for htmx, otherwise a page."""
    pipeline = get_pipeline(request, pk)
    context = {
        "pipeline": pipeline,
        "mode": "export",
        "live": live_version(pipeline),
        "versions": pipeline.versions.without_definition()[:MAX_VERSIONS],
    }
    status = 200
    try:
        choice = _choice(request, pipeline)
    except ChoiceError as error:
        status = NOT_FOUND
        context |= {"refusal": str(error), "version": DRAFT}
    else:
        definition = choice.selected.definition
        context |= {
            "dialog": ExportDialog(
                definition, choice.format, choice.path, schema=schema_address(request)
            ),
            "version": choice.version,
            "address": choice.address,
            "file_address": choice.file_address,
            "errors": errors(_issues(pipeline, choice)),
        }
    template = "exchange/_dialog.html" if request.htmx else "exchange/exchange.html"
    return render(request, template, context, status=status)


@require_GET
def exchange_file(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return one file of an export, to be shown or copied."""
    pipeline = get_pipeline(request, pk)
    try:
        choice = _choice(request, pipeline)
    except ChoiceError as error:
        return _refused(error)
    texts = choice.format.texts(choice.selected.definition, schema_address(request))
    text = texts.get(choice.path)
    if text is None:
        return _refused(ChoiceError(f"The export has no file “{choice.path}”: choose another."))
    content = choice.format.encode(text)
    return HttpResponse(content, content_type=content_type(choice.path))


@require_GET
def exchange_download(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Download the files of an export, and remember the format."""
    pipeline = get_pipeline(request, pk)
    try:
        choice = _choice(request, pipeline)
    except ChoiceError as error:
        return _refused(error)
    with suppress(DatabaseError), transaction.atomic():  # a full disk does not prevent an export
        record_export(pipeline, request.user)
    version = choice.selected.version if choice.selected.choice != DRAFT else None
    label = f"-{version}.{choice.format.key}" if version else f".{choice.format.key}"
    files = choice.format.files(choice.selected.definition, schema_address(request))
    file = download(files, pipeline=pipeline.name, label=label)
    response = HttpResponse(file.content, content_type=file.content_type)
    response["Content-Disposition"] = f'attachment; filename="{file.name}"'
    response.set_cookie(
        COOKIE,
        choice.format.key,
        max_age=YEAR,
        secure=bool(settings.SESSION_COOKIE_SECURE),
        httponly=True,
        samesite="Lax",
    )
    return response


@require_POST
def exchange_difference(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Read an export back, store the result, and show its difference from the original."""
    pipeline = get_pipeline(request, pk, right="view")
    try:
        choice = _choice(request, pipeline)
    except ChoiceError as error:
        return _refused(error)
    proof = ExportDialog(choice.selected.definition, choice.format).round_trip
    if proof is None or proof.definition is None:
        messages.error(request, f"{choice.format.format.title} cannot be read back.")
        return redirect(f"{reverse('exchange', args=[pk])}?{choice.address}")
    row = store_file(
        pipeline=pipeline,
        user=request.user,
        name=f"{choice.format.format.title}, read back",
        definition=proof.definition,
    )
    sides = urlencode({"from": choice.version, "to": f"file-{row.pk}"})
    return redirect(f"{reverse('difference', args=[pk])}?{sides}")


def _choice(request: HtmxHttpRequest, pipeline: Pipeline) -> Choice:
    """Return the choices of an address; raise `ChoiceError` for one that does not exist."""
    form = ExportForm(request.GET)
    if not form.is_valid():
        raise ChoiceError("This address is not valid: choose a format.")
    version = form.cleaned_data["version"] or DRAFT
    try:
        chosen = _format(form.cleaned_data["format"], request.COOKIES.get(COOKIE, ""))
        selected = select_definition(pipeline, version)
        edit = form.cleaned_data["edit"]
        if version == DRAFT and edit not in (None, pipeline.version):
            selected = replace(selected, definition=draft_at(pipeline, edit))
    except (UnknownNameError, UnknownVersionError, UnknownPointError) as error:
        raise ChoiceError(str(error)) from error
    return Choice(selected, chosen, version, form.cleaned_data["file"], edit or pipeline.version)


def _format(key: str, remembered: str) -> ExportFormat:
    """Return the format of an address, otherwise the last one, otherwise the first."""
    if key:
        return export_format(key)
    return next((each for each in EXPORT_FORMATS if each.key == remembered), EXPORT_FORMATS[0])


def _issues(pipeline: Pipeline, choice: Choice) -> tuple[Issue, ...]:
    if choice.version == DRAFT:
        return tuple(definitions.edition(pipeline).issues)
    return validate(choice.selected.definition)


def _refused(error: ChoiceError) -> HttpResponse:
    return HttpResponse(f"{error}\n", status=NOT_FOUND, content_type="text/plain; charset=utf-8")
