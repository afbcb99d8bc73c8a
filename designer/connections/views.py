"""Connections: the list of them, adding, changing, trying and deleting one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from designer.connections.actions import (
    ConnectionValues,
    SentSecrets,
    add_connection,
    agents_asking,
    delete_connection,
    keep_models,
    update_connection,
    with_values,
)
from designer.connections.connection_tests import Trial, find_models, too_soon, try_connection
from designer.connections.forms import ConnectionForm
from designer.connections.fragments import listed, of_environment
from designer.core import (
    HtmxHttpRequest,
    RefusedError,
    environment_connections,
    get_connection,
    in_database,
)
from designer.models import Connection
from orchestration.network import ConnectionSettings

UNPROCESSABLE, TOO_MANY = 422, 429

SECRETS = ("key", "headers")


@require_GET
@never_cache
def connections(request: HtmxHttpRequest) -> HttpResponse:
    """The person's connections, and those of the environment."""
    own = listed(request.user)
    context = {"own": own, "environment": of_environment({one.row.name for one in own})}
    return render(request, "connections/connections.html", context)


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters(*SECRETS)
def connection_add(request: HtmxHttpRequest) -> HttpResponse:
    """Add a connection."""
    if request.method == "GET":
        first = not Connection.objects.of(request.user).exists()
        form = ConnectionForm(initial={"name": "default" if first else ""})
        return _page(request, form)
    form = ConnectionForm(request.POST)
    if form.is_valid():
        try:
            row = add_connection(user=request.user, values=_values(form))
        except RefusedError as error:
            form.add_error(error.field, str(error))
        else:
            return _done(request, f"The connection “{row.name}” is saved.")
    return _refused(request, form)


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters(*SECRETS)
def connection(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Show a connection, or change it."""
    row = get_connection(request, pk)
    if request.method == "GET":
        return _page(request, ConnectionForm.showing(row))
    form = ConnectionForm(request.POST, connection=row)
    if form.is_valid():
        try:
            row = update_connection(connection=row, values=_values(form))
        except RefusedError as error:
            form.add_error(error.field, str(error))
        else:
            return _done(request, f"The connection “{row.name}” is saved.")
    return _refused(request, form)


@require_POST
def connection_delete(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a connection."""
    row = get_connection(request, pk)
    delete_connection(connection=row)
    return _done(request, f"The connection “{row.name}” is deleted.")


@require_POST
@sensitive_post_parameters(*SECRETS)
async def connection_try(request: HtmxHttpRequest, pk: int | None = None) -> HttpResponse:
    """Make a real call with what the form says, saved or not."""
    return await _tried(request, pk, try_connection)


@require_POST
@sensitive_post_parameters(*SECRETS)
async def connection_models(request: HtmxHttpRequest, pk: int | None = None) -> HttpResponse:
    """Ask for the models that there are with what the form says, saved or not."""
    return await _tried(request, pk, find_models)


@require_POST
async def environment_try(request: HtmxHttpRequest, name: str) -> HttpResponse:
    """Make a real call with what the environment connects under a name."""
    connected = environment_connections().get(name)
    if connected is None:
        raise Http404
    wait = too_soon(request.user.pk)
    trial = Trial(False, wait, is_hint=True) if wait else await try_connection(connected)
    context = {"trial": replace(trial, models=()), "place": f"trial-result-{name}"}
    html = await in_database(render_to_string, "connections/_trial.html", context)
    return HttpResponse(html, status=TOO_MANY if wait else 200)


@sensitive_variables()
async def _tried(
    request: HtmxHttpRequest,
    pk: int | None,
    ask: Callable[[ConnectionSettings], Awaitable[Trial]],
) -> HttpResponse:
    form, connected = await in_database(_sent, request, pk)
    if connected is None:
        return await in_database(_refused, request, form)
    wait = too_soon(request.user.pk)
    trial = Trial(False, wait, is_hint=True) if wait else await ask(connected)
    response = await in_database(_told, form, trial)
    response.status_code = TOO_MANY if wait else 200
    return response


@sensitive_variables()
def _sent(
    request: HtmxHttpRequest, pk: int | None
) -> tuple[ConnectionForm, ConnectionSettings | None]:
    """The form, and what it says as a connection; None where it cannot be one."""
    row = None if pk is None else get_connection(request, pk)
    form = ConnectionForm(request.POST, connection=row)
    form.fields["name"].required = False  # it is not saved
    if form.is_valid():
        try:
            return form, with_values(row or Connection(), _values(form)).value()
        except RefusedError as error:
            form.add_error(error.field, str(error))
    return form, None


def _told(form: ConnectionForm, trial: Trial) -> HttpResponse:
    """Return the result of a test. Models of a saved connection are stored."""
    row = form.connection
    if trial.models:
        form.suggest("model", trial.models)
        sent = form.cleaned_data
        if row is not None and (row.kind, row.base_url) == (sent["kind"], sent["base_url"]):
            keep_models(connection=row, models=list(trial.models))
    html = render_to_string("connections/_trial.html", {"trial": trial, "form": form})
    return HttpResponse(html + _field_errors(form))


@sensitive_variables()
def _values(form: ConnectionForm) -> ConnectionValues:
    sent = form.cleaned_data
    secrets = SentSecrets(key=sent["key"], forgets_key=sent["forget_key"], headers=sent["headers"])
    return ConnectionValues(secrets=secrets, fields=form.row_fields)


def _page(request: HtmxHttpRequest, form: ConnectionForm, *, status: int = 200) -> HttpResponse:
    row = form.connection
    asking = agents_asking(row.owner_id)[row.name] if row else 0
    context = {"form": form, "connection": row, "asking": asking}
    return render(request, "connections/connection.html", context, status=status)


def _refused(request: HtmxHttpRequest, form: ConnectionForm) -> HttpResponse:
    """Return the errors next to their fields; the typed text stays."""
    if not request.htmx:
        return _page(request, form, status=UNPROCESSABLE)
    return HttpResponse(_field_errors(form), status=UNPROCESSABLE)


def _field_errors(form: ConnectionForm) -> str:
    """The sentence beside each field: what is wrong there, or nothing."""
    errors = [
        (form[name].auto_id, " ".join(map(str, form.errors.get(name, ())))) for name in form.fields
    ]
    errors.append(("connection-form", " ".join(map(str, form.non_field_errors()))))
    return render_to_string("components/_field_errors.html", {"errors": errors})


def _done(request: HtmxHttpRequest, text: str) -> HttpResponse:
    messages.success(request, text)
    if request.htmx:
        return HttpResponseClientRedirect(reverse("connections"))
    return redirect("connections")
