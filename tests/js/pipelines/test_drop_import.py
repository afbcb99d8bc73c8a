"""Files that are dropped on the list of pipelines."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("files", "result"),
    [
        ([("desk.json", 9)], {"dialog": "import-dialog"}),
        ([("DESK.BATON.JSON", 9)], {"dialog": "import-dialog"}),
        ([("agents.yaml", 9)], {"dialog": "import-dialog"}),
        ([("team.yml", 9)], {"dialog": "import-dialog"}),
        ([("agents.py", 9)], {"dialog": "import-dialog"}),
        ([("talk.jsonl", 9_000_000)], {"dialog": "trace-dialog"}),
        (
            [("desk.pdf", 9)],
            {
                "refusal": "“desk.pdf” cannot be imported: drop a pipeline (.json, .yaml, .py) or a"
                " trace (.jsonl)."
            },
        ),
        (
            [("big.json", 2 * 1024**2 + 1)],
            {"refusal": "“big.json” is larger than 2 MiB, so it cannot be imported."},
        ),
        (
            [("a.json", 1), ("b.json", 1)],
            {"refusal": "2 files were dropped: drop one at a time."},
        ),
        (
            [],
            {
                "refusal": "This is not a file: drop a pipeline (.json, .yaml, .py) or a trace"
                " (.jsonl)."
            },
        ),
    ],
)
def test_a_dropped_file_opens_its_dialog_or_is_refused_with_a_reason(
    files: list[tuple[str, int]], result: dict[str, str], module: Callable[..., Any]
) -> None:
    dropped = [{"name": name, "size": size} for name, size in files]
    assert module("pipelines/drop-import.js", "destination", dropped) == result
