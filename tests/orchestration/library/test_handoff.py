"""What an edge's tool gives where something else than the engine runs it."""

import pytest

from orchestration.definition import Agent
from orchestration.handoff.declared import Handoff
from orchestration.library import AgentSpec


@pytest.mark.parametrize(
    ("target", "sentinel"),
    [
        (AgentSpec(name="billing"), "__BATON_HANDOFF__:billing"),
        (AgentSpec(name="HTTPAgent"), "__BATON_HANDOFF__:http-agent"),
        (Agent(id="agent-7", name="Billing"), "__BATON_HANDOFF__:agent-7"),
        ("Billing desk", "__BATON_HANDOFF__:billing-desk"),
    ],
)
def test_a_sentinel_is_the_prefix_and_the_targets_id(target, sentinel):
    """Contract E-3."""
    assert Handoff(target).sentinel == sentinel
