"""Commands of a supervisor: its calls issue the commands that people use (contract O-5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec
from pydantic import ValidationError

from orchestration import events as e
from orchestration.control.commands import HandOver, Pause, SendNote, read_command
from orchestration.control.steering import command_events, hand_over_outcome
from orchestration.conversation import (
    ConversationNode,
    ConversationTree,
    Fail,
    Finish,
    unsupervised_step,
)
from orchestration.definition import HUMAN
from orchestration.exceptions import SteeringError
from orchestration.messages import ToolCall, ToolResult
from orchestration.tools import describe_faults, read_arguments

SupervisorCommand = SendNote | Pause | HandOver


def supervisor_events(
    call: ToolCall, node: ConversationNode, tree: ConversationTree
) -> Iterator[e.Event]:
    """Yield the events of a supervisor's call: those of its command, then the call's result.

    Apply each event before requesting the next. A command with recorded events continues after
    them, so that it takes effect once. A command that is not allowed is an error for the model.
    """
    command = _command_of(call, node)
    if isinstance(command, HandOver) and call.name == "redirect" and _means_human(command, tree):
        command = "A redirection leads to an agent: name an agent."
    result = ToolResult(call_id=call.id, name=call.name, content=_DONE)
    if isinstance(command, str):
        result = _refused(call, command)
    elif isinstance(command, Pause):
        result = _pause_result(call, command, tree)
    else:
        events = tree.supervision.effects_of(command.id) if tree.supervision else []
        try:
            for event in _remaining_events(command, events, tree):
                events.append(event)
                yield event
        except SteeringError as error:
            result = _refused(call, str(error))
        if events and isinstance(rejected := events[-1], e.HandoffRejected):
            result = _refused(call, rejected.why)
    yield node.event_factory.tool_returned(result)


_DONE = "Done."


def _command_of(call: ToolCall, node: ConversationNode) -> SupervisorCommand | str:
    """Return the command of a call, or a sentence with the error in its arguments."""
    arguments = read_arguments(call)
    if isinstance(arguments, str):
        return arguments
    fields: dict[str, Any] = {"id": _command_id(call, node), "by": _name_of(node)}
    reason = arguments.get("reason", "")
    match call.name:
        case "note":
            text, to_agent = arguments.get("text", ""), arguments.get("to_agent")
            fields |= {"kind": "note", "text": text, "to_agent": to_agent}
        case "pause":
            fields |= {"kind": "pause", "reason": reason}
        case "redirect":
            target, phase = arguments.get("target", ""), arguments.get("phase")
            fields |= {"kind": "hand_over", "target": target, "to_phase": phase, "reason": reason}
        case _:
            fields |= {"kind": "hand_over", "target": HUMAN, "reason": reason, "past_check": True}
    try:
        command = read_command(fields)
    except ValidationError as error:
        return f"The arguments of {call.name} are wrong: {describe_faults(error)}"
    return cast("SupervisorCommand", command)


def _means_human(command: HandOver, tree: ConversationTree) -> bool:
    """Report whether the target of a command is the human, by any of its names."""
    root = tree.root
    handoffs = root.pipeline.handoffs
    matches = handoffs.matches(command.target, root.conversation.state)
    return any(target == HUMAN or handoffs.is_human_stage(target) for target in matches)


def _name_of(node: ConversationNode) -> str:
    """Return the name of the supervisor."""
    agent = next(iter(node.pipeline.definition.agents), None)
    return agent.name if agent else ""


def _command_id(call: ToolCall, node: ConversationNode) -> str:
    """Return the id of a call's command, which is the same in every process."""
    run = node.conversation.run
    return f"{node.conversation.id}/{run.turns if run else 0}/{call.id}"


def _remaining_events(
    command: SendNote | HandOver, recorded: list[e.Event], tree: ConversationTree
) -> Iterator[e.Event]:
    """Yield the events of a command that are not recorded yet."""
    if not recorded:
        return command_events(command, tree)
    requested = recorded[-1]
    if isinstance(command, HandOver) and isinstance(requested, e.HandoffRequested):
        return hand_over_outcome(command, requested, tree.root.event_factory)
    return iter(())


def _pause_result(call: ToolCall, command: Pause, tree: ConversationTree) -> ToolResult:
    """Return the result of a pause, which takes effect before the next turn of the run."""
    root = tree.root
    run = root.conversation.run
    step = unsupervised_step(root.conversation, run, root.pipeline) if run else None
    if isinstance(step, Finish | Fail | None):
        return _refused(call, "The run is about to end, so there is nothing to pause.")
    pause = {"command_id": command.id, "by": command.by, "reason": command.reason}
    return msgspec.structs.replace(
        ToolResult(call_id=call.id, name=call.name, content="The run pauses before its next turn."),
        notes={"pause": pause},
    )


def _refused(call: ToolCall, why: str) -> ToolResult:
    return ToolResult(call_id=call.id, name=call.name, error=why)
