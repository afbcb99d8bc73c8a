"""Imports of the documents of AutoGen, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from orchestration.interchange import Import, read

DOCUMENTS = Path(__file__).parent / "documents"


def component(name: str) -> Any:
    return json.loads((DOCUMENTS / f"{name}.json").read_text())


def imported(name: str) -> Import:
    return read((DOCUMENTS / f"{name}.json").read_bytes())


def lost(result: Import) -> dict[str, str]:
    return {place: each.consequence for each in result.losses for place in each.places}
