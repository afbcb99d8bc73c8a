"""Static files for browsers: compressed, hashed, and without comments."""

import gzip
import json
import re
from pathlib import Path

from django.core.files.base import ContentFile

from designer.serving.static_files import HashedStaticFilesStorage
from tests.serving import ROOT

EDITOR = (
    "js/core/theme.js",
    "js/core/early-input.js",
    "js/core/page.js",
    "js/editor/panels/inspector.js",
    "js/editor/editor.js",
)
KILOBYTE = 1024
MODULES = ROOT / "static" / "js"


def loaded(storage: HashedStaticFilesStorage, *modules: str) -> set[str]:
    """Return the stored names of modules and of all their static imports."""
    names = {one for module in modules for one in (module, *storage.imported_by(module))}
    return {storage.stored_name(name) for name in names}


def text(storage: HashedStaticFilesStorage, name: str) -> str:
    return (Path(storage.location) / name).read_text()


def test_the_editors_script_at_first_view_is_under_21_kilobytes(
    collected: HashedStaticFilesStorage,
) -> None:
    names = loaded(collected, *EDITOR)
    sizes = {name: len(gzip.compress(text(collected, name).encode())) for name in names}
    assert sum(sizes.values()) <= 21 * KILOBYTE, sizes


def test_dynamic_imports_are_not_loaded_at_first(
    collected: HashedStaticFilesStorage,
) -> None:
    at_first = {"js/editor/editor.js", *collected.imported_by("js/editor/editor.js")}
    assert "js/canvas/canvas.js" in at_first, "imported by the editor"
    assert "js/canvas/geometry.js" in at_first, "imported by the canvas"
    assert "js/editor/commands.js" not in at_first, "imported with the first command"


def test_every_dynamic_import_is_repeated_after_a_failure() -> None:
    comment = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
    bare = re.compile(r"(?<!\bload\()\bimport\(")
    found = {
        path.relative_to(MODULES).as_posix()
        for path in MODULES.rglob("*.js")
        if bare.search(comment.sub("", path.read_text()))
    }
    assert found == {"core/offline.js"}, "use `load` of core/offline.js"


def test_the_import_map_has_a_hashed_name_for_every_module(
    collected: HashedStaticFilesStorage,
) -> None:
    imports = json.loads(collected.import_map)["imports"]
    modules = {path.relative_to(MODULES).as_posix() for path in MODULES.rglob("*.js")}
    assert set(imports) == {f"/static/js/{name}" for name in modules}
    for name, url in imports.items():
        assert re.fullmatch(rf"{name.removesuffix('.js')}\.[0-9a-f]{{8}}\.js", url)
        assert Path(collected.location, url.removeprefix("/static/")).is_file()


def collect(folder: Path, **modules: str) -> HashedStaticFilesStorage:
    """Collect modules with these names and source codes."""
    storage = HashedStaticFilesStorage(location=folder, base_url="/static/")
    names = {f"js/{name}.js": code for name, code in modules.items()}
    for name, code in names.items():
        storage.save(name, ContentFile(code.encode()))
    list(storage.post_process({name: (storage, name) for name in names}))
    return storage


def test_all_forms_of_static_imports_are_found(tmp_path: Path) -> None:
    code = """
        /** @type {import("./type.js").Box} */
        import "./alone.js";
        import { a, b as c } from "./some.js";
        import {
          d,
          e,
        } from './lines.js';
        export * from "./all.js";
        export async function later() {
          return (await import("./later.js")).then(alone);
        }
    """
    others = dict.fromkeys(("type", "alone", "some", "lines", "all", "later"), "one();\n")
    storage = collect(tmp_path, page=code, **others)
    found = storage.imported_by("js/page.js")
    assert found == ["js/alone.js", "js/some.js", "js/lines.js", "js/all.js"]


def test_modules_can_have_import_cycles(tmp_path: Path) -> None:
    storage = collect(tmp_path, a='import "./b.js";\n', b='import "./a.js";\n')
    assert storage.imported_by("js/a.js") == ["js/b.js"]
    assert storage.imported_by("js/b.js") == ["js/a.js"]


def test_a_changed_module_keeps_the_names_of_its_importers(tmp_path: Path) -> None:
    before = collect(tmp_path / "before", a='import "./b.js";\n', b="one();\n")
    after = collect(tmp_path / "after", a='import "./b.js";\n', b="two();\n")
    assert before.stored_name("js/b.js") != after.stored_name("js/b.js")
    assert before.stored_name("js/a.js") == after.stored_name("js/a.js")


def test_minification_removes_only_comments(collected: HashedStaticFilesStorage) -> None:
    for module in MODULES.rglob("*.js"):
        name = f"js/{module.relative_to(MODULES).as_posix()}"
        served = text(collected, collected.stored_name(name))
        assert not re.search(r"/\*\*|[;{}] ?// ", served), name
        lines = re.sub(r"/\*\*.*?\*/", "", module.read_text(), flags=re.DOTALL).splitlines()
        code = [squeezed(line) for line in lines if line.endswith(";") and "//" not in line]
        assert [line for line in code if line not in squeezed(served)] == [], name


def test_a_style_sheet_contains_the_sheets_that_it_imports(
    collected: HashedStaticFilesStorage,
) -> None:
    styles = MODULES.parent / "css"
    for sheet in ("baton.css", "editor.css"):
        served = text(collected, collected.stored_name(f"css/{sheet}"))
        imports = re.findall(r'^@import "(.+)";$', (styles / sheet).read_text(), re.MULTILINE)
        assert imports
        assert "@import" not in served
        for path in imports:
            assert text(collected, collected.stored_name(f"css/{path}")) in served


def squeezed(code: str) -> str:
    """Return code without white space."""
    return re.sub(r"\s", "", code)


def test_no_template_literal_is_nested_because_the_minifier_would_strip_its_spaces() -> None:
    for module in MODULES.rglob("*.js"):
        comments = r"(?s)/\*.*?\*/|(?m:^\s*//[^\n]*$)|(?m:(?<=[;{,)]) // [^\n]*$)"
        code = re.sub(comments, "", module.read_text())
        literals = re.findall(r"`[^`]*`", code)
        nested = [literal for literal in literals if literal.count("${") > literal.count("}")]
        assert nested == [], module


def test_every_static_file_that_a_template_names_exists(
    collected: HashedStaticFilesStorage,
) -> None:
    for template in (ROOT / "templates").rglob("*.html"):
        for name in re.findall(r'{% static "([^"]+)" %}', template.read_text()):
            assert name in collected.hashed_files, f"{template}: {name}"
