"""Values of constant expressions and schemas from annotations."""

from __future__ import annotations

import ast

import pytest

from orchestration.exceptions import DefinitionError
from orchestration.interchange.openai_agents.reading.values import (
    MAX_LENGTH,
    Constants,
    NotConstantError,
)
from tests.orchestration.interchange.openai_agents.reading.foreign_code import expression


def constants(**names: str) -> Constants:
    found = Constants()
    found.names = {name: expression(text) for name, text in names.items()}
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-1.5", -1.5),
        ("(1, [True, None])", [1, [True, None]]),
        ("{'a': {'b': STYLE}}", {"a": {"b": "Be brief."}}),
        ("f'Answer. {STYLE}' + ' Now.'", "Answer. Be brief. Now."),
        ("f'{RECOMMENDED_PROMPT_PREFIX}Answer.'", "Answer."),
        ("textwrap.dedent('  a\\n    b')", "a\n  b"),
        ("inspect.cleandoc('a\\n    b')", "a\nb"),
        ("' a '.strip()", "a"),
    ],
)
def test_a_constant_expression_has_its_value(text: str, value: object) -> None:
    assert constants(STYLE="'Be brief.'").value(expression(text)) == value


@pytest.mark.parametrize(
    "text",
    [
        "unknown",
        "itself",
        "open('x')",
        "-'a'",
        "b'a'",
        "1 + 2",
        "{'a': 1, **other}",
        "{1: 2}",
        "[x for x in y]",
        "f'{1}'",
        "LONG + LONG",
        "[" * 40 + "]" * 40,
        "'a,b'.strip(',')",
    ],
)
def test_another_expression_has_no_value(text: str) -> None:
    known = constants(itself="itself", LONG=repr("x" * (MAX_LENGTH // 2 + 1)))
    with pytest.raises(NotConstantError):
        known.value(expression(text))


def test_a_small_file_cannot_become_very_large() -> None:
    lists = {f"a{number}": f"[{f'a{number + 1},' * 10}]" for number in range(6)}
    with pytest.raises(DefinitionError, match="too many values"):
        constants(**lists, a6="1").value(expression("a0"))


def test_a_function_has_a_schema_without_its_context() -> None:
    [function] = ast.parse(
        "def find(context: RunContextWrapper[Shop], order: int, /, note: str = '', *,"
        " price: float, shops: list[str] = []): ..."
    ).body
    assert isinstance(function, ast.FunctionDef)
    assert constants().arguments_schema(function) == {
        "type": "object",
        "properties": {
            "order": {"type": "integer"},
            "note": {"type": "string"},
            "price": {"type": "number"},
            "shops": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["order", "price"],
    }


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("bool | None", {"type": "boolean"}),
        ("typing.Optional[int]", {"type": "integer"}),
        ("Annotated[str, Field(max_length=3)]", {"type": "string"}),
        ("tuple[float, ...]", {"type": "array", "items": {"type": "number"}}),
        ("dict[str, int]", {"type": "object"}),
        ("Literal['a', 2]", {"enum": ["a", 2]}),
        ("Literal['a']", {"enum": ["a"]}),
        ("Literal[find()]", {}),
        ("int | str", {}),
        ("Unknown", {}),
    ],
)
def test_an_annotation_has_a_schema(annotation: str, schema: dict[str, object]) -> None:
    assert constants().annotation_schema(expression(annotation), 0) == schema


def test_a_class_that_contains_itself_has_a_schema_of_limited_depth() -> None:
    known = constants()
    [known.classes["Tree"]] = (
        each
        for each in ast.parse("class Tree:\n    name: str\n    parts: list[Tree] = []").body
        if isinstance(each, ast.ClassDef)
    )
    schema = known.class_schema("Tree")
    assert schema is not None
    assert schema["required"] == ["name"]
    assert schema["properties"]["parts"]["items"]["properties"]["name"] == {"type": "string"}
    assert known.class_schema("Unknown") is None
