"""`manage.py export`: write a pipeline in the format of another framework, or as a picture."""

from __future__ import annotations

import json
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.exchange import EXPORT_FORMATS, ExportFormat, archive, export_format
from designer.management.definition_sources import find_selected
from designer.management.report_lines import picture_lines, report_lines
from orchestration.definition import PipelineDefinition
from orchestration.interchange import Export
from orchestration.loading import json_schema

LOSSES, USAGE_ERROR = 3, 2
"""Exit codes: a part is lost and --strict is given, or nothing could be exported."""

SCHEMA = f"baton.pipeline-{PipelineDefinition.model_fields['version'].default}.schema.json"
"""Name of the JSON Schema, which is written beside a file of Baton JSON."""

HELP = """\
Write a pipeline in another format, and list the parts that change in it. A pipeline is given by its
number or name, with @7, @live or @draft for a version, or by the JSON file of its definition.

One file is written to the path itself. Several files are written to a folder, or to an archive if
the path ends in .zip. The path - is the standard output, for one file.

The exit code is
  0    the files are written
  2    invalid command line, or a pipeline that cannot be read
  3    a part is lost and --strict is given; the files are written
"""


class Command(BaseCommand):
    """Export a pipeline and print its losses."""

    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Preserve the line breaks of the help text."""
        kwargs["formatter_class"] = RawDescriptionHelpFormatter
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the pipeline, the format and the path."""
        parser.add_argument("pipeline", metavar="PIPELINE", help="number, name or file")
        parser.add_argument(
            "--to", required=True, choices=[each.key for each in EXPORT_FORMATS], help="format"
        )
        parser.add_argument("--out", required=True, metavar="PATH", help="file, folder or archive")
        parser.add_argument(
            "--strict", action="store_true", help="exit with 3 if a part of the pipeline is lost"
        )

    def handle(
        self, *args: Any, pipeline: str, to: str, out: str, strict: bool, **options: Any
    ) -> None:
        """Write the files, print the report and exit with the result."""
        try:
            definition, _, _ = find_selected(pipeline)
        except CommandError as error:
            raise CommandError(str(error), returncode=USAGE_ERROR) from error
        chosen = export_format(to)
        files = _files(chosen, definition, out)
        report = Export(to, chosen.texts(definition), chosen.format.rows(definition))
        lines = self.stdout
        if out == "-":
            self._print(files)
            lines = self.stderr
        else:
            try:
                _write(files, Path(out), folder=Path(out).stem)
            except OSError as error:
                raise CommandError(
                    f"{out} cannot be written: {error.strerror}.", returncode=USAGE_ERROR
                ) from error
        is_picture = chosen.format.kind == "picture"
        for line in picture_lines(report) if is_picture else report_lines(report):
            lines.write(line)
        if strict and report.loses:
            sys.exit(LOSSES)

    def _print(self, files: Mapping[str, bytes]) -> None:
        if len(files) != 1:
            raise CommandError(
                f"There are {len(files)} files: name a folder or an archive (.zip) with --out.",
                returncode=USAGE_ERROR,
            )
        ((_, content),) = files.items()
        self.stdout.write(content.decode(), ending="")


def _files(chosen: ExportFormat, definition: PipelineDefinition, out: str) -> Mapping[str, bytes]:
    """Return the files; Baton JSON on the disk has its JSON Schema beside it."""
    if chosen.key != "baton" or out == "-":
        return chosen.files(definition)
    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    (path,) = chosen.texts(definition)
    return {path: definition.dump(SCHEMA).encode(), SCHEMA: schema.encode()}


def _write(files: Mapping[str, bytes], out: Path, *, folder: str) -> None:
    if out.suffix == ".zip":
        out.write_bytes(archive(files, folder=folder))
        return
    first, *others = files
    if not others or others == [SCHEMA]:  # one file, to the path itself unless it is a folder
        path = out / first if out.is_dir() else out
        path.write_bytes(files[first])
        for name in others:
            path.with_name(name).write_bytes(files[name])
        return
    for name, content in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
