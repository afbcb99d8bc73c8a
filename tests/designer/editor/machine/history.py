"""The states of the model for undo and redo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.designer.editor.machine.model import PipelineModel

Step = tuple[PipelineModel, object]
"""The model before or after a step, and the field that was typed in, if any."""


class History:
    """The steps up to the maximum depth; continued typing in one field is a single step."""

    def __init__(self, now: PipelineModel, depth: int) -> None:
        self.now, self.depth = now, depth
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._continues = False
        """True if further typing in the field of the last step belongs to that step."""

    @contextmanager
    def step(self, field: object = None, *, at_once: bool = False) -> Iterator[PipelineModel]:
        """Yield the model to change; without a change there is no step.

        `field` is the field that is typed in; `at_once` continues typing without a pause.
        """
        before = self.now.copy()
        yield self.now
        if self.now == before:
            return
        self._undone = []
        same = bool(self._done) and field is not None and self._done[-1][1] == field
        if not (at_once and self._continues and same):
            self._done = [*self._done, (before, field)][-self.depth :]
            self._continues = True
        elif self._done[-1][0] == self.now:
            self._done.pop()
            self._continues = False

    @property
    def steps(self) -> int:
        """Number of steps that can be undone."""
        return len(self._done)

    def undo(self) -> bool:
        """Undo a step; return False without one."""
        was = self._turn(self._done, self._undone)
        self._continues = self._continues and not was
        return was

    def redo(self) -> bool:
        """Redo a step; return False without one."""
        was = self._turn(self._undone, self._done)
        self._continues = self._continues or was
        return was

    def _turn(self, source: list[Step], target: list[Step]) -> bool:
        if not source:
            return False
        other, field = source.pop()
        target.append((self.now, field))
        self.now = other
        return True
