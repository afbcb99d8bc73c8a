"""Tools that are read from the toolsets and permissions of a file of docker-agent."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.docker_agent.tool_reading import MAX_PATTERNS, ToolReader
from orchestration.interchange.docker_agent.toolsets import NO_COMMAND, NO_SUBTASK
from orchestration.interchange.foreign import ForeignDocument
from orchestration.interchange.reading import Reading


class Tools:
    """Tools that are read from toolsets, and the paths of losses."""

    def __init__(self, *toolsets: object, is_own: bool = False) -> None:
        self._reading = Reading("docker-agent")
        self.reader = ToolReader(ForeignDocument(self._reading), is_own=is_own)
        self.names = self.reader.names(list(toolsets), ("t",))

    @property
    def found(self) -> dict[str, dict[str, Any]]:
        return {each["name"]: each for each in self._reading.fields["tools"]}

    @property
    def lost(self) -> list[str]:
        return [place for row in self._reading.rows for place in row.places]


def script(**commands: str) -> dict[str, Any]:
    return {"type": "script", "shell": {name: {"cmd": cmd} for name, cmd in commands.items()}}


def test_the_commands_of_an_export_are_no_losses_and_others_are() -> None:
    tools = Tools(script(find=NO_COMMAND, task=NO_SUBTASK, list="ls"))
    kinds = {name: each["kind"] for name, each in tools.found.items()}
    assert kinds == {"find": "function", "task": "subtask", "list": "function"}
    assert tools.lost == ["$.t[0].shell.list.cmd"]


def test_a_permission_to_ask_is_an_approval_of_all_tools_with_its_name_or_pattern() -> None:
    tools = Tools(script(list_a=NO_COMMAND, list_b=NO_COMMAND, find=NO_COMMAND, other=NO_COMMAND))
    asked = {"ask": ["list_*", "find", "none", "no*"], "allow": ["o?her", "gone"], "deny": ["x"]}
    tools.reader.read_permissions(asked)
    assert {name for name, each in tools.found.items() if each.get("approval")} == {
        "list_a",
        "list_b",
        "find",
    }
    assert sorted(tools.lost) == [
        "$.permissions.allow[1]",
        "$.permissions.ask[2]",
        "$.permissions.ask[3]",
        "$.permissions.deny",
    ]


def test_permissions_with_too_many_patterns_are_losses() -> None:
    tools = Tools(script(find=NO_COMMAND))
    tools.reader.read_permissions({"allow": ["f*"] * (MAX_PATTERNS + 2)})
    assert tools.lost == [
        f"$.permissions.allow[{index}]" for index in (MAX_PATTERNS, MAX_PATTERNS + 1)
    ]


@pytest.mark.parametrize(
    "config",
    [
        {"name": "find"},
        {"endpoint": "https://a.example"},
        {"name": "find", "endpoint": "x" * 2_001},
    ],
)
def test_an_api_without_a_name_or_a_usable_address_is_a_loss(config: dict[str, Any]) -> None:
    tools = Tools({"type": "api", "api_config": config})
    assert (tools.names, tools.lost) == ([], ["$.t[0].api_config"])


@pytest.mark.parametrize(
    ("server", "connection", "lost"),
    [
        ({"remote": {"url": "https://docs.invalid/mcp"}}, "docs", []),
        ({"remote": {"url": "https://docs.example/mcp"}}, "docs-example", ["$.t[0].remote.url"]),
        ({"command": "uvx"}, "uvx", ["$.t[0].command"]),
        ({"ref": "docker:time", "env": {"A": "b"}}, "docker-time", ["$.t[0].env", "$.t[0].ref"]),
    ],
)
def test_the_server_of_an_mcp_tool_becomes_a_connection_without_its_address(
    server: dict[str, Any], connection: str, lost: list[str]
) -> None:
    tools = Tools({"type": "mcp", "tools": ["find"], **server})
    assert tools.found["find"]["mcp"] == {"connection": connection, "tool": ""}
    assert tools.lost == lost


@pytest.mark.parametrize(
    ("is_own", "name", "description"), [(True, "ask", "Asks"), (False, "user_prompt", "ask: Asks")]
)
def test_only_an_export_names_a_tool_in_its_instruction(
    name: str, description: str, *, is_own: bool
) -> None:
    tools = Tools({"type": "user_prompt", "instruction": "ask: Asks"}, is_own=is_own)
    assert tools.names == [name]
    assert tools.found[name]["kind"] == "user_input"
    assert tools.found[name]["description"] == description


def test_a_toolset_of_another_kind_is_a_loss() -> None:
    tools = Tools({"type": "think"}, {"type": []}, 3, {"type": "mcp", "command": "uvx"})
    assert (tools.names, tools.found) == ([], {})
    assert set(tools.lost) == {"$.t[0]", "$.t[1]", "$.t[2]", "$.t[3].command", "$.t[3]"}
