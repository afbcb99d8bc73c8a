"""Tools: specifications for models, and execution of their calls."""

from orchestration.tools.arguments import describe_faults, read_arguments
from orchestration.tools.function import (
    CallContext,
    ExampleTool,
    FunctionTool,
    RunnableTool,
    ToolSource,
)
from orchestration.tools.handler import MAX_TRIES, ToolHandler
from orchestration.tools.http import MAX_HTTP_BYTES, MAX_REDIRECTS, HttpTool, WebClient
from orchestration.tools.mcp import ListedTool, McpServers, McpTool
from orchestration.tools.mcp_session import McpSession
from orchestration.tools.mcp_streams import MAX_MCP_BYTES
from orchestration.tools.remote import RemoteTools
from orchestration.tools.schemas import (
    MAX_CHARACTERS,
    MAX_FAULT,
    MAX_FAULTS,
    MAX_VALUES,
    compile_schema,
    schema_fault,
)
from orchestration.tools.signature import spec_of, validate_call
from orchestration.tools.spec import HandoffOption, ToolSpec
from orchestration.tools.subtask import TASK_PARAMETERS, SubtaskTool, notes_of, request_of
from orchestration.tools.templates import PLACEHOLDER, names_in, origin_of
from orchestration.tools.user_input import ASK_USER, question_of, user_input_tool

__all__ = [
    "ASK_USER",
    "MAX_CHARACTERS",
    "MAX_FAULT",
    "MAX_FAULTS",
    "MAX_HTTP_BYTES",
    "MAX_MCP_BYTES",
    "MAX_REDIRECTS",
    "MAX_TRIES",
    "MAX_VALUES",
    "PLACEHOLDER",
    "TASK_PARAMETERS",
    "CallContext",
    "ExampleTool",
    "FunctionTool",
    "HandoffOption",
    "HttpTool",
    "ListedTool",
    "McpServers",
    "McpSession",
    "McpTool",
    "RemoteTools",
    "RunnableTool",
    "SubtaskTool",
    "ToolHandler",
    "ToolSource",
    "ToolSpec",
    "WebClient",
    "compile_schema",
    "describe_faults",
    "names_in",
    "notes_of",
    "origin_of",
    "question_of",
    "read_arguments",
    "request_of",
    "schema_fault",
    "spec_of",
    "user_input_tool",
    "validate_call",
]
