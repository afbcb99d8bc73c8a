"""Providers: clients of model APIs, and the list of vendors (contract T-1)."""

from orchestration.providers.errors import connection_error_text, host_of
from orchestration.providers.fallback import WithFallback
from orchestration.providers.http_client import VendorClient
from orchestration.providers.model_list import list_models
from orchestration.providers.provider import (
    MAX_CALLS,
    SUPERVISOR,
    CallPiece,
    ExchangeListener,
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    Provider,
    Retry,
    TextPiece,
    TurnListener,
    WireExchange,
)
from orchestration.providers.registry import (
    VENDORS,
    connections_from_environment,
    default_address,
    provider_of,
    providers_from_environment,
    setup_instructions,
)
from orchestration.providers.retry_policy import RetryPolicy
from orchestration.providers.scripted import ScriptedProvider
from orchestration.providers.wire_log import redacted_exchange

__all__ = [
    "MAX_CALLS",
    "SUPERVISOR",
    "VENDORS",
    "CallPiece",
    "ExchangeListener",
    "Finished",
    "ModelRequest",
    "Piece",
    "PromptMessage",
    "Provider",
    "Retry",
    "RetryPolicy",
    "ScriptedProvider",
    "TextPiece",
    "TurnListener",
    "VendorClient",
    "WireExchange",
    "WithFallback",
    "connection_error_text",
    "connections_from_environment",
    "default_address",
    "host_of",
    "list_models",
    "provider_of",
    "providers_from_environment",
    "redacted_exchange",
    "setup_instructions",
]
