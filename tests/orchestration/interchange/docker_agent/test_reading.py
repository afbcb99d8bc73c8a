"""Files of docker-agent that others wrote."""

from __future__ import annotations

import json

import pytest

from orchestration.exceptions import DefinitionError
from orchestration.interchange import Import, read

TEAM = """
version: "7"
models:
  fast: {provider: openai, model: gpt-5, temperature: 0.2, max_tokens: 900, top_p: 0.9}
agents:
  root:
    model: fast
    description: Leads
    instruction: Lead the others.
    sub_agents: [Web Search, writer, ghost]
    toolsets:
      - type: think
      - type: mcp
        ref: docker:duckduckgo
        tools: [search]
  Web Search:
    model: anthropic/claude-x
    instruction: Search.
    add_date: true
    sub_agents: [writer]
    toolsets:
      - type: script
        shell:
          list_files: {cmd: ls, description: Lists, args: {path: {type: string}}, required: [path]}
  writer:
    model: fast
    instruction: Write.
    max_iterations: 5
permissions:
  ask: ["list_*", "other"]
  deny: [search]
"""

DESK = """
version: "2"
agents:
  triage:
    model: openai/gpt-5
    instruction: Triage.
    handoffs: [bills, triage2, bills]
    max_iterations: 0
    toolsets:
      - {type: api, api_config: {name: find, endpoint: "https://a.example/x/${id}", method: GET,
         args: {id: {type: string}}, required: [id], headers: {Accept: text, Key: "${env.KEY}"}}}
  bills: {model: openai/gpt-5, instruction: Bills., handoffs: [triage], num_history_items: 4}
  plain: 3
rag: {docs: {docs: [a]}}
"""


def lost(result: Import) -> dict[str, str]:
    return {place: each.consequence for each in result.losses for place in each.places}


def test_sub_agents_of_the_first_agent_become_a_team() -> None:
    result = read(TEAM)
    definition = result.definition
    assert (result.format, definition.topology, definition.entry) == (
        "docker-agent",
        "team",
        "root",
    )
    assert {(each.source, each.target) for each in definition.transitions} == {
        ("root", "web-search"),
        ("root", "writer"),
    }
    agents = {each.name: each for each in definition.agents}
    assert (agents["root"].provider, agents["root"].model) == ("openai", "gpt-5")
    assert (agents["root"].temperature, agents["root"].max_output_tokens) == (0.2, 900)
    assert (agents["Web Search"].provider, agents["Web Search"].model) == ("anthropic", "claude-x")
    tools = definition.tools_by_name
    assert tools["list_files"].approval
    assert tools["list_files"].parameters["required"] == ["path"]
    assert tools["search"].mcp is not None
    assert tools["search"].mcp.connection == "docker-duckduckgo"


def test_every_part_that_is_not_read_is_a_loss_with_its_path() -> None:
    assert set(lost(read(TEAM))) == {
        "$.models.fast.top_p",
        "$.agents.root.sub_agents[2]",
        "$.agents.root.toolsets[0]",
        "$.agents.root.toolsets[1].ref",
        "$.agents['Web Search'].add_date",
        "$.agents['Web Search'].sub_agents",
        "$.agents['Web Search'].toolsets[0].shell.list_files.cmd",
        "$.agents.writer.max_iterations",
        "$.permissions.ask[1]",
        "$.permissions.deny",
    }


def test_handoffs_become_transitions_and_dangling_ones_become_losses() -> None:
    result = read(DESK)
    definition = result.definition
    assert (definition.topology, definition.entry) == ("pipeline", "triage")
    kinds = {(each.source, each.target): each.kind for each in definition.transitions}
    assert kinds == {("triage", "bills"): "next", ("bills", "triage"): "next"}
    first = definition.transitions_from["triage"][0]
    assert (first.input_filter.keep, first.input_filter.count) == ("last", 4)
    assert definition.limits.max_turns == 1_000
    http = definition.tools_by_name["find"].http
    assert http is not None
    assert (http.url, http.headers) == ("https://a.example/x/{id}", {"Accept": "text"})
    assert set(lost(result)) == {
        "$.rag",
        "$.agents.plain",
        "$.agents.triage.handoffs[1]",
        "$.agents.triage.toolsets[0].api_config.headers.Key",
    }
    assert lost(result)["$.agents.triage.handoffs[1]"] == "The file has no agent 'triage2'."


def test_sub_agents_beside_handoffs_become_transitions() -> None:
    agents = {"a": {"handoffs": ["b"]}, "b": {"sub_agents": ["a"]}}
    result = read(json.dumps({"agents": agents}))
    assert [(each.source, each.target) for each in result.definition.transitions] == [
        ("a", "b"),
        ("b", "a"),
    ]
    assert set(lost(result)) == {"$.agents.b.sub_agents"}


@pytest.mark.parametrize(
    "agents",
    [
        {"a": {"model": 3, "handoffs": "b", "toolsets": [3, {"type": []}, {"type": "api"}]}},
        {"a": {"instruction": 3, "description": ["x"], "sub_agents": {"b": 1}, "fallback": []}},
        {"a": {"model": "x" * 400, "toolsets": [{"type": "mcp", "tools": ["!"]}]}},
        {"a": {"structured_output": {"schema": 3}, "max_iterations": True}},
        {"a": {"model": "m"}, "b": {"toolsets": [{"type": "mcp", "remote": {"url": "http://["}}]}},
        {"human": {"fallback": {"models": ["x/y", "z"], "retries": 99}}},
        {
            "a": {
                "toolsets": [
                    {"type": "api", "api_config": {"name": "n", "endpoint": "e", "method": 1}}
                ]
            }
        },
    ],
)
def test_a_malformed_part_is_a_loss_and_no_refusal(agents: dict[str, object]) -> None:
    result = read(json.dumps({"agents": agents}))
    assert result.definition.agents
    assert result.losses


@pytest.mark.parametrize("text", ["agents: {}", "agents: {a: 3}", '{"agents": {"a": []}}'])
def test_a_file_without_an_agent_is_refused(text: str) -> None:
    with pytest.raises(DefinitionError, match="no agent"):
        read(text)


def test_an_anchor_is_refused_by_the_gate() -> None:
    with pytest.raises(DefinitionError, match="alias"):
        read("agents:\n  a: &x {instruction: A}\n  b: *x\n")


@pytest.mark.timeout(20)
def test_a_large_file_is_refused_soon() -> None:
    numbers = range(15_000)
    shell = {f"t{number}": {"cmd": "x"} for number in numbers}
    tools = {"toolsets": [{"type": "script", "shell": shell}]}
    asked = {"ask": [f"t*{number}" for number in numbers]}
    with pytest.raises(DefinitionError, match="more than 500"):
        read(json.dumps({"agents": {"a": tools}, "permissions": asked}))
    own = {"readme": "Made with Baton. Topology: pipeline."}
    same = {
        f"a{number}": {"description": "A (x)", "instruction": str(number)} for number in numbers
    }
    with pytest.raises(DefinitionError, match="more than 500"):
        read(json.dumps({"metadata": own, "agents": same}))
