"""`manage.py check_definition`: check files of definitions in CI, in a commit hook, or by hand."""

from __future__ import annotations

import json
import sys
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orchestration.loading import FileFinding, check_file
from orchestration.names import did_you_mean

SOUND, UNSOUND, USAGE_ERROR = 0, 1, 2
"""Exit codes: no error, an error in a file, or a file that cannot be read."""

HELP = """\
Check files of definitions: an invalid file with all its faults, a valid one with the issues of its
pipeline, each with its line. No database is needed. The file - is the standard input.

The exit code is
  0    no file has an error
  1    a file is invalid or has an error; with --strict also a warning
  2    a file cannot be read
"""


class Command(BaseCommand):
    """Print the findings of files."""

    help = HELP
    requires_system_checks = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Preserve the line breaks of the help text."""
        kwargs["formatter_class"] = RawDescriptionHelpFormatter
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the files and the output format."""
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument(
            "--format",
            choices=("text", "json", "github"),
            default="text",
            help="output: lines of text, a JSON list, or annotations of GitHub Actions",
        )
        parser.add_argument("--strict", action="store_true", help="a warning is an error, too")

    def handle(self, *args: Any, files: list[str], **options: Any) -> None:
        """Print the findings and exit with the result."""
        found = [(name, finding) for name in files for finding in check_file(_read(name))]
        match options["format"]:
            case "json":
                rows = [{"file": name} | finding.dump() for name, finding in found]
                self.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False))
            case "github":
                for name, finding in found:
                    self.stdout.write(github_annotation(name, finding))
            case _:
                for name, finding in found:
                    self.stdout.write(text_line(name, finding))
        if any(finding.severity == "error" or options["strict"] for _, finding in found):
            sys.exit(UNSOUND)


def text_line(name: str, finding: FileFinding) -> str:
    """Return a finding as compilers write it: `desk.json:7: error: message [code]`."""
    place = f"{name}:{finding.line}" if finding.line else name
    return f"{place}: {finding.severity}: {_one_line(finding.message)} [{finding.code}]"


def github_annotation(name: str, finding: FileFinding) -> str:
    """Return a finding as a workflow command of GitHub Actions.

    https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
    """
    properties = {"file": name, "line": str(finding.line or 1), "title": finding.code}
    listed = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    return f"::{finding.severity} {listed}::{_escaped(finding.message)}"


def _escaped(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    path = Path(name)
    try:
        return path.read_bytes()
    except OSError as error:
        question = did_you_mean(path.name, [each.name for each in path.parent.glob("*.json")])
        raise CommandError(
            f"{name} cannot be read: {error.strerror}.{question}", returncode=USAGE_ERROR
        ) from error
