"""Secret values of connections."""

import pytest

from orchestration.network import merged_secrets, secrets_of


@pytest.mark.parametrize(
    ("key", "header", "secrets"),
    [
        ("", "", ()),
        ("sk-1234", "eu", ()),
        ("sk-12345", "", ("sk-12345",)),
        ("sk-12345", "Bearer sk-1234567", ("Bearer sk-1234567", "sk-1234567", "sk-12345")),
        ("sk-12345", "sk-12345", ("sk-12345",)),
    ],
)
def test_keys_and_header_values_of_enough_length_are_secret(key, header, secrets):
    assert secrets_of(key, {"X-Key": header}) == secrets


def test_the_values_of_public_headers_are_not_secret():
    headers = {"Content-Type": "application/json", "anthropic-version": "2023-06-01"}
    assert secrets_of("", headers) == ()


def test_the_password_of_basic_credentials_is_secret():
    secrets = secrets_of("", {"Authorization": "Basic YWRhOmNvcnJlY3QgaG9yc2U="})
    assert "correct horse" in secrets
    assert "YWRhOmNvcnJlY3QgaG9yc2U=" in secrets
    assert secrets_of("", {"Authorization": "Basic ünreadable"}) == (
        "Basic ünreadable",
        "ünreadable",
    )


def test_the_password_of_an_address_is_secret():
    url = "https://ada:correct%20horse@models.example/v1"
    assert secrets_of("", {}, url=url) == ("correct%20horse", "correct horse")
    assert secrets_of("", {}, url="https://[models") == ()


@pytest.mark.parametrize(
    "options",
    [["--api-key", "tok-12345"], ["--API_KEY=tok-12345"], ["-token", "tok-12345", "--verbose"]],
)
def test_a_token_of_a_command_is_secret(options):
    assert secrets_of("", {}, command=["mcp-files", "/srv/files", *options]) == ("tok-12345",)


def test_secrets_of_several_connections_are_merged_the_longest_first():
    groups = [("sk-12345", "short"), (), ("sk-1234567", "sk-12345")]
    assert merged_secrets(groups) == ("sk-1234567", "sk-12345")
