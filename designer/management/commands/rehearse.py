"""`manage.py rehearse`: play a conversation in the terminal, in a script or in CI."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.core import find_connection_issues
from designer.management.definition_sources import find_definition, read_file
from designer.management.message_lines import read_messages, read_variables
from designer.models import Pipeline
from designer.rehearsal import (
    Names,
    TraceState,
    call_cost_of,
    close_providers,
    own_remote_tools,
    owned_providers,
    plain_lines,
    prices_of_owner,
)
from orchestration.events import (
    Event,
    InputRequested,
    MessageDelta,
    RunCompleted,
    StopReason,
    encode,
)
from orchestration.messages import InboundMessage
from orchestration.providers import Provider, providers_from_environment
from orchestration.runtime import MAX_NAME, Session, TraceFile, head_line
from orchestration.validation import errors, validate

Print = Callable[[Event], None]

EXIT_CODES: Mapping[StopReason, int] = {
    StopReason.REPLIED: 0,
    StopReason.WAITING_FOR_USER: 3,
    StopReason.WAITING_FOR_HUMAN: 4,
    StopReason.HANDOFF_LIMIT: 5,
    StopReason.TURN_LIMIT: 5,
    StopReason.CONTEXT_LIMIT: 5,
    StopReason.CALL_LIMIT: 5,
    StopReason.TOKEN_LIMIT: 5,
    StopReason.COST_LIMIT: 5,
    StopReason.TIME_LIMIT: 5,
    StopReason.CYCLE: 6,
    StopReason.FAILED: 7,
    StopReason.TRUNCATED: 8,
    StopReason.CANCELLED: 130,
}
"""Exit codes by the stop reason of the last run."""

WAITS_FOR_APPROVAL = 4
"""Exit code if a call waits for approval, as if the conversation waits for the human."""

CONTINUES = {StopReason.REPLIED, StopReason.WAITING_FOR_USER}
"""Stop reasons after which the next message is sent."""

USAGE = """\
%(prog)s PIPELINE [--message TEXT | --file FILE] [--channel NAME]
       [--intent NAME] [--set NAME=VALUE] [--with FILE] [--json] [--help]"""

HELP = """\
Play a conversation with a pipeline, and print its events as they happen. Nothing is recorded.
Models are connected by the environment, as for the server, and by the connections of the owner of
the pipeline; otherwise the scripted provider plays the agents.

A message is a text or, with --file, a line of a file ('-' for standard input). A line can also be
a JSON object: {"text": "…", "channel_type": "email", "intent": "refund"}. A line that begins with
'{' and is no JSON object is an error. Without --message and --file the messages are read from
standard input, line by line. Names of pipelines and channels are found in upper and lower case.

The exit code is the result of the last run. No further message is sent after a run that ended
without an answer or a question:
  0    answered
  1    not started: no such pipeline, a pipeline with errors, or no message
  2    invalid command line
  3    an agent waits for the user's answer
  4    the conversation waits for the human, or a call for approval
  5    a limit was reached: turns, handoffs, context, calls, tokens, cost or time
  6    the handoffs formed a cycle
  7    the run failed
  8    the answer was cut off at its maximum length
  130  stopped with Ctrl-C
