"""File `tools.py`: functions, servers and schemas of answers."""

from __future__ import annotations

import ast

from orchestration.definition import PipelineDefinition
from orchestration.interchange.adk.tools_module import TAKEN, answer_names, tools_module
from orchestration.interchange.project import tool_names
from tests.orchestration.interchange.adk.exported import TOOLS
from tests.orchestration.sound_pipeline import sound


def source_of(definition: PipelineDefinition) -> str:
    names = tool_names(definition, TAKEN)
    return tools_module(definition, names, answer_names(definition, names))


def imported(source: str) -> set[str]:
    """The names of all imports."""
    nodes = [each for each in ast.walk(ast.parse(source)) if hasattr(each, "names")]
    return {alias.name for each in nodes for alias in each.names}


def test_tools_and_schemas_of_answers_are_code() -> None:
    agent = {"id": "triage", "name": "T", "response_schema": {"type": "object"}}
    source = source_of(sound(agents=[agent], tools=TOOLS))
    assert "require_confirmation=True" in source
    assert 'raise NotImplementedError("find")' in source
    assert 'os.environ.get("DOCS_AUTHORIZATION", "")' in source
    assert 'TRIAGE_ANSWER = {"type": "object"}' in source


def test_a_module_imports_only_what_its_tools_need() -> None:
    function, http, mcp = (imported(source_of(sound(tools=[each]))) for each in TOOLS)
    assert {"FunctionTool", "types"} <= function & http
    assert ("call" in http, "call" in function) == (True, False)
    assert not function & {"McpToolset", "os"}
    assert mcp == {"annotations", "os", "McpToolset", "StreamableHTTPConnectionParams"}


def test_a_tool_of_a_server_has_the_name_that_the_server_knows() -> None:
    servers = [
        {"name": "search", "kind": "mcp", "mcp": {"connection": "docs", "tool": "find_page"}},
        {"name": "open", "kind": "mcp", "mcp": {"connection": "docs"}, "approval": True},
    ]
    found = {
        ast.unparse(each.targets[0]): {k.arg: ast.unparse(k.value) for k in each.value.keywords}
        for each in ast.parse(source_of(sound(tools=servers))).body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
    }
    assert found["search_tool"]["tool_filter"] == "['find_page']"
    assert "require_confirmation" not in found["search_tool"]
    assert found["open__tool"]["tool_filter"] == "['open']"
    assert found["open__tool"]["require_confirmation"] == "True"


def test_a_schema_of_answers_has_a_name_that_no_tool_has() -> None:
    agents = [
        {"id": "find", "name": "F", "response_schema": {"type": "object"}},
        {"id": "plain", "name": "P"},
    ]
    definition = sound(agents=agents, tools=[{"name": "find_answer"}])
    names = tool_names(definition, TAKEN)
    assert answer_names(definition, names) == {"find": "FIND_ANSWER_2"}
