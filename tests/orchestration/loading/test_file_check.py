"""Findings of a file, with their paths and lines in it."""

from orchestration.loading import FileFinding, check_file
from tests.orchestration.pipeline_files import file

FILE = """{
  "name": "Desk",
  "agents": [{"id": "a", "name": "A", "instructions": "Answer."}],
  "stages": [
    {"phase": "late", "agent_id": "a"},
    {"phase": "early", "agent_id": "a"}
  ],
  "entry": "late"
}
"""


def places(text: str) -> list[tuple[str, str, str, int | None]]:
    return [(each.severity, each.code, each.path, each.line) for each in check_file(text)]


def test_an_issue_has_its_place_in_the_order_of_the_file() -> None:
    assert places(FILE) == [("warning", "stage-unreachable", "$.stages[1]", 6)]


def test_faults_have_their_places_in_the_order_of_the_file_and_hide_issues() -> None:
    text = FILE.replace('"early", "agent_id": "a"', '"early", "agent_id": "gone"')
    text = text.replace('"entry": "late"', '"entry": "lost"')
    assert places(text) == [
        ("error", "invalid", "$.stages[1].agent_id", 6),
        ("error", "invalid", "$.entry", 8),
    ]


def test_issues_are_sorted_by_line() -> None:
    text = FILE.replace('"id": "a", ', '"id": "a", "tools": ["look"], ')
    text = text.replace('"entry"', '"aliases": {"x": "nobody"},\n  "entry"')
    lines = [finding.line for finding in check_file(text)]
    assert lines == [3, 6, 8]


def test_a_file_that_is_no_text_has_one_fault_without_a_line() -> None:
    fault = FileFinding("error", "invalid", "The file is not text in UTF-8.", "$", None)
    assert check_file(b"\xff{}") == (fault,)


def test_a_file_without_findings_has_none() -> None:
    agents = [{"id": "a", "name": "A", "instructions": "Answer."}]
    stages = [{"phase": "desk", "agent_id": "a"}]
    text = file(agents=agents, stages=stages, entry="desk")
    assert check_file(text) == check_file(text.encode()) == ()
