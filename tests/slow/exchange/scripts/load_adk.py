"""Load folders with `from_config` of ADK, and print the trees and graphs as JSON."""

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

from google.adk.agents.config_agent_utils import from_config  # noqa: E402
from google.adk.flows.llm_flows.extensions import _agent_transfer  # noqa: E402


def agent(value: Any) -> dict[str, Any]:
    """Return an agent with its children, tools and targets of transfers."""
    return {
        "class": type(value).__name__,
        "name": value.name,
        "text": getattr(value, "static_instruction", None) or getattr(value, "instruction", ""),
        "tools": [tool(each) for each in getattr(value, "tools", ())],
        "targets": [each.name for each in _agent_transfer._get_transfer_targets(value)],
        "children": [agent(each) for each in value.sub_agents],
    }


def tool(value: Any) -> Any:
    """Return the name and the schema of a tool."""
    if not hasattr(value, "schema"):
        return [getattr(value, "name", type(value).__name__), None]
    declaration = value._get_declaration()
    return [declaration.name, declaration.parameters_json_schema]


def edges(value: Any) -> list[list[Any]]:
    """Return the edges of a workflow."""
    return [[each.from_node.name, each.to_node.name, each.route] for each in value.graph.edges]


def load(folder: Path) -> dict[str, Any]:
    """Return the loaded root and the loaded workflow of a folder."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    for name in ("tools", "http_calls"):
        sys.modules.pop(name, None)
    root = from_config("root_agent.yaml")
    found: dict[str, Any] = {}
    if hasattr(root, "sub_agents"):
        found["root"] = agent(root)
    else:
        found["edges"] = edges(root)
    if Path("workflow.yaml").exists():
        found["edges"] = edges(from_config("workflow.yaml"))
    sys.path.remove(str(folder))
    return found


json.dump({each.name: load(each) for each in sorted(Path(sys.argv[1]).iterdir())}, sys.stdout)
