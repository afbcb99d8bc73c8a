"""A definition with every kind of part, for pages that show them all."""

import json
from typing import Any

from tests.serving import ROOT


def everything_there_is() -> dict[str, Any]:
    """Return the fullest sample, with a group and a stage without an agent added."""
    file = ROOT / "designer" / "pipelines" / "samples" / "support-desk.json"
    definition: dict[str, Any] = json.loads(file.read_text())
    members = [agent["id"] for agent in definition["agents"][:2]]
    definition["stages"] += [
        {"phase": "panel", "kind": "group", "group": {"agents": members}},
        {"phase": "nobody"},
    ]
    places = definition["layout"]["stages"]
    places |= {"panel": {"x": 60, "y": 700}, "nobody": {"x": 400, "y": 700}}
    return definition
