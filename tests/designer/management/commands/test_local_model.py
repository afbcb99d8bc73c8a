"""Port of the local model."""

import argparse

import pytest

from designer.management.commands.local_model import port_number


@pytest.mark.parametrize("text", ["0", "8080", "65535"])
def test_a_valid_port_is_accepted(text):
    assert port_number(text) == int(text)


@pytest.mark.parametrize("text", ["-1", "65536", "http", "", "1.5"])
def test_an_invalid_port_is_reported(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not a port"):
        port_number(text)
