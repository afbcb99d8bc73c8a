"""Settings from the environment: switches, lists, numbers, prices and keys.

An invalid value stops the start with a message that names the variable.
"""

import json
import os
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from orchestration.network import AllowedAddresses

DATABASE_ENGINES = frozenset({"django.db.backends.postgresql", "django.db.backends.sqlite3"})
"""Kinds of databases that Baton supports."""

REDIS_SCHEMES = frozenset({"redis", "rediss", "unix"})
"""Schemes of addresses of Redis and Valkey."""

MAX_PROXIES = 9
"""Maximum number of trusted proxies."""

MAIL_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
"""Default ports of mail servers by the scheme of their address."""

MAIL_SECONDS = 10
"""Time limit for connecting to a mail server."""

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"", "0", "false", "no", "off"})

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
"""Hosts that need no TLS."""

MAX_NUMBER = 100_000
"""Maximum of the whole numbers."""

MAX_PORT = 65536
"""All ports are below."""

MIN_KEY_LENGTH = 32
"""Minimum length of an encryption key in characters."""

MIN_TOKEN_LENGTH = 16
"""Minimum length of a token in characters."""

MIN_SECRET_KEY_LENGTH = 50
"""Minimum length of the secret key in production, as in Django's deployment check."""

MIN_DIFFERENT_CHARACTERS = 5
"""Minimum number of different characters of the secret key in production."""


def switch(name: str) -> bool:
    """Report whether the variable `name` is switched on; unset means off."""
    value = os.environ.get(name, "").strip().lower()
    if value in TRUE:
        return True
    if value in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def choice(name: str, *values: str) -> str:
    """Return the variable `name`, one of these values; unset means the first."""
    value = os.environ.get(name, "").strip().lower() or values[0]
    if value not in values:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(values)}, not {value[:80]!r}.")
    return value


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated values of the variable `name`, without blanks."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def trusted_proxies(name: str) -> int:
    """Return the number of proxies in front of the server: a number, or a switch for one proxy."""
    value = os.environ.get(name, "").strip().lower()
    if value.isascii() and value.isdigit() and int(value) <= MAX_PROXIES:
        return int(value)
    if value in TRUE | FALSE:
        return int(value in TRUE)
    raise ImproperlyConfigured(
        f"{name} must be the number of proxies in front of Baton, 0 to {MAX_PROXIES}, not "
        f"{value[:80]!r}."
    )


def allowed_hosts(name: str, *, production: bool) -> list[str]:
    """Return the hosts of the variable `name`, by default loopback; in production no wildcard."""
    hosts = words(name, default="" if production else "localhost,127.0.0.1,[::1]")
    if production and "*" in hosts:
        raise ImproperlyConfigured(
            f"{name} contains *, which BATON_PRODUCTION does not allow: list the host names of "
            "this server, such as baton.example."
        )
    return hosts


def seconds(name: str, default: float) -> float:
    """Return the variable `name` as a positive number of seconds."""
    return _positive_number(name, default, "seconds")


def days(name: str, default: float) -> float:
    """Return the variable `name` as a positive number of days."""
    return _positive_number(name, default, "days")


def _positive_number(name: str, default: float, unit: str) -> float:
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ImproperlyConfigured(
            f"{name} must be a positive number of {unit}, not {value[:80]!r}."
        )
    return number


def number(name: str, default: int) -> int:
    """Return the variable `name` as a positive whole number."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not (value.isascii() and value.isdigit() and 0 < int(value) <= MAX_NUMBER):
        raise ImproperlyConfigured(
            f"{name} must be a whole number from 1 to {MAX_NUMBER:,}, not {value[:80]!r}."
        )
    return int(value)


def database_url(name: str, default: str) -> dict[str, Any]:
    """Return Django's settings for the PostgreSQL or SQLite database in the variable `name`."""
    try:
        config = dict(dj_database_url.parse(os.environ.get(name) or default))
    except (dj_database_url.ParseError, dj_database_url.UnknownSchemeError, ValueError):
        config = {}
    if config.get("ENGINE") not in DATABASE_ENGINES:
        raise ImproperlyConfigured(  # the value may contain a password
            f"{name} must be like postgresql://user:password@host:5432/baton, with special "
            "characters of the password as in %40, or sqlite:////folder/baton.sqlite3."
        )
    return config


