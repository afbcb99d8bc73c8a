"""The sketches that undo and redo go through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.designer.editor.machine.sketch import Sketch

Step = tuple[Sketch, object]
"""The sketch on the other side of a step, and the field in which something was typed, if any."""


class Past:
    """As many steps as the history is deep; a burst of typing in one field is one of them."""

    def __init__(self, now: Sketch, depth: int) -> None:
        self.now, self.depth = now, depth
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._goes_on = False
        """Whether typing in the field of the last step would be the same step."""

    @contextmanager
    def step(self, field: object = None, *, at_once: bool = False) -> Iterator[Sketch]:
        """The sketch to change. Where nothing is different then, there is no step.

        `field` is what is typed in, and `at_once` says that nobody paused before it.
        """
        before = self.now.copy()
        yield self.now
        if self.now == before:
            return
        self._undone = []
        same = bool(self._done) and field is not None and self._done[-1][1] == field
        if not (at_once and self._goes_on and same):
            self._done = [*self._done, (before, field)][-self.depth :]
            self._goes_on = True
        elif self._done[-1][0] == self.now:
            self._done.pop()
            self._goes_on = False

    @property
    def steps(self) -> int:
        """How many steps can be undone."""
        return len(self._done)

    def undo(self) -> bool:
        """Go one step back; False: there is none."""
        was = self._turn(self._done, self._undone)
        self._goes_on = self._goes_on and not was
        return was

    def redo(self) -> bool:
        """Go one step on again; False: there is none."""
        was = self._turn(self._undone, self._done)
        self._goes_on = self._goes_on or was
        return was

    def _turn(self, these: list[Step], those: list[Step]) -> bool:
        if not these:
            return False
        other, field = these.pop()
        those.append((self.now, field))
        self.now = other
        return True
