"""`manage.py rehearse`: a conversation in the terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from designer.management.commands.rehearse import EXIT_CODES, HELP, WAITS_FOR_APPROVAL
from designer.models import Connection
from orchestration.definition import (
    Agent,
    Cue,
    CueCall,
    CueHandoff,
    HttpCall,
    Limits,
    PipelineDefinition,
    Stage,
    Tool,
    Transition,
)
from orchestration.events import RunCompleted, StopReason
from orchestration.network import AllowedAddresses
from orchestration.runtime import read_trace
from tests.designer.live_conversations import MAX_WAIT, SAMPLES, make_pipeline, sample
from tests.designer.recorded_conversations import QUESTION
from tests.orchestration.web_server import Answer, WebServer
from tests.serving import ROOT, clean_environment, run_command

pytestmark = pytest.mark.django_db

SUPPORT = str(SAMPLES / "support.json")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Let agents answer without delay, and disconnect the models of the environment."""
    for name in os.environ:
        if name.startswith("OPENAI_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("BATON_TOKENS_PER_SECOND", "0")


def rehearse(*arguments: str) -> tuple[str, int]:
    """Run the command; return its output and exit code."""
    printed = StringIO()
    try:
        call_command("rehearse", *arguments, stdout=printed)
    except SystemExit as end:
        return printed.getvalue(), int(str(end.code))
    return printed.getvalue(), 0


def said(*texts: str) -> list[str]:
    return [part for text in texts for part in ("--message", text)]


def in_file(folder: Path, definition: PipelineDefinition) -> str:
    """Write a definition to a file; return its path."""
    path = folder / "pipeline.json"
    path.write_text(definition.dump(), encoding="utf-8")
    return str(path)


def passing_on(target: str, **changes) -> PipelineDefinition:
    """Return a pipeline whose agent hands every message over."""
    cue = Cue(say="One moment.", hand_over=CueHandoff(target=target, reason="Not for me."))
    fields = {
        "name": "Passing on",
        "agents": [Agent(id="first", name="First", cues=(cue,)), Agent(id="next", name="Next")],
        "stages": [
            Stage(phase="one", agent_id="first"),
            Stage(phase="two", agent_id="next"),
            Stage(phase="desk", kind="human"),
        ],
        "transitions": [
            Transition(source="one", target="two"),
            Transition(source="two", target="desk"),
            Transition(source="one", target="desk", kind="return"),
        ],
        "entry": "one",
        "default_agent_id": "first",
    }
    return PipelineDefinition.model_validate(fields | changes)


def circle() -> PipelineDefinition:
    """Return a swarm of two agents that hand every message to each other."""
    agents = [
        Agent(id=one, name=one.title(), cues=(Cue(say="", hand_over=CueHandoff(target=other)),))
        for one, other in (("ping", "pong"), ("pong", "ping"))
    ]
    return PipelineDefinition.model_validate(
        {
            "name": "Circle",
            "topology": "swarm",
            "agents": agents,
            "stages": [Stage(phase=agent.id, agent_id=agent.id) for agent in agents],
            "transitions": [
                Transition(source="ping", target="pong"),
                Transition(source="pong", target="ping"),
            ],
            "entry": "ping",
            "default_agent_id": "ping",
        }
    )


def test_messages_and_rows_of_the_pane_are_printed():
    printed, code = rehearse(SUPPORT, *said(QUESTION, "Yes, please."))
    assert code == 0
    assert "handoff   Triage → Handler accepted  hop 1 of 8" in printed
    assert "│ Order A-1043 is one desk lamp" in printed
    assert printed.rstrip().splitlines()[-1].split()[1:5] == ["run", "run", "completed:", "replied"]
    assert "<" not in printed


def test_a_channel_matches_in_any_case():
    printed, code = rehearse(SUPPORT, *said("Hello"), "--channel", "SMS", "--json")
    assert code == 0
    assert '"channel_type":"sms"' in printed


@pytest.mark.parametrize(
    "arguments", [[], ["1", "--nonsense"], ["1", "--message", "a", "--file=b"]]
)
def test_a_usage_error_has_three_lines(tmp_path, arguments):
    environment = clean_environment() | {"BATON_DATA_DIR": str(tmp_path)}
    done = run_command(environment, "rehearse", *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 3
    assert done.stderr.startswith("usage: manage.py rehearse PIPELINE [--message")


def test_variables_are_set_by_options_and_lines_and_misspelt_ones_are_errors(tmp_path):
    clerk = Agent(id="first", name="First", cues=(Cue(say="Hello {{name}} of {{plan}}."),))
    definition = passing_on("next", variables={"name": "Ada", "plan": "basic"})
    definition = definition.model_copy(update={"agents": (clerk, definition.agents[1])})
    path = in_file(tmp_path, definition)
    printed, code = rehearse(path, *said("Hi"), "--set", "plan=pro")
    assert (code, "Hello Ada of pro." in printed) == (0, True)
    (tmp_path / "said.txt").write_text('{"text": "Hi", "variables": {"name": "Bob"}}')
    printed, _ = rehearse(path, "--file", str(tmp_path / "said.txt"))
    assert "Hello Bob of basic." in printed
    with pytest.raises(CommandError, match=r"no variable 'plam': .* Did you mean 'plan'"):
        rehearse(path, *said("Hi"), "--set", "plam=pro")
    with pytest.raises(CommandError, match="has no '='"):
        rehearse(path, *said("Hi"), "--set", "plan")
    (tmp_path / "said.txt").write_text('{"text": "Hi", "variables": {"plam": "pro"}}')
    with pytest.raises(CommandError, match=r"said.txt, line 1: There is no variable 'plam'"):
        rehearse(path, "--file", str(tmp_path / "said.txt"))


def test_a_pipeline_includes_the_pipelines_of_its_subtasks(user):
    row = make_pipeline(user, sample("weekend-trip"))
    make_pipeline(user, sample("city-guide"))
    printed, code = rehearse(str(row.pk), *said("Plan me a weekend in Lisbon."))
    assert code in {0, 3}
    assert "run completed" in printed


def test_tools_use_the_connections_of_the_owner(transactional_db, user, settings):
    call = CueCall(tool="look_up", arguments={"order": "7"})
    http = HttpCall(url="orders/{order}", connection="shop", take="/said")
    schema = {"type": "object", "properties": {"order": {"type": "string"}}}
    desk = PipelineDefinition(
        name="Desk",
        agents=(Agent(id="clerk", name="Clerk", tools=("look_up",), cues=(Cue(call=call),)),),
        stages=(Stage(phase="desk", agent_id="clerk"),),
        tools=(Tool(name="look_up", kind="http", http=http, parameters=schema),),
        entry="desk",
    )
    with WebServer(lambda asked: Answer(as_json={"said": f"Asked {asked.target}"})) as server:
        settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
        pipeline = make_pipeline(user, desk)
        name = str(pipeline.pk)
        with pytest.raises(CommandError, match="no connection of that name"):
            rehearse(name, *said("Where is it?"))
        Connection.objects.create(owner=user, name="shop", kind="http", base_url=server.url)
        printed, code = rehearse(name, *said("Where is it?"), "--json")
    assert code == 0
    assert "Asked /orders/7" in printed


def test_json_lines_are_a_valid_trace():
    printed, code = rehearse(SUPPORT, *said(QUESTION), "--json")
    trace = read_trace(printed.encode())
    assert (code, trace.name) == (0, "Customer support")
    assert [event.type for event in trace.events][:2] == ["run.started", "message.received"]
    assert trace.definition == sample("support")


def test_messages_come_from_a_file_with_channel_and_intent(tmp_path):
    lines = [QUESTION, "", '{"text": "Yes, please.", "channel_type": "email", "intent": "refund"}']
    (tmp_path / "said.txt").write_text("\n".join(lines), encoding="utf-8")
    printed, _ = rehearse(SUPPORT, "--file", str(tmp_path / "said.txt"), "--json", "--channel=sms")
    events = [json.loads(line) for line in printed.splitlines()[1:]]
    inbound = [event["message"] for event in events if event["type"] == "message.received"]
    assert [one["channel_type"] for one in inbound] == ["sms", "email"]
    assert [one["intent"] for one in inbound] == [None, "refund"]


@pytest.mark.parametrize(
    ("definition", "end"),
    [
        (passing_on("human"), StopReason.WAITING_FOR_HUMAN),
        (passing_on("human", limits=Limits(max_handoffs=0)), StopReason.HANDOFF_LIMIT),
        (passing_on("next", limits=Limits(max_calls=1)), StopReason.CALL_LIMIT),
        (circle(), StopReason.CYCLE),
    ],
)
def test_the_exit_code_is_the_result_and_no_more_messages_follow(tmp_path, definition, end):
    printed, code = rehearse(in_file(tmp_path, definition), *said("Hello", "Are you there?"))
    assert code == EXIT_CODES[end]
    assert "Are you there?" not in printed


def test_the_next_message_answers_a_question():
    trip = [str(SAMPLES / "weekend-trip.json"), "--with", str(SAMPLES / "city-guide.json")]
    printed, code = rehearse(*trip, *said("Plan a weekend in Lisbon"))
    assert (code, "Planner asks the user" in printed) == (3, True)
    printed, code = rehearse(*trip, *said("Plan a weekend in Lisbon", "Two of us"))
    assert (code, "Two of us" in printed) == (0, True)


def test_the_help_lists_every_exit_code():
    told = {int(code) for code in re.findall(r"^  (\d+) +\w", HELP, re.MULTILINE)}
    assert told == {*EXIT_CODES.values(), WAITS_FOR_APPROVAL, 1, 2}


def test_a_missing_message_is_reported(tmp_path):
    (tmp_path / "empty.txt").write_text("\n\n", encoding="utf-8")
    with pytest.raises(CommandError, match="There is no message"):
        rehearse(SUPPORT, "--file", str(tmp_path / "empty.txt"))


def test_a_failed_run_has_its_own_exit_code(tmp_path):
    asking = [
        one.model_copy(update={"provider": "openai_compatible"}) for one in sample("support").agents
    ]
    definition = sample("support").model_copy(update={"agents": tuple(asking)})
    printed, code = rehearse(in_file(tmp_path, definition), *said("Hello", "Are you there?"))
    assert code == EXIT_CODES[StopReason.FAILED]
    assert "run failed:" in printed
    assert "Are you there?" not in printed


def test_a_truncated_answer_has_its_own_exit_code(tmp_path, monkeypatch):
    choice = {"delta": {"content": "The first half"}, "finish_reason": "length"}
    body = f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n"
    answer = Answer(body, headers={"Content-Type": "text/event-stream"})
    with WebServer(lambda asked: answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_MODEL", "m1")
        printed, code = rehearse(in_file(tmp_path, passing_on("next")), *said("Hi", "And then?"))
    assert code == EXIT_CODES[StopReason.TRUNCATED] == 8
    assert list(EXIT_CODES.values()).count(8) == 1
    assert "The first half" in printed
    assert "And then?" not in printed


def test_every_stop_reason_has_an_exit_code():
    assert set(EXIT_CODES) == set(StopReason)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["Nothing"], "There is no pipeline or file 'Nothing'. Check the name."),
        ([SUPPORT, *said(" ")], "Message 1: Write something first."),
        ([SUPPORT, *said("a" * 8_001)], "8,000 are allowed"),
        ([SUPPORT, "--file", "missing.txt"], "missing.txt cannot be read"),
        (
            [SUPPORT, *said("Hello"), "--channel", "Smoke signals"],
            "There is no channel 'Smoke signals'",
        ),
    ],
)
def test_invalid_arguments_are_reported(arguments, why):
    with pytest.raises(CommandError, match=why.replace("(", r"\(")):
        rehearse(*arguments)


