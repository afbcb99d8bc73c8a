"""Providers: clients of model APIs, and the list of vendors (contract T-1)."""

from orchestration.providers.errors import no_answer, place_of
from orchestration.providers.fallback import WithFallback
from orchestration.providers.http_client import VendorClient
from orchestration.providers.listing import list_models
from orchestration.providers.provider import (
    MAX_CALLS,
    CallPiece,
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
    instructions_for,
    provider_of,
    providers_from_environment,
    usual_address,
)
from orchestration.providers.retry_policy import Patience
from orchestration.providers.scripted import ScriptedProvider

__all__ = [
    "MAX_CALLS",
    "VENDORS",
    "CallPiece",
    "Finished",
    "ModelRequest",
    "Patience",
    "Piece",
    "PromptMessage",
    "Provider",
    "Retry",
    "ScriptedProvider",
    "TextPiece",
    "TurnListener",
    "VendorClient",
    "WireExchange",
    "WithFallback",
    "connections_from_environment",
    "instructions_for",
    "list_models",
    "no_answer",
    "place_of",
    "provider_of",
    "providers_from_environment",
    "usual_address",
]
