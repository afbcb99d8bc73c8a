"""The small model of `scripts/demo --local-model`: its process, and what is said through it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from django.conf import settings

from orchestration.definition import PipelineDefinition

NAME = "SmolLM2-135M-Instruct"
"""Name of the model."""


class LocalModel:
    """A server of the model, in a process of its own; a context manager.

    What it says of itself goes to `log`. It ends with this process, however that ends.
    """

    def __init__(self, log: Path) -> None:
        self._log = log
        self._file: IO[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""
        """Address of the server, `http://127.0.0.1:49152`; its APIs are below `/v1`."""

    def __enter__(self) -> Self:
        """Start it, and return once it answers; `LocalModelError` where it does not."""
        self._file = self._log.open("wb")
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "local_model"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._file,
        )
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        for line in self._process.stdout:
            if line.startswith(b"http://"):
                self.url = line.decode().strip()
                return self
        self.__exit__(None, None, None)
        raise LocalModelError(f"The local model did not start; what it said is in {self._log}.")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End it."""
        if self._process is not None:
            self._process.communicate()  # the end of its input is the end of it
        if self._file is not None:
            self._file.close()


class LocalModelError(Exception):
    """The local model cannot be had."""


def suited(definition: PipelineDefinition, name: str) -> PipelineDefinition:
    """A pipeline, called `name`, as a model of this size can play it.

    Left to itself it writes prose where a tool is to be called. So the entry's agent has to call
    one, which the server holds to the tool's schema, and there is nobody to hand over to but the
    next; everybody else answers, briefly.
    """
    entry = definition.stages_by_phase.get(definition.entry or "")
    routes = entry.agent_id if entry else None
    agents = [
        agent.model_copy(
            update={
                "cues": (),
                "tool_choice": "required" if agent.id == routes else "none",
                "temperature": 0.0,
                "max_output_tokens": 200 if agent.id == routes else 80,
            }
        )
        for agent in definition.agents
    ]
    return definition.model_copy(
        update={"name": name, "agents": tuple(agents), "allow_human": False}
    )