def test_a_pipeline_with_errors_is_not_run(tmp_path):
    path = in_file(tmp_path, sample("support").model_copy(update={"entry": None}))
    with pytest.raises(CommandError, match="cannot be rehearsed:\n  "):
        rehearse(path, *said("Hello"))


def test_control_characters_of_messages_do_not_reach_the_terminal(tmp_path):
    printed, _ = rehearse(SUPPORT, *said("Hello \x1b[2J\x1b]0;owned\x07 there"))
    assert "\x1b" not in printed
    assert "Hello \N{REPLACEMENT CHARACTER}[2J" in printed


# Tests that run in the background of a shell have Ctrl-C ignored, and so would the command.
HEEDING = """
import runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_control_c_cancels_the_run(tmp_path):
    command = [sys.executable, "-c", HEEDING, "manage.py", "rehearse", SUPPORT]
    command += ["--message", QUESTION, "--json"]
    slowly = {"BATON_TOKENS_PER_SECOND": "1", "BATON_DATA_DIR": str(tmp_path)}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=clean_environment() | slowly,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        while '"turn.started"' not in lines[-1]:
            lines.append(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        rest, complaints = process.communicate(timeout=MAX_WAIT)
    trace = read_trace(("".join(lines) + rest).encode())
    assert process.returncode == 130
    assert complaints == ""
    ended = trace.events[-1]
    assert isinstance(ended, RunCompleted)
    assert ended.reason == StopReason.CANCELLED
