"""Tool specifications from the signatures of Python callables."""

from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from orchestration.exceptions import ToolError
from orchestration.tools import CallContext, FunctionTool, schema_fault, spec_of, validate_call


class Order(BaseModel):
    number: int


def book(
    when: Annotated[date, Field(description="The day of the visit.")],
    order: Order | None = None,
    _room: str = "A",
    *,
    context: CallContext | None = None,
    **more: int,
) -> Any:
    """Book a visit,
    and say when.

    The rest is for people.
    """
    return when, order, _room, context, more


def test_a_docstrings_first_lines_describe_the_tool():
    assert FunctionTool("book", book).spec.description == "Book a visit, and say when."


def test_the_arguments_are_described_without_the_context():
    schema = spec_of("book", book).parameters
    assert set(schema["properties"]) == {"when", "order", "_room"}
    assert schema["required"] == ["when"]
    assert schema["properties"]["when"] == {
        "type": "string",
        "format": "date",
        "description": "The day of the visit.",
    }
    assert schema["$defs"]["Order"]["properties"]["number"]["type"] == "integer"
    assert schema_fault(schema) is None


def test_an_argument_without_an_annotation_accepts_any_value():
    assert spec_of("twice", lambda number, *rest: number).parameters["properties"] == {"number": {}}


def test_an_unknown_annotation_accepts_any_value():
    def look(order: "Unknown") -> str:  # type: ignore[name-defined] # noqa: F821
        return str(order)

    assert spec_of("look", look).parameters["properties"] == {"order": {}}


def test_a_builtin_without_a_signature_accepts_any_arguments():
    assert spec_of("dict", dict).parameters["properties"] == {}
    assert validate_call("dict", dict)(a=1) == {"a": 1}


def test_a_callable_object_is_described_by_its_call_method():
    class Look:
        async def __call__(self, order: int) -> str:
            """Look an order up."""
            return str(order)

    spec = spec_of("look", Look())
    assert (spec.description, spec.parameters["required"]) == ("Look an order up.", ["order"])


def test_arguments_are_converted_to_their_annotations():
    arguments = {"when": "2026-01-02", "order": {"number": 7}, "context": None, "beds": "2"}
    assert validate_call("book", book)(**arguments) == (
        date(2026, 1, 2),
        Order(number=7),
        "A",
        None,
        {"beds": 2},
    )


def test_invalid_arguments_are_an_error_for_the_model():
    with pytest.raises(ToolError, match=r"^The arguments of book are wrong: when: .*date"):
        validate_call("book", book)(when="soon")
    with pytest.raises(ToolError, match=r"^The arguments of book are wrong: when: Missing"):
        validate_call("book", book)()


async def test_a_validated_function_receives_its_context():
    def visit(day: date, context: CallContext) -> str:
        return f"{day:%d} {context.key}"

    tool = FunctionTool("visit", validate_call("visit", visit))
    assert await tool.run({"day": "2026-01-02"}, CallContext("s1/run/1/c1")) == "02 s1/run/1/c1"


GOOGLE = """Find an order.

    Args:
        order: Its number, as it stands
            on the bill.
        when (str, optional): The day.

    Returns:
        What there is of it.
    """
NUMPY = """Find an order.

    Parameters
    ----------
    order : int
        Its number, as it stands on the bill.
    when
        The day.
    """
SPHINX = """Find an order.

    :param order: Its number, as it stands on the bill.
    :param when: The day.
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX])
def test_descriptions_of_arguments_come_from_the_docstring(docstring):
    def find(order: int, when: Annotated[str, Field(description="A date.")] = "") -> str:
        return f"{order} {when}"

    find.__doc__ = docstring
    spec = spec_of("find", find)
    assert spec.description == "Find an order."
    assert spec.parameters["properties"] == {
        "order": {"type": "integer", "description": "Its number, as it stands on the bill."},
        "when": {"type": "string", "default": "", "description": "A date."},
    }


def test_an_invalid_docstring_describes_no_arguments():
    def find(order: int) -> str:
        return str(order)

    find.__doc__ = "Find an order.\n\nArgs:\n    order"
    assert spec_of("find", find).parameters["properties"] == {"order": {"type": "integer"}}
