"""Parts of the system prompt."""

import pytest

from orchestration.definition import Agent, Stage
from orchestration.prompts import (
    MAX_SENTENCE,
    PART_TITLES,
    SEPARATOR,
    PromptPart,
    first_sentence,
    joined,
    system_parts,
)

AGENT = Agent(id="agent-a", name="Ann", instructions=" Be brief. ", language="French")
HANDOFF = "handoff"
DELEGATE = "delegate_to_b"


def test_the_parts_are_in_the_order_of_their_titles():
    """Contract T-3."""
    stage = Stage(phase="intake", description=" Greet. ")
    parts = system_parts(AGENT, "intake", stage, "pipeline", ())
    assert [part.kind for part in parts] == [kind for kind in PART_TITLES if kind != "files"]
    assert [part.text for part in parts[1:]] == [
        "Be brief.",
        "Answer in French.",
        "This stage: Greet.",
    ]
    assert parts[0].title == "Base"


def test_empty_parts_are_left_out():
    """Contract T-3."""
    agent = Agent(id="agent-a", name="Ann", instructions=" ", language=" ")
    parts = system_parts(agent, "intake", Stage(phase="intake"), "pipeline", ())
    assert [part.kind for part in parts] == ["base"]
    assert parts[0].text.startswith("You are Ann (agent-a). The conversation is in stage intake.")


@pytest.mark.parametrize(
    ("topology", "tools", "words"),
    [
        ("pipeline", (HANDOFF,), "call handoff instead of answering"),
        ("swarm", (HANDOFF, DELEGATE), "call handoff or delegate_to_b"),
        ("team", (DELEGATE,), "by delegate_to_b"),
        ("pipeline", (), "to its end yourself"),
        ("workflow", (), "Your answer is passed on"),
    ],
)
def test_the_base_explains_how_the_agent_passes_on(topology, tools, words):
    (base,) = system_parts(Agent(id="a", name="A"), "intake", None, topology, tools)
    assert words in base.text


def test_joined_parts_have_a_separator():
    assert joined([PromptPart("base", "a"), PromptPart("files", "b")]) == f"a{SEPARATOR}b"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("You bill. Always.", "You bill."),
        ("Version 2.5 is\nnew! Use it.", "Version 2.5 is new!"),
        ("No full stop", "No full stop"),
        ("", ""),
        ("x" * 400, "x" * MAX_SENTENCE),
    ],
)
def test_the_first_sentence_is_one_line_of_limited_length(text, sentence):
    assert first_sentence(text) == sentence
