"""Exported LangGraph code with the real library: its own tests, and conversations as in Baton."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestration import events as e
from orchestration.interchange import export
from orchestration.interchange.langgraph import DEPENDENCIES
from tests.orchestration.sample_rehearsals import Rehearsal, run_of
from tests.slow.exchange.environments import environment, run_json, run_tests, write_files
from tests.slow.exchange.langgraph_pipelines import PIPELINES, definition
from tests.slow.exchange.pipelines import pipelines

_WITHIN = re.compile("__(task|supervisor)_")
_GROUP = re.compile("__(group|team)_")


MORE = ("httpx", "langchain-mcp-adapters", "pytest")


@dataclass(frozen=True)
class Said:
    """A message of the user with the data of its channel."""

    text: str
    channel: str = "web"
    intent: str | None = None


CONVERSATIONS: Mapping[str, Sequence[Sequence[Said]]] = {
    "support-desk": [
        [
            Said("Good morning"),
            Said("I was billed twice in March, my account is 7731."),
            Said("Yes, please refund it."),
            Said("I cancelled the second line on 2 March."),
            Said("No, that is all, thank you."),
            Said("A 5, that was quick."),
        ],
        [
            Said("Where is my parcel?"),
            Said("Great, thanks"),
            Said("I have another question"),
            Said("My internet is slow"),
        ],
        [Said("hi", "sms"), Said("bill", "sms"), Said("yes", "sms")],
        [Said("Hello", "web", "billing")],
        [Said("I would like to speak to a person.")],
    ],
    "support": [
        [
            Said("Hello!"),
            Said("I was charged twice for order A-1043."),
            Said("Yes, please refund the second payment."),
            Said("I paid with the card ending in 4242."),
            Said("No, that is all. Thank you!"),
        ],
        [Said("Can I talk to a person?")],
    ],
    "coding": [
        [
            Said("Hello"),
            Said("I need a function that tells leap years from others."),
            Said("Gregorian only, and a year before 1 is an error."),
            Said("Yes, have it checked again."),
            Said("Great, thank you!"),
        ]
    ],
    "city-guide": [[Said("A guide to Prague"), Said("A guide to Lisbon"), Said("And Atlantis?")]],
    "weekend-trip": [
        [
            Said("Plan a weekend in Lisbon"),
            Said("Two of us, from Hamburg."),
            Said("Yes, please do"),
            Said("Will it rain?"),
            Said("What is there to see?"),
        ]
    ],
    "bike-shop": [
        [
            Said("My gears slip and I need the bike by Friday"),
            Said("Yes, and send me the bill"),
            Said("Do you have a child seat?"),
        ],
        [Said("Who pays for the broken wheel?")],
    ],
}


@pytest.fixture(scope="module")
def python() -> Path:
    return environment("langgraph", *DEPENDENCIES, *MORE, python="3.11")


@pytest.mark.parametrize("name", pipelines())
def test_the_tests_of_an_exported_project_pass(name: str, python: Path, tmp_path: Path) -> None:
    write_files(export(pipelines()[name], "langgraph").files, tmp_path)
    run_tests(python, tmp_path)


def test_each_feature_works_as_in_baton(python: Path, tmp_path: Path) -> None:
    for name in PIPELINES:
        write_files(export(definition(name), "langgraph").files, tmp_path / name)
    checks = Path(__file__).parent / "scripts" / "check_langgraph.py"
    (tmp_path / "test_features.py").write_text(checks.read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = project: name of the project\n")
    result = subprocess.run(
        [str(python), "-m", "pytest", "-q", "test_features.py"],
        cwd=tmp_path,
        env={**os.environ, "BATON_PROJECTS": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-6_000:]


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, number) for name, found in CONVERSATIONS.items() for number in range(len(found))],
)
async def test_a_conversation_takes_the_same_path_as_in_baton(
    name: str, number: int, python: Path, tmp_path: Path
) -> None:
    project = write_files(export(pipelines()[name], "langgraph").files, tmp_path / "project")
    recorded, expected = await record(name, CONVERSATIONS[name][number], project)
    recording = tmp_path / "recording.json"
    recording.write_text(json.dumps(recorded))
    played = run_json(python, "play_langgraph.py", project, recording)
    routed = {"agent-text": "intake"}  # its node has no stage, so it is named after the agent
    for each, wanted in zip(played, expected, strict=True):
        members = wanted.pop("members")
        agents = each.pop("agents")
        assert [agent for agent in agents if agent not in members] == wanted.pop("agents")
        assert sorted(agent for agent in agents if agent in members) == sorted(members)
        assert (each.pop("left"), each.pop("unanswered")) == ({}, [])
        assert bool(each.pop("refused")) is wanted.pop("refused")
        for agent, phase in routed.items():
            each["handoffs"] = [
                pair.replace(f"{agent} >", f"{phase} >") for pair in each["handoffs"]
            ]
        assert {key: each[key] for key in wanted} == wanted


async def record(
    name: str, messages: Sequence[Said], project: Path
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the turns of a rehearsal for the stub model, and its path."""
    rehearsal = Rehearsal(name)
    handoffs = json.loads((project / "expected.json").read_text())["handoffs"]
    tools = {(source, target): tool for source, _, tool, _, target, _ in handoffs}
    recorded, expected = [], []
    for said in messages:
        events = await rehearsal.events_of(said.text, channel=said.channel, intent=said.intent)
        events = [each for each in events if not _WITHIN.search(each.session_id)]
        recorded.append(
            {
                "text": said.text,
                "state": {"channel_type": said.channel, "intent": said.intent},
                "turns": _turns(events, tools),
                "results": _results(events),
            }
        )
        expected.append(_path(events, rehearsal))
    return recorded, expected


