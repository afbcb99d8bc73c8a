"""Reports of exports and imports in the terminal."""

from designer.management.report_lines import picture_lines, report_lines
from orchestration.interchange import Export, Import, Loss
from tests.orchestration.sound_pipeline import sound

LOSSES = (
    Loss("Agents", ("a", "b"), "native"),
    Loss("Supervisor", ("watcher",), "lost", "left out", "Nobody observes.", differs=True),
    Loss("Limits", ("pipeline",), "comment", "a note", "Nothing enforces it."),
    Loss("Tools", tuple("abcdef"), "code", "a function", ""),
)


def test_an_export_lists_the_parts_that_change_first_those_that_differ():
    assert list(report_lines(Export("other", {}, LOSSES))) == [
        "Behaves the same: 3 of 4 parts.",
        "  Supervisor (watcher): ✕ differs, left out. Nobody observes.",
        "  Limits: as a note: a note. Nothing enforces it.",
        "  Tools (6 parts): in code: a function.",
    ]


def test_an_import_lists_changed_parts_with_their_place():
    rows = (Loss("Name", ("$.agents[0].name",), "comment", "cut", "The rest is missing."),)
    assert list(report_lines(Import("other", sound(), rows))) == [
        "Behaves the same: 1 of 1 parts.",
        "  Name ($.agents[0].name): changed: cut. The rest is missing.",
    ]


def test_a_picture_lists_the_parts_that_are_not_drawn():
    assert list(picture_lines(Export("svg", {}, LOSSES))) == [
        "Drawn: 1 of 4 parts.",
        "  Not drawn: Supervisor, Limits, Tools.",
    ]


def test_a_hostile_text_is_shown_without_its_control_characters():
    rows = (Loss("Name", ("\x1b[31m",), "lost", "left out", "It is\nlost."),)
    lines = list(report_lines(Export("other", {}, rows)))
    assert "\x1b" not in "".join(lines)
