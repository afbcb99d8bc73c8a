"""The scripted provider: offline, deterministic answers from the agents' cues.

Without a matching cue the stand-in answers (`orchestration.providers.stand_in`), so that a new
pipeline can be rehearsed at once.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from orchestration.definition import HUMAN, Cue, CueCall, CueHandoff
from orchestration.handoff import HANDOFF_TOOL_NAME, matching_targets, same_name
from orchestration.messages import ToolCall
from orchestration.providers.prompt_parsing import ParsedPrompt, is_labelled
from orchestration.providers.provider import (
    SUPERVISOR,
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.providers.sample_arguments import sample_arguments
from orchestration.providers.stand_in import stand_in
from orchestration.tokens import estimate_tokens
from orchestration.tools import HandoffOption

TOKENS_PER_SECOND = 50.0


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """TextBuffer and calls of a scripted turn."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


_NOTHING_TO_DO = "Nothing to do."
"""Answer of a supervisor without a matching cue."""

_REJECTED = "Refused: "
"""Prefix of the result of a rejected handoff."""


@dataclass(slots=True)
class ScriptedInput:
    """Input of a scripted agent: the user's message and the agent's calls since then."""

    message: str = ""
    prompt: ParsedPrompt = field(default_factory=ParsedPrompt)
    """The latest input without notes and labels."""
    results: list[tuple[ToolCall, str]] = field(default_factory=list)
    """The agent's calls and their results, since the last other message or handoff."""
    rejection: str | None = None
    """Reason for the rejection of the requested handoff."""

    @classmethod
    def parse(cls, messages: Sequence[PromptMessage]) -> ScriptedInput:
        """Parse the history back to the user's last message."""
        scripted_input = cls(prompt=ParsedPrompt.parse(_latest_input(messages)))
        calls, own_turn = dict[str, ToolCall](), True
        answers: dict[str, PromptMessage] = {}
        # A note changes nothing in a script.
        for message in (each for each in reversed(messages) if each.speaker != SUPERVISOR):
            if message.role == "user":
                own_turn = False
                if message.speaker is None:
                    scripted_input.message = message.text
                    break
            elif own_turn and message.role == "tool":
                answers[message.tool_call_id or ""] = message
            elif own_turn:
                calls |= {call.id: call for call in message.tool_calls}
        for call_id, answer in answers.items():
            if call_id not in calls:
                continue
            if not answer.handoff:
                scripted_input.results.append((calls[call_id], answer.text))
            elif answer.text.startswith(_REJECTED):
                scripted_input.rejection = answer.text.removeprefix(_REJECTED)
            else:
                break  # a handoff to itself: earlier calls do not count
        scripted_input.results.reverse()
        return scripted_input


def _latest_input(messages: Sequence[PromptMessage]) -> list[str]:
    """Return the agent's last input: one message, or those of all members of a group."""
    texts: list[str] = []
    for message in reversed(messages):
        is_input = message.role == "user" and message.speaker is None
        if texts and not (is_input and is_labelled(message.text)):
            break
        if is_input:
            texts.insert(0, message.text)
        if is_input and not is_labelled(message.text):
            break
    return texts


class ScriptedProvider:
    """Provider that plays cues; `tokens_per_second=0` (or None) plays without pauses."""

    name = "scripted"

    def __init__(self, tokens_per_second: float | None = TOKENS_PER_SECOND) -> None:
        self._pause = 1 / tokens_per_second if tokens_per_second else 0.0

    def model_of(self, request: ModelRequest) -> str:
        """Return the name of the only model."""
        return "script"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Yield the turn, word by word."""
        reply = play(request)
        for word in _WORDS.findall(reply.text):
            if self._pause:
                await asyncio.sleep(self._pause)
            yield TextPiece(word)
        for call in reply.calls:
            yield CallPiece(call)
        sent = sum(message.tokens for message in request.messages)
        answered = estimate_tokens(reply.text) + sum(
            estimate_tokens(call.arguments) for call in reply.calls
        )
        yield Finished(estimate_tokens(request.system) + sent, answered)


_WORDS = re.compile(r"\s*\S+\s*")


_WORD = re.compile(r"\w+")


def play(request: ModelRequest) -> ScriptedReply:
    """Return the text and the calls of the agent's turn. Pure."""
    scripted_input = ScriptedInput.parse(request.messages)
    if scripted_input.rejection is not None:
        return ScriptedReply(f"I could not hand this over. {scripted_input.rejection}")
    cue = _matching_cue(request, scripted_input.message)
    if cue is not None:
        return _perform(cue, scripted_input, request)
    if any(tool.kind == "command" for tool in request.tools):
        return ScriptedReply(_NOTHING_TO_DO)
    delegated = {tool.name for tool in request.tools if tool.kind == "delegate"}
    if answers := [result for call, result in scripted_input.results if call.name in delegated]:
        return ScriptedReply("\n\n".join(answers))
    reply = stand_in(request, scripted_input.prompt)
    match reply:
        case CueHandoff():
            return ScriptedReply(calls=(_handoff_call(reply, scripted_input.prompt.text, request),))
        case CueCall():
            return ScriptedReply(calls=(_tool_call(reply),))
        case _:
            return ScriptedReply(_in_schema(reply, request, scripted_input.prompt.text))


def _in_schema(text: str, request: ModelRequest, message: str) -> str:
    """Convert an answer to the agent's response schema, if it has one."""
    schema = request.agent.response_schema
    if schema is None:
        return text
    return json.dumps(sample_arguments(schema, {}, message or text), ensure_ascii=False)


