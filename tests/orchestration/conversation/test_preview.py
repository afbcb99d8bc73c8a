"""The model's view of a stage: the parts of its prompt and its tools."""

import pytest

from orchestration.conversation import CompiledPipeline, offer, supervising_offer
from orchestration.definition import Agent, Group, Stage, Tool
from orchestration.prompts import SEPARATOR, first_sentence, joined
from tests.orchestration.conversations import (
    HANDLER,
    REVIEWER,
    TRIAGE,
    PlayedModel,
    four_stages,
    say,
    session_with,
)
from tests.orchestration.supervised_sessions import WATCHER, supervised

DESCRIBED = four_stages(
    agents=[
        Agent(id=TRIAGE, name="Triage", instructions="You triage requests.", tools=("look",)),
        Agent(id=HANDLER, name="Handler"),
    ],
    stages=[
        Stage(phase="intake", agent_id=TRIAGE, description="Find out what it is about."),
        Stage(phase="handling", agent_id=HANDLER),
    ],
    transitions=[{"source": "intake", "target": "handling"}],
    tools=[Tool(name="look", description="Look it up.", parameters={"type": "object"})],
)


@pytest.mark.parametrize("topology", ["pipeline", "swarm", "team", "workflow"])
def test_the_supervisor_s_preview_is_what_a_call_sends(topology: str) -> None:
    definition = supervised("handoff", topology=topology)
    for stage in definition.stages:
        shown = supervising_offer(definition, stage.phase)
        sent = CompiledPipeline.of(definition).supervisor(WATCHER, stage.phase, 1)
        assert shown == sent.offer(stage.phase, WATCHER)
    assert supervising_offer(supervised(), "intake") is None


def test_the_system_prompt_is_its_parts_in_order_joined_by_a_visible_separator():
    """Contract T-3: base, instructions, stage."""
    parts = offer(DESCRIBED, "intake").system_parts
    assert [part.kind for part in parts] == ["base", "instructions", "stage"]
    assert parts[0].text.startswith("You are Triage (agent-triage). The conversation is in stage")
    assert parts[1].text == "You triage requests."
    assert parts[2].text == "This stage: Find out what it is about."
    assert offer(DESCRIBED, "intake").system == SEPARATOR.join(part.text for part in parts)
    assert SEPARATOR.strip()


def test_an_empty_part_is_omitted():
    """Contract T-3."""
    assert [part.kind for part in offer(DESCRIBED, "handling").system_parts] == ["base"]


def parts_in(language):
    agent = DESCRIBED.agents_by_id[TRIAGE].model_copy(update={"language": language})
    others = (other for other in DESCRIBED.agents if other.id != TRIAGE)
    spoken = DESCRIBED.model_copy(update={"agents": (agent, *others)})
    return offer(spoken, "intake").system_parts


def test_the_language_of_the_answers_is_a_part_after_the_instructions():
    """Contract T-3."""
    parts = parts_in(" French ")
    assert [part.kind for part in parts] == ["base", "instructions", "language", "stage"]
    assert (parts[2].title, parts[2].text) == ("Language of the answers", "Answer in French.")
    assert parts_in(" ") == parts_in("") == offer(DESCRIBED, "intake").system_parts


def test_the_base_prompt_mentions_handoffs_only_if_possible():
    """Contract T-3, O-8."""
    assert "handoff_conversation" in offer(DESCRIBED, "intake").system_parts[0].text
    assert "Nobody takes over after you" in offer(DESCRIBED, "handling").system_parts[0].text


def test_a_member_of_a_group_is_told_that_others_continue():
    """Contract T-3, H-9."""
    group = Stage(phase="panel", kind="group", group=Group(agents=(TRIAGE, HANDLER)))
    definition = four_stages(stages=[group, Stage(phase="end", agent_id=HANDLER)], transitions=[])
    duty = offer(definition, "panel", TRIAGE).system_parts[0].text.splitlines()[-1]
    assert duty.startswith("You are one of a group")
    assert "Nobody takes over" in offer(definition, "end").system_parts[0].text


def test_the_offer_has_the_agents_tools_and_the_handoff_tool():
    """Contract O-8."""
    tools = offer(DESCRIBED, "intake").tools
    assert [tool.name for tool in tools] == ["look", "handoff_conversation"]
    assert (tools[0].description, tools[0].parameters) == ("Look it up.", {"type": "object"})


def test_a_stage_without_an_agent_has_an_empty_offer():
    human = four_stages(stages=[Stage(phase="desk", kind="human")])
    assert offer(human, "desk").agent is None
    assert offer(human, "nowhere").tools == ()


async def test_the_loop_sends_exactly_the_preview():
    """Contract T-3, O-8."""
    model = PlayedModel([("Hello.",)])
    await say(session_with(model, DESCRIBED), "hi")
    (request,) = model.requests
    shown = offer(DESCRIBED, "intake")
    assert request.system_parts == shown.system_parts
    assert request.tools == shown.tools
    assert request.system == joined(shown.system_parts)


def test_an_option_is_described_by_transition_stage_or_agent():
    """Contract O-8."""
    way = offer(four_stages(), "handling").options[0]
    assert (way.agent_id, way.description) == (REVIEWER, "You review what was done.")


def test_the_first_sentence_ends_at_its_full_stop():
    assert first_sentence("You review.\nBe kind. Be fair.") == "You review."
    assert first_sentence("Version 2.0 is out. Read it.") == "Version 2.0 is out."
    assert first_sentence("no end") == "no end"
    assert first_sentence("") == ""
    assert len(first_sentence("word " * 1_000)) == 300
