"""`manage.py export`: a pipeline in another format, in the terminal."""

from __future__ import annotations

import json
import zipfile
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from designer.exchange import EXPORT_FORMATS
from designer.versions import publish
from orchestration.loading import json_schema, load
from tests.designer.editor_requests import draw, now, send
from tests.designer.live_conversations import SAMPLES

pytestmark = pytest.mark.django_db

DESK = str(SAMPLES / "support-desk.json")
SCHEMA = "baton.pipeline-1.schema.json"


def export(*arguments: str) -> tuple[str, str, int]:
    """Run the command; return its output, its messages and exit code."""
    printed, messages = StringIO(), StringIO()
    code = 0
    try:
        call_command("export", *arguments, stdout=printed, stderr=messages)
    except SystemExit as end:
        code = int(str(end.code))
    return printed.getvalue(), messages.getvalue(), code


@pytest.mark.parametrize("chosen", EXPORT_FORMATS, ids=lambda each: each.key)
def test_a_file_is_exported_in_every_format(tmp_path, chosen):
    out = tmp_path / "out"
    printed, _, code = export(DESK, "--to", chosen.key, "--out", str(out))
    first = "Drawn: " if chosen.format.kind == "picture" else "Behaves the same: "
    assert (code, printed.startswith(first)) == (0, True)
    files = chosen.files(load((SAMPLES / "support-desk.json").read_bytes()))
    if len(files) > 1:
        written = {path: (out / path).read_bytes() for path in files}
        assert written == dict(files)
    elif chosen.key != "baton":
        assert out.read_bytes() == next(iter(files.values()))


def test_baton_json_names_the_schema_beside_it(tmp_path):
    out = tmp_path / "desk.baton.json"
    export(DESK, "--to", "baton", "--out", str(out))
    assert json.loads(out.read_text())["$schema"] == SCHEMA
    assert json.loads((tmp_path / SCHEMA).read_text()) == json_schema()
    assert load(out.read_bytes()) == load((SAMPLES / "support-desk.json").read_bytes())
    folder = tmp_path / "folder"
    folder.mkdir()
    export(DESK, "--to", "baton", "--out", str(folder))
    assert {path.name for path in folder.iterdir()} == {"pipeline.json", SCHEMA}


def test_a_version_is_exported_by_the_name_of_the_pipeline(client, user, tmp_path):
    pipeline = draw(user, "intake", "review", name="Support")
    publish(pipeline=pipeline, user=user, name="First")
    published = now(pipeline)
    send(client, pipeline, "add_agent")
    out = tmp_path / "out.json"
    for name in ("support@live", "Support@1", f"{pipeline.pk}@v1"):
        export(name, "--to", "baton", "--out", str(out))
        assert load(out.read_bytes()) == published
    export("support", "--to", "baton", "--out", str(out))
    assert load(out.read_bytes()) == now(pipeline) != published


def test_several_files_are_an_archive_if_the_path_is_one(tmp_path):
    out = tmp_path / "pictures.zip"
    export(DESK, "--to", "svg", "--out", str(out))
    with zipfile.ZipFile(out) as packed:
        assert packed.namelist() == ["pictures/pipeline-light.svg", "pictures/pipeline-dark.svg"]


def test_one_file_is_printed_and_its_report_goes_to_the_messages():
    printed, messages, code = export(DESK, "--to", "mermaid", "--out", "-")
    assert (printed.startswith("flowchart LR\n"), code) == (True, 0)
    assert messages.startswith("Drawn: ")
    assert "  Not drawn: Payload, " in messages
    with pytest.raises(CommandError, match="There are 2 files: name a folder"):
        export(DESK, "--to", "svg", "--out", "-")


def test_each_part_that_changes_is_a_line(tmp_path):
    printed, _, _ = export(DESK, "--to", "docker-agent", "--out", str(tmp_path / "out"))
    assert "  Function tools (7 parts): ✕ differs, in code: `script` with a command" in printed
    assert "  Payload (billing → review): ✕ differs, left out. The agents hand over" in printed
    assert "  Limits: ✕ differs, as a note: `max_iterations` of `root`. Only turns" in printed


def test_a_loss_is_exit_code_3_only_if_it_is_strict(tmp_path):
    out = str(tmp_path / "out")
    assert export(DESK, "--to", "mermaid", "--out", out)[2] == 0
    printed, _, code = export(DESK, "--to", "mermaid", "--out", out, "--strict")
    assert (code, "Not drawn" in printed) == (3, True)
    assert export(DESK, "--to", "baton", "--out", out, "--strict")[2] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.json", "--to", "baton", "--out", "x"), "missing.json cannot be read"),
        (("Nobody", "--to", "baton", "--out", "x"), "There is no pipeline or file 'Nobody'"),
        ((DESK, "--to", "mermaid", "--out", "/nowhere/x"), "/nowhere/x cannot be written"),
        ((DESK, "--to", "langgrap", "--out", "x"), "invalid choice: 'langgrap'"),
    ],
)
def test_an_export_names_the_parts_that_it_leaves_out(arguments, message):
    with pytest.raises(CommandError, match=message):
        export(*arguments)
