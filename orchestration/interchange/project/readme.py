"""File `README.md` of a project: its files, its start, and the table of losses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orchestration.definition import PipelineDefinition
from orchestration.interchange.results import Loss

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~>$^=-])")
_KEPT = {
    "native": "native",
    "metadata": "as data",
    "code": "in code",
    "comment": "as a note",
    "lost": "left out",
}
_PLACES = 12
"""Number of parts that a row of the table names."""


def readme(
    definition: PipelineDefinition,
    framework: str,
    files: Mapping[str, str],
    run: Sequence[str],
    variables: Sequence[str],
    rows: Sequence[Loss],
    notes: Sequence[str] = (),
) -> str:
    """Return the README.

    `files` are descriptions by file name, `run` the commands to install and start it, `variables`
    the environment variables, and `notes` further paragraphs in Markdown.
    """
    sections = [f"# {plain(definition.name)}"]
    if definition.description.strip():
        sections.append(plain(definition.description))
    sections += [
        f"This project for {framework} was exported from a pipeline of Baton.",
        "## Files",
        "\n".join(f"- `{name}`: {text}" for name, text in files.items()),
        "## Run",
        "\n".join(["```sh", *run, "```"]),
    ]
    if variables:
        names = ", ".join(f"`{each}`" for each in variables)
        sections.append(f"Set these environment variables first: {names}. No key is in the files.")
    sections += [*notes, "## Differences from Baton", loss_table(rows)]
    return "\n\n".join(sections) + "\n"


def loss_table(rows: Sequence[Loss]) -> str:
    """Return the parts that are not kept as they are as a Markdown table, and the other parts."""
    changed = [row for row in rows if not row.is_native]
    changed.sort(key=lambda row: (not row.differs, row.kept == "lost"))
    same = sum(not row.differs for row in rows)
    lines = [f"Behaves the same: {same} of {len(rows)} parts."]
    if changed:
        lines += ["", "| Part | Kept | Result |", "| --- | --- | --- |", *map(_line, changed)]
    native = [row.part for row in rows if row.is_native]
    if native:
        lines += ["", f"As they are: {', '.join(dict.fromkeys(map(plain, native)))}."]
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return a text for Markdown, on one line and without any markup of its own."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _SPECIAL.sub(r"\\\1", line).replace("&", "&amp;").replace("<", "&lt;")


def _line(row: Loss) -> str:
    places = [plain(each) for each in row.places[:_PLACES] if each != "pipeline"]
    more = len(row.places) - _PLACES
    names = ", ".join([*places, f"{more} more"] if more > 0 else places)
    part = f"{plain(row.part)}: {names}" if names else plain(row.part)
    kept = f"{_KEPT[row.kept]}, differs" if row.differs else _KEPT[row.kept]
    # The texts of a format are its own, so they keep their markup.
    result = f"{row.description}. {row.consequence}" if row.consequence else row.description
    return f"| {part} | {kept} | {result.replace('|', chr(92) + '|')} |"
