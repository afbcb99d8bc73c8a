"""What a browser fetches: compressed, hashed, and without our comments."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import get_finders

from designer.static_files import HashedStaticFilesStorage

EDITOR = ("js/theme.js", "js/page.js", "js/inspector.js", "js/editor.js")
KILOBYTE = 1024


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> HashedStaticFilesStorage:
    """Our own files as `collectstatic` leaves them."""
    folder = tmp_path_factory.mktemp("static")
    storage = HashedStaticFilesStorage(location=folder, base_url="/static/")
    paths = {}
    for finder in get_finders():
        for path, source in finder.list([]):
            if path.startswith(("js/", "css/")):
                with source.open(path) as file:
                    storage.save(path, file)
                paths[path] = (storage, path)
    for _, _, processed in storage.post_process(paths):
        assert processed is not None
    return storage


def fetched(storage: HashedStaticFilesStorage, *modules: str) -> set[str]:
    """The modules' stored names, and those of all that they import."""
    names: set[str] = set()
    found = [storage.stored_name(module) for module in modules]
    while found:
        name = found.pop()
        if name not in names:
            names.add(name)
            imports = re.findall(r'(?:import|from)\s*"\./([^"]+)"', text(storage, name))
            found += [f"js/{imported}" for imported in imports]
    return names


def text(storage: HashedStaticFilesStorage, name: str) -> str:
    return (Path(storage.location) / name).read_text()


def test_the_editors_script_is_under_20_kilobytes(collected: HashedStaticFilesStorage) -> None:
    names = fetched(collected, *EDITOR)
    sizes = {name: len(gzip.compress(text(collected, name).encode())) for name in names}
    assert sum(sizes.values()) <= 20 * KILOBYTE, sizes


def test_modules_import_each_other_by_their_hashed_names(
    collected: HashedStaticFilesStorage,
) -> None:
    for name in fetched(collected, *EDITOR):
        assert re.search(r"\.[0-9a-f]{8}\.js$", name), name


def test_comments_are_left_out_and_code_is_not(collected: HashedStaticFilesStorage) -> None:
    source = (Path(__file__).parents[2] / "static/js/canvas.js").read_text()
    served = text(collected, collected.stored_name("js/canvas.js"))
    assert "// " not in served.replace("://", "")
    lines = (line.strip() for line in source.splitlines())
    code = [line for line in lines if line.endswith(";") and "import" not in line]
    code = [re.sub(r"/\*\* @.*?\*/ ?", "", line) for line in code if "//" not in line]
    assert [line for line in code if line.strip() not in served] == []


def test_no_string_goes_over_several_lines_for_it_would_lose_its_margins() -> None:
    for module in (Path(__file__).parents[2] / "static/js").glob("*.js"):
        literals = re.findall(r"`[^`]*`", module.read_text())
        assert [literal for literal in literals if "\n" in literal] == [], module
