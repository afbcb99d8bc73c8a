"""Digest of the behaviour of a definition."""

from __future__ import annotations

import hashlib
import json

from orchestration.definition import PipelineDefinition


def behaviour_digest(definition: PipelineDefinition) -> str:
    """Return the SHA-256 of a definition without its layout, as hexadecimal digits."""
    content = definition.model_dump(mode="json", exclude={"layout"})
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
