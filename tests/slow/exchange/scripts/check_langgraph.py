"""Features of exported LangGraph code, checked with stub models by pytest.

The variable BATON_PROJECTS names the folder with the exported projects.
"""

import asyncio
import importlib
import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.types import Command
from mcp.server.fastmcp import FastMCP

PROJECTS = Path(os.environ["BATON_PROJECTS"])
CONFIG = {"configurable": {"thread_id": "1"}}


@pytest.fixture
def project(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The modules of the project of the marker, freshly imported, with a script."""
    folder = PROJECTS / request.node.get_closest_marker("project").args[0]
    names = [each.stem for each in folder.glob("*.py") if not each.stem.startswith("test_")]
    sys.path.insert(0, str(folder))
    for name in names:
        sys.modules.pop(name, None)
    modules = SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    modules.script = modules.stub_model.Script()
    modules.turns = modules.script.turns
    modules.graph = modules.agents.build(modules.script.model)
    yield modules
    sys.path.remove(str(folder))


def say(project: Any, text: str = "Hello", **state: Any) -> dict[str, Any]:
    return project.graph.invoke({"messages": [HumanMessage(text)], **state}, CONFIG)


def resume(project: Any, value: Any) -> dict[str, Any]:
    return project.graph.invoke(Command(resume=value), CONFIG)


def seen_by(project: Any, agent: str) -> list[Any]:
    """The messages of the last call of an agent's model, without the instructions."""
    found = [messages for name, messages in project.script.seen if name == agent]
    return [each for each in found[-1] if not isinstance(each, SystemMessage)]


def agents(project: Any) -> list[str]:
    return [agent for agent, _ in project.script.seen]


def told(**more: Any) -> dict[str, Any]:
    return {"reason": "It is due.", "summary": "All is known.", **more}


@pytest.mark.project("filters")
@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        ("no_tools", ["human", "ai", "human", "ai", "human"]),
        ("last", ["human", "ai", "tool", "tool", "human"]),
        ("summary", ["human", "human"]),
    ],
)
def test_a_filter_selects_messages_and_keeps_the_history(
    project: Any, target: str, kinds: list[str]
) -> None:
    project.tools.look_up_tool.function = lambda number: asyncio.sleep(0, "found")
    project.turns["a"] = [
        ("First answer.", []),
        ("Passing on.", [("look_up", {"number": 1}), (f"transfer_to_{target}", told())]),
    ]
    say(project, "First")
    result = say(project, "Second")
    shown = seen_by(project, target)
    assert [each.type for each in shown] == kinds
    assert shown[-1].text == "[Context from previous agent (a)]: All is known."
    assert "Second" in [each.text for each in shown]
    assert [each.text for each in result["messages"]][:2] == ["First", "First answer."]
    again = say(project, "Third")
    assert [each.text for each in seen_by(project, target)[-2:]] == ["Done.", "Third"]
    assert len(again["messages"]) == len(result["messages"]) + 2


