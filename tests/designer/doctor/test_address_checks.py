"""Findings about the addresses of a server."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.conf import LazySettings

from designer.doctor import check_url
from tests.designer.doctor.single_checks import finding, unused_port
from tests.serving import BatonServer


def test_a_server_in_production_without_a_proxy_is_an_error(settings: LazySettings) -> None:
    settings.PRODUCTION = True
    assert (finding("Proxy").level, "BATON_BEHIND_PROXY=1" in finding("Proxy").fix) == (
        "error",
        True,
    )


def test_unknown_hosts_and_an_empty_list_are_reported(settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "baton.invalid"]
    assert finding("Addresses").text == "No address is known for baton.invalid."
    settings.ALLOWED_HOSTS = []
    assert finding("Addresses").level == "error"


@pytest.mark.server
def test_the_public_address_is_requested_with_a_websocket(
    start_server: Callable[..., BatonServer],
) -> None:
    server = start_server()
    assert check_url(server.url).level == "ok"
    assert check_url(f"http://127.0.0.1:{unused_port()}").level == "error"
    foreign = check_url(server.url.replace("127.0.0.1", "127.0.0.2"))
    assert foreign.level == "error"
