"""Parse Mermaid diagrams with the parser of Mermaid itself, and print their edges as JSON."""

import json
import sys
from pathlib import Path
from typing import Any

from mermaid_parser import MermaidParser

parser = MermaidParser()


def parse(text: str) -> dict[str, Any]:
    """Return the kind of a diagram, its nodes, and its edges with their strokes."""
    value = parser.parse(text)
    data = value["graph_data"]
    vertices = data["vertices"]
    nodes = vertices.values() if isinstance(vertices, dict) else [each[1] for each in vertices]
    return {
        "kind": value["graph_type"],
        "nodes": sorted(each["id"] for each in nodes),
        "edges": [[each["start"], each["end"], each["stroke"]] for each in data["edges"]],
    }


folder = Path(sys.argv[1])
json.dump({each.stem: parse(each.read_text("utf-8")) for each in folder.glob("*.mmd")}, sys.stdout)
