"""Parsing of a prompt: separate the words for an agent from notes and other speakers' words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from orchestration.definition import KEY_PATTERN

_NOTE = re.compile(r"\[Context from previous agent \([^\n]*?\)\]: [^\n]*(?:\n>[^\n]*)*")
_LABEL = re.compile(r"(?:^|\n\n)\[([^\]\n]{1,120})\]: ")
_ECHO = re.compile(r" here(?:, taking over)?\. (?:.* )?You wrote “([^”]*)”\.", re.DOTALL)
"""An answer of the stand-in: only its quotation is relevant."""


@dataclass(frozen=True, slots=True)
class ParsedPrompt:
    """Parts of one or several messages to an agent."""

    words: str = ""
    """Words for the agent; empty if all words are other speakers'."""
    others: tuple[tuple[str, str], ...] = ()
    """Ids and words of other speakers."""

    @classmethod
    def parse(cls, texts: Iterable[str]) -> ParsedPrompt:
        """Parse the messages to an agent.

        >>> ParsedPrompt.parse(["A guide, please", "[agent-facts]: It has seven hills."])
        ParsedPrompt(words='A guide, please', others=(('agent-facts', 'It has seven hills.'),))
        """
        words: list[str] = []
        others: dict[str, str] = {}
        for text in texts:
            own, *labelled = _LABEL.split(_NOTE.sub("", text))
            words.append(own.strip())
            others |= zip(labelled[::2], map(str.strip, labelled[1::2]), strict=True)
        joined = "\n\n".join(filter(None, words))
        echo = _ECHO.search(joined)
        return cls(echo[1] if echo else joined, tuple(others.items()))

    @property
    def text(self) -> str:
        """All words, without labels."""
        return "\n\n".join(filter(None, [self.words, *(text for _, text in self.others)]))

    @property
    def names(self) -> list[str]:
        """Readable names of the other speakers: `agent-fact-checker` → `Fact checker`."""
        return [_readable(name) for name, _ in self.others]


def _readable(name: str) -> str:
    """Convert an id to words; any other name stays unchanged."""
    if not re.fullmatch(KEY_PATTERN, name):
        return name
    return re.sub(r"[-_]+", " ", name.removeprefix("agent-")).strip().capitalize()


def is_labelled(text: str) -> bool:
    """Report whether a text is labelled with another agent's id."""
    return _LABEL.match(text) is not None
