"""`manage.py rehearse`: play a conversation in the terminal, for a look, a script or a CI."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from designer import definitions
from designer.core import MalformedError, Say, check, find_connection_issues, gather_subtasks
from designer.models import Pipeline
from designer.rehearsal import (
    Names,
    TraceState,
    close_providers,
    own_remote_tools,
    owned_providers,
    plain,
    plain_lines,
)
from orchestration.definition import PipelineDefinition
from orchestration.events import (
    Event,
    InputRequested,
    MessageDelta,
    RunCompleted,
    StopReason,
    encode,
)
from orchestration.exceptions import DefinitionError
from orchestration.loading import load_storable
from orchestration.messages import InboundMessage
from orchestration.providers import Provider, providers_from_environment
from orchestration.runtime import MAX_NAME, Session, TraceFile, head_line
from orchestration.validation import errors, validate

MAX_MESSAGES = 1_000

Print = Callable[[Event], None]

EXIT_CODES: Mapping[StopReason, int] = {
    StopReason.REPLIED: 0,
    StopReason.WAITING_FOR_USER: 3,
    StopReason.WAITING_FOR_HUMAN: 4,
    StopReason.HANDOFF_LIMIT: 5,
    StopReason.TURN_LIMIT: 5,
    StopReason.CONTEXT_LIMIT: 5,
    StopReason.CYCLE: 6,
    StopReason.FAILED: 7,
    StopReason.CANCELLED: 130,
}
"""Exit codes by the stop reason of the last run."""

WAITS_FOR_APPROVAL = 4
"""The exit code where a call waits for a person: as where the conversation does."""

GOES_ON = {StopReason.REPLIED, StopReason.WAITING_FOR_USER}
"""After which ends of a run the next message is said."""

ABOUT = """\
Play a conversation with a pipeline, and print its events as they happen. Nothing is recorded.
The environment connects a model as it does for the server, and so do the connections of who owns
the pipeline; without one, the scripted provider plays the agents.

A message is a text, or with --file a line of a file ('-': of the standard input). A line may be a
JSON object instead: {"text": "…", "channel_type": "email", "intent": "refund"}. With neither,
what is typed is said, line by line.

The exit code says how the last run ended; after a run that ended otherwise than with an answer or
a question, no more is said:
  0    answered
  1    could not be begun: no such pipeline, one with errors, or nothing to say
  2    the command line was not understood
  3    an agent waits for the user's answer
  4    the conversation waits for the human, or a call for approval
  5    a limit was reached: of turns, handoffs or tokens
  6    the handoffs went in a circle
  7    the run failed
  130  stopped with Ctrl-C
"""


class Command(BaseCommand):
    """Drive one session in this process, and print what happens."""

    help = ABOUT

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Keep the lines of the help as they are."""
        kwargs["formatter_class"] = RawDescriptionHelpFormatter
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the pipeline, what is said, and how events are printed."""
        parser.add_argument(
            "pipeline", help="a pipeline's number or name, or the JSON file of a definition"
        )
        said = parser.add_mutually_exclusive_group()
        said.add_argument(
            "--message", action="append", metavar="TEXT", help="say this; may be given repeatedly"
        )
        said.add_argument("--file", metavar="FILE", help="say each line of this file")
        parser.add_argument("--channel", default="web", help="where messages come from (web)")
        parser.add_argument("--intent", default=None, help="what the customer wants")
        parser.add_argument(
            "--with",
            action="append",
            default=[],
            metavar="FILE",
            help="a definition that a subtask may run; may be given repeatedly",
        )
        parser.add_argument(
            "--json",
            action="store_true",
            help="print JSON lines, as the export of a trace: the first says what is run",
        )

    def handle(self, *args: Any, pipeline: str, **options: Any) -> None:
        """Find the pipeline and the messages, play, and end with the code."""
        definition, subtasks, row = find_definition(pipeline)
        subtasks += [read_file(Path(name)) for name in options["with"]]
        found = list(errors(validate(definition)))
        if row is not None:
            found += find_connection_issues(row, row.owner, definition, subtasks)
        if found:
            sentences = "".join(f"\n  {issue.message}" for issue in found)
            raise CommandError(f"The pipeline cannot be rehearsed:{sentences}")
        session_id = f"rehearsal-{uuid4().hex[:12]}"
        trace = TraceFile(definition.name[:MAX_NAME], definition, session_id, (), tuple(subtasks))
        begin = partial(
            Session,
            definition,
            session_id=session_id,
            providers=_providers(row),
            ask_user=_later,
            pipelines=trace.find,
        )
        said = messages(options["message"], options["file"], options["channel"], options["intent"])
        print_event = self._as_json(trace) if options["json"] else self._as_text(trace)
        try:
            code = play(begin, row.owner_id if row else None, said, print_event)
        except BrokenPipeError:  # who reads has heard enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        if code:
            sys.exit(code)

    def _as_json(self, trace: TraceFile) -> Print:
        """Print events as the lines of a trace, after its first."""

        def print_line(line: bytes) -> None:
            self.stdout.write(line.decode(), ending="")
            self.stdout.flush()

        print_line(head_line(trace))
        return lambda event: print_line(encode(event) + b"\n")

    def _as_text(self, trace: TraceFile) -> Print:
        """Print events as rows of the supervisor pane, with what is said."""
        telling = TraceState.of(Names.of(trace.definition), trace.find)

        def print_event(event: Event) -> None:
            for line in plain_lines(event, telling):
                self.stdout.write(line)
            self.stdout.flush()

        return print_event


# Playing


def play(
    begin: Callable[..., Session],
    owner_id: int | None,
    said: Iterator[InboundMessage],
    print_event: Print,
) -> int:
    """Say one message after the other; the exit code of how the last run ended.

    Tools go with the connections of an owner, where there is one. Raises CommandError where there
    is nothing to say, which no answer can have followed.
    """
    code: int | None = None
    with asyncio.Runner() as runner:
        remote_tools = own_remote_tools(owner_id)
        session = begin(remote_tools=runner.run(remote_tools.__aenter__()))
        try:
            for message in said:
                end = runner.run(_answer(session, message, print_event))
                if end is None:
                    return WAITS_FOR_APPROVAL
                code = EXIT_CODES[end]
                if end not in GOES_ON:
                    break
        except KeyboardInterrupt:
            for event in session.end_run(StopReason.CANCELLED) if session.unfinished else []:
                print_event(event)
            return EXIT_CODES[StopReason.CANCELLED]
        finally:
            runner.run(close_providers(session.providers))
            runner.run(remote_tools.__aexit__(None, None, None))
    if code is None:
        raise CommandError("Nothing was said: there was no message to read.")
    return code


async def _answer(
    session: Session, message: InboundMessage, print_event: Print
) -> StopReason | None:
    """One run, printed as it happens; how it ended. None: it waits for somebody's approval."""
    async with aclosing(session.receive(message)) as events:
        async for event in events:
            if not isinstance(event, MessageDelta):
                print_event(event)
    if session.unfinished:
        return None
    ended = session.conversation.run_end
    return ended.reason if isinstance(ended, RunCompleted) else StopReason.FAILED


