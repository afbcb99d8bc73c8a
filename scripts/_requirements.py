"""Print the requirements of a set of dependencies in pyproject.toml, one per line.

Each set includes the previous ones: demo (to run), test, check, slow. The sets agent-spec and
local-model are separate: their packages are installed without their dependencies.
"""

import sys
import tomllib
from pathlib import Path

SETS: dict[str, tuple[str, ...]] = {
    "demo": (),
    "test": ("test",),
    "check": ("test", "check"),
    "slow": ("test", "check", "slow"),
}


def main(name: str) -> None:
    """Print the requirements of the set `name`."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    lines = list(project["project"]["dependencies"]) if name in SETS else []
    for group in SETS.get(name, (name,)):
        lines += project["dependency-groups"][group]
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
