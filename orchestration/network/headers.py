"""Checks of HTTP headers that users set (RFC 9110)."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_FRAMING = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"}
)


def is_header_name(name: str) -> bool:
    """Report whether a text is a valid header name.

    >>> is_header_name("X-Key"), is_header_name("X Key"), is_header_name("")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None


def is_allowed_header(name: str) -> bool:
    """Report whether users may set this header: it does not control the transport.

    >>> is_allowed_header("X-Key"), is_allowed_header("Content-Length")
    (True, False)
    """
    return is_header_name(name) and name.lower() not in _FRAMING


def is_header_value(value: str) -> bool:
    r"""Report whether a text is a valid header value: one line of visible ASCII characters.

    >>> is_header_value("Bearer sk-1"), is_header_value("sk-1\nX-Other: 1"), is_header_value("clé")
    (True, False, False)
    """
    return value.isascii() and value.isprintable()
