"""Allowed origins of websockets: the own origin, and origins that the operator trusts.

Browsers send cookies along with a websocket from any page, and no CSRF token guards it. Hosts
alone are too coarse a test: on a developer's machine every port of `localhost` is another program.
"""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

DEFAULT_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """Scheme, host and port: what RFC 6454 calls an origin."""

    scheme: str
    host: str
    port: int


class SameOriginValidator:
    """Let websockets through whose Origin has the scheme, host and port that they connect to.

    Origins in CSRF_TRUSTED_ORIGINS pass too; a wildcard in there is not understood and does not
    pass. A handshake without an Origin, or with two, is refused: browsers always send one.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Hand the connection on to the application, or answer its handshake with 403."""
        if is_allowed(scope):
            await self.application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


def is_allowed(scope: Any) -> bool:
    """Return whether the page that opens this websocket is one of ours."""
    origins = _headers(scope, b"origin")
    if len(origins) != 1 or (origin := parse_origin(origins[0])) is None:
        return False
    if origin == served_origin(scope):
        return True
    return origin in {parse_origin(trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS}


def parse_origin(text: str) -> Origin | None:
    """Return the origin that `text` names, or None where it is not exactly one http(s) origin."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    if parts.path or parts.query or parts.fragment:
        return None
    return Origin(parts.scheme, parts.hostname, port or DEFAULT_PORTS[parts.scheme])


def served_origin(scope: Any) -> Origin | None:
    """Return the origin under which the browser reached this server, or None for a foreign host."""
    hosts = _headers(scope, b"host")
    if len(hosts) != 1:
        return None
    domain, _ = split_domain_port(hosts[0])
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return None
    return parse_origin(f"{'https' if _is_secure(scope) else 'http'}://{hosts[0].lower()}")


def _is_secure(scope: Any) -> bool:
    """Return whether the browser speaks TLS: to this server, or to the proxy in front of it."""
    if settings.SECURE_SSL_REDIRECT or scope.get("scheme") == "wss":
        return True
    if settings.SECURE_PROXY_SSL_HEADER is None:
        return False
    name, secure_value = settings.SECURE_PROXY_SSL_HEADER
    header = name.removeprefix("HTTP_").replace("_", "-").lower().encode("ascii")
    return _headers(scope, header) == [secure_value]


def _headers(scope: Any, name: bytes) -> list[str]:
    return [value.decode("latin1") for key, value in scope.get("headers", []) if key == name]
