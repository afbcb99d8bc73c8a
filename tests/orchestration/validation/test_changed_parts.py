"""Changed parts of a definition."""

from orchestration.validation import ChangedParts


def test_the_kinds_are_those_with_changes() -> None:
    changes = ChangedParts(agents={"a"}, transitions={("intake", "review")})
    assert changes.kinds == {"agents", "transitions"}
    assert ChangedParts().kinds == frozenset()