def redis_url(name: str) -> str:
    """Return the address of Redis or Valkey in the variable `name`, or empty."""
    value = os.environ.get(name, "").strip()
    try:
        is_valid = not value or urlsplit(value).scheme in REDIS_SCHEMES
        _ = urlsplit(value).port
    except ValueError:
        is_valid = False
    if not is_valid:
        raise ImproperlyConfigured(
            f"{name} must be like redis://host:6379/0, rediss:// (TLS) or unix:///folder/socket."
        )
    return value


def run_location(name: str, *, engine: str, redis_url: str) -> str:
    """Return the processes that drive runs, from the variable `name`: `here` or `workers`."""
    value = os.environ.get(name, "").strip().lower() or "here"
    if value not in {"here", "workers"}:
        raise ImproperlyConfigured(f"{name} must be here or workers, not {value[:80]!r}.")
    if value == "workers" and not (redis_url and engine.endswith("postgresql")):
        raise ImproperlyConfigured(
            f"{name}=workers needs PostgreSQL and Redis: set DATABASE_URL to postgresql://… and "
            "REDIS_URL to redis://…"
        )
    return value


def port(name: str) -> int | None:
    """Return the variable `name` as the number of a port; None if it is unset."""
    value = os.environ.get(name, "").strip()
    if not value:
        return None
    if not (value.isascii() and value.isdigit() and 0 < int(value) < MAX_PORT):
        raise ImproperlyConfigured(
            f"{name} must be the number of a port from 1 to {MAX_PORT - 1}, not {value[:80]!r}."
        )
    return int(value)


def model_prices(name: str) -> dict[str, tuple[float, float]]:
    """Return the prices of models in the variable `name`: JSON, `{"model": [in, out]}`.

    Prices are per million input tokens and output tokens.
    """
    value = os.environ.get(name, "").strip()
    try:
        items = json.loads(value or "{}").items()
        prices = {str(model): (float(input_), float(output)) for model, (input_, output) in items}
    except (AttributeError, TypeError, ValueError):
        prices = {"": (-1.0, -1.0)}
    if not all(0 <= price < float("inf") for pair in prices.values() for price in pair):
        raise ImproperlyConfigured(
            f'{name} must be JSON like {{"gpt-4.1": [2, 8]}} (prices of a million input and output '
            f"tokens), not {value[:80]!r}."
        )
    return prices


def mail_server(name: str) -> dict[str, Any]:
    """Return Django's settings for the mail server in the variable `name`; empty without one."""
    value = os.environ.get(name, "").strip()
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        parts, port = urlsplit("invalid:"), None
    if not value:
        return {}
    if parts.scheme == "file" and parts.path.startswith("/"):
        backend = "django.core.mail.backends.filebased.EmailBackend"
        return {"EMAIL_BACKEND": backend, "EMAIL_FILE_PATH": parts.path}
    if parts.scheme not in MAIL_PORTS or not parts.hostname:
        raise ImproperlyConfigured(
            f"{name} must be like smtp://user:password@mail.example:587 (STARTTLS), smtps:// "
            "(TLS), smtp+plain:// (a mail server on this machine) or file:///folder."
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or MAIL_PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": MAIL_SECONDS,
    }


@dataclass(frozen=True)
class OpenIdProvider:
    """An OpenID Connect provider, and Baton as its client."""

    issuer: str
    """Address of the provider, the `iss` of its tokens."""
    client_id: str
    client_secret: str = field(repr=False)
    name: str = "single sign-on"
    """Name on the button of the sign-in page."""
    is_open: bool = False
    """Give an account to everyone whom the provider knows."""


def openid_provider() -> OpenIdProvider | None:
    """Return the OpenID Connect provider; None if its variables are not set."""
    required = ["BATON_OIDC_ISSUER", "BATON_OIDC_CLIENT_ID", "BATON_OIDC_CLIENT_SECRET"]
    values = [os.environ.get(name, "").strip() for name in required]
    if not any(values):
        return None
    if missing := [name for name, value in zip(required, values, strict=True) if not value]:
        raise ImproperlyConfigured(
            f"Sign-in by OpenID Connect also needs {' and '.join(missing)}: see docs/operations.md."
        )
    issuer = values[0]
    parts = urlsplit(issuer)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not is_safe or not parts.hostname or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"{required[0]} must be the address of the provider, such as "
            f"https://login.example/realms/team, not {issuer[:80]!r}."
        )
    name = os.environ.get("BATON_OIDC_NAME", "").strip() or OpenIdProvider.name
    return OpenIdProvider(
        issuer=issuer,
        client_id=values[1],
        client_secret=values[2],
        name=name[:40],
        is_open=switch("BATON_OIDC_OPEN"),
    )


