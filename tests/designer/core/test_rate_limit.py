"""Token bucket for costly requests."""

from designer.core.rate_limit import Allowance


def test_tokens_are_refilled_at_a_constant_rate(monkeypatch):
    now = 0.0
    monkeypatch.setattr("designer.core.rate_limit.monotonic", lambda: now)
    allowance = Allowance(2, 0.5)
    assert [allowance.spend() for _ in range(3)] == [0, 0, 2]
    now = 1.0
    assert allowance.spend() == 1
    now = 2.0
    assert [allowance.spend() for _ in range(2)] == [0, 2]
