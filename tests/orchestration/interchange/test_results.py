"""Reports of exports and imports, and their rows."""

from __future__ import annotations

import pytest

from orchestration.interchange import FEATURE_KEYS, Export, Format, Kept, Loss, Support
from tests.orchestration.sound_pipeline import sound


def test_a_report_counts_parts_that_behave_the_same_and_lists_differences_first() -> None:
    limited = sound(limits={"max_turns": 3})
    support = dict.fromkeys(FEATURE_KEYS, Support("native")) | {
        "call_human": Support("comment", "a note", "Nothing enforces it."),
        "limits": Support("lost", "left out", "The run does not stop.", differs=True),
    }
    rows = Format("other", "Other", "text", support=support, write=lambda _: {}).export(limited)
    assert [each.part for each in rows.losses] == ["Limits", "Any agent may hand over to the human"]
    assert (rows.same, rows.loses) == (rows.total - 1, True)
    assert rows.losses[0].dump() == {
        "part": "Limits",
        "places": ["pipeline"],
        "kept": "lost",
        "description": "left out",
        "consequence": "The run does not stop.",
        "differs": True,
    }


def test_a_native_part_that_behaves_differently_is_a_loss() -> None:
    support = dict.fromkeys(FEATURE_KEYS, Support("native")) | {
        "agent": Support("native", "`Agent`", "It answers twice.", differs=True),
    }
    result = Format("other", "Other", "text", support=support, write=lambda _: {}).export(sound())
    assert [each.part for each in result.losses] == ["Agents"]
    assert "Agents" not in [each.part for each in result.native]
    assert result.same == result.total - 1
    assert support["agent"].symbol == "◐"


@pytest.mark.parametrize(
    ("kept", "differs", "symbol"),
    [
        ("native", False, "●"),
        ("code", False, "●"),
        ("code", True, "◐"),
        ("metadata", False, "◐"),
        ("comment", True, "◐"),
        ("lost", False, "○"),
        ("lost", True, "○"),
    ],
)
def test_a_support_has_a_symbol(*, kept: Kept, differs: bool, symbol: str) -> None:
    assert Support(kept, differs=differs).symbol == symbol


def test_lost_parts_come_last_among_those_that_behave_the_same_or_differ() -> None:
    rows = (
        Loss("lost", (), "lost"),
        Loss("native", (), "native"),
        Loss("lost, differs", (), "lost", differs=True),
        Loss("code", (), "code"),
        Loss("code, differs", (), "code", differs=True),
    )
    report = Export("other", {}, rows)
    assert [each.part for each in report.losses] == [
        "code, differs",
        "lost, differs",
        "code",
        "lost",
    ]
    assert [each.part for each in report.native] == ["native"]
    assert report.summary == "Behaves the same: 3 of 5 parts."


def test_a_report_without_lost_parts_loses_nothing() -> None:
    assert not Export("other", {}, (Loss("a", (), "comment", differs=True),)).loses
    assert not Export("other", {}, ()).loses