def _matching_cue(request: ModelRequest, message: str) -> Cue | None:
    """Return the first matching cue; after a handoff, cues for that handoff come first."""
    words = _normal(message)
    matching = [
        cue
        for cue in request.agent.cues
        if (cue.in_phase is None or same_name(cue.in_phase, request.phase))
        and matches(cue.when, message, words)
    ]
    if request.came_from is not None:
        for cue in matching:
            sender = cue.after_handoff_from
            if sender is not None and same_name(sender, request.came_from):
                return cue
    return next((cue for cue in matching if cue.after_handoff_from is None), None)


def matches(when: Sequence[str], message: str, words: str | None = None) -> bool:
    """Report whether a word or phrase occurs in the message; an empty list matches any."""
    if not when:
        return True
    words = _normal(message) if words is None else words
    return any(_occurs(phrase, message, words) for phrase in when)


def _occurs(phrase: str, message: str, words: str) -> bool:
    normal = _normal(phrase)
    return normal in words if normal.strip() else phrase.strip() in message


def _normal(text: str) -> str:
    """Return the words in lower case, surrounded by spaces: ` where is my order `."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _perform(cue: Cue, scripted_input: ScriptedInput, request: ModelRequest) -> ScriptedReply:
    """Return the cue's call; once its result exists, the cue's text and handoff."""
    result = ""
    if cue.call is not None:
        cue_call = cue.call
        results = [text for call, text in scripted_input.results if call.name == cue_call.tool]
        if not results:
            return ScriptedReply(calls=(_tool_call(cue_call),))
        result = results[-1]
    text = cue.say.replace("{result}", result).replace("{message}", scripted_input.prompt.text)
    if cue.hand_over is not None:
        call = _handoff_call(cue.hand_over, scripted_input.prompt.text, request)
        # The call of a supervisor has a result; a handoff ends the agent's part.
        answers = [answer for made, answer in scripted_input.results if made.name == call.name]
        return ScriptedReply(answers[-1]) if answers else ScriptedReply(text, (call,))
    if not text and result.startswith("Error: "):
        text = f"That did not work: {result.removeprefix('Error: ')}"
    return ScriptedReply(text or (f"Here is what I found: {result}" if result else "Noted."))


def _tool_call(call: CueCall) -> ToolCall:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return ToolCall(id="", name=call.tool, arguments=arguments)


def _handoff_call(handoff: CueHandoff, message: str, request: ModelRequest) -> ToolCall:
    """Return the call of the tool that leads to the target."""
    reason = handoff.reason or "This is theirs to answer."
    summary = handoff.summary or f"The user wrote: {message}"
    name = HANDOFF_TOOL_NAME
    if any(tool.kind == "command" for tool in request.tools):
        return _supervisor_call(handoff, reason)
    offered = _with_offered_target(handoff, request)
    for tool in request.tools:
        if tool.kind == "transfer" and _leads_to(tool.options[0], offered):
            known = {"reason": reason, "summary": summary}
            sampled = sample_arguments(tool.parameters, known, message or summary)
            arguments = {**sampled, **handoff.arguments}
            return _tool_call(CueCall.model_construct(tool=tool.name, arguments=arguments))
    # The handoff check knows the aliases, so that the trace shows them as written.
    target = handoff.target if handoff.target in _aliases(request) else offered.target
    if shared := next((tool for tool in request.tools if tool.kind == "handoff"), None):
        name = shared.name
        if "message" in shared.parameters["properties"]:
            arguments = {"target": target, "message": summary}
            return _tool_call(CueCall.model_construct(tool=name, arguments=arguments))
    arguments = {"target": target, "reason": reason, "summary": summary}
    if offered.phase is not None:
        arguments["next_phase"] = offered.phase
    return _tool_call(CueCall.model_construct(tool=name, arguments=arguments))


def _supervisor_call(handoff: CueHandoff, reason: str) -> ToolCall:
    """Return the call of a supervisor for a handoff: escalate to the human, or redirect."""
    if same_name(handoff.target, HUMAN):
        return _tool_call(CueCall(tool="escalate", arguments={"reason": reason}))
    arguments = {"target": handoff.target, "reason": reason}
    if handoff.phase is not None:
        arguments["phase"] = handoff.phase
    return _tool_call(CueCall(tool="redirect", arguments=arguments))


def _with_offered_target(handoff: CueHandoff, request: ModelRequest) -> CueHandoff:
    """Return the handoff with its target as the tools name it; an unknown target is unchanged."""
    options = [option for tool in request.tools for option in tool.options]
    matches = matching_targets(
        handoff.target,
        {option.target for option in options},
        {option.target: option.agent_name for option in options},
        _aliases(request),
        {option.phase for option in options},
    )
    target = matches[0] if len(matches) == 1 else handoff.target
    phase = next((o.phase for o in options if same_name(o.phase, handoff.phase or "")), None)
    return handoff.model_copy(update={"target": target, "phase": phase or handoff.phase})


def _aliases(request: ModelRequest) -> dict[str, str]:
    """Return the targets that the request offers, by alias."""
    options = [option for tool in request.tools for option in tool.options]
    return {alias: option.target for option in options for alias in option.aliases}


def _leads_to(option: HandoffOption, handoff: CueHandoff) -> bool:
    return handoff.target in (option.target, option.phase) and handoff.phase in (None, option.phase)