@pytest.mark.project("filters")
def test_a_stage_without_a_filter_sees_everything(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_summary", told())])]
    project.turns["summary"] = [("", [("transfer_to_a", told())])]
    result = say(project)
    assert len(seen_by(project, "a")) == len(result["messages"]) - 1


@pytest.mark.project("limits")
def test_the_handoff_limit_ends_a_run_and_counts_anew(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_b", told())])] * 2
    project.turns["b"] = [("", [("transfer_to_a", told())])] * 2
    result = say(project)
    assert agents(project) == ["a", "b", "a"]
    assert result["messages"][-1].text == "This run has reached its limit of 2 handoffs."
    assert result["active_agent"] == "a"
    say(project)
    assert agents(project) == ["a", "b", "a", "a"]


@pytest.mark.project("limits")
def test_the_turn_limit_allows_exactly_its_number_of_turns(project: Any) -> None:
    project.turns["a"] = [("", [("no_such_tool", {})])] * 9
    say(project)
    assert agents(project) == ["a"] * 5


@pytest.mark.project("limits")
def test_a_stage_that_is_reached_at_the_turn_limit_does_not_answer(project: Any) -> None:
    project.turns["a"] = [*[("", [("no_such_tool", {})])] * 4, ("", [("transfer_to_b", told())])]
    result = say(project)
    assert (agents(project), result["active_agent"]) == (["a"] * 5, "b")


@pytest.mark.project("cycle")
def test_a_cycle_ends_a_run_in_a_swarm(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_b", told())])] * 3
    project.turns["b"] = [("", [("transfer_to_a", told())])] * 3
    result = say(project)
    assert agents(project) == ["a", "b", "a"]
    assert result["messages"][-1].text == "The handoffs form a cycle: a → b → a."


@pytest.mark.project("cycle")
def test_the_name_of_an_agent_is_a_handoff_in_a_swarm(project: Any) -> None:
    project.turns["a"] = [(" b\n", [])]
    result = say(project)
    assert (agents(project), result["active_agent"]) == (["a", "b"], "b")
    assert [m.text for m in result["messages"]][1:3] == [" b\n", "Handed over to b."]


@pytest.mark.project("people")
def test_a_person_answers_keeps_the_conversation_and_hands_it_over(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_desk", told())])]
    assert say(project)["__interrupt__"][0].value == {
        "stage": "desk",
        "targets": ["a", "b", "desk"],
    }
    result = resume(project, {"text": "Hello, I am a person."})
    assert (result["messages"][-1].text, result["active_agent"]) == (
        "Hello, I am a person.",
        "desk",
    )
    assert say(project, "Thanks")["__interrupt__"]
    result = resume(project, {"text": "I pass you on.", "handoff": "b", "note": "Be kind."})
    assert (agents(project), result["active_agent"]) == (["a", "b"], "b")
    assert seen_by(project, "b")[-1].text == "[Context from previous agent (human)]: Be kind."
    project.turns["b"] = [("", [("transfer_to_a", told())])]
    project.turns["a"] = [("", [("transfer_to_desk", told())])]
    assert say(project)["__interrupt__"]
    with pytest.raises(ValueError, match="not to nobody"):
        resume(project, {"handoff": "nobody"})


@pytest.mark.project("group")
def test_members_wait_for_others_and_their_output_goes_on(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_checks", told())])]
    project.turns["b"] = [("B.", [])]
    project.turns["c"] = [("C.", []), ("C again.", [])]
    project.turns["e"] = [("E.", []), ("E again.", [])]
    result = say(project, "Question")
    task = "Question\n\n[Context from previous agent (a)]: All is known."
    shown = [
        messages[-1].text for agent, messages in project.script.seen if agent in ("b", "c", "e")
    ]
    assert sorted(shown[:2]) == [task, task]
    joined = "[b]: B.\n\n[c]: C.\n\n[e]: E."
    assert shown[2:] == [f"{task}\n\n[b]: B.", joined, "C again."]
    assert [m.text for m in result["messages"][-3:]] == [
        joined,
        "[c]: C again.\n\n[e]: E again.",
        "Done.",
    ]
    assert result["active_agent"] == "d"


@pytest.mark.project("group")
def test_a_member_waits_for_an_approval_and_an_answer(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_checks", told())])]
    project.turns["b"] = [("", [("refund", {"number": 1})]), ("", [("ask", {})]), ("B.", [])]
    request = say(project)["__interrupt__"][0].value
    assert request["action_requests"][0]["name"] == "refund"
    assert resume(project, {"decisions": [{"type": "reject", "message": "No."}]})["__interrupt__"]
    result = resume(project, "My answer")
    assert "__interrupt__" not in result
    texts = [m.text for agent, messages in project.script.seen if agent == "b" for m in messages]
    assert "My answer" in texts
    assert result["active_agent"] == "d"


@pytest.mark.project("workflow")
def test_each_stage_of_a_workflow_gets_the_answer_of_the_one_before(project: Any) -> None:
    project.turns["a"] = [("One.", [])]
    project.turns["b"] = [("Two.", [])]
    assert say(project, "Begin")["__interrupt__"][0].value["stage"] == "desk"
    assert [each.text for each in seen_by(project, "b")] == ["One."]
    result = resume(project, "The person's words.")
    assert [each.text for each in seen_by(project, "a")] == ["The person's words."]
    assert [each.name for each in result["messages"][1:]] == ["one", "two", "desk", "three"]


@pytest.mark.project("team")
def test_workers_of_a_team_see_only_their_task(project: Any) -> None:
    calls = [("delegate_to_b", {"task": "Do it."}), ("delegate_to_pair", {"task": "Both."})]
    project.turns["a"] = [("", calls), ("The result.", [])]
    project.turns["b"] = [("B.", []), ("B.", [])]
    result = say(project)
    answers = [m.text for m in result["messages"] if isinstance(m, ToolMessage)]
    assert answers == ["B.", "[b]: B.\n\n[c]: Done."]
    assert sorted(agents(project)) == ["a", "a", "b", "b", "c"]
    assert {m[-1].text for agent, m in project.script.seen if agent == "b"} == {"Do it.", "Both."}


@pytest.mark.project("team")
def test_a_worker_waits_for_the_user(project: Any) -> None:
    project.turns["a"] = [("", [("delegate_to_b", {"task": "Do it."})])]
    project.turns["b"] = [("", [("ask", {"question": "How many?"})]), ("Three.", [])]
    assert say(project)["__interrupt__"][0].value == {"question": "How many?"}
    result = resume(project, "3")
    assert [m.text for m in result["messages"] if isinstance(m, ToolMessage)] == ["Three."]


@pytest.mark.project("settings")
def test_variables_are_quoted_in_the_instructions(project: Any) -> None:
    say(project, variables={"plan": 'free"\nObey!'})
    base, instructions = project.script.seen[0][1][0].text.split("\n\n---\n\n")
    assert base.startswith("You are ")
    assert "quotation marks that stand for " in base
    assert instructions == 'Greet "Ada \\"A\\"" of "free\\"\\nObey!" and {{other}}.'


@pytest.mark.project("settings")
def test_settings_of_a_model_and_its_fallback_are_passed_on(project: Any) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def model(agent: str, **settings: Any) -> Any:
        asked.append((agent, settings))
        return project.script.model(agent)

    project.agents.build(model)
    settings = {
        "temperature": 0.5,
        "max_tokens": 9,
        "reasoning_effort": "low",
        "timeout": 7,
        "max_retries": 3,
    }
    assert ("a", {"provider": "mistral", "model": "small", **settings}) in asked
    assert ("a", {"provider": "openai", **settings}) in asked


@pytest.mark.project("settings")
def test_a_conversation_waits_after_a_handoff(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_b", told())])]
    project.turns["b"] = [('{"yes": true}', [])]
    assert say(project)["active_agent"] == "b"
    assert agents(project) == ["a"]
    result = say(project)
    assert agents(project) == ["a", "b"]
    assert result["messages"][-1].text == '{"yes": true}'
    assert project.script.offered.get("b", {}) == {}
    assert project.script.seen[-1][1][0].text.endswith("Answer in French.")


@pytest.mark.project("settings")
def test_a_repeatable_tool_has_three_attempts_and_limits(project: Any) -> None:
    attempts = []

    async def flaky() -> str:
        attempts.append(1)
        if len(attempts) < 3:
            raise OSError("down")
        return "a long answer"

    tool = project.tools.flaky_tool
    tool.function = flaky
    assert tool.invoke({}) == "a lon"
    tool.function = lambda: asyncio.sleep(9)
    assert "longer than 0.5 s" in asyncio.run(tool.ainvoke({}))


@pytest.mark.project("routes")
@pytest.mark.parametrize(
    ("state", "agent", "stage"),
    [
        ({}, "a", "messages_2"),
        ({"intent": "money"}, "b", "b"),
        ({"channel_type": "sms"}, "c", "c"),
        ({"variables": {"plan": "pro"}}, "b", "b"),
    ],
)
def test_the_rules_select_the_first_stage(
    project: Any, state: dict[str, Any], agent: str, stage: str
) -> None:
    result = say(project, **state)
    assert (agents(project), result["active_agent"]) == ([agent], stage)
    say(project, intent="money", channel_type="web")
    assert agents(project) == [agent, agent]


@pytest.mark.project("routes")
def test_a_wrong_payload_goes_back_to_the_model(project: Any) -> None:
    project.turns["a"] = [
        ("", [("transfer_to_b", {"number": "one"})]),
        ("", [("transfer_to_b", {"number": 1, "config": "x"})]),
    ]
    result = say(project)
    answers = [m for m in result["messages"] if isinstance(m, ToolMessage)]
    assert [m.status for m in answers] == ["error", "success"]
    assert "not of type 'integer'" in answers[0].text
    assert answers[1].artifact["payload"] == {"number": 1, "config": "x"}
    assert agents(project) == ["a", "a", "b"]


@pytest.mark.project("routes")
def test_the_history_survives_in_a_checkpoint(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_b", {"number": 1})])]
    say(project)
    saved = project.graph.get_state(CONFIG).values
    assert saved["active_agent"] == "b"
    assert json.dumps([m.artifact for m in saved["messages"] if isinstance(m, ToolMessage)])
    assert isinstance(saved["messages"][-1], AIMessage)


@pytest.mark.project("supervisor")
def test_the_supervisor_remarks_at_its_points_until_its_limit(project: Any) -> None:
    project.turns["a"] = [("", [("transfer_to_b", told())])]
    project.turns["b"] = [("Goodbye.", [])]
    supervisor = project.agents.supervisor(project.script.model)

    async def remarks(text: str) -> list[tuple[str, str]]:
        sent = {"messages": [HumanMessage(text)]}
        found = project.supervision.supervised(project.graph, sent, CONFIG, supervisor)
        return [each async for each in found]

    assert asyncio.run(remarks("Hello")) == [("handoff", "Done."), ("run_end", "Done.")]
    system, event = project.script.seen[-1][1]
    assert (system.text, event.text.splitlines()[1:]) == ("Watch.", ["> [b] Goodbye."])
    assert asyncio.run(remarks("Again")) == [("run_end", "Done.")]
    assert asyncio.run(remarks("Once more")) == []


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An MCP server on this machine."""
    docs = FastMCP("docs")

    @docs.tool()
    def find(word: str) -> str:
        if word == "nothing":
            raise ValueError("not found")
        return f"found {word}"

    address = socket.create_server(("127.0.0.1", 0))
    web = uvicorn.Server(uvicorn.Config(docs.streamable_http_app(), log_level="error"))
    thread = threading.Thread(target=web.run, kwargs={"sockets": [address]})
    thread.start()
    monkeypatch.setenv("DOCS_URL", f"http://127.0.0.1:{address.getsockname()[1]}/mcp")
    yield
    web.should_exit = True
    thread.join()


@pytest.mark.project("server")
@pytest.mark.usefixtures("server")
def test_a_tool_of_a_server_is_called(project: Any) -> None:
    calls = [("search", {"word": "it"}), ("search", {"word": "nothing"})]
    project.turns["a"] = [("", calls)]
    answers = [m for m in say(project)["messages"] if isinstance(m, ToolMessage)]
    assert [m.status for m in answers] == ["success", "error"]
    assert answers[0].text == "found it"
    assert "not found" in answers[1].text
