"""Files of pipelines, and the faults that loading finds in them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError
from orchestration.loading import load

Load = Callable[[bytes | str], PipelineDefinition]


def faults(data: bytes | str, *, by: Load = load) -> dict[str, str]:
    """The faults of a file: path and message of each."""
    with pytest.raises(DefinitionError) as caught:
        by(data)
    return {fault.path: fault.message for fault in caught.value.faults}


def file(**parts: Any) -> str:
    """A file with a name and `parts`."""
    return json.dumps({"name": "A file"} | parts)
