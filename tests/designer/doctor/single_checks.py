"""The finding of one check."""

from __future__ import annotations

import socket

from designer.doctor import Finding
from designer.doctor.examination import CHECKS


def finding(subject: str) -> Finding:
    """Return the finding of the only check of a subject."""
    [check] = [check for name, check in CHECKS if name == subject]
    return check()


def unused_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
