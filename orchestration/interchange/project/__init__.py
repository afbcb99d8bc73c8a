"""Parts that all exported Python projects share: README, project file, tools, routing, HTTP calls.

The files of a project are text only. `runtime` contains modules that are copied unchanged.
"""

from orchestration.interchange.project.metadata import pyproject
from orchestration.interchange.project.readme import readme
from orchestration.interchange.project.routing_code import route_module, uses_routing
from orchestration.interchange.project.source import HTTP_CALLS, MESSAGE_FILTERS, module
from orchestration.interchange.project.tools_code import (
    ToolNames,
    environment_name,
    environment_variables,
    plain_functions,
    tool_functions,
    tool_names,
)

__all__ = [
    "HTTP_CALLS",
    "MESSAGE_FILTERS",
    "ToolNames",
    "environment_name",
    "environment_variables",
    "module",
    "plain_functions",
    "pyproject",
    "readme",
    "route_module",
    "tool_functions",
    "tool_names",
    "uses_routing",
]
