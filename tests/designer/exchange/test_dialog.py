"""Content of the Export dialog."""

import pytest

from designer.exchange.dialog import MAX_LINES, ExportDialog
from designer.exchange.export_formats import EXPORT_FORMATS, export_format
from orchestration.definition import PipelineDefinition
from tests.designer.editor_requests import chain

SMALL = chain("intake", "review", limits={"max_turns": 3}, aliases={"desk": "human"})


def test_each_format_counts_the_parts_that_behave_the_same():
    rows = ExportDialog(SMALL, export_format("baton")).formats
    assert [row.key for row in rows] == [each.key for each in EXPORT_FORMATS]
    for row, each in zip(rows, EXPORT_FORMATS, strict=True):
        if each.format.kind == "pipeline":
            report = each.format.export(SMALL)
            assert (row.same, row.total) == (report.same, report.total)
            assert row.percent == round(100 * row.same / row.total)


def test_formats_are_grouped_by_kind():
    groups = dict(ExportDialog(SMALL, export_format("baton")).groups)
    assert {row.key for row in groups["Picture"]} == {"mermaid", "svg", "png"}
    assert groups["Pipeline"][0].key == "baton"


def test_many_parts_of_a_row_are_counted_and_few_are_named():
    stages = [f"stage-{n}" for n in range(6)]
    losses = ExportDialog(chain(*stages, aliases={"desk": "human"}), export_format("mermaid"))
    shown = {row.part: row.places for row in losses.losses}
    assert shown["Aliases"] == "desk"
    assert "Agents 6 · Agent stages 6" in losses.native


def test_a_text_is_escaped_around_its_code():
    dialog = ExportDialog(SMALL, export_format("docker-agent"))
    [limits] = [row for row in dialog.losses if row.part == "Limits"]
    assert str(limits.description) == "<code>max_iterations</code> of <code>root</code>"


@pytest.mark.parametrize(("stages", "is_cut"), [(2, False), (60, True)])
def test_a_long_file_is_cut_in_the_preview(stages, is_cut):
    dialog = ExportDialog(chain(*(f"s-{n}" for n in range(stages))), export_format("baton"))
    lines = dialog.files["pipeline.json"].splitlines()
    assert len(dialog.preview.lines) == min(MAX_LINES, len(lines))
    assert bool(dialog.preview.more) == is_cut


def test_only_formats_that_are_read_have_a_round_trip():
    for each in EXPORT_FORMATS:
        trip = ExportDialog(SMALL, each).round_trip
        assert (trip is None) == (each.format.read is None)
        assert trip is None or trip.is_proved


def test_an_empty_pipeline_has_nothing_to_export():
    dialog = ExportDialog(PipelineDefinition(name="N"), export_format("baton"))
    assert (dialog.is_empty, dialog.round_trip) == (True, None)
