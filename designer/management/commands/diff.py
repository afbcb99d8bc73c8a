"""`manage.py diff`: compare two definitions, in a terminal, in CI, or for `git diff`."""

from __future__ import annotations

import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer import versions
from designer.management.definition_sources import find_definition, read_file
from orchestration.definition import PipelineDefinition
from orchestration.difference import (
    Difference,
    Effect,
    as_json,
    as_markdown,
    as_text,
    difference,
    effect,
)

SAME, DIFFERENT, USAGE_ERROR = 0, 1, 2
"""Exit codes: the same behaviour, another behaviour, or no comparison."""

GIT_ARGUMENTS = 7
"""Number of arguments of a Git driver: path, old file, hash and mode, new file, hash and mode."""

NO_FILE = "/dev/null"
"""Name that Git passes for a file that does not exist on one side."""

HELP = """\
Compare two pipelines: changed agents, stages, transitions, rules, tools and settings, and the
effect on conversations. The layout is ignored. A pipeline is given by its number or name, with
@7, @live or @draft for a version, or by the JSON file of its definition.

As a driver for Git, the command takes the seven arguments that Git passes, and exits with 0.

The exit code is
  0    both behave the same
  1    they behave differently
  2    invalid command line, or a file or pipeline that cannot be read
"""


class Command(BaseCommand):
    """Print the difference of two definitions."""

    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Preserve the line breaks of the help text."""
        kwargs["formatter_class"] = RawDescriptionHelpFormatter
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the two pipelines and the output format."""
        parser.add_argument(
            "pipelines", nargs="+", metavar="PIPELINE", help="the earlier pipeline, then the later"
        )
        formats = parser.add_mutually_exclusive_group()
        formats.add_argument("--markdown", action="store_true", help="print Markdown")
        formats.add_argument("--json", action="store_true", help="print a JSON object")
        formats.add_argument("--svg", action="store_true", help="print a picture of both as SVG")

    def handle(self, *args: Any, pipelines: list[str], **options: Any) -> None:
        """Print the report and exit with the result."""
        is_git = len(pipelines) == GIT_ARGUMENTS
        if is_git:
            _, before, _, _, after, *_ = pipelines
        elif len(pipelines) == 2:
            before, after = pipelines
        else:
            raise CommandError(
                f"Name two pipelines, not {len(pipelines)}: manage.py diff BEFORE AFTER.",
                returncode=USAGE_ERROR,
            )
        old, new = _find(before), _find(after)
        changes = difference(old, new)
        if options["svg"]:
            self.stdout.write(versions.picture_file(versions.DrawnDifference(old, new)), ending="")
        else:
            self.stdout.write(_report(options)(changes, effect(old, new)), ending="")
        if changes and not is_git:
            sys.exit(DIFFERENT)


def _report(options: dict[str, Any]) -> Callable[[Difference, Effect], str]:
    """Return the function that writes the report in the chosen format."""
    if options["json"]:
        return as_json
    return as_markdown if options["markdown"] else as_text


def _find(name: str) -> PipelineDefinition:
    """Return a definition by number, name or file; an empty one for a missing file of Git."""
    if name == NO_FILE:
        return PipelineDefinition(name="no pipeline")
    try:
        if Path(name).is_file():  # Git's temporary files may have any ending
            return read_file(Path(name))
        definition, _, _ = find_definition(name)
    except CommandError as error:
        raise CommandError(str(error), returncode=USAGE_ERROR) from error
    return definition
