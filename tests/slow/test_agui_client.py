"""The official AG-UI client (an npm package) and ag-ui-validate chat with every sample."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsals import DIALOGUES
from tests.serving import BatonServer

SCRIPT = Path(__file__).with_name("agui_chat.mjs")


def chat(url: str, *messages: str) -> list[dict[str, Any]]:
    """Return the events of a chat of the official client."""
    result = subprocess.run(
        ["node", str(SCRIPT), url, *messages],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2_000:]
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("name", DIALOGUES)
def test_the_official_client_chats_with_a_sample(chat_addresses: dict[str, str], name: str) -> None:
    *events, end = chat(chat_addresses[name], *DIALOGUES[name])
    assert "RUN_ERROR" not in {event["type"] for event in events}
    asked = [text for role, text in end["shown"] if role == "user"]
    answers = [text for role, text in end["shown"] if role == "assistant" and text]
    assert asked
    assert answers
    called = [event["toolCallId"] for event in events if event["type"] == "TOOL_CALL_START"]
    assert len(set(called)) == len(called)


@pytest.mark.parametrize("name", DIALOGUES)
def test_ag_ui_validate_finds_no_error(
    chat_addresses: dict[str, str], tmp_path: Path, name: str
) -> None:
    *events, _ = chat(chat_addresses[name], *DIALOGUES[name])
    stream = tmp_path / "stream.jsonl"
    stream.write_text("\n".join(json.dumps(event) for event in events), encoding="utf-8")
    program = Path(sys.executable).with_name("ag-ui-validate")
    result = subprocess.run(
        [program, str(stream), "--no-color", "--group"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


def test_the_client_gets_a_refusal_as_json(samples_server: BatonServer) -> None:
    result = subprocess.run(
        ["node", str(SCRIPT), f"{samples_server.url}/watch/none/ag-ui/", "Hello"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode != 0
    assert "This link does not work" in result.stderr
