"""`manage.py check_definition`: findings of files for CI, commit hooks and people."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.designer.live_conversations import SAMPLES

DRAFT = """{
  "name": "Desk",
  "agents": [{"id": "a", "name": "A", "instructions": "Answer."}],
  "stages": [
    {"phase": "late", "agent_id": "a"},
    {"phase": "early", "agent_id": "gone"}
  ],
  "entry": "late"
}
"""


def check(*arguments: str) -> tuple[str, int]:
    printed = StringIO()
    try:
        call_command("check_definition", *arguments, stdout=printed)
    except SystemExit as end:
        return printed.getvalue(), int(str(end.code))
    return printed.getvalue(), 0


@pytest.fixture
def draft(tmp_path: Path) -> str:
    path = tmp_path / "desk.json"
    path.write_text(DRAFT, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_a_sample_has_no_error(path: Path) -> None:
    assert check(str(path))[1] == 0


def test_an_issue_has_the_line_of_its_value_in_the_file(draft: str) -> None:
    text, code = check(draft)
    [line] = [each for each in text.splitlines() if "'gone'" in each]
    assert line.startswith(f"{draft}:6: error: ")
    assert code == 1


def test_an_invalid_file_has_all_its_faults(tmp_path: Path) -> None:
    path = tmp_path / "desk.json"
    path.write_text(DRAFT.replace('"agents"', '"agnets"').replace('"late"', "3"), encoding="utf-8")
    text, code = check(str(path))
    assert f"{path}:3: error: " in text
    assert f"{path}:5: error: " in text
    assert code == 1


def test_a_text_that_is_no_json_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "desk.json"
    path.write_text('{\n  "name": }', encoding="utf-8")
    assert check(str(path)) == (
        f"{path}:2: error: This is not JSON: Expecting value (line 2, column 11). [invalid]\n",
        1,
    )


def test_the_findings_of_several_files_are_one_json_list(draft: str) -> None:
    text, code = check("--format", "json", draft, str(SAMPLES / "support.json"))
    [first, *_] = json.loads(text)
    assert first.keys() == {"file", "severity", "code", "message", "path", "line"}
    assert (first["file"], code) == (draft, 1)


def test_github_gets_annotations_on_one_line_each(draft: str) -> None:
    text, _ = check("--format", "github", draft)
    for line in text.splitlines():
        assert line.startswith((f"::error file={draft},line=", f"::warning file={draft},line="))
    Path(draft).write_text(DRAFT.replace('"gone"', '"a\\n::error,x:"'), encoding="utf-8")
    [line] = check("--format", "github", draft)[0].splitlines()
    assert line.startswith(f"::error file={draft},line=6,title=invalid::")


def test_strict_refuses_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "desk.json"
    path.write_text(DRAFT.replace('"gone"', '"a"'), encoding="utf-8")
    assert check(str(path))[1] == 0
    assert "warning" in check(str(path))[0]
    assert check("--strict", str(path))[1] == 1


def test_a_missing_file_is_named(tmp_path: Path, draft: str) -> None:
    with pytest.raises(CommandError, match=r"desc.json cannot be read.* Did you mean"):
        check(str(tmp_path / "desc.json"))
