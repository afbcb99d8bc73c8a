"""Exchange of definitions with other formats, each with a report of its losses.

`export(definition, "langgraph")` returns files and a report; `read(data)` returns a definition
and a report. A format is one module or package with a `Format`: its names, functions and its
support of every feature. The report and the table of `docs/exchange.md` come from these
declarations. No function opens a file or a socket, or runs code of a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError, Fault, UnknownNameError
from orchestration.interchange.adk import ADK
from orchestration.interchange.agent_spec import AGENT_SPEC
from orchestration.interchange.archives import documents, is_archive
from orchestration.interchange.autogen import AUTOGEN
from orchestration.interchange.baton_json import BATON_JSON
from orchestration.interchange.docker_agent import DOCKER_AGENT
from orchestration.interchange.features import FEATURE_KEYS, FEATURES, Feature
from orchestration.interchange.formats import NATIVE, Files, Format
from orchestration.interchange.langgraph import LANGGRAPH
from orchestration.interchange.mermaid import MERMAID
from orchestration.interchange.openai_agents import AGENTS_SDK
from orchestration.interchange.proof import RoundTrip, round_trip
from orchestration.interchange.results import UNNAMED, Export, Import, Kept, Loss, Report, Support
from orchestration.interchange.roomkit import ROOMKIT
from orchestration.interchange.table import mapping_table
from orchestration.loading import DEFINITION, decode, is_foreign, read_document

__all__ = [
    "FEATURES",
    "FEATURE_KEYS",
    "FORMATS",
    "NATIVE",
    "UNNAMED",
    "Export",
    "Feature",
    "Files",
    "Format",
    "Import",
    "Kept",
    "Loss",
    "Report",
    "RoundTrip",
    "Support",
    "export",
    "format_named",
    "mapping_table",
    "read",
    "round_trip",
]

FORMATS: Final[tuple[Format, ...]] = (
    BATON_JSON,
    AGENT_SPEC,
    AGENTS_SDK,
    LANGGRAPH,
    DOCKER_AGENT,
    ROOMKIT,
    ADK,
    AUTOGEN,
    MERMAID,
)
"""All formats, in the order of the dialog."""


def format_named(key: str) -> Format:
    """Return the format with this key, or raise `UnknownNameError`."""
    for each in FORMATS:
        if each.key == key:
            return each
    raise UnknownNameError("format", key, known=[each.key for each in FORMATS])


def export(definition: PipelineDefinition, format_key: str) -> Export:
    """Return the files and the report of a definition in another format."""
    return format_named(format_key).export(definition)


def read(data: bytes | str, format_key: str | None = None) -> Import:
    """Return the definition and the report of a document of any format that is read.

    Without a key the format is recognised by the document. Of an archive (ZIP), such as an export
    of several files, the first program or else the first JSON or YAML file is read. Raises
    `DefinitionError` for a document that is malformed, beyond the limits of our own files, of no
    known format, or without an agent.
    """
    if isinstance(data, bytes) and is_archive(data):
        return _read_archive(data, format_key)
    text = decode(data, DEFINITION)
    if format_key is not None:
        return _read(format_named(format_key), text)
    value, error = _value(text)
    if (recognised := _recognise(text, value)) is not None:
        return _read(recognised, text)
    if isinstance(value, dict) and text.lstrip().startswith("{") and not is_foreign(value):
        return _read(BATON_JSON, text)  # with the faults of a file that was edited by hand
    if error is not None and not _PROGRAM.search(text):
        raise error
    raise _unknown("The format is not known.")


_PROGRAM = re.compile(r"^(?:from [\w.]+ import |import \w|def \w|class \w)", re.MULTILINE)
"""A line of a Python program."""


def _read_archive(data: bytes, format_key: str | None) -> Import:
    """Return the import of the first file in an archive in this format, or in a known one."""
    files = documents(data)
    for document in files.values():
        try:
            text = decode(document, DEFINITION)
            recognised = _recognise(text, _value(text)[0])
        except DefinitionError:
            continue  # a file beside the document
        if recognised is not None and format_key in (None, recognised.key):
            if recognised.read_archive is None:
                return _read(recognised, text)
            return recognised.read_archive(text, dict(_programs(files)))
    raise _unknown("The archive has no file in a known format: unpack it and choose one.")


def _programs(files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield the texts of the Python modules by file name."""
    for name, content in files.items():
        if name.endswith(".py"):
            with suppress(DefinitionError):
                yield name, decode(content, DEFINITION)


def _recognise(text: str, value: object) -> Format | None:
    """Return the format of a document, given as a text and its value as JSON or YAML."""
    for each in FORMATS:
        if each.read is not None and each.recognises is not None and each.recognises(text, value):
            return each
    return None


def _unknown(sentence: str) -> DefinitionError:
    readable = ", ".join(each.title for each in FORMATS if each.read is not None)
    return DefinitionError([Fault("$", f"{sentence} These are read: {readable}.")])


def _read(chosen: Format, text: str) -> Import:
    if chosen.read is None:
        known = [each.key for each in FORMATS if each.read is not None]
        raise UnknownNameError("format for imports", chosen.key, known=known)
    return chosen.read(text)


def _value(text: str) -> tuple[Any, DefinitionError | None]:
    """Return the value of a JSON or YAML document; None with the error for another text.

    The error may concern a text in another language, such as Python, so it is raised only if no
    format recognises the text.
    """
    try:
        return read_document(text, DEFINITION), None
    except DefinitionError as error:
        if text.lstrip().startswith(("{", "[")):
            raise
        return None, error
