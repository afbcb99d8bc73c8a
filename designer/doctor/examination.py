"""All checks in the order of their output."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from designer.doctor.address_checks import check_hosts, check_proxy
from designer.doctor.database_checks import (
    check_client_programs,
    check_connection,
    check_encoding,
    check_migrations,
)
from designer.doctor.findings import Finding, error
from designer.doctor.service_checks import (
    check_channel_layer,
    check_mail,
    check_openid_provider,
    check_runs,
)
from designer.doctor.setting_checks import check_packages, check_python, check_settings
from designer.doctor.storage_checks import (
    check_administrators,
    check_disk,
    check_secrets,
    check_static_files,
)

CHECKS: tuple[tuple[str, Callable[[], Finding]], ...] = (
    ("Settings", check_settings),
    ("Python", check_python),
    ("Packages", check_packages),
    ("Database", check_connection),
    ("Database", check_encoding),
    ("Migrations", check_migrations),
    ("Backup", check_client_programs),
    ("Channel layer", check_channel_layer),
    ("Runs", check_runs),
    ("Mail", check_mail),
    ("OpenID Connect", check_openid_provider),
    ("Addresses", check_hosts),
    ("Proxy", check_proxy),
    ("Static files", check_static_files),
    ("Disk", check_disk),
    ("Keys", check_secrets),
    ("Administrators", check_administrators),
)


NEED_DATABASE = {"Database", "Migrations", "Backup", "Runs", "Keys", "Administrators"}
"""Subjects whose checks read the database."""


def examine() -> Iterator[Finding]:
    """Run every check; a check that fails itself is reported and does not end the others.

    Without a database the checks that read it are left out.
    """
    is_connected = True
    for subject, check in CHECKS:
        if subject in NEED_DATABASE and not is_connected:
            continue
        try:
            finding = check()
            if check is check_connection:
                is_connected = finding.level != "error"
            yield finding
        except Exception as reason:  # noqa: BLE001 - any defect of a service may appear here
            text = " ".join(str(reason).split()) or type(reason).__name__
            yield error(subject, f"The check failed: {text}", "Fix the problems above first.")
