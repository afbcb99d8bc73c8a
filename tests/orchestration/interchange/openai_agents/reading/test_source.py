"""Statements and names of Python source."""

from __future__ import annotations

import ast

import pytest

from orchestration.exceptions import DefinitionError
from orchestration.interchange import read
from orchestration.interchange.openai_agents.reading.source import (
    dotted,
    function_name,
    parsed,
    statements,
)
from tests.orchestration.interchange.openai_agents.reading.foreign_code import expression


def nested(text: str, times: int) -> str:
    return f"from agents import Agent\nx = {text * times}1\na = Agent(name='A')\n"


@pytest.mark.parametrize(
    "text",
    [
        "from agents import Agent\nAgent(",
        "from agents import Agent\nAgent(name='a\0')",
        nested("-", 90_000),
        nested("not ", 5_000),
        nested("(", 5_000),
        nested("lambda: ", 50_000),
        "from agents import Agent\nx = a" + ".a" * 50_000,
        "from agents import Agent\nx = Agent()" + ".clone()" * 50_000,
    ],
    ids=range(8),
)
def test_hostile_source_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(DefinitionError):
        read(text, "openai-agents")


def test_every_version_of_python_reads_code_with_the_same_nesting() -> None:
    assert read(nested("not ", 990), "openai-agents").definition.agents
    with pytest.raises(DefinitionError, match="nested too deep"):
        read(nested("not ", 1_010), "openai-agents")


def test_a_syntax_error_has_its_line() -> None:
    with pytest.raises(DefinitionError) as caught:
        parsed("x = 1\ny = (")
    [fault] = caught.value.faults
    assert fault.line == 2
    assert "(line 2)" in fault.sentence


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(DefinitionError, match="not valid Python"):
        parsed("x = '\ud800'")


def test_warnings_about_the_code_are_not_shown() -> None:
    assert parsed("x = '\\d'\ny = 1 is 1").body


def test_statements_are_in_order_and_those_of_classes_are_left_out() -> None:
    module = parsed(
        "if a:\n    x1\nelif b:\n    x2\nelse:\n    x3\n"
        "try:\n    x4\nexcept E:\n    x5\nfinally:\n    x6\n"
        "async def f():\n    with g:\n        x7\n"
        "match h:\n    case 1:\n        x8\n"
        "class C:\n    y1\n"
        "x9\n"
    )
    names = [dotted(each.value) for each in statements(module) if isinstance(each, ast.Expr)]
    assert names == [f"x{number}" for number in range(1, 10)]


@pytest.mark.parametrize(
    ("text", "name", "function"),
    [
        ("runtime.to", "runtime.to", ""),
        ("agents.Agent[Context](name='a')", "", "Agent"),
        ("handoff()", "", "handoff"),
        ("find().to", "", ""),
        ("3", "", ""),
    ],
)
def test_names_are_those_of_variables_and_called_functions(
    text: str, name: str, function: str
) -> None:
    node = expression(text)
    assert (dotted(node), function_name(node)) == (name, function)
