"""Exported files for a download."""

import io
import zipfile

import pytest

from designer.exchange.files import archive, content_type, download

FILES = {"agents.py": b"print()\n", "stages/a.yaml": b"a: 1\n"}


def test_one_file_is_downloaded_as_it_is():
    file = download({"pipeline.mmd": b"x"}, pipeline="Support desk", label="-v7.mermaid")
    assert (file.name, file.content) == ("support-desk-v7.mermaid.mmd", b"x")
    assert file.content_type == "text/plain; charset=utf-8"


def test_several_files_are_an_archive_in_a_folder():
    file = download(FILES, pipeline="日本", label=".adk")
    assert (file.name, file.content_type) == ("pipeline.adk.zip", "application/zip")
    with zipfile.ZipFile(io.BytesIO(file.content)) as packed:
        assert packed.namelist() == ["pipeline/agents.py", "pipeline/stages/a.yaml"]
        assert packed.read("pipeline/stages/a.yaml") == b"a: 1\n"
        assert {info.date_time for info in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_same_files_give_the_same_archive():
    assert archive(FILES, folder="desk") == archive(dict(FILES), folder="desk")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.json", "application/json"),
        ("a.svg", "image/svg+xml"),
        ("a.png", "image/png"),
        ("a.html", "text/plain; charset=utf-8"),
        ("README.md", "text/plain; charset=utf-8"),
    ],
)
def test_only_json_and_pictures_have_a_type_of_their_own(name, kind):
    assert content_type(name) == kind
