"""What orchestration/README.md and EXAMPLES.md show, done."""

import contextlib
import io
import re
import shutil
from pathlib import Path

import pytest

import designer
import orchestration

FOLDER = Path(orchestration.__file__).parent
README = (FOLDER / "README.md").read_text("utf-8")
PAGES = README + (FOLDER / "EXAMPLES.md").read_text("utf-8")
PAGE = 80
"""Lines that are a page."""
EXAMPLE = r"## ([^\n]*)\n(?:(?!\n## ).)*?```python\n(.*?)```\n\n```text\n(.*?)```"
EXAMPLES = re.findall(EXAMPLE, PAGES, re.DOTALL)


@pytest.mark.parametrize(
    ("code", "shown"), [one[1:] for one in EXAMPLES], ids=[one[0] for one in EXAMPLES]
)
def test_an_example_gives_what_stands_below_it(code, shown, tmp_path):
    """The library, used without the web app, offline."""
    shutil.copy(Path(designer.__file__).parent / "pipelines" / "samples" / "support.json", tmp_path)
    said = io.StringIO()
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(said):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})  # noqa: S102 - our page
    assert said.getvalue() == shown


def test_every_example_is_run():
    assert len(EXAMPLES) == PAGES.count("```python")


def test_the_first_page_is_one():
    assert len(README.splitlines()) <= PAGE


def test_the_first_pipeline_takes_about_twenty_lines():
    """What defines it, and what drives it."""
    lines = [line for line in EXAMPLES[0][1].splitlines() if line.strip()]
    assert len(lines) <= 22


def test_every_module_that_the_page_names_is_there():
    table = README[README.index("## Where what is") :]
    named = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)))
    assert named
    assert [one for one in named if not list(FOLDER.rglob(f"{one}*"))] == []
