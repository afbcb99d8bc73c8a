"""The scripted provider: plays agents from their cues, offline and always the same.

An agent without a fitting cue is stood in for (`orchestration.providers.stand_in`), so that a
pipeline drawn a minute ago can be rehearsed at once.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from orchestration.definition import Cue, CueCall, CueHandoff
from orchestration.handoff import HANDOFF_TOOL_NAME
from orchestration.messages import ToolCall
from orchestration.providers.arguments import make_up
from orchestration.providers.prompt_parsing import Heard, is_labelled
from orchestration.providers.provider import (
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.providers.stand_in import stand_in
from orchestration.tokens import estimate_tokens
from orchestration.tools import HandoffOption

TOKENS_PER_SECOND = 50.0


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """Text and calls of a scripted turn."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


_REFUSED = "Refused: "
"""Beginning of the result of a failed handoff."""


@dataclass(slots=True)
class ScriptedScene:
    """Input of a scripted agent: the user's message, and its own actions so far."""

    message: str = ""
    heard: Heard = field(default_factory=Heard)
    """The same without the labels of others and their notes, and what else came with it."""
    results: list[tuple[ToolCall, str]] = field(default_factory=list)
    """Own calls and their results since someone else last spoke, and the last handoff."""
    refused: str | None = None
    """Why the handoff that was asked for did not come about."""

    @classmethod
    def of(cls, messages: Sequence[PromptMessage]) -> ScriptedScene:
        """Read the end of the history: up to the user's own last words."""
        scene = cls(heard=Heard.of(_told(messages)))
        calls, own_turn = dict[str, ToolCall](), True
        answers: dict[str, PromptMessage] = {}
        for message in reversed(messages):
            if message.role == "user":
                own_turn = False
                if message.speaker is None:
                    scene.message = message.text
                    break
            elif own_turn and message.role == "tool":
                answers[message.tool_call_id or ""] = message
            elif own_turn:
                calls |= {call.id: call for call in message.tool_calls}
        for call_id, answer in answers.items():
            if call_id not in calls:
                continue
            if not answer.handoff:
                scene.results.append((calls[call_id], answer.text))
            elif answer.text.startswith(_REFUSED):
                scene.refused = answer.text.removeprefix(_REFUSED)
            else:
                break  # it handed over to itself: a new scene
        scene.results.reverse()
        return scene


def _told(messages: Sequence[PromptMessage]) -> list[str]:
    """Return the last input of the agent: one message, or all from a group's members."""
    told: list[str] = []
    for message in reversed(messages):
        is_told = message.role == "user" and message.speaker is None
        if told and not (is_told and is_labelled(message.text)):
            break
        if is_told:
            told.insert(0, message.text)
        if is_told and not is_labelled(message.text):
            break
    return told


class ScriptedProvider:
    """Plays cues; `tokens_per_second=0` (or None) plays them without a pause."""

    name = "scripted"

    def __init__(self, tokens_per_second: float | None = TOKENS_PER_SECOND) -> None:
        self._pause = 1 / tokens_per_second if tokens_per_second else 0.0

    def model_of(self, request: ModelRequest) -> str:
        """It has one model: the script."""
        return "script"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Play the turn, a word at a time."""
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
    """Return the text and calls of the agent's turn. Pure."""
    scene = ScriptedScene.of(request.messages)
    if scene.refused is not None:
        return ScriptedReply(f"I could not hand this over. {scene.refused}")
    cue = _cue(request, scene.message)
    if cue is not None:
        return _perform(cue, scene, request)
    delegated = {tool.name for tool in request.tools if tool.kind == "delegate"}
    if answers := [said for call, said in scene.results if call.name in delegated]:
        return ScriptedReply("\n\n".join(answers))
    reply = stand_in(request, scene.heard)
    match reply:
        case CueHandoff():
            return ScriptedReply(calls=(_handing_over(reply, scene.heard.text, request),))
        case CueCall():
            return ScriptedReply(calls=(_calling(reply),))
        case _:
            return ScriptedReply(_formed(reply, request, scene.heard.text))


def _formed(text: str, request: ModelRequest, message: str) -> str:
    """An answer in the form that the agent's answers are to have."""
    schema = request.agent.response_schema
    if schema is None:
        return text
    return json.dumps(make_up(schema, {}, message or text), ensure_ascii=False)


def _cue(request: ModelRequest, message: str) -> Cue | None:
    """The first cue that fits; after a handoff, first among those made for it."""
    words = _normal(message)
    fitting = [
        cue
        for cue in request.agent.cues
        if cue.in_phase in (None, request.phase) and matches(cue.when, message, words)
    ]
    if request.came_from is not None:
        for cue in fitting:
            if cue.after_handoff_from == request.came_from:
                return cue
    return next((cue for cue in fitting if cue.after_handoff_from is None), None)


def matches(when: Sequence[str], message: str, words: str | None = None) -> bool:
    """Report whether a word or phrase occurs in the message; an empty list fits any."""
    if not when:
        return True
    words = _normal(message) if words is None else words
    return any(_occurs(phrase, message, words) for phrase in when)


def _occurs(phrase: str, message: str, words: str) -> bool:
    wanted = _normal(phrase)
    return wanted in words if wanted.strip() else phrase.strip() in message


def _normal(text: str) -> str:
    """The words of a text, in lower case, with a blank around each: ` where is my order `."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _perform(cue: Cue, scene: ScriptedScene, request: ModelRequest) -> ScriptedReply:
    """First the call, then, with its result, what is to be said and who takes over."""
    result = ""
    if cue.call is not None:
        wanted = cue.call
        found = [said for call, said in scene.results if call.name == wanted.tool]
        if not found:
            return ScriptedReply(calls=(_calling(wanted),))
        result = found[-1]
    text = cue.say.replace("{result}", result).replace("{message}", scene.heard.text)
    if cue.hand_over is not None:
        return ScriptedReply(text, (_handing_over(cue.hand_over, scene.heard.text, request),))
    if not text and result.startswith("Error: "):
        text = f"That did not work: {result.removeprefix('Error: ')}"
    return ScriptedReply(text or (f"Here is what I found: {result}" if result else "Noted."))


def _calling(wanted: CueCall) -> ToolCall:
    arguments = json.dumps(wanted.arguments, ensure_ascii=False)
    return ToolCall(id="", name=wanted.tool, arguments=arguments)


def _handing_over(handoff: CueHandoff, message: str, request: ModelRequest) -> ToolCall:
    """The call of whichever tool leads to the target."""
    reason = handoff.reason or "This is theirs to answer."
    summary = handoff.summary or f"The user wrote: {message}"
    name = HANDOFF_TOOL_NAME
    for tool in request.tools:
        if tool.kind == "transfer" and _leads(tool.options[0], handoff):
            known = {"reason": reason, "summary": summary}
            told = make_up(tool.parameters, known, message or summary)
            return _calling(CueCall.model_construct(tool=tool.name, arguments=told))
    if shared := next((tool for tool in request.tools if tool.kind == "handoff"), None):
        name = shared.name
        if "message" in shared.parameters["properties"]:
            told = {"target": handoff.target, "message": summary}
            return _calling(CueCall.model_construct(tool=name, arguments=told))
    arguments = {"target": handoff.target, "reason": reason, "summary": summary}
    if handoff.phase is not None:
        arguments["next_phase"] = handoff.phase
    return _calling(CueCall.model_construct(tool=name, arguments=arguments))


def _leads(way: HandoffOption, handoff: CueHandoff) -> bool:
    return handoff.target in (way.target, way.phase) and handoff.phase in (None, way.phase)
