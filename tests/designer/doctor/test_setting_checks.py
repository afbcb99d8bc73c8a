"""Findings about the settings and the installed versions."""

from __future__ import annotations

from pathlib import Path

from django.conf import LazySettings

from tests.designer.doctor.single_checks import finding


def test_settings_of_production_are_checked_for_deployment(settings: LazySettings) -> None:
    assert finding("Settings").level == "ok"
    settings.PRODUCTION = True
    found = finding("Settings")
    assert found.level == "warning"
    assert "security.W008" in found.text
    assert "section Settings" in found.fix


def test_a_package_of_another_version_is_named(settings: LazySettings, tmp_path: Path) -> None:
    settings.BASE_DIR = tmp_path
    (tmp_path / "constraints.txt").write_text("# exact\nDjango==1.0\nnot-installed==3.1\n")
    found = finding("Packages")
    assert found.level == "warning"
    assert found.text.endswith("instead of 1.0")
    assert "not-installed" not in found.text
