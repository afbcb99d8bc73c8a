"""Clients of model APIs, and which of them a server has (contract T-1)."""

from orchestration.providers.connecting import (
    VENDORS,
    connections_from_environment,
    provider_of,
    providers_from_environment,
    usual_address,
)

__all__ = [
    "VENDORS",
    "connections_from_environment",
    "provider_of",
    "providers_from_environment",
    "usual_address",
]
