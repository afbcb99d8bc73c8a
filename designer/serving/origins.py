"""Allowed origins of websockets: the server's own origin and origins trusted by the operator.

Browsers send cookies with a websocket from any page, and no CSRF token protects it. A check of the
host is not enough: on a developer's machine every port of `localhost` is another program.
"""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

DEFAULT_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """Origin as defined by RFC 6454: scheme, host and port."""

    scheme: str
    host: str
    port: int


class SameOriginValidator:
    """Accept websockets whose Origin header has the scheme, host and port of the server.

    Origins in CSRF_TRUSTED_ORIGINS are accepted too; wildcards are not supported. A handshake
    without an Origin header, or with two, is rejected: browsers always send one.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass an allowed websocket to the application; answer others with 403."""
        if is_allowed(scope):
            await self.application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


def is_allowed(scope: Any) -> bool:
    """Report whether a trusted page opens this websocket."""
    origins = _headers(scope, b"origin")
    if len(origins) != 1 or (origin := parse_origin(origins[0])) is None:
        return False
    if origin == served_origin(scope):
        return True
    return origin in {parse_origin(trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS}


def parse_origin(text: str) -> Origin | None:
    """Parse an http or https origin; None if it is invalid."""
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
    """Return the origin of this server for the browser; None for an unknown host."""
    hosts = _headers(scope, b"host")
    if len(hosts) != 1:
        return None
    domain, _ = split_domain_port(hosts[0])
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return None
    return parse_origin(f"{'https' if _is_secure(scope) else 'http'}://{hosts[0].lower()}")


def _is_secure(scope: Any) -> bool:
    """Report whether the browser uses TLS, to this server or to a proxy."""
    if settings.SECURE_SSL_REDIRECT or scope.get("scheme") == "wss":
        return True
    if settings.SECURE_PROXY_SSL_HEADER is None:
        return False
    name, secure_value = settings.SECURE_PROXY_SSL_HEADER
    header = name.removeprefix("HTTP_").replace("_", "-").lower().encode("ascii")
    return _headers(scope, header) == [secure_value]


def _headers(scope: Any, name: bytes) -> list[str]:
    return [value.decode("latin1") for key, value in scope.get("headers", []) if key == name]
