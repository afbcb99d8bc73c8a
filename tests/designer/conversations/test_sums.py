"""Sums of a conversation's events."""

from datetime import timedelta

from designer.conversations.sums import SumsReader
from designer.models import ConversationSummary
from orchestration import events as e
from orchestration.messages import InboundMessage, Usage
from tests.orchestration.conversations import NOON

USAGE = Usage(input_tokens=100, output_tokens=20, calls=1, milliseconds=5)


def head(seq, seconds=0.0, phase="intake", agent_id=None, session_id="s"):
    return (seq, NOON + timedelta(seconds=seconds), session_id, "run", phase, agent_id)


def read(*events, cost=0.5, first_word_of=lambda run_id: None):
    summary = ConversationSummary()
    SumsReader(summary, "s", lambda key, usage: cost, first_word_of).add(events)
    return summary


def started(seq=1, text="Hello  there"):
    return e.RunStarted(*head(seq), message=InboundMessage(id="1", text=text, channel_type="sms"))


def received(seq=2):
    return e.MessageReceived(*head(seq), message=InboundMessage(id="1", text="Hello"))


def answered(seq, seconds, agent_id="triage", session_id="s", text="Hi"):
    position = head(seq, seconds, agent_id=agent_id, session_id=session_id)
    return e.MessageCompleted(*position, turn=1, text=text, usage=USAGE)


def rejected(seq, code="not_allowed"):
    return e.HandoffRejected(*head(seq), call_id="c", target="billing", why="No.", code=code)


def accepted(seq, to_phase):
    return e.HandoffAccepted(
        *head(seq),
        call_id="c",
        from_agent="triage",
        to_agent="billing",
        from_phase="intake",
        to_phase=to_phase,
        reason="",
        summary="",
        hop=1,
        hop_limit=6,
    )


def ended(seq, seconds=4.0, reason=e.StopReason.REPLIED):
    position = head(seq, seconds)
    return e.RunCompleted(*position, reason=reason, usage=USAGE, turns=1, handoffs=1)


def test_a_run_is_summed_up():
    summary = read(started(), received(), answered(3, 1.5), rejected(4), rejected(5), ended(6))
    assert (summary.first_words, summary.channel, summary.outcome) == (
        "Hello there",
        "sms",
        "replied",
    )
    assert (summary.turns, summary.tokens, summary.cost, summary.unpriced) == (1, 120, 0.5, 0)
    assert (summary.rejections, summary.handoffs, summary.seconds) == (2, 0, 4.0)
    assert summary.path == "intake ! !"
    assert summary.rejected == {"intake billing not_allowed": 2}
    assert summary.answer_times == {"triage": [[1.5, 4.0]]}
    assert (summary.agents, summary.seq) == (" triage ", 6)
    assert summary.last_at == NOON + timedelta(seconds=4)


def test_a_conversation_is_with_a_person_until_they_leave():
    joined = e.HumanJoined(*head(4), by="ada")
    left = e.HumanLeft(*head(5), by="ada")
    whole = (started(), received(), ended(3), joined, left)
    outcomes = [read(*whole[:count]).outcome for count in (3, 4, 5)]
    assert outcomes == ["replied", "waiting_for_human", "replied"]


def test_the_first_word_comes_before_the_first_answer():
    known = {"run": NOON + timedelta(seconds=0.25)}
    summary = read(started(), received(), answered(3, 1.5), ended(4), first_word_of=known.get)
    assert summary.answer_times == {"triage": [[0.25, 4.0]]}


def test_a_stage_that_a_handoff_enters_is_one_step():
    change = e.PhaseChanged(*head(4), from_phase="intake", to_phase="billing", reason="")
    summary = read(started(), received(), accepted(3, "billing"), change, ended(5))
    assert (summary.path, summary.handoffs) == ("intake billing", 1)


def test_usage_of_subtasks_counts_and_their_steps_do_not():
    summary = read(started(), received(), answered(3, 1, "other", "s/task"), ended(4))
    assert (summary.turns, summary.tokens, summary.agents) == (1, 120, "")


def test_a_call_without_a_price_is_counted():
    summary = read(started(), received(), answered(3, 1), ended(4), cost=None)
    assert (summary.cost, summary.unpriced) == (0.0, 1)


def test_a_failed_run_has_its_own_outcome():
    failure = e.RunFailed(
        *head(3, 2.0), error="Error", message="No.", usage=USAGE, turns=0, handoffs=0
    )
    summary = read(started(), received(), failure)
    assert (summary.outcome, summary.seconds, summary.answer_times) == ("failed", 2.0, {})


def test_the_path_of_a_long_conversation_is_bounded():
    steps = [accepted(seq, "stage-" + "x" * 60) for seq in range(3, 200)]
    summary = read(started(), received(), *steps)
    assert (summary.handoffs, len(summary.path) <= 1_000) == (197, True)


def test_copied_events_of_a_fork_are_counted_apart():
    run = [started(), received(), rejected(3), answered(4, 1.0), ended(5)]
    again = [rejected(6), answered(7, 5.0), ended(8)]
    summary = ConversationSummary()
    SumsReader(summary, "s", lambda key, usage: 0.5, copied=5).add([*run, *again])
    assert (summary.tokens, summary.copied_tokens) == (240, 120)
    assert (summary.cost, summary.copied_cost) == (1.0, 0.5)
    assert (summary.rejections, summary.rejected) == (2, {"intake billing not_allowed": 1})
    assert summary.answer_times == {}, "the second run has no start here"
