"""Views that list, add, change, test and delete connections."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

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
    ConnectionUses,
    ConnectionValues,
    SubmittedSecrets,
    add_connection,
    connection_uses,
    delete_connection,
    store_models,
    update_connection,
    with_values,
)
from designer.connections.connection_tests import (
    ConnectionTestResult,
    find_models,
    rate_limit_message,
    try_connection,
)
from designer.connections.forms import ConnectionForm
from designer.connections.fragments import connections_of_environment, own_connections
from designer.core import (
    HtmxHttpRequest,
    RefusedError,
    environment_connections,
    get_connection,
    in_database,
    natural_key,
)
from designer.models import Connection
from orchestration.network import ConnectionSettings

UNPROCESSABLE, TOO_MANY = 422, 429

SECRETS = ("key", "headers")


@require_GET
@never_cache
def connections(request: HtmxHttpRequest) -> HttpResponse:
    """Show the user's connections and the connections of the environment."""
    own = own_connections(request.user)
    environment = connections_of_environment({connection.row.name for connection in own})
    context = {"own": own, "environment": environment}
    return render(request, "connections/connections.html", context)


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters(*SECRETS)
def connection_add(request: HtmxHttpRequest) -> HttpResponse:
    """Add a connection."""
    if request.method == "GET":
        is_first = not Connection.objects.of(request.user).exists()
        form = ConnectionForm(initial={"name": "default" if is_first else ""})
        return _page(request, form)
    form = ConnectionForm(request.POST)
    if form.is_valid():
        try:
            row = add_connection(user=request.user, values=_values(form))
        except RefusedError as error:
            form.add_error(error.field, str(error))
        else:
            return _success(request, f"The connection “{row.name}” is saved.")
    return _error_response(request, form)


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
        old_name = row.name
        try:
            row = update_connection(connection=row, values=_values(form))
        except RefusedError as error:
            form.add_error(error.field, str(error))
        else:
            if request.htmx:
                return _saved_response(form, row, old_name)
            uses = connection_uses(row.owner_id)
            if warning := _old_name_warning(row, old_name, uses[old_name]):
                messages.warning(request, warning)
            return _success(request, f"The connection “{row.name}” is saved.")
    return _error_response(request, form)


