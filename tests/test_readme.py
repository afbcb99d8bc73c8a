"""What README.md says can be done, done."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_example_runs_as_it_stands_there(tmp_path):
    sample = ROOT / "designer" / "pipelines" / "samples" / "support.json"
    shutil.copy(sample, tmp_path / "support.baton.json")
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "1 run.started"
    assert lines[-1].endswith(" run.completed")
    assert any("handoff.accepted" in line for line in lines)


def test_every_variable_that_is_read_stands_in_the_readme() -> None:
    sources = [*(ROOT / "designer").rglob("*.py"), *(ROOT / "orchestration").rglob("*.py")]
    variable = re.compile(r'"((?:BATON|OPENAI)_[A-Z_]+|DATABASE_URL|REDIS_URL)"')
    read = {name for source in sources for name in variable.findall(source.read_text())}

    readme = (ROOT / "README.md").read_text()

    assert {"BATON_DATA_DIR", "OPENAI_BASE_URL", "DATABASE_URL"} <= read
    assert [name for name in sorted(read) if f"`{name}`" not in readme] == []
