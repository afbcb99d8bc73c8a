"""File `README.md` of a project: its sections and the table of losses."""

from __future__ import annotations

from orchestration.definition import PipelineDefinition
from orchestration.interchange import Loss
from orchestration.interchange.project import readme
from orchestration.interchange.project.readme import loss_table, plain


def test_the_readme_has_the_files_the_start_and_the_losses() -> None:
    rows = [
        Loss("Agents", ("a",), "native"),
        Loss("Supervisor", ("b",), "native", "`supervisor_id`", "It answers.", differs=True),
        Loss("Layout", ("pipeline",), "lost", "left out"),
        Loss("Filter in CEL", ("a → b",), "code", "raises", "The run stops.", differs=True),
    ]
    text = readme(
        PipelineDefinition(name="# Shop <b>", description="A\n## B"),
        "the OpenAI Agents SDK",
        {"agents.py": "the agents"},
        ["pip install ."],
        ["SHOP_URL"],
        rows,
    )
    assert text.startswith("# \\# Shop &lt;b\\>\n\nA \\#\\# B\n")
    assert "Behaves the same: 2 of 4 parts." in text
    assert text.index("| Filter in CEL: a → b | in code, differs | raises. The run stops. |") < (
        text.index("| Layout | left out | left out |")
    )
    assert "| Supervisor: b | native, differs | `supervisor_id`. It answers. |" in text
    assert "As they are: Agents.\n" in text
    assert "`SHOP_URL`" in text


def test_a_project_without_environment_variables_does_not_ask_for_them() -> None:
    text = readme(PipelineDefinition(name="Shop"), "RoomKit", {}, ["run"], [], [], ["A note."])
    assert "environment variables" not in text
    assert "\n\nA note.\n\n## Differences" in text


def test_a_row_names_twelve_parts_and_the_number_of_the_others() -> None:
    agents = tuple(f"a{number}" for number in range(15))
    table = loss_table([Loss("Agents", agents, "lost", "left out")])
    assert "a11, 3 more |" in table
    assert "a12" not in table
    exact = loss_table([Loss("Agents", agents[:12], "lost", "left out")])
    assert "a11 |" in exact


def test_no_text_of_a_part_makes_a_cell_of_the_table() -> None:
    row = Loss("Rules | more", ("a | b",), "code", "`x | y`")
    line = loss_table([row]).splitlines()[-1]
    assert line.replace("\\|", "").count("|") == 4
    assert "`x \\| y`" in line


def test_a_project_with_native_parts_only_has_no_table() -> None:
    rows = [Loss("Agents", ("a",), "native"), Loss("Agents", ("b",), "native")]
    assert loss_table(rows) == "Behaves the same: 2 of 2 parts.\n\nAs they are: Agents."


def test_a_text_has_no_markup_of_its_own_and_one_line() -> None:
    assert plain("a\n# b\t[c](d)\u202e <e> & `f`") == (
        "a \\# b \\[c\\]\\(d\\) &lt;e\\> &amp; \\`f\\`"
    )
