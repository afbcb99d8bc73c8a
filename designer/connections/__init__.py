"""Connections to models and tools: pages, tests, and the import of tools."""

from designer.connections.actions import encrypt_anew

__all__ = [
    "encrypt_anew",
]
