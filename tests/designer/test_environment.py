"""Settings from the environment."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ImproperlyConfigured

from designer import environment


def test_a_short_encryption_key_is_rejected(monkeypatch):
    monkeypatch.setenv("BATON_ENCRYPTION_KEYS", "x" * 40 + ", short")
    with pytest.raises(ImproperlyConfigured, match="BATON_ENCRYPTION_KEYS must be long"):
        environment.encryption_keys("BATON_ENCRYPTION_KEYS")


@pytest.mark.parametrize("value", ['["mcp"]', '{"a": "mcp --all"}', '{"a": []}', "{"])
def test_invalid_commands_are_rejected(monkeypatch, value):
    monkeypatch.setenv("BATON_MCP_STDIO", value)
    with pytest.raises(ImproperlyConfigured, match="BATON_MCP_STDIO must be JSON"):
        environment.commands("BATON_MCP_STDIO")


@pytest.mark.parametrize(
    ("value", "is_on"), [("1", True), (" Yes ", True), ("off", False), ("", False)]
)
def test_a_switch_is_on_or_off(monkeypatch, value, is_on):
    monkeypatch.setenv("BATON_TEST", value)
    assert environment.switch("BATON_TEST") is is_on


def test_a_list_is_separated_by_commas(monkeypatch):
    monkeypatch.setenv("BATON_TEST", " a, b,, ")
    assert environment.words("BATON_TEST") == ["a", "b"]
    monkeypatch.delenv("BATON_TEST")
    assert environment.words("BATON_TEST", default="c") == ["c"]


def test_numbers_prices_and_commands_are_parsed(monkeypatch):
    monkeypatch.setenv("BATON_TEST", "2.5")
    assert environment.seconds("BATON_TEST", default=1) == 2.5
    monkeypatch.setenv("BATON_TEST", '{"small": [1, 2]}')
    assert environment.model_prices("BATON_TEST") == {"small": (1.0, 2.0)}
    monkeypatch.setenv("BATON_TEST", '{"files": ["mcp-files", "/srv"]}')
    assert environment.commands("BATON_TEST") == {"files": ("mcp-files", "/srv")}


def in_workers(**services: str) -> Callable[[str], str]:
    """Return the reader of the location of runs for a database and a channel layer."""
    return lambda name: environment.run_location(name, **services)


@pytest.mark.parametrize(
    ("function", "value", "message"),
    [
        (environment.switch, "perhaps", "must be 1 or 0"),
        (lambda name: environment.seconds(name, 1), "-1", "positive number of seconds"),
        (lambda name: environment.seconds(name, 1), "inf", "positive number of seconds"),
        (environment.model_prices, '{"small": [1]}', "must be JSON like"),
        (environment.model_prices, '{"small": [1, -2]}', "must be JSON like"),
        (environment.addresses, "http://models", "neither a network"),
        (environment.trusted_proxies, "many", "number of proxies"),
        (environment.trusted_proxies, "99", "number of proxies"),
        (lambda name: environment.database_url(name, ""), "postgresql//x", "postgresql://user"),
        (lambda name: environment.database_url(name, ""), "mysql://db/x", "postgresql://user"),
        (lambda name: environment.database_url(name, ""), "postgresql://h:x/y", "postgresql://u"),
        (environment.redis_url, "http://valkey:6379", "must be like redis://host:6379/0"),
        (environment.redis_url, "redis://valkey:port", "must be like redis://host:6379/0"),
        (in_workers(engine="sqlite3", redis_url="redis://valkey"), "workers", "needs PostgreSQL"),
        (in_workers(engine="postgresql", redis_url=""), "workers", "needs PostgreSQL and Redis"),
        (in_workers(engine="postgresql", redis_url=""), "there", "must be here or workers"),
    ],
)
def test_an_invalid_value_names_its_variable(monkeypatch, function, value, message):
    monkeypatch.setenv("BATON_TEST", value)
    with pytest.raises(ImproperlyConfigured, match=f"BATON_TEST.*{message}"):
        function("BATON_TEST")


def test_the_secret_key_is_created_once_for_its_owner(monkeypatch, tmp_path):
    monkeypatch.delenv("BATON_SECRET_KEY", raising=False)
    folder = tmp_path / "data"
    key = environment.secret_key(folder, production=False)
    assert len(key) > 50
    assert environment.secret_key(folder, production=False) == key
    assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(ImproperlyConfigured, match="Set BATON_SECRET_KEY"):
        environment.secret_key(folder, production=True)


def test_a_short_secret_key_is_refused_in_production_alone(monkeypatch, tmp_path):
    for short in ("x" * 49, "ab" * 40, "given"):
        monkeypatch.setenv("BATON_SECRET_KEY", short)
        assert environment.secret_key(tmp_path, production=False) == short
        with pytest.raises(ImproperlyConfigured, match="at least 50 characters") as refused:
            environment.secret_key(tmp_path, production=True)
        assert short not in str(refused.value)
    long = "long and random: 0123456789-" * 2
    monkeypatch.setenv("BATON_SECRET_KEY", long)
    assert environment.secret_key(tmp_path, production=True) == long


def test_every_host_is_refused_in_production_alone(monkeypatch):
    monkeypatch.setenv("BATON_TEST", "baton.example, *")
    assert environment.allowed_hosts("BATON_TEST", production=False) == ["baton.example", "*"]
    with pytest.raises(ImproperlyConfigured, match=r"BATON_TEST contains \*.*list the host names"):
        environment.allowed_hosts("BATON_TEST", production=True)
    monkeypatch.delenv("BATON_TEST")
    assert environment.allowed_hosts("BATON_TEST", production=True) == []
    assert "localhost" in environment.allowed_hosts("BATON_TEST", production=False)


@pytest.mark.parametrize(("value", "proxies"), [("", 0), ("0", 0), ("1", 1), ("yes", 1), ("2", 2)])
def test_the_number_of_proxies_is_a_number_or_a_switch(monkeypatch, value, proxies):
    monkeypatch.setenv("BATON_TEST", value)
    assert environment.trusted_proxies("BATON_TEST") == proxies


@pytest.mark.parametrize(
    ("value", "host", "port", "tls", "ssl"),
    [
        ("smtp://ada:p%40ss@mail.example", "mail.example", 587, True, False),
        ("smtps://mail.example", "mail.example", 465, False, True),
        ("smtp+plain://localhost:2525", "localhost", 2525, False, False),
    ],
)
def test_a_mail_server_is_an_address(value, host, port, tls, ssl, monkeypatch):
    monkeypatch.setenv("BATON_MAIL_URL", value)
    mail = environment.mail_server("BATON_MAIL_URL")
    assert (mail["EMAIL_HOST"], mail["EMAIL_PORT"]) == (host, port)
    assert (mail["EMAIL_USE_TLS"], mail["EMAIL_USE_SSL"]) == (tls, ssl)
    assert mail["EMAIL_HOST_PASSWORD"] == ("p@ss" if "@" in value else "")


@pytest.mark.parametrize("value", ["mail.example", "smtp://", "smtp://[", "https://mail.example"])
def test_an_invalid_mail_server_names_its_variable(value, monkeypatch):
    monkeypatch.setenv("BATON_MAIL_URL", value)
    with pytest.raises(ImproperlyConfigured, match="BATON_MAIL_URL must be like smtp://"):
        environment.mail_server("BATON_MAIL_URL")


OPENID = {"ISSUER": "https://login.example", "CLIENT_ID": "baton", "CLIENT_SECRET": "secret"}


def openid_provider(monkeypatch, **values):
    for name, value in values.items():
        monkeypatch.setenv(f"BATON_OIDC_{name}", value)
    return environment.openid_provider()


def test_an_identity_provider_needs_three_variables(monkeypatch):
    assert openid_provider(monkeypatch) is None
    provider = openid_provider(monkeypatch, **OPENID)
    assert (provider.issuer, provider.name, provider.is_open) == (
        "https://login.example",
        "single sign-on",
        False,
    )
    assert "secret" not in repr(provider)
    assert openid_provider(monkeypatch, NAME="Works", OPEN="1").is_open
    monkeypatch.delenv("BATON_OIDC_CLIENT_SECRET")
    with pytest.raises(ImproperlyConfigured, match="also needs BATON_OIDC_CLIENT_SECRET"):
        openid_provider(monkeypatch)


@pytest.mark.parametrize("issuer", ["login.example", "http://login.example", "https://x/?a=b"])
def test_an_issuer_without_tls_is_refused(issuer, monkeypatch):
    with pytest.raises(ImproperlyConfigured, match="BATON_OIDC_ISSUER must be the address"):
        openid_provider(monkeypatch, **OPENID | {"ISSUER": issuer})
    assert openid_provider(monkeypatch, ISSUER="http://127.0.0.1:9000/realm")