def _turns(events: Sequence[e.Event], tools: Mapping[tuple[str, str], str]) -> list[dict[str, Any]]:
    accepted = {each.call_id: each for each in events if isinstance(each, e.HandoffAccepted)}
    rejected = {each.call_id: each for each in events if isinstance(each, e.HandoffRejected)}
    turns = []
    for turn in events:
        if not isinstance(turn, e.MessageCompleted):
            continue
        calls = []
        for call in turn.tool_calls:
            tool, arguments = call.name, json.loads(call.arguments)
            handoff = accepted.get(call.id) or rejected.get(call.id)
            if handoff is not None:
                tool = tools[turn.phase, handoff.to_phase or ""]
            calls.append((tool, arguments))
        turns.append({"agent": turn.agent_id, "text": turn.text, "calls": calls})
    return turns


def _results(events: Sequence[e.Event]) -> dict[str, list[str]]:
    results: dict[str, list[str]] = {}
    turns = [each for each in events if isinstance(each, e.MessageCompleted)]
    names = {call.id: call.name for each in turns for call in each.tool_calls}
    for each in events:
        if isinstance(each, e.ToolReturned):
            results.setdefault(each.result.name, []).append(each.result.content)
        elif isinstance(each, e.SubtaskCompleted) and each.kind == "subtask":
            results.setdefault(names[each.call_id or ""], []).append(each.output)
    return results


def _path(events: Sequence[e.Event], rehearsal: Rehearsal) -> dict[str, Any]:
    run = run_of(events)
    turns = [each for each in events if isinstance(each, e.MessageCompleted)]
    within = [each for each in turns if _GROUP.search(each.session_id)]
    path: dict[str, Any] = {
        "agents": [each.agent_id for each in turns if each not in within],
        "members": [each.agent_id for each in within],
        "handoffs": run.handoffs,
        "refused": bool(run.rejected),
        "waits": run.end in (e.StopReason.WAITING_FOR_USER, e.StopReason.WAITING_FOR_HUMAN),
    }
    topology = rehearsal.definition.topology
    if topology in ("pipeline", "swarm") and run.routed.by != "rule":
        path["stage"] = rehearsal.session.state.phase
    return path
