"""Raw queries without a pipeline (contract T-11)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.exceptions import HandlerError
from orchestration.library.tasks.handler import TaskHandler
from orchestration.library.tasks.results import TaskResult


class Passthrough(TaskHandler):
    """Answers raw text: every query is a message of one and the same task.

    So each is answered with all that was said before, within the same limits, until
    `reset_conversation` begins another.

    >>> import asyncio
    >>> async def main():
    ...     direct = Passthrough(session_id="direct")
    ...     await direct.query("Good morning")
    ...     await direct.query("How are you?")
    ...     asked = [message.text for message in direct.messages if message.role == "user"]
    ...     direct.reset_conversation()
    ...     return asked, direct.messages, direct.session_id
    >>> asyncio.run(main())
    (['Good morning', 'How are you?'], (), 'direct__1')
    """

    _resets = 0

    async def query(self, text: str, *, files: Mapping[str, str] | None = None) -> TaskResult:
        """The answer to a query. `files` are texts by their names that matter for this one.

        A model that fails raises `TaskError`, a limit `ResourceExhausted`; what was said stays.
        """
        if not text.strip():
            raise HandlerError("A query needs a text.")
        return await self.execute_prompt(text, files=files)

    def reset_conversation(self) -> None:
        """Forget what was said: the next query begins a task of its own, with the same tools."""
        self._refuse_while_busy()
        first = self.session_id.removesuffix(f"__{self._resets}")
        self._resets += 1
        self._begin(f"{first}__{self._resets}")
