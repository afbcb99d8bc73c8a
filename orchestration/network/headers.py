"""Headers that people have sent along: their names, and what they can carry (RFC 9110)."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_FRAMING = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"}
)


def is_name(name: str) -> bool:
    """Report whether a text is a valid header name.

    >>> is_name("X-Key"), is_name("X Key"), is_name("")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None


def may_be_set(name: str) -> bool:
    """Report whether users may set this header: it does not control the transport.

    >>> may_be_set("X-Key"), may_be_set("Content-Length")
    (True, False)
    """
    return is_name(name) and name.lower() not in _FRAMING


def can_carry(value: str) -> bool:
    r"""Report whether a text is a valid header value: one line of visible ASCII characters.

    >>> can_carry("Bearer sk-1"), can_carry("sk-1\nX-Other: 1"), can_carry("clé")
    (True, False, False)
    """
    return value.isascii() and value.isprintable()
