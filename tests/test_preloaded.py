"""Processes that the tests start by forks end, fail and write like any other."""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.preloaded import Preloader
from tests.serving import ROOT, clean_environment, run_command, start


def environment(folder: Path) -> dict[str, str]:
    return clean_environment() | {"BATON_DATA_DIR": str(folder)}


def test_a_preloaded_process_writes_and_ends_like_one_with_its_own_imports(tmp_path: Path) -> None:
    failing = {**environment(tmp_path), "BATON_PRODUCTION": "1", "BATON_SECRET_KEY": "short"}
    assert Preloader.current is not None
    forked = run_command(failing, "check")
    alone = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=failing,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "BATON_SECRET_KEY" in alone.stderr
    assert (forked.returncode, forked.stdout, forked.stderr) == (1, "", alone.stderr)
    assert alone.returncode == 1


def test_a_preloaded_process_can_be_interrupted(tmp_path: Path) -> None:
    code = "import time; print('runs', flush=True); time.sleep(60)"
    arguments = ("shell", "--no-imports", "-c", code)
    with tempfile.TemporaryFile("w+") as output:
        process = start(arguments, environment(tmp_path), output, output)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        while not output.seek(0) and not output.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == -signal.SIGINT
        process.send_signal(signal.SIGINT)  # nothing happens
