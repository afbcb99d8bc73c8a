"""Tools that delegate a task."""

from orchestration.definition import Tool
from orchestration.tools import TASK_PARAMETERS, CallContext, SubtaskTool, notes_of, request_of

TOOL = Tool(
    name="search",
    kind="subtask",
    description="Searches the archive.",
    pipeline="Archive",
    parameters=TASK_PARAMETERS,
)


def test_a_request_contains_the_arguments_and_the_pipeline():
    """Contract T-9."""
    request = request_of(TOOL, {"task": "Find order 7."})
    assert (request.type, request.description) == ("search", "Searches the archive.")
    assert (request.subtype, request.inputs) == ("Archive", {"task": "Find order 7."})


async def test_without_a_session_a_call_returns_the_request():
    """Contract T-9."""
    arguments = {"task": "Find order 7."}
    request = await SubtaskTool(TOOL).run(arguments, CallContext("s1/run/1/c1"))
    assert request == request_of(TOOL, arguments)
    assert SubtaskTool(TOOL).name == "search"


def test_the_notes_of_a_result_are_plain_json():
    notes = notes_of(request_of(TOOL, {"task": "Find order 7."}))
    assert notes["subtask_request"]["inputs"] == {"task": "Find order 7."}
    assert notes["subtask_request"]["subtype"] == "Archive"