async def _later(_: InputRequested) -> None:
    """The next message is the answer."""


def _providers(row: Pipeline | None) -> Mapping[str, Provider]:
    """Return the providers of the environment and, with precedence, of the pipeline's owner."""
    own = owned_providers(row.owner_id) if row is not None else {}
    try:
        return {**providers_from_environment(os.environ), **own}
    except (ValueError, httpx.InvalidURL) as error:
        raise CommandError(f"The model settings are wrong: {error}") from error


# What is played


def find_definition(
    wanted: str,
) -> tuple[PipelineDefinition, list[PipelineDefinition], Pipeline | None]:
    """A pipeline by its number or name, or from a file; those that its subtasks run; its row."""
    path = Path(wanted)
    if wanted.endswith(".json") or path.is_file():
        return read_file(path), [], None
    rows = Pipeline.objects.select_related(
        "entry", "default_agent", "supervisor", "owner"
    ).order_by("pk")
    number = int(wanted) if re.fullmatch("[0-9]{1,18}", wanted) else None
    try:
        found = list(rows.filter(pk=number) if number is not None else rows.filter(name=wanted))
    except DatabaseError as error:
        raise CommandError(f"The database cannot be read ({error}): has it been set up?") from error
    if len(found) > 1:
        those = ", ".join(f"{row.pk} of {row.owner.get_username()}" for row in found)
        raise CommandError(f"There are several pipelines {wanted!r}: say which ({those}).")
    if not found:
        raise CommandError(f"There is no pipeline {wanted!r}, and no such file.")
    definition = definitions.read(found[0])
    gathered, barring = gather_subtasks(found[0], found[0].owner, definition)
    if barring:
        raise CommandError(barring[0].message)
    return definition, list(gathered.values()), found[0]


def read_file(path: Path) -> PipelineDefinition:
    """The definition in a file."""
    try:
        return load_storable(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except DefinitionError as error:
        faults = "".join(f"\n  {fault}" for fault in error.faults)
        raise CommandError(f"{path} is no definition:{faults}") from error


# What is said


def messages(
    texts: list[str] | None, file: str | None, channel: str, intent: str | None
) -> Iterator[InboundMessage]:
    """The messages, each checked when its turn comes."""
    lines: Iterable[str] = texts if texts is not None else _lines(file)
    said = (_fields(line, is_text=texts is not None) for line in lines)
    for number, fields in enumerate(filter(None, said), 1):
        if number > MAX_MESSAGES:
            raise CommandError(f"At most {MAX_MESSAGES:,} messages are said.")
        whole = {"channel_type": channel, "intent": intent or ""} | fields
        try:
            say = check({**whole, "op": "say", "id": f"message-{number:04}"})
        except MalformedError as error:
            raise CommandError(f"Message {number}: {error}") from error
        if isinstance(say, Say):
            yield say.inbound()


def _lines(file: str | None) -> Iterator[str]:
    if file is None or file == "-":
        yield from sys.stdin
        return
    try:
        with Path(file).open(encoding="utf-8") as lines:
            yield from lines
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise CommandError(f"{file} cannot be read: {why}.") from error


def _fields(line: str, *, is_text: bool) -> dict[str, object]:
    """Parse a line: a text, or a JSON object with more fields; empty for a blank line."""
    text = line if is_text else line.strip()
    if is_text or not text.startswith("{"):
        return {"text": text} if is_text or text else {}
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}
    if unknown := fields.keys() - {"text", "channel_type", "intent"}:
        raise CommandError(f"A message has no field {plain(min(unknown))!r}.")
    return dict(fields)
