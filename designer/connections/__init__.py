"""Connections to models and tools: pages, tests, and the import of tools."""

from designer.connections.actions import reencrypt_secrets

__all__ = [
    "reencrypt_secrets",
]
