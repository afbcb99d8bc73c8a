"""`scripts/demo` and `scripts/test` on machines without some requirements."""

import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serving import ROOT, clean_environment, run_command

pytestmark = pytest.mark.server

TOOLS = ("sh", "dirname", "cat", "cksum", "rm", "mkdir", "id", "env", "mktemp", "grep")
OLD_PYTHON = '#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2" && exit 0\nexit 1\n'
NEW_PYTHON = '#!/bin/sh\n[ "$1" = -c ] && exit 0\nexit 1\n'
NOBODY = 65534


@pytest.fixture
def bare_machine() -> Iterator[Path]:
    """Copy of the scripts without an environment, and a PATH with basic tools only."""
    folder = Path(tempfile.mkdtemp(prefix="baton-bare-"))
    shutil.copytree(ROOT / "scripts", folder / "baton" / "scripts")
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder / "baton" / name)
    (folder / "bin").mkdir()
    for tool in TOOLS:
        (folder / "bin" / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def run_on(machine: Path, script: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [machine / "baton" / "scripts" / script],
        env={"PATH": str(machine / "bin")},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def put_python(machine: Path, text: str) -> None:
    python = machine / "bin" / "python3"
    python.write_text(text)
    python.chmod(0o755)


def run_demo(data_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "demo", *arguments],
        env=environment(data_dir),
        capture_output=True,
        text=True,
        check=False,
    )


def environment(data_dir: Path) -> dict[str, str]:
    return clean_environment() | {"BATON_DATA_DIR": str(data_dir)}


def assert_one_line_error(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode != 0
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    for word in words:
        assert word in lines[0]


def test_an_old_python_is_reported_in_one_line(bare_machine):
    put_python(bare_machine, OLD_PYTHON)
    done = run_on(bare_machine, "demo")
    assert_one_line_error(done, "needs Python 3.11 or newer", "has Python 3.9.2")


def test_a_missing_python_is_reported_in_one_line(bare_machine):
    assert_one_line_error(run_on(bare_machine, "demo"), "needs Python 3.11 or newer", "has none")


def test_a_read_only_folder_is_reported_in_one_line(bare_machine):
    put_python(bare_machine, NEW_PYTHON)
    folder = bare_machine / "baton"
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
    # Nothing is read-only for root, so the script runs as the user nobody.
    options = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    done = run_on(bare_machine, "demo", **options)
    folder.chmod(0o755)
    assert_one_line_error(done, f"cannot write to {folder}")


def test_a_python_without_venv_is_reported_and_leaves_no_files(bare_machine):
    put_python(bare_machine, NEW_PYTHON)
    done = run_on(bare_machine, "demo")
    assert done.returncode == 1
    assert "install its venv module" in done.stderr.splitlines()[-1]
    assert not (bare_machine / "baton" / ".venv").exists()


def test_an_impossible_data_folder_is_reported_in_one_line(tmp_path):
    (tmp_path / "file").touch()
    done = run_command(environment(tmp_path / "file" / "data"), "demo", "--port", "0")
    assert_one_line_error(done, str(tmp_path / "file" / "data"), "make the folder writable")


def test_a_used_port_is_reported_in_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run_demo(tmp_path, "--port", str(port))
    assert_one_line_error(done, f"Port {port} is in use by another program", "--port")


def test_an_impossible_port_is_reported_in_one_line(tmp_path):
    done = run_command(environment(tmp_path), "demo", "--port", "70000")
    assert_one_line_error(done, "There is no port 70000")


def test_a_second_model_beside_the_local_one_is_reported_before_any_work(tmp_path):
    """Run the command of the script, before the packages of the model are installed."""
    done = subprocess.run(
        [sys.executable, ROOT / "manage.py", "demo", "--port", "0", "--local-model"],
        env=clean_environment() | {"BATON_DATA_DIR": str(tmp_path), "OPENAI_API_KEY": "sk-none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert_one_line_error(done, "OPENAI_API_KEY connects another model")
    assert not (tmp_path / "baton.sqlite3").exists()


def test_a_second_start_keeps_the_data(tmp_path, static_root):
    first = start_and_read_pipelines(tmp_path, static_root)
    second = start_and_read_pipelines(tmp_path, static_root)
    assert first == second
    assert len(first) == 6


def start_and_read_pipelines(data_dir: Path, static_root: Path) -> list[tuple[int, str]]:
    """Start the demo, open its link, stop it, and return the rows of the pipelines."""
    with subprocess.Popen(
        [ROOT / "scripts" / "demo", "--port", "0"],
        env=clean_environment()
        | {"BATON_DATA_DIR": str(data_dir), "BATON_STATIC_ROOT": str(static_root)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        link = process.stdout.readline().removeprefix("Baton is ready: ").strip()
        assert link, "the demo did not start"
        page = httpx.get(link).text
        process.terminate()
        assert process.wait(20) == 0
    assert "Sign in as demo" in page
    with closing(sqlite3.connect(data_dir / "baton.sqlite3")) as database:
        return database.execute("SELECT id, name FROM designer_pipeline ORDER BY id").fetchall()
