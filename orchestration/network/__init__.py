"""Connections to other servers: addresses, headers, secrets and decompression."""

from orchestration.network.addresses import AllowedAddresses, is_public
from orchestration.network.connections import (
    ConnectionSettings,
    FindConnection,
    TimeLimits,
)
from orchestration.network.decompression import CHUNK_SIZE
from orchestration.network.headers import is_allowed_header, is_header_name, is_header_value
from orchestration.network.redaction import (
    REDACTED,
    StreamRedactor,
    redact,
    redact_json,
    redact_json_text,
)
from orchestration.network.secrets import Secrets, merged_secrets, secrets_of
from orchestration.network.transport import (
    AddressRefused,
    AnswerRefused,
    guarded_transport,
    tls_context,
)

__all__ = [
    "CHUNK_SIZE",
    "REDACTED",
    "AddressRefused",
    "AllowedAddresses",
    "AnswerRefused",
    "ConnectionSettings",
    "FindConnection",
    "Secrets",
    "StreamRedactor",
    "TimeLimits",
    "guarded_transport",
    "is_allowed_header",
    "is_header_name",
    "is_header_value",
    "is_public",
    "merged_secrets",
    "redact",
    "redact_json",
    "redact_json_text",
    "secrets_of",
    "tls_context",
]
