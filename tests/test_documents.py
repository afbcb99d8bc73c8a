"""Commands, examples, paths and links of the documents.

A shell block is a list of commands. Each command is run in a project with an empty data folder; a
command that serves forever, takes minutes or asks questions is replaced by its `--help`, and its
options must be listed there. A Python block is executed with the scripted provider; a text block
after it shows its output. A JSON block is loaded as a definition, a YAML block as a configuration
of pre-commit. A bash block is a step of the deployment guide, which tests/long/test_guide.py
follows, and a js block is an example of the AG-UI client, which tests/slow runs.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands, load_command_class

from orchestration import load
from tests.serving import manage

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
OPERATORS_PAGES = ("operations.md", "monitoring.md")
MAX_README = 8 * 1024

BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"<!-- table: begin -->.*?<!-- table: end -->", re.DOTALL)
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)

MANAGE = ".venv/bin/python manage.py"
RUN = frozenset(
    {
        "check_definition",
        "collectstatic",
        "create_samples",
        "encrypt_anew",
        "migrate",
        "rehearse",
        "sign_in_link",
    }
)
"""Management commands that are run as documented; `--help` stands in for the others."""
SCRIPTS_WITH_HELP = {"scripts/demo": "demo"}
"""Scripts that pass their options to a management command."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    language: str
    text: str
    output: str | None = None
    """The text block after it, if there is nothing between them."""

    @property
    def name(self) -> str:
        first = next(iter(self.text.splitlines()), "")
        return f"{self.page.name}: {first[:40]}"


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    matches = list(BLOCK.finditer(text))
    found = []
    for index, match in enumerate(matches):
        after = matches[index + 1] if index + 1 < len(matches) else None
        output = None
        if after and after[2] == "text" and not text[match.end() : after.start()].strip():
            output = textwrap.dedent(after[3])
        found.append(Block(page, match[2], textwrap.dedent(match[3]), output))
    return found


BLOCKS = [block for page in PAGES for block in blocks(page)]


