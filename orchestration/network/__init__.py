"""Connections to other servers: addresses, headers, secrets and decompression."""

from orchestration.network.addresses import (
    AddressRefused,
    AllowedAddresses,
    AnswerRefused,
    guarded_transport,
    is_public,
)
from orchestration.network.connections import (
    ConnectionKind,
    ConnectionSettings,
    FindConnection,
    TimeLimits,
)
from orchestration.network.decompression import PIECE
from orchestration.network.headers import can_carry, is_name, may_be_set
from orchestration.network.secrets import STRUCK, Secrets, secrets_of, strike

__all__ = [
    "PIECE",
    "STRUCK",
    "AddressRefused",
    "AllowedAddresses",
    "AnswerRefused",
    "ConnectionKind",
    "ConnectionSettings",
    "FindConnection",
    "Secrets",
    "TimeLimits",
    "can_carry",
    "guarded_transport",
    "is_name",
    "is_public",
    "may_be_set",
    "secrets_of",
    "strike",
]
