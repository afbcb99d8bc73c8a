"""Files that all exported projects share."""

from __future__ import annotations

import ast
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from orchestration.definition import PipelineDefinition, Tool
from orchestration.interchange import Loss
from orchestration.interchange.project import (
    environment_variables,
    module,
    pyproject,
    readme,
    tool_functions,
    tool_names,
)
from orchestration.interchange.python_code import Call, Code
from tests.orchestration.strategies import definitions


def functions(definition: PipelineDefinition) -> str:
    return tool_functions(
        definition,
        lambda tool, names: Call("Tool", (), {"name": tool.name, "run": Code(names.function)}),
        tool_names(definition),
    )


def test_a_function_raises_its_name_and_an_http_tool_makes_its_request() -> None:
    definition = PipelineDefinition.model_validate(
        {
            "name": "Shop",
            "tools": [
                {"name": "class", "parameters": {"type": "object", "properties": {}}},
                {
                    "name": "find-order",
                    "kind": "http",
                    "http": {
                        "url": "/orders/{id}?page={page}",
                        "connection": "web-shop",
                        "take": "/0",
                    },
                },
            ],
        }
    )
    assert functions(definition) == (
        'CLASS__SCHEMA = {"type": "object", "properties": {}}\n\n\n'
        'async def class_(**arguments: Any) -> str:\n    raise NotImplementedError("class")\n\n\n'
        'class__tool = Tool(name="class", run=class_)\n\n\n'
        'FIND_ORDER_SCHEMA = {"type": "object", "properties": {}}\n\n\n'
        "async def find_order(**arguments: Any) -> str:\n"
        "    return await call(\n"
        "        arguments,\n"
        '        method="GET",\n'
        '        url="/orders/{id}?page={page}",\n'
        '        take="/0",\n'
        '        connection="WEB_SHOP",\n'
        "    )\n\n\n"
        'find_order_tool = Tool(name="find-order", run=find_order)'
    )
    assert environment_variables(definition) == ["WEB_SHOP_URL", "WEB_SHOP_AUTHORIZATION"]


@given(definitions())
def test_any_tools_become_distinct_names_in_valid_source(definition: PipelineDefinition) -> None:
    tree = ast.parse(functions(definition))
    assert sum(isinstance(each, ast.AsyncFunctionDef) for each in tree.body) == len(
        definition.tools_by_name
    )
    names = [
        name
        for each in tool_names(definition).values()
        for name in (each.function, each.schema, each.tool)
    ]
    assert len(set(names)) == len(names)


@given(st.text(min_size=1, max_size=100), st.text(max_size=100))
def test_the_project_file_is_valid_toml(name: str, description: str) -> None:
    definition = PipelineDefinition(name=name, description=description)
    project = tomllib.loads(pyproject(definition, ["openai-agents>=0.20"], ["agents", "tools"]))
    assert project["project"]["dependencies"] == ["openai-agents>=0.20"]
    assert project["tool"]["setuptools"]["py-modules"] == ["agents", "tools"]


def test_the_readme_has_the_files_the_start_and_the_losses() -> None:
    rows = [
        Loss("Agents", ("a",), "native"),
        Loss("Supervisor", ("b",), "native", "`supervisor_id`", "It answers.", differs=True),
        Loss("Layout", ("pipeline",), "lost", "left out"),
        Loss("Filter in CEL", ("a → b",), "code", "raises", "The run stops.", differs=True),
    ]
    text = readme(
        PipelineDefinition(name="# Shop <b>", description="A\n## B"),
        "the OpenAI Agents SDK",
        {"agents.py": "the agents"},
        ["pip install ."],
        ["SHOP_URL"],
        rows,
    )
    assert text.startswith("# \\# Shop &lt;b\\>\n\nA \\#\\# B\n")
    assert "Behaves the same: 2 of 4 parts." in text
    assert text.index("| Filter in CEL: a → b | in code, differs | raises. The run stops. |") < (
        text.index("| Layout | left out | left out |")
    )
    assert "| Supervisor: b | native, differs | `supervisor_id`. It answers. |" in text
    assert "As they are: Agents.\n" in text
    assert "`SHOP_URL`" in text


def test_sections_of_a_module_have_two_blank_lines_between_them() -> None:
    assert module("a = 1\n", "", ["b = 2", "", "c = 3"]) == "a = 1\n\n\nb = 2\n\nc = 3\n"


def test_a_tool_can_have_another_body_or_no_function() -> None:
    definition = PipelineDefinition(name="Any", tools=(Tool(name="a"), Tool(name="b")))
    source = tool_functions(
        definition,
        lambda tool, names: Call("Tool") if tool.name == "a" else None,
        tool_names(definition),
        lambda tool: "    return 1",
    )
    assert "return 1" in source
    assert "async def b" not in source
