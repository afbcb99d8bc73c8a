"""Small language model of `scripts/demo --local-model`: its process and a suitable pipeline."""

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
    """Context manager for the model server in a separate process.

    Its output goes to `log`. It ends with this process in any case.
    """

    def __init__(self, log: Path) -> None:
        self._log = log
        self._file: IO[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""
        """Address of the server, `http://127.0.0.1:49152`; its APIs are below `/v1`."""

    def __enter__(self) -> Self:
        """Start the server and wait until it is ready, or raise `LocalModelError`."""
        self._file = self._log.open("wb")
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "local_model"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._file,
        )
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        for line in self._process.stdout:
            if line.startswith(b"http://"):
                self.url = line.decode().strip()
                return self
        self.__exit__(None, None, None)
        raise LocalModelError(f"The local model did not start: see {self._log}.")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the server."""
        if self._process is not None:
            self._process.communicate()  # it stops at the end of its input
        if self._file is not None:
            self._file.close()


class LocalModelError(Exception):
    """The local model is not available."""


def simplify_for_local_model(definition: PipelineDefinition, name: str) -> PipelineDefinition:
    """Return a pipeline with this name that a small model can play.

    A small model writes prose instead of tool calls. Therefore the agent of the entry must call a
    tool, whose schema the server enforces, and can only hand over to the next stage. All other
    agents give short answers.
    """
    entry = definition.stages_by_phase.get(definition.entry or "")
    entry_agent = entry.agent_id if entry else None
    agents = [
        agent.model_copy(
            update={
                "cues": (),
                "tool_choice": "required" if agent.id == entry_agent else "none",
                "temperature": 0.0,
                "max_output_tokens": 200 if agent.id == entry_agent else 80,
            }
        )
        for agent in definition.agents
    ]
    return definition.model_copy(
        update={"name": name, "agents": tuple(agents), "allow_human": False}
    )
