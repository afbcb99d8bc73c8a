"""The table of features by formats."""

from __future__ import annotations

from orchestration.interchange import FEATURE_KEYS, FORMATS, Format, Support, mapping_table


def test_the_table_has_a_row_for_each_feature_and_a_column_for_each_format() -> None:
    lines = mapping_table(FORMATS).splitlines()
    assert len(lines) == len(FEATURE_KEYS) + 2
    assert lines[0].startswith("| Feature | Baton JSON |")


def test_a_cell_has_the_symbol_and_the_result_of_the_feature() -> None:
    support = dict.fromkeys(FEATURE_KEYS, Support("native")) | {
        "agent": Support("code", "`A | B`", "It answers.", differs=True)
    }
    written = Format("one", "One", "text", support=support, write=lambda _: {})
    read_only = Format("two", "Two", "text")
    lines = mapping_table([written, read_only]).splitlines()
    assert lines[:4] == [
        "| Feature | One |",
        "| --- | --- |",
        "| Agents | ◐ `A \\| B` |",
        "| Agent stages | ● |",
    ]
