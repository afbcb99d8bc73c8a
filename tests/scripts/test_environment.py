"""Installation of the pinned versions into the environment of the project."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.serving import OUR_PYTHON, ROOT, clean_environment

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DIRECT: dict[str, list[str]] = {
    "demo": PROJECT["project"]["dependencies"],
    **PROJECT["dependency-groups"],
}
SETS = {
    "demo": DIRECT["demo"],
    "test": DIRECT["demo"] + DIRECT["test"],
    "check": DIRECT["demo"] + DIRECT["test"] + DIRECT["check"],
    "slow": DIRECT["demo"] + DIRECT["test"] + DIRECT["check"] + DIRECT["slow"],
}

# Instructions to test each version of Python.
DIRECTIONS = (ROOT / "docs" / "contributing.md").read_text("utf-8")

# A Python that records its arguments, copies itself into environments, and installs nothing.
STAND_IN = f"""#!/bin/sh
echo "$0 $*" >>"$NOTES"
case "$*" in
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
"-m pip "*requirements.txt) [ -f constraints.txt ] && cat .venv*/requirements.txt >"$NOTES.asked" ;;
"-c "*executable*) echo "$0" ;;
"-c "*"%d.%d"*) echo 3.13 ;;
"-c "*print*) echo 3.13.0 ;;
"scripts/_requirements.py "*) exec {sys.executable} "$@" ;;
esac
"""

# Split, so that this file does not contain the searched text.
REGISTRIES = [
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("anaconda", "org"),
        ("debian", "org"),
        ("archive", "ubuntu", "com"),
        ("unpkg", "com"),
        ("jsdelivr", "net"),
    ]
]


class Machine:
    """Copy of the scripts without an environment; every Python is the stand-in."""

    def __init__(self, folder: Path) -> None:
        self.root, self.notes = folder / "baton", folder / "notes"
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        for name in ("pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.root / name)
        python = folder / "bin" / "python3"
        python.parent.mkdir()
        python.write_text(STAND_IN)
        python.chmod(0o755)
        self.environment = clean_environment() | {"NOTES": str(self.notes)}
        self.environment["PATH"] = f"{python.parent}:{self.environment['PATH']}"
        self.environment.pop(OUR_PYTHON, None)

    def install(self, name: str) -> list[str]:
        """Install a set like the scripts; return Python's arguments, without version queries."""
        return self._run("sh", "-c", f'. "$(dirname -- "$0")/_env"; install {name}', self.script)

    def demo(self, *arguments: str) -> list[str]:
        """Run scripts/demo; return the arguments of Python, without version queries."""
        return self._run(self.script, *arguments)

    def requirements(self) -> list[str]:
        """Return the requirements in the file at the call of pip."""
        return self.notes.with_suffix(".asked").read_text().splitlines()

    @property
    def script(self) -> str:
        return str(self.root / "scripts" / "demo")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in another folder, with new notes."""
        self.notes.write_text("")
        return subprocess.run(
            command, env=self.environment, cwd="/", capture_output=True, text=True, check=False
        )

    def _run(self, *command: str) -> list[str]:
        done = self.run(*command)
        assert done.returncode == 0, done.stderr
        return [line for line in self.notes.read_text().splitlines() if " -c " not in line]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_first_start_installs_the_pinned_versions_in_a_new_environment(
    machine: Machine,
) -> None:
    make, pip, ask, install, run = machine.demo("--port", "7")
    own = machine.root / ".venv" / "bin" / "python"
    assert make == f"{machine.root.parent}/bin/python3 -m venv {machine.root}/.venv"
    assert pip.startswith(f"{own} -m pip install ")
    assert pip.endswith(" --constraint constraints.txt pip")
    assert ask == f"{own} scripts/_requirements.py demo"
    assert install.startswith(f"{own} -m pip install ")
    assert " --constraint constraints.txt " in install
    assert run == f"{own} manage.py demo --port 7"


@pytest.mark.parametrize("name", SETS)
def test_the_requirements_of_the_project_are_installed(machine: Machine, name: str) -> None:
    machine.install(name)
    assert machine.requirements() == SETS[name]


def test_a_second_start_installs_nothing(machine: Machine) -> None:
    machine.demo()
    assert machine.demo() == [f"{machine.root}/.venv/bin/python manage.py demo"]


def test_the_larger_set_includes_the_smaller_one(machine: Machine) -> None:
    machine.install("test")
    assert machine.install("demo") == []
    assert machine.install("check") != []


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_other_versions_are_installed_at_the_next_start(machine: Machine, name: str) -> None:
    machine.demo()
    with (machine.root / name).open("a") as file:
        file.write("# other\n")
    assert any("pip install" in line for line in machine.demo())


# Versions of Python


def test_another_python_has_an_environment_of_its_own(machine: Machine) -> None:
    machine.demo()
    other = machine.root.parent / "bin" / "python3.13"
    shutil.copy(machine.root.parent / "bin" / "python3", other)
    machine.environment[OUR_PYTHON] = other.name
    make, *_, run = machine.demo()
    assert make == f"{other} -m venv {machine.root}/.venv-3.13"
    assert run == f"{machine.root}/.venv-3.13/bin/python manage.py demo"
    del machine.environment[OUR_PYTHON]
    assert machine.demo() == [f"{machine.root}/.venv/bin/python manage.py demo"]


@pytest.mark.parametrize("name", ["python9.9", "false"])
def test_an_unsuitable_python_is_reported_in_one_line(machine: Machine, name: str) -> None:
    machine.environment[OUR_PYTHON] = name
    done = machine.run(machine.script)
    assert done.returncode == 1
    assert done.stderr == (
        f"BATON_PYTHON is {name}, which is not a Python 3.11 or newer: "
        "set it to the name or the path of one, or unset it.\n"
    )


def test_the_listed_versions_of_python_begin_with_the_oldest_allowed_one() -> None:
    begin = "Programming Language :: Python :: "
    listed = [line.removeprefix(begin) for line in PROJECT["project"]["classifiers"]]
    assert PROJECT["project"]["requires-python"] == f">={listed[0]}"
    assert PROJECT["tool"]["mypy"]["python_version"] == listed[0]
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{listed[0].replace('.', '')}"
    assert all(version in DIRECTIONS for version in listed)


# Pinned versions


def pins() -> dict[str, str]:
    """Return the version of each package in constraints.txt; every line must contain one."""
    found: dict[str, str] = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"([\w.-]+)==([\w.!+-]+)", line)
            assert match, f"{line!r} pins nothing"
            found[canonicalize_name(match[1])] = match[2]
    return found


@pytest.mark.parametrize("group", DIRECT)
def test_every_requirement_is_pinned_within_its_range(group: str) -> None:
    exact = pins()
    for requirement in map(Requirement, DIRECT[group]):
        version = exact.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} is not pinned"
        assert requirement.specifier.contains(version), f"{requirement} is pinned to {version}"


def test_indirect_requirements_are_pinned_too() -> None:
    assert {name for line in SETS["check"] for name in required(Requirement(line))} <= set(pins())


def required(requirement: Requirement, seen: frozenset[str] = frozenset()) -> set[str]:
    """Return an installed requirement and its dependencies on this machine."""
    if str(requirement) in seen:
        return set()
    found: set[str] = {canonicalize_name(requirement.name)}
    try:
        lines = distribution(requirement.name).requires or []
    except PackageNotFoundError:  # of a set that is not installed
        return found
    for line in lines:
        other = Requirement(line)
        extras = requirement.extras or {""}
        if not other.marker or any(other.marker.evaluate({"extra": one}) for one in extras):
            found |= required(other, seen | {str(requirement)})
    return found


def test_no_file_contains_the_address_of_a_registry() -> None:
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout: which files are the project's is not known")
    files = [ROOT / name for name in done.stdout.split("\0") if name]
    assert ROOT / "constraints.txt" in files
    texts = {file: file.read_bytes().lower() for file in files if file.is_file()}
    named = [
        (str(file.relative_to(ROOT)), address)
        for file, text in texts.items()
        for address in REGISTRIES
        if address.encode() in text
    ]
    assert named == []
