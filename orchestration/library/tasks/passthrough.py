"""Raw queries without a pipeline (contract T-11)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.exceptions import HandlerError
from orchestration.library.tasks.handler import TaskHandler
from orchestration.library.tasks.results import TaskResult


class Passthrough(TaskHandler):
    """Raw queries as messages of one task.

    Each query is answered with the earlier messages as context and within the same limits, until
    `reset_conversation` begins another task.

    >>> import asyncio
    >>> async def main():
    ...     direct = Passthrough(session_id="direct")
    ...     await direct.query("Good morning")
    ...     await direct.query("How are you?")
    ...     queries = [message.text for message in direct.messages if message.role == "user"]
    ...     direct.reset_conversation()
    ...     return queries, direct.messages, direct.session_id
    >>> asyncio.run(main())
    (['Good morning', 'How are you?'], (), 'direct__1')
    """

    _resets = 0

    async def query(self, text: str, *, files: Mapping[str, str] | None = None) -> TaskResult:
        """Return the answer to a query. `files` are texts by file name for this query.

        A failed model raises `TaskError`, a limit `ResourceExhausted`; the messages are kept.
        """
        if not text.strip():
            raise HandlerError("The query is empty: pass a text.")
        return await self.execute_prompt(text, files=files)

    def reset_conversation(self) -> None:
        """Discard all messages; the next query begins a new task with the same tools."""
        self._refuse_while_busy()
        first = self.session_id.removesuffix(f"__{self._resets}")
        self._resets += 1
        self._begin(f"{first}__{self._resets}")
