"""Environments with the libraries of other frameworks, beside the project's own packages.

An environment is created once, in `exchange` of the virtual environment, and named by its
packages. A library may need a Python that is newer than Baton's own.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("BATON_EXCHANGE", Path(sys.prefix) / "exchange"))


@cache
def environment(name: str, *packages: str, python: str = "") -> Path:
    """Return the Python of an environment with these packages, of this version (`3.12`)."""
    number = hashlib.sha256(json.dumps([packages, python]).encode()).hexdigest()[:8]
    folder = FOLDER / f"{name}-{number}"
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([interpreter(python), "-m", "venv", folder], check=True)
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([folder / "bin/python", *pip, *packages], check=True)
        (folder / "ready").touch()
    return folder / "bin/python"


def interpreter(version: str) -> str:
    """Return a Python of this version or a newer one; the test is skipped without any."""
    if not version or sys.version_info >= tuple(map(int, version.split("."))):
        return sys.executable
    named = [shutil.which(f"python3.{minor}") for minor in range(12, 15)]
    known = sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python"))
    for each in [*filter(None, named), *map(str, known)]:
        answer = subprocess.run([each, "--version"], capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            return each
    pytest.skip(f"This test needs Python {version} or newer.")


def run_json(python: Path, script: str, *arguments: object, **environment: str) -> Any:
    """Run a script of this folder, and return the JSON value on the last line of its output."""
    path = Path(__file__).parent / "scripts" / script
    result = subprocess.run(
        [python, path, *map(str, arguments)],
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4_000:]
    return json.loads(result.stdout.splitlines()[-1])


def run_tests(python: Path, folder: Path) -> None:
    """Run the tests of an exported project, and fail if one fails."""
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-6_000:]


def write_files(files: Any, folder: Path) -> Path:
    """Write exported files into a new folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
