"""Stand-in for an agent without cues: it hands over other agents' topics, or answers.

Its input is the same as a model's: the messages, the instructions and the tools with their targets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestration.definition import HUMAN, CueCall, CueHandoff
from orchestration.prompts import first_sentence
from orchestration.providers.prompt_parsing import ParsedPrompt
from orchestration.providers.provider import ModelRequest

MAX_ECHO = 120
"""Maximum length of a quotation of the user's message."""


@dataclass(frozen=True, slots=True)
class HandoffChoice:
    """A target that a tool offers."""

    target: str
    name: str
    phase: str
    is_return: bool
    stems: frozenset[str]
    delegation_tool: str = ""
    """Tool that delegates a task to the target; empty if the conversation is handed over."""

    @property
    def label(self) -> str:
        """Name of the target, else its id."""
        return self.name or self.target


def stand_in(request: ModelRequest, prompt: ParsedPrompt) -> CueHandoff | CueCall | str:
    """Return the agent's handoff, call or answer. Pure.

    An agent that has just received the conversation answers: only a cue hands it over at once.
    """
    choices, message = _choices(request), prompt.text
    if request.came_from and request.handoffs:
        return _answer(request, prompt, choices)
    if (choice := _accepted(choices, request, message)) and not choice.delegation_tool:
        return _handoff(choice, f"The user wants to go on to {choice.label}.", message)
    if choice := _best_choice(choices, request, message):
        reason = f"The message is about what {choice.label} does."
        if choice.delegation_tool:
            return CueCall(tool=choice.delegation_tool, arguments={"task": message})
        if choice.target == HUMAN:
            reason = "The message asks for a person."
        return _handoff(choice, reason, message)
    return _answer(request, prompt, choices)


def _handoff(choice: HandoffChoice, reason: str, message: str) -> CueHandoff:
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
            option.target,
            option.agent_name,
            option.phase,
            option.kind == "return",
            stems(f"{option.target} {option.phase} {option.agent_name} {option.description}"),
            tool.name if tool.kind == "delegate" else "",
        )
        for tool in request.tools
        for option in tool.options
    ]


_OFFER = "I can pass you on to "


def _accepted(
    choices: Sequence[HandoffChoice], request: ModelRequest, message: str
) -> HandoffChoice | None:
    """Return the only agent in the last offer, if the user accepts it."""
    offers = [choice for choice in choices if choice.target != HUMAN]
    is_single = len({choice.label for choice in offers}) == 1
    return (
        offers[0] if is_single and _has_offered(request) and _consists_of(message, _YES) else None
    )


def _has_offered(request: ModelRequest) -> bool:
    """Report whether the agent's last message was an offer."""
    previous = request.messages[-2] if len(request.messages) > 1 else None
    return previous is not None and previous.role == "assistant" and _OFFER in previous.text


def _best_choice(
    choices: Iterable[HandoffChoice], request: ModelRequest, message: str
) -> HandoffChoice | None:
    """Return the choice with the best match, if it is better than the agent's own."""
    words = stems(message)
    agent = request.agent
    own = stems(f"{agent.id} {agent.name} {request.phase} {first_sentence(agent.instructions)}")
    best, best_score = None, _overlap(words, own)
    for choice in choices:
        score = _overlap(words, choice.stems)
        score += bool(score) and choice.is_return and "back" in words
        if score > best_score:
            best, best_score = choice, score
    return best


def _answer(request: ModelRequest, prompt: ParsedPrompt, choices: list[HandoffChoice]) -> str:
    """Return a short answer in the agent's role, with special answers to thanks and a plain yes."""
    agent, message = request.agent, prompt.words
    if not request.came_from and _consists_of(message, _THANKS):
        return "You are welcome."
    if not request.came_from and _consists_of(message, _YES):
        return "To whom?" if _has_offered(request) else "All right. What can I do for you?"
    sentences = [f"{agent.name} here, taking over." if request.came_from else f"{agent.name} here."]
    if role := _first_person(first_sentence(agent.instructions)):
        sentences.append(role)
    if message.strip():
        quoted = _unquoted(_short(message))
        sentences.append(f"You wrote “{quoted}”" + ("" if quoted[-1] in _ENDS else "."))
    if prompt.names:
        sentences.append(f"I have read {_listed(prompt.names, 'and')}.")
    others = list(dict.fromkeys(choice.label for choice in choices if choice.target != HUMAN))
    if others:
        sentences.append(f"{_OFFER}{_listed(others, 'or')}.")
    return " ".join(sentences)


_PERSONS = (("You are ", "I am "), ("You're ", "I'm "), ("You ", "I "), ("Your ", "My "))


def _first_person(sentence: str) -> str:
    """Convert `You triage requests.` to `I triage requests.`; empty for other forms."""
    for you, me in _PERSONS:
        if sentence.startswith(you):
            return me + sentence.removeprefix(you)
    return ""


def _listed(names: list[str], last: str) -> str:
    if len(names) > 4:
        names = [*names[:3], "others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def _unquoted(text: str) -> str:
    """Replace quotation marks by inner ones, for a text inside quotation marks."""
    return text.translate(_INNER)


_ENDS = ".!?…"
"""Marks that end a sentence, also within quotation marks, without another full stop."""

_INNER = str.maketrans("“”", "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}")


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= MAX_ECHO else line[: MAX_ECHO - 1].rstrip() + "…"


# Words

_YES = frozenset("yes yeah yep ok okay sure please pass go".split())  # noqa: SIM905
_THANKS = frozenset("thank thanks bye goodbye cheers".split())  # noqa: SIM905
_FILLERS = frozenset(
    """
    a ahead all and be do fine for good great help it lot me much nice on so that then to very
    would you your
    """.split()  # noqa: SIM905 - words are easier to read as words
)


def _consists_of(message: str, words: frozenset[str]) -> bool:
    """Report whether a message consists only of these words and fillers."""
    message_words = set(re.findall(r"[^\W\d_]+", message.casefold()))
    return bool(message_words & words) and message_words <= _YES | _THANKS | _FILLERS


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
    """Return the significant words of a text, without endings."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return frozenset(_stem(word) for word in words if len(word) > 2 and word not in _COMMON)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _overlap(words: frozenset[str], topic: frozenset[str]) -> int:
    return sum(any(_are_alike(word, other) for other in topic) for word in words)


def _are_alike(word: str, other: str) -> bool:
    if word == other:
        return True
    return min(len(word), len(other)) >= 5 and (word.startswith(other) or other.startswith(word))
