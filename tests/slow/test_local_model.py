"""The clients against a real model: llama.cpp's server with SmolLM2, from two wheels.

What is asserted is form, never judgement: a model of this size is guessing.
"""

import subprocess
from collections.abc import AsyncIterator

import jsonschema_rs
import pytest

from designer.pipelines.sample_pipelines import samples
from designer.serving.local_model import simplify_for_local_model
from orchestration.events import HandoffAccepted, HandoffRejected, MessageCompleted, RunCompleted
from orchestration.handoff import handoff_tools
from orchestration.messages import InboundMessage
from orchestration.providers.http_client import VendorClient
from orchestration.providers.provider import Finished
from orchestration.runtime import Session
from orchestration.tools import HandoffOption, read_arguments
from tests.serving import ROOT, clean_environment
from tests.slow.asking import LLAMA, answer, asked, calls_of, request, text_of

HANDOFFS = 20
SAID = (
    "I was charged twice.",
    "Where is my order A-1043?",
    "My screen stays black.",
    "I want to speak to somebody.",
)


def _way(phase: str, agent: str) -> HandoffOption:
    return HandoffOption(phase, agent, agent.removeprefix("agent-").capitalize())


@pytest.fixture(params=LLAMA)
async def client(request: pytest.FixtureRequest, local_model: str) -> AsyncIterator[VendorClient]:
    client = LLAMA[request.param].at(local_model)
    yield client
    await client.aclose()


async def test_it_answers_in_words_with_its_usage(client):
    pieces = await answer(client, request(asked("Say hello."), max_output_tokens=200))
    assert text_of(pieces)
    end = pieces[-1]
    assert isinstance(end, Finished)
    assert end.output_tokens > 0


async def test_twenty_handoffs_that_it_has_to_make_are_all_well_formed(client):
    (tool,) = handoff_tools([_way("handling", "agent-handler"), _way("review", "agent-reviewer")])
    allowed = jsonschema_rs.validator_for(dict(tool.parameters))
    for number in range(HANDOFFS):
        what = request(
            asked(f"{SAID[number % len(SAID)]} (case {number})"),
            tools=[tool],
            tool_choice="required",
            max_output_tokens=200,
        )
        (called,) = calls_of(await answer(client, what))
        assert called.call.name == tool.name
        assert allowed.is_valid(read_arguments(called.call))


async def test_the_support_sample_is_handed_over_and_answered(local_model):
    """As in `scripts/demo --local-model`.

    Over chat completions: below `/v1/messages` llama.cpp takes words for a call where tools are
    given and none may be called.
    """
    client = LLAMA["openai_compatible"].at(local_model)
    played = simplify_for_local_model(samples()["support"], "Support")
    session = Session(played, session_id="one", providers={"default": client})
    events = [one async for one in session.receive(InboundMessage(id="1", text=SAID[0]))]
    accepted = [one for one in events if isinstance(one, HandoffAccepted)]
    assert [one.to_agent for one in accepted] == ["agent-handler"]
    assert not [one for one in events if isinstance(one, HandoffRejected)]
    assert [one for one in events if isinstance(one, MessageCompleted)][-1].text
    assert isinstance(events[-1], RunCompleted)
    await client.aclose()


def test_the_demo_connects_it_and_rehearses_the_support_sample_before_it_serves(tmp_path):
    folders = {"BATON_DATA_DIR": str(tmp_path), "BATON_STATIC_ROOT": str(tmp_path / "static")}
    with subprocess.Popen(
        [ROOT / "scripts" / "demo", "--local-model", "--port", "0"],
        env=clean_environment() | folders,
        stdout=subprocess.PIPE,
        text=True,
    ) as demo:
        assert demo.stdout is not None
        said = []
        for line in demo.stdout:
            said.append(line)
            if "Baton is ready: http://127.0.0.1:" in line:
                break
        demo.terminate()
    told = "".join(said)
    assert "Triage → Handler accepted" in told
    assert "run completed: replied" in told
    assert "Baton is ready" in told
