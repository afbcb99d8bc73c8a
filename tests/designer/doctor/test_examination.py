"""Findings about installations with and without problems."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from designer.doctor import examine
from tests.serving import clean_environment, run_command

pytestmark = pytest.mark.django_db


def test_each_problem_has_a_fix_and_a_healthy_part_has_none() -> None:
    findings = list(examine())
    assert {each.level for each in findings if not each.fix} == {"ok"}
    assert {each.level for each in findings if each.fix} <= {"warning", "error"}
    assert not [each.text for each in findings if each.text.startswith("The check failed")]
    healthy = {each.subject for each in findings if each.level == "ok"}
    assert {"Database", "Migrations", "Channel layer", "Disk"} <= healthy


@pytest.mark.server
def test_without_its_database_the_command_names_the_reason_and_makes_the_other_checks(
    tmp_path: Path,
) -> None:
    address = "postgresql://ada@127.0.0.1:1/baton"
    own = {"BATON_DATA_DIR": str(tmp_path), "DATABASE_URL": address}
    done = run_command(clean_environment() | own, "doctor")
    assert done.returncode == 1
    [line] = [line for line in done.stdout.splitlines() if "Database" in line]
    assert line.startswith("error   Database: The database cannot be reached (connection failed")
    assert "Check DATABASE_URL and start again." in done.stdout
    assert "The check failed" not in done.stdout
    assert "Disk: " in done.stdout


def test_the_command_fails_if_something_must_be_fixed(
    settings: LazySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.ALLOWED_HOSTS = []
    with pytest.raises(CommandError, match="must be fixed"):
        call_command("doctor")
    assert "Set it to the host names of this server." in capsys.readouterr().out
