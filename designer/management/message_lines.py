"""Messages of a rehearsal in the terminal: texts of the command line or lines of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

from django.core.management.base import CommandError

from designer.core import MalformedError, Say, check
from designer.rehearsal import plain
from orchestration.definition import MAX_VARIABLE_VALUE, PipelineDefinition
from orchestration.exceptions import DefinitionError
from orchestration.loading import MESSAGE, read_json
from orchestration.messages import CHANNELS, InboundMessage
from orchestration.names import did_you_mean

MAX_MESSAGES = 1_000

FIELDS = ("text", "channel_type", "intent", "variables")
"""Fields of a message in a line that is a JSON object."""

Line = tuple[str, dict[str, object]]
"""Location of a message for errors, and its fields."""


def read_messages(
    texts: list[str] | None,
    file: str | None,
    *,
    channel: str,
    intent: str | None,
    definition: PipelineDefinition,
) -> Iterator[InboundMessage]:
    """Yield the messages; raise `CommandError` for an invalid one.

    The lines of a file are checked before the first is yielded, standard input is checked line by
    line.
    """
    values = {"channel_type": known_channel(channel, definition), "intent": intent or ""}
    if texts is not None:
        return _parse([(f"Message {n}", {"text": text}) for n, text in enumerate(texts, 1)], values)
    if file is None or file == "-":
        return _parse(_fields(sys.stdin, "standard input", definition), values)
    try:
        with Path(file).open(encoding="utf-8") as lines:
            return iter([*_parse(_fields(lines, file, definition), values)])
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CommandError(f"{file} cannot be read: {reason}.") from error


def channels_of(definition: PipelineDefinition) -> tuple[str, ...]:
    """Return the channels of Baton and of the pipeline's routing rules."""
    channels = list(CHANNELS)
    for rule in definition.rules:
        channels += rule.conditions.channel_types or ()
        for row in rule.conditions.rows:
            if row.field == "event.channel_type":
                channels += row.value if isinstance(row.value, tuple) else [str(row.value)]
    return tuple(dict.fromkeys(channels))


def read_variables(settings: Iterable[str], definition: PipelineDefinition) -> dict[str, str]:
    """Return the values of `NAME=VALUE` options, or raise `CommandError`."""
    variables: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise CommandError(f"--set {plain(setting)!r} has no '=': write NAME=VALUE.")
        variables[name.strip()] = value
    check_variables(variables, definition)
    return variables


def check_variables(variables: Mapping[str, object], definition: PipelineDefinition) -> None:
    """Raise `CommandError` for a variable that is not declared, or whose value is too long."""
    for name, value in variables.items():
        if name not in definition.variables:
            known = ", ".join(definition.variables) or "none"
            raise CommandError(
                f"There is no variable {plain(name)!r}: the pipeline declares {known}."
                f"{did_you_mean(name, definition.variables)}"
            )
        if isinstance(value, str) and len(value) > MAX_VARIABLE_VALUE:
            raise CommandError(
                f"The value of {name!r} is longer than {MAX_VARIABLE_VALUE} characters."
            )


def known_channel(name: str, definition: PipelineDefinition) -> str:
    """Return a channel by its name in any case, or raise `CommandError`."""
    known = channels_of(definition)
    folded = {each.casefold(): each for each in known}
    if (channel := folded.get(name.strip().casefold())) is None:
        question = did_you_mean(name, known)
        raise CommandError(
            f"There is no channel {plain(name)!r}: the channels are {', '.join(known)}.{question}"
        )
    return channel


def _parse(lines: Iterable[Line], values: dict[str, str]) -> Iterator[InboundMessage]:
    for number, (location, fields) in enumerate(lines, 1):
        if number > MAX_MESSAGES:
            raise CommandError(f"At most {MAX_MESSAGES:,} messages are allowed.")
        try:
            parsed = check({**values, **fields, "op": "say", "id": f"message-{number:04}"})
        except MalformedError as error:
            raise CommandError(f"{location}: {error}") from error
        if isinstance(parsed, Say):
            yield parsed.inbound()


def _fields(lines: Iterable[str], file: str, definition: PipelineDefinition) -> Iterator[Line]:
    """Yield the fields of each line that is not blank, with its location."""
    for number, line in enumerate(lines, 1):
        if not (text := line.strip()):
            continue
        location = f"{file}, line {number}"
        yield location, _object(text, location, definition) if text[0] == "{" else {"text": text}


def _object(text: str, location: str, definition: PipelineDefinition) -> dict[str, object]:
    """Parse a message that is a JSON object."""
    try:
        fields = cast("dict[str, object]", read_json(text, MESSAGE))
    except DefinitionError as error:
        reason = error.faults[0].sentence.replace("(line 1, column", "(column")
        raise CommandError(
            f"{location}: {reason} A line that begins with '{{' is a JSON object: correct it, or"
            " begin the text with another character."
        ) from error
    if unknown := fields.keys() - set(FIELDS):
        name = min(unknown)
        raise CommandError(
            f"{location}: a message has no field {plain(name)!r}.{did_you_mean(name, FIELDS)}"
        )
    try:
        if isinstance(channel := fields.get("channel_type"), str):
            fields["channel_type"] = known_channel(channel, definition)
        if isinstance(variables := fields.get("variables"), dict):
            check_variables(variables, definition)
    except CommandError as error:
        raise CommandError(f"{location}: {error}") from error
    return fields
