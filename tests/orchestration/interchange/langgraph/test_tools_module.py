"""File `tools.py`: the functions of the tools and their schemas."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from orchestration.interchange.langgraph.tools_module import TAKEN, tools_module
from orchestration.interchange.project import tool_names
from tests.orchestration.interchange.langgraph.exported import calls_in, desk


def tools_of(*tools: dict[str, Any]) -> str:
    definition = desk(tools=list(tools))
    return tools_module(definition, tool_names(definition, TAKEN))


def imported(source: str) -> set[str]:
    imports = [each for each in ast.parse(source).body if isinstance(each, ast.ImportFrom)]
    return {name.name for each in imports for name in each.names}


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ({"kind": "http", "http": {"url": "https://a.example"}}, "call"),
        ({"kind": "mcp", "mcp": {"connection": "docs"}}, "call_mcp_tool"),
        ({"kind": "user_input"}, "interrupt"),
        ({"kind": "function"}, None),
    ],
)
def test_only_the_used_functions_are_imported(tool: dict[str, Any], name: str | None) -> None:
    always = {"annotations", "Any", "function_tool"}
    assert imported(tools_of({"name": "find", **tool})) == always | ({name} if name else set())


def test_a_module_without_tools_imports_nothing() -> None:
    assert [type(each) for each in ast.parse(tools_of()).body] == [ast.Expr]


def test_a_tool_of_a_server_is_called_by_its_name_there() -> None:
    source = tools_of(
        {"name": "find", "kind": "mcp", "mcp": {"connection": "web-docs", "tool": "search"}},
        {"name": "get", "kind": "mcp", "mcp": {"connection": "2nd"}},
        {"name": "lost", "kind": "mcp"},
    )
    found = [[ast.unparse(each) for each in c.args] for c in calls_in(source, "call_mcp_tool")]
    assert found == [
        ["'WEB_DOCS'", "'search'", "arguments"],
        ["'CONNECTION_2ND'", "'get'", "arguments"],
    ]
    assert 'raise NotImplementedError("lost")' in source


def test_no_tool_hides_a_name_of_the_module() -> None:
    names = ("interrupt", "function_tool", "call", "class")
    source = tools_of(*({"name": name, "kind": "user_input"} for name in names))
    functions = {n.name for n in ast.parse(source).body if isinstance(n, ast.AsyncFunctionDef)}
    assert len(functions) == len(names)
    assert not functions & {*imported(source), "call"}
    shown = {ast.unparse(c.keywords[0].value) for c in calls_in(source, "function_tool")}
    assert shown == {f"'{name}'" for name in names}


def test_limits_of_a_tool_are_written_only_if_they_are_set() -> None:
    source = tools_of(
        {"name": "plain"}, {"name": "slow", "time_limit": 5, "idempotent": True, "max_answer": 9}
    )
    plain, slow = (
        {each.arg: ast.unparse(each.value) for each in call.keywords}
        for call in calls_in(source, "function_tool")
    )
    assert plain.keys() == {"name", "description", "schema"}
    assert {name: slow[name] for name in slow.keys() - plain.keys()} == {
        "time_limit": "5.0",
        "max_answer": "9",
        "attempts": "3",
    }
