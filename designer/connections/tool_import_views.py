"""Views for the import of tools from an OpenAPI document or an MCP server."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from designer import definitions
from designer.connections.connection_tests import rate_limit_message
from designer.connections.openapi import read_openapi, tool_name
from designer.connections.tool_import import import_tools
from designer.connections.tool_import_forms import DocumentForm, ServerForm, selected_tools
from designer.connections.tool_listing import Listing, OfferedTool, ToolSelection
from designer.core import (
    EditError,
    HtmxHttpRequest,
    ImportRunningError,
    connection_for,
    document_job,
    get_pipeline,
    in_database,
    natural_key,
    tool_connections,
)
from designer.models import Pipeline
from orchestration.definition import McpCall, Tool
from orchestration.exceptions import DefinitionError, DocumentError, ToolError
from orchestration.handoff import distinct_names
from orchestration.loading import TOOL_LIST, check_value
from orchestration.network import ConnectionSettings
from orchestration.tools import ListedTool, McpServers

UNPROCESSABLE, TOO_MANY = 422, 429

UNKNOWN = "There is no HTTP connection"
"""Beginning of the sentence about the unknown name of a connection."""


@require_GET
def tool_import(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Show the forms for a document and a server."""
    return _page(request, get_pipeline(request, pk, right="edit"))


@require_POST
def tools_of_document(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """List the operations of an OpenAPI document."""
    pipeline = get_pipeline(request, pk)
    form = DocumentForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, pipeline, document_form=form, status=UNPROCESSABLE)
    connection = form.cleaned_data["connection"]
    try:
        with document_job(request.user.pk):
            api = read_openapi(form.cleaned_data["document"], connection=connection)
    except (DocumentError, ImportRunningError) as error:
        form.add_error("file" if form.cleaned_data["file"] else "text", str(error))
        status = UNPROCESSABLE if isinstance(error, DocumentError) else TOO_MANY
        return _page(request, pipeline, document_form=form, status=status)
    listing = Listing(
        title=api.title,
        offered=tuple(
            OfferedTool(tool=operation.tool, about=f"{operation.method} {operation.path}")
            for operation in api.operations
        ),
        left_out=api.left_out,
        needs_key=connection is None and any(o.needs_key for o in api.operations),
    )
    return _page(request, pipeline, document_form=form, listing=listing)


@require_POST
async def tools_of_server(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """List the tools of an MCP server."""
    pipeline, form, connection = await in_database(_selected_server, request, pk)
    if connection is None:
        return await in_database(_page, request, pipeline, server_form=form, status=UNPROCESSABLE)
    if wait := rate_limit_message(request.user.pk):
        form.add_error("server", wait)
        return await in_database(_page, request, pipeline, server_form=form, status=TOO_MANY)
    try:
        async with aclosing(McpServers(settings.ALLOWED_ADDRESSES)) as servers:
            listed = await servers.tools(connection)
        offered = await in_database(_offered, connection.name, listed)
    except DefinitionError as error:
        problem = error.faults[0].sentence
        form.add_error("server", f"The tools of {connection.name} are refused: {problem}")
        return await in_database(_page, request, pipeline, server_form=form, status=UNPROCESSABLE)
    except ToolError as error:
        form.add_error("server", str(error))
        return await in_database(_page, request, pipeline, server_form=form, status=UNPROCESSABLE)
    listing = Listing(title=connection.name, offered=offered)
    return await in_database(_page, request, pipeline, server_form=form, listing=listing)


@require_POST
def tools_take(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Import the selected tools and open the first one in the editor.

    After an error the page keeps the list and the selection.
    """
    pipeline = get_pipeline(request, pk)
    submitted, agent_ids = request.POST.getlist("tool"), request.POST.getlist("agent")
    try:
        with document_job(request.user.pk):
            tools = selected_tools(submitted)
            _, names = import_tools(
                pipeline=pipeline,
                user=request.user,
                tools=tools,
                agent_ids=agent_ids,
            )
    except (ValidationError, EditError, ImportRunningError) as error:
        refusal = " ".join(error.messages) if isinstance(error, ValidationError) else str(error)
        context = {
            "listing": Listing.parse(request.POST.get("listing", "")),
            "picked": ToolSelection.of(submitted, agent_ids),
        }
        status = TOO_MANY if isinstance(error, ImportRunningError) else UNPROCESSABLE
        return _page(request, pipeline, refusal=refusal, status=status, **context)
    tools_text = f"{len(names)} tools are" if len(names) > 1 else f"The tool “{names[0]}” is"
    messages.success(request, f"{tools_text} imported.")
    address = reverse("editor", args=[pipeline.pk])
    return redirect(f"{address}?{urlencode({'select': f'tool:{names[0]}'})}")


def _selected_server(
    request: HtmxHttpRequest, pk: int
) -> tuple[Pipeline, ServerForm, ConnectionSettings | None]:
    """Return the selected server; if it does not exist, None with an error in the form."""
    pipeline = get_pipeline(request, pk)
    form = ServerForm(request.POST)
    if not form.is_valid():
        return pipeline, form, None
    name = form.cleaned_data["server"]
    connection = connection_for(pipeline.owner_id, name)
    if connection is None or connection.kind not in ("mcp", "mcp_stdio"):
        form.add_error("server", f"The MCP server “{name}” no longer exists: choose another.")
        return pipeline, form, None
    return pipeline, form, connection


def _offered(connection: str, listed: Sequence[ListedTool]) -> tuple[OfferedTool, ...]:
    """Convert the tools of a server to tools of a definition, or raise `DefinitionError`."""
    check_value([asdict(tool) for tool in listed], TOOL_LIST)
    names = distinct_names([tool_name(item.name) for item in listed])
    return tuple(
        OfferedTool(
            tool=Tool(
                name=name,
                kind="mcp",
                description=item.description[:500],
                parameters=dict(item.parameters),
                idempotent=item.is_idempotent or item.is_read_only,
                mcp=McpCall(
                    connection=connection, tool="" if item.name == name else item.name[:500]
                ),
            ),
            about=item.name,
        )
        for item, name in zip(listed, names, strict=True)
    )


def _page(
    request: HtmxHttpRequest, pipeline: Pipeline, *, status: int = 200, **context: Any
) -> HttpResponse:
    """Render the page with its forms and the listed tools."""
    definition = definitions.read(pipeline)
    forms = {"document_form": DocumentForm(), "server_form": ServerForm(), **context}
    names = tool_connections(pipeline.owner_id)
    forms["document_form"].suggest("connection", names["http"], unknown=UNKNOWN)
    forms["server_form"].set_servers(names["mcp"])
    context |= forms | {
        "pipeline": pipeline,
        "has_servers": bool(names["mcp"]),
        "agents": sorted(definition.agents, key=lambda agent: natural_key(agent.name)),
        "taken": set(definition.tools_by_name),
    }
    return render(request, "connections/tool_import.html", context, status=status)
