"""Parsing of a prompt: the words for an agent, without notes and others' labelled words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NOTE = re.compile(r"\[Context from previous agent \([^)\n]*\)\]: [^\n]*(?:\n>[^\n]*)*")
_LABEL = re.compile(r"(?:^|\n\n)\[([^\]\n]{1,120})\]: ")
_ECHO = re.compile(r" here(?:, taking over)?\. (?:.* )?You wrote “([^”]*)”\.", re.DOTALL)
"""The answer of one who was stood in for: what it quotes is what all of it is about."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A message, or several that came together, taken apart."""

    words: str = ""
    """Words addressed to the agent; empty if it received only others' words."""
    others: tuple[tuple[str, str], ...] = ()
    """Other speakers' ids and words."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Heard:
        """Read what an agent was told.

        >>> Heard.of(["A guide, please", "[agent-facts]: It has seven hills."])
        Heard(words='A guide, please', others=(('agent-facts', 'It has seven hills.'),))
        """
        words: list[str] = []
        others: dict[str, str] = {}
        for text in texts:
            own, *labelled = _LABEL.split(_NOTE.sub("", text))
            words.append(own.strip())
            others |= zip(labelled[::2], map(str.strip, labelled[1::2]), strict=True)
        said = "\n\n".join(filter(None, words))
        echo = _ECHO.search(said)
        return cls(echo[1] if echo else said, tuple(others.items()))

    @property
    def text(self) -> str:
        """All of it, without saying whose words are whose."""
        return "\n\n".join(filter(None, [self.words, *(said for _, said in self.others)]))

    @property
    def names(self) -> list[str]:
        """The others as people would call them: `agent-fact-checker` → `Fact checker`."""
        plain = (name.removeprefix("agent-") for name, _ in self.others)
        return [re.sub(r"[-_]+", " ", name).strip().capitalize() for name in plain]


def is_labelled(text: str) -> bool:
    """Report whether a text is labelled with another agent's id."""
    return _LABEL.match(text) is not None
