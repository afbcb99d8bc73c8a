"""List of all tools of a model in the inspector."""

from __future__ import annotations

from typing import Any

import pytest

from designer.editor.fragments.tool_list import tool_list
from orchestration.conversation import offer
from orchestration.definition import Agent, HttpCall, McpCall, PipelineDefinition, Stage, Tool
from orchestration.definition import Transition as Way
from tests.designer.editor_page import inspected
from tests.designer.live_conversations import make_pipeline
from tests.orchestration.conversations import TRIAGE, four_stages, with_tools

TOOLS = (
    Tool(name="look", idempotent=True),
    Tool(name="pay", kind="http", http=HttpCall(url="https://example.org"), approval=True),
    Tool(name="find", kind="mcp", mcp=McpCall(connection="shop"), stand_in=True),
    Tool(name="ask_user", kind="user_input"),
    Tool(name="research", kind="subtask", pipeline="Research"),
)


def listed(definition: PipelineDefinition, phase: str = "intake") -> list[Any]:
    offered = offer(definition, phase)
    return [
        (entry.name, entry.kind, list(entry.notes), entry.select, entry.key)
        for entry in tool_list(definition, phase, offered.tools)
    ]


def test_the_list_shows_every_tool_with_its_kind():
    found = {name: rest for name, *rest in listed(with_tools(*TOOLS))}
    assert found == {
        "look": ["a function", ["may be repeated"], "tool", "look"],
        "pay": ["an HTTP request", ["asks first"], "tool", "pay"],
        "find": ["a tool of shop", ["plays examples"], "tool", "find"],
        "ask_user": ["asks the user", [], "tool", "ask_user"],
        "research": ["another pipeline: Research", [], "tool", "research"],
        "handoff_conversation": ["hands over to Handler, a person", [], "", ""],
    }


def test_a_transitions_own_handoff_tool_links_to_it():
    schema = {"type": "object", "properties": {"order": {"type": "integer"}}}
    way = Way(source="intake", target="handling", input_schema=schema, tool_name="to_handler")
    definition = four_stages(transitions=[way], allow_human=False)
    assert listed(definition) == [
        ("to_handler", "hands over to Handler", [], "transition", "intake>handling")
    ]


def test_the_first_of_many_targets_are_named():
    agents = [Agent(id=f"a{n}", name=f"Agent {n}") for n in range(6)]
    definition = PipelineDefinition(
        name="Many",
        entry="s0",
        allow_human=False,
        agents=tuple(agents),
        stages=tuple(Stage(phase=f"s{n}", agent_id=f"a{n}") for n in range(6)),
        transitions=tuple(Way(source="s0", target=f"s{n}", kind="return") for n in range(1, 6)),
    )
    [(_, what, *_rest)] = listed(definition, "s0")
    assert what == "hands over to Agent 1, Agent 2, Agent 3 and 2 more"


@pytest.mark.django_db
def test_the_inspector_links_each_tool_to_its_part(client, user):
    pipeline = make_pipeline(user, with_tools(*TOOLS))
    html = inspected(client, pipeline, select=f"agent:{TRIAGE}")
    assert 'aria-label="Available tools"' in html
    for name in ("look", "pay", "find", "ask_user", "research"):
        assert f'class="tool-list__name" data-select="tool" data-key="{name}">{name}<' in html
    assert '<small class="chip">asks first</small>' in html
    assert "hands over to Handler, a person" in html
