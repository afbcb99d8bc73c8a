"""Chats of exported projects in a terminal, with a local server of chat completions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestration.interchange import export
from orchestration.interchange.langgraph import DEPENDENCIES
from tests.openai_server import Call, OpenAIServer
from tests.slow.exchange.environments import environment, write_files
from tests.slow.exchange.pipelines import pipelines

PROGRAMS = {"openai-agents": "agents.py", "langgraph": "chat.py", "roomkit": "chat.py"}


def python(name: str) -> Path:
    """Return the Python of an environment with the packages that the README names."""
    match name:
        case "openai-agents":
            return environment(name, "openai-agents>=0.20", "httpx", "pytest", python="3.11")
        case "langgraph":
            return environment("langgraph-chat", *DEPENDENCIES, "langchain-openai", python="3.11")
        case _:
            return environment("roomkit-chat", "roomkit[openai]==0.109.0", python="3.12")


def answer(request: dict[str, Any]) -> list[Any]:
    """Hand over to the handler at the word refund, and answer everything else."""
    names = [each["function"]["name"] for each in request["tools"]]
    last = request["messages"][-1]
    if last["role"] == "user" and "refund" in str(last["content"]):
        arguments = {"target": "agent-handler", "reason": "A refund.", "summary": "A refund."}
        for name in ("transfer_to_agent_handler", "handoff_conversation"):
            if name in names:
                return [Call(name, arguments)]
    return ["Which", " order?"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_conversation_in_a_terminal_is_handed_over(name: str, tmp_path: Path) -> None:
    write_files(export(pipelines()["support"], name).files, tmp_path)
    with OpenAIServer(answer) as server:
        result = subprocess.run(
            [python(name), PROGRAMS[name]],
            cwd=tmp_path,
            env={
                "PATH": os.environ["PATH"],
                "OPENAI_BASE_URL": server.base_url,
                "OPENAI_API_KEY": server.api_key,
                "OPENAI_AGENTS_DISABLE_TRACING": "1",
                "DEFAULT_MODEL": "any",
                "DEFAULT_VENDOR": "openai",
            },
            input="Hello\nI want a refund\nthanks",
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert result.returncode == 0, result.stderr[-4_000:]
    assert "Which order?" in result.stdout
    systems = [str(each["messages"][0]["content"]) for each in server.requests]
    handler = pipelines()["support"].agents_by_id["agent-handler"].instructions.strip()
    assert handler not in systems[0]
    assert handler in systems[-1]
