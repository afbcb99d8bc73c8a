"""Print what a set of dependencies in pyproject.toml asks for, one requirement a line.

Each set holds the ones before it: demo (to run), test, check, slow. The set local-model stands
alone: it is installed without what its packages name, which nobody needs.
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