def addresses(name: str) -> AllowedAddresses:
    """Return the networks and hosts of the variable `name`, which is a list."""
    try:
        return AllowedAddresses.parse(words(name))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error


def encryption_keys(name: str) -> list[str]:
    """Return the keys of the variable `name`, a list of long texts: the first encrypts."""
    keys = words(name)
    if any(len(key) < MIN_KEY_LENGTH for key in keys):
        raise ImproperlyConfigured(
            f"{name} must be long random texts of at least {MIN_KEY_LENGTH} characters, separated "
            "by commas: see docs/operations.md."
        )
    return keys


def token(name: str) -> str:
    """Return the variable `name`, a text that nobody can guess, or empty."""
    value = os.environ.get(name, "").strip()
    if value and len(value) < MIN_TOKEN_LENGTH:
        raise ImproperlyConfigured(
            f"{name} must be a random text of at least {MIN_TOKEN_LENGTH} characters; this one has "
            f"{len(value)}: see docs/monitoring.md."
        )
    return value


def sentry_dsn(name: str) -> str:
    """Return the variable `name`, the address of a project in Sentry, or empty."""
    value = os.environ.get(name, "").strip()
    try:
        if value:
            from sentry_sdk.utils import Dsn

            Dsn(value)
    except ImportError:
        problem = "Sentry's SDK is not installed: install Baton with its extra `sentry`."
        raise ImproperlyConfigured(f"{name} is set, but {problem}") from None
    except ValueError:
        problem = "copy it from the settings of the project (https://KEY@HOST/NUMBER)."
        message = f"{name} is not the address of a project in Sentry: {problem}"
        raise ImproperlyConfigured(message) from None
    return value


def commands(name: str) -> dict[str, tuple[str, ...]]:
    """Return the commands of the variable `name`: JSON, `{"name": ["program", "argument"]}`."""
    value = os.environ.get(name, "").strip()
    try:
        values = json.loads(value or "{}")
        parsed = {str(key): tuple(map(str, parts)) for key, parts in values.items()}
        is_valid = all(isinstance(parts, list) and parts for parts in values.values())
    except (AttributeError, TypeError, ValueError):
        is_valid = False
    if not is_valid:
        raise ImproperlyConfigured(
            f'{name} must be JSON like {{"files": ["mcp-files", "/srv/files"]}}: a program and its '
            "arguments for each name."
        )
    return parsed


def secret_key(data_dir: Path, *, production: bool) -> str:
    """Return BATON_SECRET_KEY or the key in `data_dir`, which is created once.

    In production the variable is required, so that several servers share one key.
    """
    if key := os.environ.get("BATON_SECRET_KEY", ""):
        is_long = len(key) >= MIN_SECRET_KEY_LENGTH and len(set(key)) >= MIN_DIFFERENT_CHARACTERS
        if production and not is_long:
            raise ImproperlyConfigured(
                f"BATON_SECRET_KEY must be a random text of at least {MIN_SECRET_KEY_LENGTH} "
                f"characters with BATON_PRODUCTION; this one has {len(key)}: replace it as "
                "described in docs/operations.md."
            )
        return key
    if production:
        raise ImproperlyConfigured(
            "Set BATON_SECRET_KEY to a long random text: see docs/operations.md."
        )
    path = data_dir / "secret_key"
    try:
        return _read_or_create(path)
    except OSError as error:
        raise ImproperlyConfigured(
            f"Cannot store the secret key in {path} ({error.strerror}): make the folder writable, "
            "or set BATON_DATA_DIR to one that is."
        ) from error


def _read_or_create(path: Path) -> str:
    """Return the key in `path`; create it with owner-only permissions if it does not exist.

    The file is created atomically, so two processes that start together use the same key.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix="secret_key.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(64))
            os.link(temporary, path)
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    return path.read_text(encoding="ascii").strip()