def in_language(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def commands() -> list[tuple[str, str]]:
    """Return every line of a shell block with the name of its page, each command once."""
    lines = {
        line.partition(" #")[0].strip(): block.page.name
        for block in in_language("sh")
        for line in block.text.splitlines()
    }
    return [(command, page) for command, page in lines.items() if command]


def prose(page: Path) -> str:
    """Return the page without its fenced blocks and the table that names files of exports."""
    return TABLE.sub("", BLOCK.sub("", page.read_text("utf-8")))


@pytest.mark.parametrize("block", in_language("python"), ids=lambda block: block.name)
def test_a_python_example_prints_the_text_below_it(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(name)
    printed = io.StringIO()
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(printed):
        exec(compile(block.text, block.name, "exec"), {"__name__": "document"})  # noqa: S102
    assert printed.getvalue()
    assert block.output in (None, printed.getvalue())


RUN_EXAMPLES = """
import contextlib, io, json, sys
sys.path[0] = sys.argv[1]
texts = []
for example in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example, {"__name__": "document"})
    texts.append(printed.getvalue())
print(json.dumps(texts))
"""
"""Program that runs the examples of its input, with the packages of a folder."""


def test_all_examples_run_in_an_empty_folder_with_only_the_package_installed(
    tmp_path: Path,
) -> None:
    """The wheel contains the engine and the samples; the dependencies are installed here."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    source = tmp_path / "source"
    for folder in ("orchestration", "designer"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    subprocess.run([*pip, "--wheel-dir", str(tmp_path), str(source)], check=True)
    [wheel] = tmp_path.glob("*.whl")
    site, empty = tmp_path / "site", tmp_path / "empty"
    shutil.unpack_archive(wheel, site, "zip")
    empty.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", RUN_EXAMPLES, str(site)],
        input=json.dumps([block.text for block in in_language("python")]),
        cwd=empty,
        env={k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_BASE_URL"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    printed = json.loads(done.stdout)
    for block, output in zip(in_language("python"), printed, strict=True):
        assert output, block.name
        assert block.output in (None, output), block.name


@pytest.mark.parametrize("block", in_language("json"), ids=lambda block: block.name)
def test_a_json_example_is_a_definition_in_canonical_order(block: Block) -> None:
    definition = load(block.text.encode())
    assert [agent.id for agent in definition.agents] == [
        agent["id"] for agent in json.loads(block.text)["agents"]
    ]


def test_the_example_of_the_readme_runs_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [block] = [block for block in in_language("python") if block.page == README]
    with contextlib.chdir(tmp_path):
        exec(compile(block.text, block.name, "exec"), {"__name__": "document"})  # noqa: S102
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "1 run.started"
    assert lines[-1].endswith(" run.completed")
    assert any("handoff.accepted" in line for line in lines)
    assert printed.err == ""


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "yaml"], ids=str)
def test_a_hook_of_pre_commit_runs_a_command_that_exists(block: Block) -> None:
    [repository] = yaml.safe_load(block.text)["repos"]
    for hook in repository["hooks"]:
        assert hook["entry"].removeprefix(f"{MANAGE} ").split()[0] in get_commands()
        assert re.search(hook["files"], "pipelines/desk.baton.json")


def test_every_block_has_a_language_that_a_test_knows() -> None:
    known = {"bash", "js", "json", "mermaid", "python", "sh", "text", "yaml"}
    assert {block.name for block in BLOCKS if block.language not in known} == set()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, empty_data: Path) -> dict[str, str]:
    """Return the environment of a project whose database has the samples of the user `demo`."""
    data = tmp_path_factory.mktemp("project") / "data"
    shutil.copytree(empty_data, data)
    environ = {
        "PATH": os.environ["PATH"],
        "BATON_DATA_DIR": str(data),
        "BATON_STATIC_ROOT": str(data / "static"),
        "BATON_TOKENS_PER_SECOND": "0",
    }
    prepare = (
        "from django.core.management import call_command as call; "
        "from django.contrib.auth.models import User; "
        "User.objects.create_user('demo'); "
        "call('create_samples', username='demo', verbosity=0)"
    )
    manage(environ, "shell", "--no-imports", "--command", prepare)
    return environ


@pytest.mark.parametrize(
    "command", [pytest.param(command, id=f"{page}: {command}") for command, page in commands()]
)
def test_a_documented_command_runs(command: str, project: dict[str, str]) -> None:
    """Scripts are checked for syntax and options only: `scripts/test` would run this test again."""
    words = without_variables(shlex.split(command))
    match words:
        case [".venv/bin/python", "manage.py", name, *_] if name in RUN:
            manage(project, *words[2:])
        case [".venv/bin/python", "-c", _]:
            run([sys.executable, *words[1:]], project)
        case [".venv/bin/python", "manage.py", name, *options]:
            assert_options(options, manage_help(name))
        case [script, *options] if script in SCRIPTS_WITH_HELP:
            run(["sh", "-n", script], project)
            assert_options(options, manage_help(SCRIPTS_WITH_HELP[script]))
        case [script, *options] if script.startswith(("scripts/", ".ci/")):
            run(["sh", "-n", script], project)
            own = [option for option in options if option.startswith("--")]
            assert_options(own, (ROOT / script).read_text("utf-8"))
            assert_paths([option for option in options if "/" in option])
        case _:
            pytest.fail(f"Add a check of {command!r} to {Path(__file__).name}.")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_and_command_in_the_text_exists(page: Path) -> None:
    spans = CODE.findall(prose(page))
    assert_paths([span for span in spans if is_path(span)])
    named = {match[1] for span in spans if (match := re.match(r"manage\.py (\w+)", span))}
    folder = ROOT / "designer" / "management" / "commands"
    own = {module.stem for module in folder.glob("*.py")}
    djangos = {"check", "makemigrations", "runserver"}
    assert named - own - djangos == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_resolves(page: Path) -> None:
    broken = []
    for link in LINK.findall(prose(page)):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_the_readme_is_short_and_links_every_page() -> None:
    assert len(README.read_bytes()) <= MAX_README
    linked = {link.partition("#")[0] for link in LINK.findall(README.read_text("utf-8"))}
    assert {f"docs/{page.name}" for page in PAGES if page != README} <= linked


def test_every_variable_that_the_code_reads_is_documented() -> None:
    sources = [*(ROOT / "designer").rglob("*.py"), *(ROOT / "orchestration").rglob("*.py")]
    variable = re.compile(r'"((?:BATON|OPENAI)_[A-Z_]+|DATABASE_URL|REDIS_URL)"')
    used = {name for source in sources for name in variable.findall(source.read_text("utf-8"))}
    assert {"BATON_DATA_DIR", "DATABASE_URL", "OPENAI_BASE_URL"} <= used
    pages = [(ROOT / "docs" / name).read_text("utf-8") for name in OPERATORS_PAGES]
    documented = {name for page in pages for name in CODE.findall(page)}
    assert used - documented == set()


def test_every_contract_reference_in_the_code_names_a_row() -> None:
    row = r"[A-Z]-\d+"
    page = (ROOT / "docs" / "contract.md").read_text("utf-8")
    rows = set(re.findall(rf"^\| ({row}) \|", page, re.MULTILINE))
    reference = re.compile(rf"\b[Cc]ontract ({row}(?:(?:, | and | to | … ){row})*)")
    sources = [
        source.read_text("utf-8")
        for folder in ("designer", "orchestration", "tests")
        for source in (ROOT / folder).rglob("*.py")
    ]
    lists = [names for source in sources for names in reference.findall(source)]
    named = {name for names in lists for name in re.findall(row, names)}
    assert {"H-7", "D-1"} <= named
    assert named - rows == set()


def run(words: list[str], environ: dict[str, str]) -> str:
    done = subprocess.run(
        words, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def manage_help(name: str) -> str:
    command = load_command_class(get_commands()[name], name)
    return command.create_parser("manage.py", name).format_help()


def without_variables(words: list[str]) -> list[str]:
    """Return the command without the variables that are set before it."""
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    return words


def assert_options(options: list[str], text: str) -> None:
    names = [option.partition("=")[0] for option in options if option.startswith("-")]
    assert [name for name in names if name not in text] == []


def is_path(span: str) -> bool:
    """Return true for a code span like `orchestration/graph.py`, `tests/*.py` or `docs/`."""
    if not re.fullmatch(r"[\w.*-]+(?:/[\w.*-]*)*", span):
        return False
    if span.endswith((".py", ".js", ".css", ".html", ".md", ".toml")):
        return True
    first, slash, _ = span.partition("/")
    return bool(slash) and first != "" and (ROOT / first).exists() and first != "data"


def assert_paths(paths: list[str]) -> None:
    """Assert that every path exists, a bare file name anywhere in the project."""
    missing = [path for path in paths if not any(ROOT.glob(path.removesuffix("/")))]
    files = [path for path in missing if "/" in path or not is_a_file_of_the_project(path)]
    assert files == []


def is_a_file_of_the_project(name: str) -> bool:
    folders = ("designer", "orchestration", "static", "templates", "tests", "docs")
    return any(any((ROOT / folder).rglob(name)) for folder in folders)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
