"""Search and order of the list of pipelines."""

from collections.abc import Callable
from typing import Any

ENTRIES = [
    {"name": "Desk 10", "search": "Desk 10\nIntake\nRefund agent", "tags": ["Sales"], "active": 3},
    {"name": "desk 2", "search": "desk 2\nBilling", "tags": [], "active": 9},
    {"name": "Ärger", "search": "Ärger\nIntake", "tags": ["trial", "sales"], "active": 1},
]
PROBLEMS = [(0, 4), (2, 0), (0, 5)]
LIST: list[dict[str, Any]] = [
    entry | {"errors": errors, "warnings": warnings}
    for entry, (errors, warnings) in zip(ENTRIES, PROBLEMS, strict=True)
]


def test_each_word_of_the_query_must_occur_in_any_case(module: Callable[..., Any]) -> None:
    def found(query: str, tag: str = "") -> list[str]:
        file = "pipelines/pipeline-list.js"
        return [str(each["name"]) for each in LIST if module(file, "matches", each, query, tag)]

    assert found("") == ["Desk 10", "desk 2", "Ärger"]
    assert found(" AGENT desk ") == ["Desk 10"]
    assert found("ärger intake") == ["Ärger"]
    assert found("", "sales") == ["Desk 10", "Ärger"]
    assert found("desk", "sales") == ["Desk 10"]
    assert found("zebra") == []


def test_the_list_is_sorted_by_activity_name_or_problems(module: Callable[..., Any]) -> None:
    def order(name: str) -> list[str]:
        entries = module("pipelines/pipeline-list.js", "inOrder", LIST, name)
        return [entry["name"] for entry in entries]

    assert order("activity") == ["desk 2", "Desk 10", "Ärger"]
    assert order("name") == ["Ärger", "desk 2", "Desk 10"]
    assert order("problems") == ["desk 2", "Ärger", "Desk 10"]
    assert order("unknown") == order("activity")
