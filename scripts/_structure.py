"""Checks of the structure that no other tool makes: size, names, docstrings, cycles, front doors.

Run by `scripts/check`. Prints each finding on a line and exits with 1 if there is one. With
`--figures` it prints the figures instead.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

MAX_LINES = 400
MAX_FILES = 22  # about 20, beside `__init__.py` and `urls.py`
MAX_WIDTH = 120
MAX_SHARE = 0.02
MIN_TESTED = 0.85

VAGUE = re.compile(
    r"(what|who|whom|whose|where|whether|which|how|of|that|those|whoever|whatever)\b", re.IGNORECASE
)
DJANGO_NAMES = {"Meta", "Command", "Migration"}  # the framework looks these names up
OPEN = {"management", "migrations", "templatetags", "monitoring", "serving"}  # see `_open_packages`
SCRIPT_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)  # JSDoc types name modules, but load nothing
SCRIPT_IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']""")


def main() -> int:
    """Print the findings or the figures."""
    files = [path for path in _tracked() if path.suffix in (".py", ".js", ".css", ".html")]
    product = {
        path: ast.parse(path.read_text())
        for path in files
        if path.suffix == ".py" and path.parts[0] != "tests"
    }
    vague, docstrings = _vague_docstrings(product)
    untested, modules = _untested_modules(product)
    findings = {
        "lines in a file": list(_long_files(files)),
        "files in a folder": list(_full_folders(files)),
        "wide lines": list(_wide_lines(files)),
        "class names with two meanings": list(_ambiguous_classes(product)),
        "import cycles": [
            *_cycles(_python_imports(product)),
            *_cycles(_script_imports(path for path in files if path.suffix == ".js")),
        ],
        "packages without a front door": [
            *_open_packages(Path("designer")),
            *_open_packages(Path("orchestration")),
        ],
        "vague docstrings": vague if len(vague) > MAX_SHARE * docstrings else [],
        "untested modules": untested if len(untested) > (1 - MIN_TESTED) * modules else [],
    }
    if "--figures" in sys.argv:
        for name, lines in findings.items():
            print(f"{name}: {len(lines)}")
        print(f"docstrings with a vague beginning: {len(vague) / docstrings:.1%}")
        print(f"modules with a test file of the same name: {1 - len(untested) / modules:.1%}")
        return 0
    for name, lines in findings.items():
        for line in lines:
            print(f"{name}: {line}")
    return int(any(findings.values()))


def _tracked() -> list[Path]:
    """Return the files that Git tracks and that exist."""
    listed = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True)  # noqa: S607
    return [path for line in listed.stdout.splitlines() if (path := Path(line)).is_file()]


def _long_files(files: Iterable[Path]) -> Iterator[str]:
    for path in files:
        lines = len(path.read_text().splitlines())
        if lines > MAX_LINES and "migrations" not in path.parts:
            yield f"{path} has {lines} lines: split it, {MAX_LINES} are allowed."


def _full_folders(files: Iterable[Path]) -> Iterator[str]:
    folders = Counter(
        path.parent
        for path in files
        if path.suffix != ".html"
        and not {"migrations", "tests"} & {path.parent.name, path.parts[0]}
    )
    for folder, count in folders.items():
        if count > MAX_FILES:
            yield f"{folder} has {count} code files: form packages, {MAX_FILES} are allowed."


def _wide_lines(files: Iterable[Path]) -> Iterator[str]:
    for path in files:
        if path.suffix in (".js", ".html"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if len(line) > MAX_WIDTH:
                    yield f"{path}:{number} has {len(line)} characters, {MAX_WIDTH} are allowed."


def _ambiguous_classes(modules: Mapping[Path, ast.Module]) -> Iterator[str]:
    """Find class names with several definitions.

    A Django model and the part of the definition that it stores may share a name.
    """
    places = defaultdict(set)
    for path, tree in modules.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name not in DJANGO_NAMES:
                places[node.name].add(path)
    shared = {Path("designer/models"), Path("orchestration/definition")}
    for name, paths in sorted(places.items()):
        if len(paths) > 1 and {path.parent for path in paths} != shared:
            yield f"{name} in {', '.join(map(str, sorted(paths)))}"


def _open_packages(root: Path) -> Iterator[str]:
    """Find packages in a package whose modules import-linter does not protect.

    Those in `OPEN` need no front door: Django and the settings name single modules of them, which
    load before the models do.
    """
    linter = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["importlinter"]
    protected = {name for each in linter["contracts"] for name in each.get("protected_modules", ())}
    for init in sorted(root.glob("*/__init__.py")):
        package = ".".join(init.parent.parts)
        if init.parent.name not in OPEN and f"{package}.*" not in protected:
            yield f"{package}: add a protected contract to pyproject.toml."


def _vague_docstrings(modules: Mapping[Path, ast.Module]) -> tuple[list[str], int]:
    """Find docstrings that begin with a question word; also return the number of docstrings."""
    vague, count = [], 0
    documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    for path, tree in modules.items():
        for node in ast.walk(tree):
            if isinstance(node, documented) and (text := ast.get_docstring(node)):
                count += 1
                if VAGUE.match(text):
                    vague.append(f"{path}:{getattr(node, 'lineno', 1)} {text.splitlines()[0]}")
    return vague, count


def _untested_modules(modules: Iterable[Path]) -> tuple[list[str], int]:
    """Find modules without a test file of the same name in the same folder of the tests."""
    named = [
        path
        for path in modules
        if path.parts[0] in ("designer", "orchestration")
        and path.name != "__init__.py"
        and "migrations" not in path.parts
    ]
    return [
        f"{path} has no {test}: add one, or move its tests there."
        for path in named
        if not (test := Path("tests", path.parent, f"test_{path.name}")).is_file()
    ], len(named)


def _python_imports(modules: Mapping[Path, ast.Module]) -> dict[str, set[str]]:
    """Return the imports of each module, those inside functions and for types included."""
    names = {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in modules
    }
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        imports = set()
        for node in ast.walk(modules[path]):
            if isinstance(node, ast.ImportFrom) and node.module:
                imports |= {
                    target if (target := f"{node.module}.{alias.name}") in names else node.module
                    for alias in node.names
                }
            elif isinstance(node, ast.Import):
                imports |= {alias.name for alias in node.names}
        graph[name] = (imports & set(names)) - {name}
    return graph


def _script_imports(scripts: Iterable[Path]) -> dict[str, set[str]]:
    """Return the imports of each ES module, the dynamic ones included."""
    root = Path("static/js")
    names = {str(path.relative_to(root)): path for path in scripts if path.is_relative_to(root)}
    return {
        name: {
            target
            for specifier in SCRIPT_IMPORT.findall(SCRIPT_COMMENT.sub("", path.read_text()))
            if (target := _script_name(specifier, path, root)) in names
        }
        for name, path in names.items()
    }


def _script_name(specifier: str, importer: Path, root: Path) -> str:
    if specifier.startswith("."):
        resolved = (importer.parent / specifier).resolve()
        return str(resolved.relative_to(root.resolve()))
    return specifier.removeprefix("js/")


def _cycles(graph: Mapping[str, set[str]]) -> Iterator[str]:
    """Find groups of modules that import each other, with Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> Iterator[str]:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in sorted(graph[name]):
            if target not in index:
                yield from visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            start = stack.index(name)
            group = stack[start:]
            del stack[start:]
            if len(group) > 1:
                yield " ⇄ ".join(sorted(group))

    for name in sorted(graph):
        if name not in index:
            yield from visit(name)


if __name__ == "__main__":
    sys.exit(main())
