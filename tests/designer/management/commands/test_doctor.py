"""Command that examines the installation."""

from __future__ import annotations

import re
import socket
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db


def examined(**options: str) -> tuple[list[str], int]:
    """Run the command; return its lines and the reported number of problems."""
    output = StringIO()
    try:
        call_command("doctor", stdout=output, **options)
    except CommandError as error:
        found = re.match(r"(\d+) problems must be fixed", str(error))
        assert found
        return output.getvalue().splitlines(), int(found[1])
    return output.getvalue().splitlines(), 0


def test_every_error_is_counted_and_only_problems_have_a_fix(settings):
    settings.ALLOWED_HOSTS = []
    lines, count = examined()
    assert 1 <= count == sum(line.startswith("error ") for line in lines)
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if not line.startswith(" "):
            assert following.startswith(" ") is not line.startswith("ok "), line


def test_a_public_address_that_does_not_answer_is_one_more_error():
    with socket.socket() as closed:  # bound, but nobody listens
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        lines, count = examined(url=url)
    assert lines[-2].startswith(f"error   URL: {url} cannot be reached")
    assert lines[-1] == "        Check the proxy, DNS and TLS."
    without, fewer = examined()
    assert count == fewer + 1
    assert not [line for line in without if " URL: " in line]
