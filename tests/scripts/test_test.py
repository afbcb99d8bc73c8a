"""`scripts/test`: skipped tests are reported and do not count as a success."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.serving import ROOT, clean_environment

pytestmark = pytest.mark.server

TOOLS = ("sh", "dirname", "cat", "cksum", "id", "mktemp", "rm")
SELECTION = ("tests/test_openai_server.py", "tests/e2e/accounts/test_sign_in.py")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """PATH without a browser and without a way to install one."""
    for tool in TOOLS:
        (tmp_path / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    return tmp_path


def run_tests(path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "test", *arguments, "-p", "no:cacheprovider", *SELECTION],
        env=clean_environment() | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_browser_the_other_tests_run_and_the_reason_is_shown(tools):
    done = run_tests(str(tools))
    *_, why, blank, last = done.stdout.rstrip().splitlines()
    assert done.returncode == 1
    assert "browser tests did not run: no Chromium or Chrome was found" in why
    assert "apt-get install chromium" in why
    assert blank == ""
    assert "passed" in last
    assert "failed" not in last


def test_a_browser_is_installed_for_root_on_debian(tools, tmp_path):
    """Use a stand-in for apt-get that records its arguments and adds a browser to the PATH."""
    notes = tmp_path / "notes"
    for name, text in (
        ("id", "echo 0"),
        ("apt-get", f'echo "$*" >>{notes}; ln -sf {tools}/id {tools}/${{3:-none}}'),
    ):
        (tools / name).unlink(missing_ok=True)
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    (tools / "ln").symlink_to(shutil.which("ln") or "/bin/ln")

    # Only the search and the installation matter: pytest prints its version and runs no tests.
    done = run_tests(str(tools), "--version")

    assert (done.returncode, notes.read_text()) == (
        0,
        "update\ninstall --yes chromium-headless-shell\n",
    )


def test_no_browser_is_reported_and_is_not_a_failure():
    done = run_tests(os.environ["PATH"], "--no-browser")
    assert done.returncode == 0, done.stdout
    assert "browser tests did not run: --no-browser was given." in done.stdout
