"""A machine in a folder, on which the deployment guide is followed.

Absolute paths of the guide and of the configuration files lie below the folder, and ports are
free ports of loopback. Programs that need root or the network of the machine are not called:
`apt-get` and `useradd` do nothing, and `systemctl` is replaced by an interpreter of the units.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from tests.serving import STOP_SECONDS, clean_environment

PATHS = re.compile(
    r"(?<![\w.}])/(?=(?:opt|etc|var/lib)/(?:baton|caddy|systemd)\b|usr/local/bin/baton\b)"
)
"""Beginning of an absolute path that belongs to the installation."""

REPLACED = ("apt-get", "useradd")
"""Programs that the machine does not call."""


class Machine:
    """Folder with a clone of the repository, its settings and its services."""

    def __init__(self, root: Path, repository: Path) -> None:
        self.root, self.repository = root, repository
        self.port, self.http_port, self.https_port = free_ports(3)
        self.output = ""
        self.services: dict[str, subprocess.Popen[bytes]] = {}
        self._readers: dict[str, threading.Thread] = {}
        self.log = root / "services.log"
        self._state = root / "state"
        for folder in ("opt", "etc/caddy", "etc/systemd/system", "usr/local/bin", "var/lib"):
            (root / folder).mkdir(parents=True)
        self.open_shell()

    @property
    def url(self) -> str:
        """Public address."""
        return f"https://localhost:{self.https_port}"

    @property
    def authority(self) -> Path:
        """Certificate of Caddy's own authority."""
        return self.root / "caddy" / "pki" / "authorities" / "local" / "root.crt"

    def open_shell(self) -> None:
        """Begin with a new shell, in which the first two variables of the guide are set."""
        address = shlex.quote(str(self.repository))
        self._state.write_text(f"export BATON_HOST_NAME=localhost BATON_REPOSITORY={address}\n")

    def follow(self, block: str) -> None:
        """Run the lines of a block."""
        lines: list[str] = []
        for line in block.splitlines():
            words = shlex.split(line)
            if words[:1] != ["systemctl"] and (words or [""])[0] not in REPLACED:
                lines.append(line)
                if words[:2] == ["git", "clone"]:
                    self._run(lines)
                    self._move_configuration()
                    lines = []
                continue
            self._run(lines)
            lines = []
            if words[0] == "systemctl":
                self._control(shlex.split(self._here(line))[1:])
            elif words[0] == "useradd":
                self.path("/var/lib/baton").mkdir(exist_ok=True)
        self._run(lines)

    def path(self, absolute: str) -> Path:
        """Return the path in the folder."""
        return self.root / absolute.removeprefix("/")

    def stop(self) -> None:
        """Stop all services."""
        for name in list(self.services):
            self._stop(name)

    def _run(self, lines: list[str]) -> None:
        """Run lines in a shell that keeps variables, functions and the folder of earlier ones."""
        if not lines:
            return
        text = self._here("\n".join(lines))
        state = shlex.quote(str(self._state))
        script = f". {state}\n{text}\n{{ export -p; declare -f; echo cd $PWD; }} > {state}\n"
        ended = subprocess.run(
            ["bash", "-eu", "-o", "pipefail", "-c", script],
            cwd=self.root,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert ended.returncode == 0, f"{text}\n{ended.stdout}{ended.stderr}{self._logged()}"
        self.output += ended.stdout

    def _environment(self) -> dict[str, str]:
        path = f"{self.path('/usr/local/bin')}:{os.environ['PATH']}"
        return clean_environment() | {"PATH": path, "SSL_CERT_FILE": str(self.authority)}

    def _here(self, text: str) -> str:
        """Move the paths and ports of a text to this machine."""
        text = PATHS.sub(f"{self.root}/", text).replace("8000", str(self.port))
        return text.replace(
            '"https://$BATON_HOST_NAME"', f'"https://$BATON_HOST_NAME:{self.https_port}"'
        )

    def _move_configuration(self) -> None:
        """Move the paths in the configuration files of the clone, and link the packages."""
        clone = self.path("/opt/baton")
        (clone / ".venv").symlink_to(sys.prefix)
        for file in (clone / "deploy").rglob("*"):
            if file.is_file():
                file.write_text(self._here(file.read_text()))
        caddyfile = clone / "deploy" / "caddy" / "Caddyfile"
        options = (
            f"{{\nadmin off\nhttp_port {self.http_port}\nhttps_port {self.https_port}\n"
            f"skip_install_trust\nstorage file_system {self.root}/caddy\n}}\n"
        )
        caddyfile.write_text(options + caddyfile.read_text())

    def _control(self, words: list[str]) -> None:
        """Interpret a command of `systemctl`."""
        match words:
            case ["daemon-reload"]:
                pass
            case ["enable", "--now", *names] | ["start", *names]:
                for name in names:
                    self._start(name)
            case ["restart", "caddy"]:
                self._start_caddy()
            case ["stop", name]:
                self._stop(name)
            case _:
                raise AssertionError(f"Add systemctl {shlex.join(words)} to {__file__}")

    def _start(self, name: str) -> None:
        name = name.removesuffix(".service")
        if name.endswith(".timer"):
            assert self._unit(name)["Timer"]["OnCalendar"]
            assert self._unit(name.replace(".timer", ".service"))
            return
        service = self._unit(f"{name}.service")["Service"]
        for folder in service["StateDirectory"].split():
            self.path(f"/var/lib/{folder}").mkdir(exist_ok=True)
        environment = self._service_environment(service)
        instance = name.partition("@")[2]
        command = arguments(service["ExecStart"], instance, environment)
        if service.get("Type") == "oneshot":
            post = arguments(service["ExecStartPost"], instance, environment)
            for each in (command, post):
                subprocess.run(each, cwd=service["WorkingDirectory"], env=environment, check=True)
            return
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=service["WorkingDirectory"],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self.services[name] = process
        assert process.stdout
        line = process.stdout.readline().decode()
        assert line.startswith("Baton listens on"), self._logged()

    def _start_caddy(self) -> None:
        """Start Caddy as its package does, and wait until it listens."""
        caddy = Path(sys.executable).with_name("caddy")
        command = [str(caddy), "run", "--config", str(self.path("/etc/caddy/Caddyfile"))]
        process = subprocess.Popen(
            [*command, "--adapter", "caddyfile"],
            env=self._environment() | {"HOME": str(self.root)},
            stderr=subprocess.PIPE,
        )
        self.services["caddy"] = process
        assert process.stderr
        lines = []
        for line in process.stderr:
            lines.append(line.decode())
            if b"serving initial configuration" in line:
                reader = threading.Thread(target=self._keep, args=(process.stderr,), daemon=True)
                reader.start()
                self._readers["caddy"] = reader
                return
        raise AssertionError("".join(lines))

    def _keep(self, stream: IO[bytes]) -> None:
        """Append the rest of a program's messages to the log."""
        with self.log.open("ab") as log:
            for line in stream:
                log.write(line)
                log.flush()

    def _stop(self, name: str) -> None:
        process = self.services.pop(name)
        process.terminate()
        process.wait(timeout=STOP_SECONDS)
        if thread := self._readers.pop(name, None):
            thread.join()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()

    def _unit(self, name: str) -> configparser.ConfigParser:
        """Read an installed unit; an instance uses its template."""
        template = re.sub(r"@.*\.", "@.", name)
        return read_unit(self.path(f"/etc/systemd/system/{template}"))

    def _service_environment(self, service: configparser.SectionProxy) -> dict[str, str]:
        """Return the variables of a service: systemd passes nothing else but PATH."""
        environment = {"PATH": os.environ["PATH"]}
        lines = [service.get("Environment", "")]
        lines += Path(service["EnvironmentFile"]).read_text().splitlines()
        for line in lines:
            if line and not line.startswith("#"):
                name, _, value = line.partition("=")
                environment[name] = shlex.split(value)[0] if value else ""
        return environment

    def _logged(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


def read_unit(path: Path) -> configparser.ConfigParser:
    """Read a unit file of systemd; every option may appear once."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=["="], comment_prefixes=["#"])
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(path.read_text(), str(path))
    return parser


def arguments(line: str, instance: str, environment: dict[str, str]) -> list[str]:
    """Return the arguments of a command line of systemd, with its specifiers and variables."""
    words = []
    for word in shlex.split(line):
        text = re.sub(r"%([i%])", lambda match: "%" if match[1] == "%" else instance, word)
        words.append(re.sub(r"\$\{(\w+)\}", lambda match: environment[match[1]], text))
    return words


def free_ports(count: int) -> list[int]:
    """Return free ports of loopback."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports
