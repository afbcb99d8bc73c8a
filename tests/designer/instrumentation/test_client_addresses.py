"""Address of a client, directly and behind proxies."""

import pytest
from django.test import RequestFactory

from designer.instrumentation import client_address


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "203.0.113.9", "10.0.0.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "forged, 203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (2, "198.51.100.1, 203.0.113.9", "198.51.100.1"),
        (2, "203.0.113.9", "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (1, "no address", "10.0.0.1"),
        (1, "203.0.113.9:51000", "203.0.113.9"),
        (1, "[2001:db8:1:2:3::4]:51000", "2001:db8:1:2::/64"),
        (1, "2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        (1, "::ffff:203.0.113.9", "203.0.113.9"),
        (1, "fe80::1%eth0", "fe80::/64"),
    ],
)
def test_only_trusted_proxies_name_the_address_of_their_client(
    settings, proxies, forwarded, address
):
    settings.TRUSTED_PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", headers=headers)
    assert client_address(request) == address


def test_a_client_without_an_address_has_a_name():
    request = RequestFactory().get("/", REMOTE_ADDR="")
    assert client_address(request) == "unknown"
