"""Connections."""

from designer.connections.actions import encrypt_anew

__all__ = [
    "encrypt_anew",
]
