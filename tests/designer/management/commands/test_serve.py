"""Command that runs the server."""

from io import StringIO

from designer.management.commands.serve import Command


def test_the_address_is_on_loopback_by_default():
    options = Command().create_parser("manage.py", "serve").parse_args([])
    assert (options.host, options.port) == ("127.0.0.1", 8000)


def test_the_address_is_announced():
    output = StringIO()
    Command(stdout=output)._announce("http://127.0.0.1:8123")
    assert output.getvalue() == "Baton listens on http://127.0.0.1:8123\n"
