"""The pipeline that the local model plays, and what its command refuses."""

import argparse

import pytest

from designer.management.commands.local_model import port_number


@pytest.mark.parametrize("text", ["0", "8080", "65535"])
def test_a_port_is_taken(text):
    assert port_number(text) == int(text)


@pytest.mark.parametrize("text", ["-1", "65536", "http", "", "1.5"])
def test_what_is_no_port_is_refused_in_a_sentence(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not a port"):
        port_number(text)
