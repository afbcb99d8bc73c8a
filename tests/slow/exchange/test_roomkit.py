"""Exported projects for RoomKit, run with RoomKit itself and its own stub model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestration.interchange import export
from tests.slow.exchange.environments import environment, run_json, run_tests, write_files
from tests.slow.exchange.pipelines import pipelines


def python() -> Path:
    return environment("roomkit", "roomkit==0.109.0", "pytest", "httpx", python="3.12")


@pytest.mark.parametrize("name", pipelines())
def test_the_project_passes_its_own_tests(name: str, tmp_path: Path) -> None:
    write_files(export(pipelines()[name], "roomkit").files, tmp_path)
    run_tests(python(), tmp_path)


@pytest.mark.parametrize(
    ("text", "metadata", "expected"),
    [
        ("Hello", {}, ["intake", "agent-front"]),
        ("Hello", {"intent": "refund"}, ["billing", "agent-billing"]),
        ("My lawyer will write", {}, ["intake", "agent-front"]),  # a condition in CEL
    ],
)
def test_rules_select_the_first_agent(
    text: str, metadata: dict[str, Any], expected: list[str], tmp_path: Path
) -> None:
    write_files(export(pipelines()["support-desk"], "roomkit").files, tmp_path)
    arguments = (tmp_path, text, '{"intent": "refund"}' if metadata else "{}")
    assert run_json(python(), "talk_roomkit.py", *arguments) == expected