@require_POST
def connection_delete(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a connection."""
    row = get_connection(request, pk)
    delete_connection(connection=row)
    return _success(request, f"The connection “{row.name}” is deleted.")


@require_POST
@sensitive_post_parameters(*SECRETS)
async def connection_try(request: HtmxHttpRequest, pk: int | None = None) -> HttpResponse:
    """Test a connection with the values of the form, saved or not."""
    return await _run_test(request, pk, try_connection)


@require_POST
@sensitive_post_parameters(*SECRETS)
async def connection_models(request: HtmxHttpRequest, pk: int | None = None) -> HttpResponse:
    """Fetch the model list with the values of the form, saved or not."""
    return await _run_test(request, pk, find_models)


@require_POST
async def environment_try(request: HtmxHttpRequest, name: str) -> HttpResponse:
    """Test a connection of the environment."""
    connection = environment_connections().get(name)
    if connection is None:
        raise Http404
    wait = rate_limit_message(request.user.pk)
    result = _wait_result(wait) if wait else await try_connection(connection)
    context = {"result": replace(result, models=()), "place": f"trial-result-{name}"}
    html = await in_database(render_to_string, "connections/_trial.html", context)
    return HttpResponse(html, status=TOO_MANY if wait else 200)


@sensitive_variables()
async def _run_test(
    request: HtmxHttpRequest,
    pk: int | None,
    run: Callable[[ConnectionSettings], Awaitable[ConnectionTestResult]],
) -> HttpResponse:
    form, connection = await in_database(_submitted_connection, request, pk)
    if connection is None:
        return await in_database(_error_response, request, form)
    wait = rate_limit_message(request.user.pk)
    result = _wait_result(wait) if wait else await run(connection)
    response = await in_database(_test_response, form, result)
    response.status_code = TOO_MANY if wait else 200
    return response


@sensitive_variables()
def _submitted_connection(
    request: HtmxHttpRequest, pk: int | None
) -> tuple[ConnectionForm, ConnectionSettings | None]:
    """Return the form and its connection; None if the form is invalid."""
    row = None if pk is None else get_connection(request, pk)
    form = ConnectionForm(request.POST, connection=row)
    form.fields["name"].required = False  # a test needs no name
    if form.is_valid():
        try:
            return form, with_values(row or Connection(), _values(form)).value()
        except RefusedError as error:
            form.add_error(error.field, str(error))
    return form, None


def _wait_result(message: str) -> ConnectionTestResult:
    return ConnectionTestResult(False, message, is_hint=True)


def _test_response(form: ConnectionForm, result: ConnectionTestResult) -> HttpResponse:
    """Return the result of a test, and store the models of a saved connection."""
    row = form.connection
    if result.models:
        form.suggest("model", result.models)
        values = form.cleaned_data
        if row is not None and (row.kind, row.base_url) == (values["kind"], values["base_url"]):
            store_models(connection=row, models=list(result.models))
    html = render_to_string("connections/_trial.html", {"result": result, "form": form})
    return HttpResponse(html + _field_errors(form))


@sensitive_variables()
def _values(form: ConnectionForm) -> ConnectionValues:
    values = form.cleaned_data
    secrets = SubmittedSecrets(
        key=values["key"], clears_key=values["forget_key"], headers=values["headers"]
    )
    return ConnectionValues(secrets=secrets, fields=form.row_fields)


def _page(request: HtmxHttpRequest, form: ConnectionForm, *, status: int = 200) -> HttpResponse:
    row = form.connection
    uses = connection_uses(row.owner_id) if row else {}
    context = {"form": form, "connection": row, "uses": _shown(uses[row.name]) if row else None}
    return render(request, "connections/connection.html", context, status=status)


def _shown(uses: ConnectionUses) -> dict[str, Any]:
    """Return the uses of a connection for the page, with sorted pipelines."""
    pipelines = sorted(uses.pipelines, key=natural_key)
    return {"agents": uses.agents, "tools": uses.tools, "pipelines": pipelines}


def _saved_response(form: ConnectionForm, row: Connection, old_name: str) -> HttpResponse:
    """Return the parts that change when the page saves itself, without the submitted secrets."""
    uses = connection_uses(row.owner_id)
    context = {
        "connection": row,
        "form": ConnectionForm.showing(row),
        "uses": _shown(uses[row.name]),
        "text": _old_name_warning(row, old_name, uses[old_name]),
        "level": "warning",
        "oob": True,
    }
    html = render_to_string("connections/_saved.html", context)
    return HttpResponse(html + _field_errors(form))


def _old_name_warning(row: Connection, old_name: str, uses: ConnectionUses) -> str:
    """Return a warning about the pipelines that use the connection by its old name."""
    pipelines = sorted(uses.pipelines, key=natural_key)
    if row.name == old_name or not pipelines:
        return ""
    names = ", ".join(f"“{name}”" for name in pipelines[:5])
    more = f" and {len(pipelines) - 5} more" if len(pipelines) > 5 else ""
    return (
        f"The old name “{old_name}” is used in {names}{more}: "
        f"choose “{row.name}” there, or give the old name back."
    )


def _error_response(request: HtmxHttpRequest, form: ConnectionForm) -> HttpResponse:
    """Return the errors for the fields; the page keeps the entered text."""
    if not request.htmx:
        return _page(request, form, status=UNPROCESSABLE)
    return HttpResponse(_field_errors(form), status=UNPROCESSABLE)


def _field_errors(form: ConnectionForm) -> str:
    """Render the error of every field; it is empty for a valid field."""
    errors = [
        (form[name].auto_id, " ".join(map(str, form.errors.get(name, ())))) for name in form.fields
    ]
    errors.append(("connection-form", " ".join(map(str, form.non_field_errors()))))
    return render_to_string("components/_field_errors.html", {"errors": errors})


def _success(request: HtmxHttpRequest, text: str) -> HttpResponse:
    messages.success(request, text)
    if request.htmx:
        return HttpResponseClientRedirect(reverse("connections"))
    return redirect("connections")
