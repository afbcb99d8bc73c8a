"""Allowed networks and hosts, and public addresses."""

from ipaddress import ip_address

import pytest

from orchestration.network import AllowedAddresses, is_public


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True), ("8.8.8.8", True), ("2606:4700:4700::1111", True),
        ("::ffff:8.8.8.8", True), ("64:ff9b::808:808", True), ("2002:808:808::", True),
        ("64:ff9b::a00:1", False), ("2002:c0a8:1::", False), ("::ffff:192.168.0.1", False),
        ("fe80::1%eth0", False), ("192.88.99.1", True), ("192.0.0.8", False),
    ],
)  # fmt: skip
def test_an_embedded_address_decides_if_an_address_is_public(address, public):
    assert is_public(ip_address(address)) is public


@pytest.mark.parametrize(
    "address", ["192.0.0.9", "192.0.0.170", "2001:1::1", "2001:4:112::1", "2001:20::1", "3fff::1"]
)
def test_no_version_of_python_treats_a_special_address_as_public(address):
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "entry",
    ["10.0.0.0/33", "http://a", "a b", "1.2.3", "[models]", "[::1", "::1:80:", "a:0", "a:70000",
     "-a", "*", "10.0.0.1/8/8", "a:b"],
)  # fmt: skip
def test_an_invalid_entry_is_refused(entry):
    with pytest.raises(ValueError, match=r"neither a network|has an invalid port"):
        AllowedAddresses.parse([entry])


def test_ipv6_is_listed_with_or_without_brackets():
    listed = AllowedAddresses.parse(["[fd00::/8]:443", "fe80::1", " ", "[::1]"])
    assert listed.allow("a", "fd00::7", 443)
    assert not listed.allow("a", "fd00::7", 80)
    assert listed.allow("a", "fe80::1", 1)
    assert listed.allow("a", "::1", 1)
    assert AllowedAddresses.parse(["10.0.0.0/8"]).allow("a", "::ffff:10.0.0.1", 1)
