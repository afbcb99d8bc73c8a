"""`manage.py import`: create a pipeline from a file of Baton or of another framework."""

from __future__ import annotations

import sys
from argparse import RawDescriptionHelpFormatter
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.management.report_lines import report_lines
from designer.pipelines import free_name, import_definition
from orchestration.exceptions import DefinitionError
from orchestration.interchange import FORMATS, read
from orchestration.loading import MAX_BYTES
from orchestration.names import did_you_mean

INVALID, USAGE_ERROR = 1, 2
"""Exit codes: a file that is no pipeline, or a file that cannot be read."""

HELP = """\
Create a pipeline from a file, and list the parts that are not imported with their places in the
file. Programs are read and never run. The file - is the standard input.

The exit code is
  0    the pipeline is created
  1    the file contains no pipeline in a known format
  2    invalid command line, or a file that cannot be read
"""


class Command(BaseCommand):
    """Import a file and print its losses."""

    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Preserve the line breaks of the help text."""
        kwargs["formatter_class"] = RawDescriptionHelpFormatter
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the file, its format and the owner."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument(
            "--format",
            choices=[each.key for each in FORMATS if each.read is not None],
            help="format of the file (recognised by its content)",
        )
        parser.add_argument("--username", default="demo", help="owner of the pipeline (demo)")

    def handle(self, *args: Any, file: str, username: str, **options: Any) -> None:
        """Create the pipeline and print its number and the report."""
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(
                f"There is no user {username!r}: check --username.", returncode=USAGE_ERROR
            )
        try:
            result = read(_read(file), options["format"])
        except DefinitionError as error:
            faults = "".join(f"\n  {fault}" for fault in error.faults)
            raise CommandError(f"{file} was not imported:{faults}", returncode=INVALID) from error
        definition = result.definition
        pipeline = import_definition(
            user=user, definition=definition, choose_name=partial(free_name, definition.name)
        )
        self.stdout.write(f"Created pipeline {pipeline.pk}, {pipeline.name}, for {username}.")
        for line in report_lines(result):
            self.stdout.write(line)


def _read(name: str) -> bytes:
    """Return the start of a file, one byte more than an import may have."""
    if name == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    path = Path(name)
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        question = did_you_mean(path.name, [each.name for each in path.parent.glob("*.*")])
        raise CommandError(
            f"{name} cannot be read: {error.strerror}.{question}", returncode=USAGE_ERROR
        ) from error
