"""Runs with decisions continue from every prefix of their journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration import events as e
from orchestration.control import (
    ApproveCall,
    ChangeCall,
    RefuseCall,
)
from orchestration.tools import CallContext
from tests.orchestration.approval_session import LOOK, PAY
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    PlayedModel,
    Turn,
    calling,
    collect,
    every,
    four_stages,
    handing_over,
    say,
    session_with,
)
from tests.orchestration.steering_session import as_recorded, steer

calls = st.builds(calling, st.sampled_from(["look", "pay", "pay"]), amount=st.integers(1, 9))
turns: st.SearchStrategy[Turn] = st.one_of(
    st.just(["Hello."]),
    st.lists(st.one_of(calls, st.just(handing_over(HANDLER))), min_size=1, max_size=4),
)
decisions = st.sampled_from(["approve", "change", "refuse"])


class RecordedDesk:
    """A desk with recorded events, and a plan of decisions in the order of requests."""

    def __init__(
        self, plan: Sequence[Turn], said: Sequence[str], before: Sequence[e.Event]
    ) -> None:
        self.said = said
        left = plan[len(every(e.MessageCompleted, before)) :]
        self.paid: list[str] = []
        definition = four_stages(
            tools=[PAY, LOOK],
            agents=[
                agent.model_copy(update={"tools": ("look", "pay")})
                for agent in four_stages().agents
            ],
        )
        self.session = session_with(
            PlayedModel(left),
            definition,
            events=before,
            tools={"pay": self._pay, "look": lambda amount: "seen"},
            clock=lambda: NOON,
        )

    async def play(self) -> list[e.Event]:
        """Run to the end of the run."""
        if self.session.seq == 0:
            told = await say(self.session, "Pay!")
        else:
            told = await collect(self.session.resume())
        while self.session.approvals:
            assert self.session.paused is not None
            asked = self.session.approvals[-1]
            told += await steer(self.session, self._decision(asked.seq))
            told += await collect(self.session.resume())
        assert not self.session.unfinished
        return told

    def _decision(self, asked: int) -> Any:
        fields: dict[str, Any] = {"id": f"decision-{asked}", "by": "ada", "asked": asked}
        match self.said[asked % len(self.said)]:
            case "approve":
                return ApproveCall(**fields)
            case "change":
                return ChangeCall(**fields, arguments='{"amount":10}')
            case _:
                return RefuseCall(**fields, reason="No.")

    def _pay(self, amount: int, context: CallContext) -> str:
        self.paid.append(context.key)
        return f"{amount} are paid."


@settings(max_examples=40, deadline=None)
@given(st.lists(turns, max_size=4), st.lists(decisions, min_size=1, max_size=5))
async def test_every_prefix_of_a_run_with_decisions_has_the_same_rest(
    plan: list[Turn], said: list[str]
) -> None:
    """Decisions are kept, and no payment is repeated."""
    whole = RecordedDesk(plan, said, [])
    told = as_recorded(await whole.play())
    for cut in range(1, len(told)):
        again = RecordedDesk(plan, said, told[:cut])
        rest = await again.play()
        assert list(map(_timeless, as_recorded(rest))) == list(map(_timeless, told[cut:]))
        assert again.session.history == whole.session.history
        assert again.paid == [key for key in whole.paid if key not in _returned_keys(told[:cut])]


def _timeless(event: e.Event) -> e.Event:
    body = e.dump(event)
    for part in (body.get("result"), body.get("usage")):
        if part:
            part["milliseconds"] = 0
    return e.load(body)


def _returned_keys(events: Sequence[e.Event]) -> set[str]:
    """Return the keys of finished calls."""
    keys, turn = set(), 0
    for event in events:
        if isinstance(event, e.TurnStarted):
            turn = event.turn
        elif isinstance(event, e.ToolReturned):
            keys.add(f"s1/run/{turn}/{event.result.call_id}")
    return keys
