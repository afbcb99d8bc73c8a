"""RoomKit code: a `ConversationPipeline` with its router, agents and tools, for Python 3.12.

Baton's stages are those of RoomKit: one `next`, and the stages to return to. `runtime` has the
modules that are copied unchanged.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Final

from orchestration.definition import HUMAN, PipelineDefinition
from orchestration.interchange.formats import Files, Format
from orchestration.interchange.project import (
    HTTP_CALLS,
    environment_variables,
    pyproject,
    readme,
    route_module,
    tool_names,
    uses_routing,
)
from orchestration.interchange.roomkit.agents_code import agents_module
from orchestration.interchange.roomkit.stages import RoomStages, room_stages
from orchestration.interchange.roomkit.support import SUPPORT, exceptions
from orchestration.interchange.roomkit.tools_module import TAKEN, tools_module

__all__ = ["ROOMKIT"]

_ABOUT: Final = {
    "agents.py": "the stages, the router and the agents",
    "tools.py": "the tools: write the functions that raise `NotImplementedError`",
    "route.py": "the routing rules",
    "wiring.py": "routing and handoffs in a kit",
    "chat.py": "a conversation in the terminal",
    "http_calls.py": "requests of HTTP tools",
    "test_structure.py": "tests of the structure with a stub model",
    "expected.json": "the parts that the tests expect",
}
_RUN: Final = ("pip install -e .", "pip install pytest && pytest", "python chat.py")
_NOTE: Final = (
    "`create_agents(provider)` in `agents.py` takes a function that returns the provider for the "
    "names of a provider and a model. That of `chat.py` uses any server with the protocol of "
    "OpenAI; `OPENAI_MODEL` names the model of agents without one."
)


def write(definition: PipelineDefinition) -> Files:
    """Return the files of a project."""
    stages, names = room_stages(definition), tool_names(definition, TAKEN)
    found = {"agents.py": agents_module(definition, stages, names)}
    if names:
        found["tools.py"] = tools_module(definition, names)
    if uses_routing(definition):
        found["route.py"] = route_module(definition)
    found |= {"wiring.py": _runtime("wiring.py"), "chat.py": _runtime("chat.py")}
    has_http = any(each.kind == "http" for each in definition.tools)
    if has_http:
        found["http_calls.py"] = HTTP_CALLS
    found["test_structure.py"] = _runtime("test_structure.py")
    found["expected.json"] = _expected(definition, stages)
    packages = ["roomkit[openai]>=0.109,<1", *(["httpx>=0.28,<1"] if has_http else [])]
    modules = [
        each.removesuffix(".py")
        for each in found
        if each.endswith(".py") and not each.startswith("test_")
    ]
    about = {name: _ABOUT[name] for name in found}
    return found | {
        "README.md": readme(
            definition,
            "RoomKit",
            about,
            _RUN,
            ["OPENAI_BASE_URL", "OPENAI_API_KEY", *environment_variables(definition)],
            ROOMKIT.rows(definition),
            [_NOTE],
        ),
        "pyproject.toml": pyproject(definition, packages, modules, ">=3.12"),
    }


def _runtime(name: str) -> str:
    return files(__package__).joinpath("runtime", name).read_text(encoding="utf-8")


def _expected(definition: PipelineDefinition, stages: RoomStages) -> str:
    """Return the values that `test_structure.py` compares with."""
    targets: dict[str, list[str]] = {each["phase"]: [] for each in stages.values}
    for source, target in sorted(stages.written):
        targets[source].append(target)
    served = {each["phase"]: each["agent_id"] for each in stages.values}
    value = {
        "transitions": targets,
        "agents": {each.id: {"instructions": each.instructions} for each in stages.agents},
        "paths": [
            [source, target]
            for source, target in sorted(stages.written)
            if served[source] not in (HUMAN, served[target])
        ],
        "first": stages.first_phase,
    }
    return json.dumps(value, indent=2) + "\n"


ROOMKIT = Format(
    key="roomkit",
    title="RoomKit",
    summary="Python code",
    support=SUPPORT,
    exceptions=exceptions,
    write=write,
)
