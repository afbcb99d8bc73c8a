"""Findings of a definition's file, with their lines: for CI, commit hooks and editors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading.definition_text import read_definition, with_lines
from orchestration.loading.json_text import decode
from orchestration.loading.storage import paths_in_file, storage_faults
from orchestration.validation import Severity, validate


@dataclass(frozen=True, slots=True)
class FileFinding:
    """A fault or an issue in a file."""

    severity: Severity
    code: str
    """The rule of an issue; `invalid` for a fault, which prevents an import."""
    message: str
    path: str
    """JSON path of the value in the file."""
    line: int | None
    """Line of the value, from 1; None for the whole file."""

    def dump(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "path": self.path,
            "line": self.line,
        }


def check_file(data: bytes | str) -> tuple[FileFinding, ...]:
    """Return all findings of a file: its faults, or without any the issues of the pipeline."""
    try:
        text = decode(data)
        definition, raw = read_definition(text)
        faults = tuple(paths_in_file(storage_faults(definition), raw))
    except DefinitionError as error:
        faults, raw = error.faults, {}
        text = data if isinstance(data, str) else data.decode(errors="replace")
    if faults:
        return tuple(
            FileFinding("error", "invalid", each.message, each.path, each.line)
            for each in with_lines(faults, text)
        )
    issues = validate(definition)
    places = [Fault(issue.where.path, issue.message) for issue in issues]
    in_file = paths_in_file(places, raw)
    lines = {each.path: each.line for each in with_lines(in_file, text)}
    findings = [
        FileFinding(issue.severity, issue.code, issue.message, place.path, lines[place.path])
        for issue, place in zip(issues, in_file, strict=True)
    ]
    return tuple(sorted(findings, key=lambda each: each.line or 0))
