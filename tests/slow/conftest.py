"""Servers that speak the vendors' protocols, which the slow tests ask: `scripts/test --slow`."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from designer.serving.local_model import LocalModel
from tests.serving import BatonServer

DIALOGUES = Path(__file__).with_name("dialogues.json")


@pytest.fixture(scope="session")
def local_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of llama.cpp's server with a small model."""
    with LocalModel(tmp_path_factory.mktemp("local-model") / "log") as model:
        yield model.url


@pytest.fixture(scope="session")
def llmock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of llmock, which fails on command and judges who asks it."""
    program = str(Path(sys.executable).with_name("llmock"))
    log = tmp_path_factory.mktemp("llmock") / "log"
    # Port 0 is any that is free; it says which on its standard error. Chunks come one by one, so
    # that it is still speaking when a client hangs up: it judges who reads on to the end.
    options = ["serve", "--port", "0", "--stream-chunk-delay-ms", "20"]
    with _running([program, *options], log) as url:
        yield url


@pytest.fixture(scope="session")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of aimock, which plays the dialogues beside this module."""
    package = Path(os.environ["BATON_AIMOCK"]) / "node_modules/@copilotkit/aimock"
    options = ["-p", "0", "-f", str(DIALOGUES), "--validate-on-load", "--strict"]
    log = tmp_path_factory.mktemp("aimock") / "log"
    with _running(["node", str(package / "dist/cli.js"), *options], log) as url:
        yield url


@contextmanager
def _running(command: Sequence[str], log: Path) -> Iterator[str]:
    """A server in a process of its own, once it says where it listens."""
    with (
        log.open("wb") as kept,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process,
    ):
        assert process.stdout is not None
        rest: Thread | None = None
        try:
            for line in process.stdout:
                kept.write(line)
                if found := re.search(rb"(?:listening|running) on (http://127\.0\.0\.1:\d+)", line):
                    rest = Thread(target=shutil.copyfileobj, args=(process.stdout, kept))
                    rest.start()
                    yield found[1].decode()
                    break
            else:
                raise AssertionError(f"{command[0]} did not start: {log.read_text()}")
        finally:
            process.terminate()
            if rest is not None:
                rest.join()


LINKS = """
import json
from designer.models import Pipeline
from designer.rehearsal.actions.conversations import start_conversation
from designer.rehearsal.actions.share_links import create_share_link
tokens = {}
for pipeline in Pipeline.objects.select_related("owner"):
    row = start_conversation(pipeline=pipeline, user=pipeline.owner)
    tokens[pipeline.name] = create_share_link(
        conversation=row, user=pipeline.owner, may_chat=True
    )
print(json.dumps(tokens))
"""


@pytest.fixture(scope="session")
def samples_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BatonServer]:
    """A server with the samples."""
    folder = tmp_path_factory.mktemp("agui")
    server = BatonServer(folder, samples=True, static_root=folder / "static")
    server.start()
    yield server
    server.stop()
    assert not server.errors()


@pytest.fixture(scope="session")
def chat_addresses(samples_server: BatonServer) -> dict[str, str]:
    """Address for AG-UI front ends of a conversation with each sample, by its name."""
    tokens = json.loads(samples_server.manage("shell", "--verbosity", "0", "--command", LINKS))
    return {name: f"{samples_server.url}/watch/{token}/ag-ui/" for name, token in tokens.items()}