"""


class Command(BaseCommand):
    """Run a session in this process and print its events."""

    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Preserve the line breaks of the help text, and shorten the usage to two lines."""
        kwargs["formatter_class"] = RawDescriptionHelpFormatter
        kwargs["usage"] = USAGE
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the pipeline, the messages and the output format."""
        parser.add_argument(
            "pipeline", help="a pipeline's number or name, or the JSON file of a definition"
        )
        source = parser.add_mutually_exclusive_group()
        source.add_argument(
            "--message", action="append", metavar="TEXT", help="send this message; can be repeated"
        )
        source.add_argument("--file", metavar="FILE", help="send each line of this file")
        parser.add_argument(
            "--channel",
            default="web",
            help="channel of the messages (web): web, sms, email, voice or one of a routing rule",
        )
        parser.add_argument("--intent", default=None, help="intent of the messages")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="value of a variable of the pipeline; can be repeated",
        )
        parser.add_argument(
            "--with",
            action="append",
            default=[],
            metavar="FILE",
            help="a definition for subtasks; can be repeated",
        )
        parser.add_argument(
            "--json",
            action="store_true",
            help="print a trace as JSON lines; the first line is the definition",
        )

    def handle(self, *args: Any, pipeline: str, **options: Any) -> None:
        """Play the messages and exit with the code of the last run."""
        definition, subtasks, row = find_definition(pipeline)
        subtasks += [read_file(Path(name)) for name in options["with"]]
        issues = list(errors(validate(definition)))
        if row is not None:
            issues += find_connection_issues(row, row.owner, definition, subtasks)
        if issues:
            sentences = "".join(f"\n  {issue.message}" for issue in issues)
            raise CommandError(f"The pipeline cannot be rehearsed:{sentences}")
        session_id = f"rehearsal-{uuid4().hex[:12]}"
        trace = TraceFile(definition.name[:MAX_NAME], definition, session_id, (), tuple(subtasks))
        begin = partial(
            Session,
            definition,
            session_id=session_id,
            providers=_providers(row),
            call_cost=call_cost_of(prices_of_owner(row.owner_id if row else None)),
            ask_user=_wait_for_next_message,
            pipelines=trace.find,
            variables=read_variables(options["set"], definition),
        )
        inbound = read_messages(
            options["message"],
            options["file"],
            channel=options["channel"],
            intent=options["intent"],
            definition=definition,
        )
        print_event = self._as_json(trace) if options["json"] else self._as_text(trace)
        try:
            code = play(begin, row.owner_id if row else None, inbound, print_event)
        except BrokenPipeError:  # the reader closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        if code:
            sys.exit(code)

    def _as_json(self, trace: TraceFile) -> Print:
        """Print the first line of a trace; return a function that prints its events."""

        def print_line(line: bytes) -> None:
            self.stdout.write(line.decode(), ending="")
            self.stdout.flush()

        print_line(head_line(trace))
        return lambda event: print_line(encode(event) + b"\n")

    def _as_text(self, trace: TraceFile) -> Print:
        """Return a function that prints events as rows of the supervisor pane."""
        telling = TraceState.of(Names.of(trace.definition), trace.find)

        def print_event(event: Event) -> None:
            for line in plain_lines(event, telling):
                self.stdout.write(line)
            self.stdout.flush()

        return print_event


# Runs


def play(
    begin: Callable[..., Session],
    owner_id: int | None,
    inbound: Iterator[InboundMessage],
    print_event: Print,
) -> int:
    """Send the messages one after the other; return the exit code of the last run.

    Tools use the connections of the owner, if any. Raise `CommandError` without a message.
    """
    code: int | None = None
    with asyncio.Runner() as runner:
        remote_tools = own_remote_tools(owner_id)
        session = begin(remote_tools=runner.run(remote_tools.__aenter__()))
        try:
            for message in inbound:
                reason = runner.run(_answer(session, message, print_event))
                if reason is None:
                    return WAITS_FOR_APPROVAL
                code = EXIT_CODES[reason]
                if reason not in CONTINUES:
                    break
        except KeyboardInterrupt:
            for event in session.end_run(StopReason.CANCELLED) if session.unfinished else []:
                print_event(event)
            return EXIT_CODES[StopReason.CANCELLED]
        finally:
            runner.run(close_providers(session.providers))
            runner.run(remote_tools.__aexit__(None, None, None))
    if code is None:
        raise CommandError("There is no message to send: use --message, --file or standard input.")
    return code


async def _answer(
    session: Session, message: InboundMessage, print_event: Print
) -> StopReason | None:
    """Run one message and print its events; return the stop reason, or None for an approval."""
    async with aclosing(session.receive(message)) as events:
        async for event in events:
            if not isinstance(event, MessageDelta):
                print_event(event)
    if session.unfinished:
        return None
    ended = session.conversation.run_end
    return ended.reason if isinstance(ended, RunCompleted) else StopReason.FAILED


async def _wait_for_next_message(_: InputRequested) -> None:
    """Return without an answer: the next message is the answer."""


def _providers(row: Pipeline | None) -> Mapping[str, Provider]:
    """Return the providers of the environment and, with precedence, of the pipeline's owner."""
    own = owned_providers(row.owner_id) if row is not None else {}
    try:
        return {**providers_from_environment(os.environ), **own}
    except (ValueError, httpx.InvalidURL) as error:
        raise CommandError(f"The model settings of the environment are invalid: {error}") from error
