"""Stand-in for an agent without cues: it hands over others' topics, or answers.

It sees what a model sees: the messages, its own instructions, and where its tools lead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestration.definition import HUMAN, CueCall, CueHandoff
from orchestration.prompts import first_sentence
from orchestration.providers.prompt_parsing import Heard
from orchestration.providers.provider import ModelRequest

MAX_ECHO = 120
"""Characters of the user's message that are repeated to the user."""


@dataclass(frozen=True, slots=True)
class HandoffChoice:
    """A way that a tool offers."""

    target: str
    name: str
    phase: str
    back: bool
    stems: frozenset[str]
    delegates_by: str = ""
    """The tool that has the target do a task; empty: the conversation is handed over."""

    @property
    def who(self) -> str:
        """The name of the target, where it has one."""
        return self.name or self.target


def stand_in(request: ModelRequest, heard: Heard) -> CueHandoff | CueCall | str:
    """Return the handoff, the call or the answer of the agent. Pure.

    An agent that has just received the conversation keeps it: only a cue passes it on at once.
    """
    choices, message = _choices(request), heard.text
    if request.came_from and request.handoffs:
        return _answer(request, heard, choices)
    if (choice := _accepted(choices, request, message)) and not choice.delegates_by:
        return _handing_over(choice, f"The user wants to go on to {choice.who}.", message)
    if choice := _best(choices, request, message):
        why = f"The message is about what {choice.who} does."
        if choice.delegates_by:
            return CueCall(tool=choice.delegates_by, arguments={"task": message})
        if choice.target == HUMAN:
            why = "The message asks for a person."
        return _handing_over(choice, why, message)
    return _answer(request, heard, choices)


def _handing_over(choice: HandoffChoice, reason: str, message: str) -> CueHandoff:
    return CueHandoff(
        target=choice.target,
        phase=choice.phase if choice.target != HUMAN else None,
        reason=reason,
        summary=f"The user wrote: {_short(message)}",
    )


def _choices(request: ModelRequest) -> list[HandoffChoice]:
    if request.agent.tool_choice == "none":
        return []
    return [
        HandoffChoice(
            way.target,
            way.agent_name,
            way.phase,
            way.kind == "return",
            stems(f"{way.target} {way.phase} {way.agent_name} {way.description}"),
            tool.name if tool.kind == "delegate" else "",
        )
        for tool in request.tools
        for way in tool.options
    ]


_OFFER = "I can pass you on to "


def _accepted(
    choices: Sequence[HandoffChoice], request: ModelRequest, message: str
) -> HandoffChoice | None:
    """The one agent that was just offered, if the user says yes to it."""
    offered = [choice for choice in choices if choice.target != HUMAN]
    one = len({choice.who for choice in offered}) == 1
    return offered[0] if one and _has_offered(request) and _is_made_of(message, _YES) else None


def _has_offered(request: ModelRequest) -> bool:
    """Report whether the agent's previous words were an offer."""
    before = request.messages[-2] if len(request.messages) > 1 else None
    return before is not None and before.role == "assistant" and _OFFER in before.text


def _best(
    choices: Iterable[HandoffChoice], request: ModelRequest, message: str
) -> HandoffChoice | None:
    """The choice the message speaks of most: more than of the agent itself, and at all."""
    said = stems(message)
    agent = request.agent
    own = stems(f"{agent.id} {agent.name} {request.phase} {first_sentence(agent.instructions)}")
    best, most = None, _overlap(said, own)
    for choice in choices:
        score = _overlap(said, choice.stems)
        score += bool(score) and choice.back and "back" in said
        if score > most:
            best, most = choice, score
    return best


def _answer(request: ModelRequest, heard: Heard, choices: list[HandoffChoice]) -> str:
    """A short answer in the agent's role; to thanks, and to a yes to nothing, a plain word."""
    agent, message = request.agent, heard.words
    if not request.came_from and _is_made_of(message, _THANKS):
        return "You are welcome."
    if not request.came_from and _is_made_of(message, _YES):
        return "To whom?" if _has_offered(request) else "All right. What can I do for you?"
    sentences = [f"{agent.name} here, taking over." if request.came_from else f"{agent.name} here."]
    if role := _first_person(first_sentence(agent.instructions)):
        sentences.append(role)
    if message.strip():
        quoted = _unquoted(_short(message))
        sentences.append(f"You wrote “{quoted}”" + ("" if quoted[-1] in _ENDS else "."))
    if heard.names:
        sentences.append(f"I have read {_listed(heard.names, 'and')}.")
    others = list(dict.fromkeys(choice.who for choice in choices if choice.target != HUMAN))
    if others:
        sentences.append(f"{_OFFER}{_listed(others, 'or')}.")
    return " ".join(sentences)


_PERSONS = (("You are ", "I am "), ("You're ", "I'm "), ("You ", "I "), ("Your ", "My "))


def _first_person(sentence: str) -> str:
    """`You triage requests.` → `I triage requests.`; what is put otherwise is left out."""
    for you, me in _PERSONS:
        if sentence.startswith(you):
            return me + sentence.removeprefix(you)
    return ""


def _listed(names: list[str], last: str) -> str:
    if len(names) > 4:
        names = [*names[:3], "others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def _unquoted(text: str) -> str:
    """A text to stand between quotation marks: its own are inner ones."""
    return text.translate(_INNER)


_ENDS = ".!?…"
"""Marks that end a sentence, also within quotation marks: no full stop follows."""

_INNER = str.maketrans("“”", "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}")


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= MAX_ECHO else line[: MAX_ECHO - 1].rstrip() + "…"


# Words

_YES = frozenset("yes yeah yep ok okay sure please pass go".split())  # noqa: SIM905
_THANKS = frozenset("thank thanks bye goodbye cheers".split())  # noqa: SIM905
_BESIDES = frozenset(
    """
    a ahead all and be do fine for good great help it lot me much nice on so that then to very
    would you your
    """.split()  # noqa: SIM905 - words are easier to read as words
)


def _is_made_of(message: str, words: frozenset[str]) -> bool:
    """Report whether a message consists of these words only, apart from polite ones."""
    said = set(re.findall(r"[^\W\d_]+", message.casefold()))
    return bool(said & words) and said <= _YES | _THANKS | _BESIDES


_COMMON = frozenset(
    """
    a about after again all also am an and any are as at be been but by can could did do does for
    from get give go got had has have he her here him his how i if in into is it its just let like
    make may me more my need no not now of off on one or other our out over please she should so
    some take takes than thank thanks that the their them then there these they this those to too
    up us very want was we were what when where which who will with would yes you your
    agent answer answers conversation message messages request requests stage user
    """.split()  # noqa: SIM905 - words are easier to read as words
)

_ENDINGS = (
    *("utions", "ution", "ations", "ation", "ments", "ment", "ings", "ing", "ers", "er", "ors"),
    *("or", "ies", "ied", "ed", "es", "s", "e", "y"),
)


def stems(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, without their endings."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return frozenset(_stem(word) for word in words if len(word) > 2 and word not in _COMMON)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _overlap(said: frozenset[str], about: frozenset[str]) -> int:
    return sum(any(_alike(one, other) for other in about) for one in said)


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    return min(len(one), len(other)) >= 5 and (one.startswith(other) or other.startswith(one))
