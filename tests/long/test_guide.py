"""The deployment guide, followed from a clone to a server with TLS, a backup and an upgrade."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.deploy.machine import Machine
from tests.serving import ROOT
from tests.test_documents import BLOCK

pytestmark = pytest.mark.server

GUIDE = (ROOT / "docs" / "operations.md").read_text("utf-8")
SECTIONS = {text.partition("\n")[0]: text for text in re.split(r"^## ", GUIDE, flags=re.MULTILINE)}


def steps(section: str) -> list[str]:
    """Return the bash blocks of a section."""
    return [block[3] for block in BLOCK.finditer(SECTIONS[section]) if block[2] == "bash"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Repository from which the machine clones."""
    path = tmp_path / "baton.git"
    git(ROOT, "clone", "--quiet", "--bare", str(ROOT), str(path))
    return path


def git(folder: Path, *words: str) -> str:
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@baton.example"]
    command = ["git", *author, *words]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def machine(tmp_path: Path, repository: Path) -> Iterator[Machine]:
    """Machine without an installation."""
    machine = Machine(tmp_path / "machine", repository)
    yield machine
    machine.stop()


def browser(machine: Machine) -> httpx.Client:
    trusted = ssl.create_default_context(cafile=str(machine.authority))
    return httpx.Client(
        base_url=machine.url, verify=trusted, headers={"Referer": machine.url}, timeout=20
    )


def test_the_guide_leads_from_a_clone_to_tls_a_backup_and_an_upgrade(
    machine: Machine, repository: Path
) -> None:
    variables, *installation = steps("One server, from nothing to TLS")
    assert re.findall(r"^export (\w+)=", variables, re.MULTILINE) == [
        "BATON_HOST_NAME",
        "BATON_REPOSITORY",
    ]
    for step in installation:
        machine.follow(step)
    assert "error" not in machine.output, machine.output
    assert "answers, and websockets pass" in machine.output
    [link] = re.findall(r"https://localhost(/sign-in/\S+)", machine.output)

    with browser(machine) as client:
        assert client.get(link).headers["Strict-Transport-Security"]
        sign_in = client.post(link, data={"csrfmiddlewaretoken": client.cookies["csrftoken"]})
        assert sign_in.status_code == 302
        assert all("; Secure" in each for each in sign_in.headers.get_list("set-cookie"))
        create = {"name": "Kept", "csrfmiddlewaretoken": client.cookies["csrftoken"]}
        assert client.post("/pipelines/create/", data=create).status_code == 302
        plain = httpx.get(f"http://localhost:{machine.http_port}/")
        assert plain.status_code == 308
        assert plain.headers["Location"].startswith("https://localhost")

        lose_the_disk(machine)
        for step in installation[:4]:
            machine.follow(step)
            restore_the_keys(machine)
        for step in steps("Restore"):
            machine.follow(step)
        assert "Kept" in client.get("/").text, "the session and the pipeline are restored"

        tree = git(repository, "rev-parse", "HEAD^{tree}")
        commit = git(repository, "commit-tree", tree, "-p", "HEAD", "-m", "Next version")
        git(repository, "update-ref", "HEAD", commit)
        for step in steps("Upgrade"):
            machine.follow(step)
        assert git(machine.path("/opt/baton"), "rev-parse", "HEAD") == commit
        assert "Kept" in client.get("/").text
        assert len(list(machine.path("/var/lib/baton-backups").iterdir())) == 3
    assert "Traceback" not in machine.log.read_text()


def lose_the_disk(machine: Machine) -> None:
    """Remove everything but a copy of the last backup, and the keys that the operator stored."""
    machine.follow(steps("One server, from nothing to TLS")[-1])
    machine.stop()
    shutil.copy(machine.path("/etc/baton/baton.env"), machine.root / "stored.env")
    for folder in ("/opt/baton", "/etc/baton", "/var/lib/baton"):
        shutil.rmtree(machine.path(folder))
    machine.path("/usr/local/bin/baton").unlink()
    machine.open_shell()
    for unit in machine.path("/etc/systemd/system").iterdir():
        unit.unlink()


def restore_the_keys(machine: Machine) -> None:
    """Use the keys that the operator stored, as the guide demands."""
    if machine.path("/etc/baton/baton.env").exists():
        shutil.copy(machine.root / "stored.env", machine.path("/etc/baton/baton.env"))
