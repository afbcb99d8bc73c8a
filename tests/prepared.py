"""What takes its time and is the same for every server under test: made once, shared by all."""

import fcntl
import shutil
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from tests.serving import clean_environment, manage

PEOPLE = {False: 60, True: 20}
"""How many people are made at once: without the samples, and with them."""

SET_UP = (
    "from designer.management.commands.demo import collect_static_files, migrate;"
    "migrate(); collect_static_files()"
)
SIGN_IN = (
    "from tests.people import sign_in_people;"
    "print(*sign_in_people({first}, {count}, samples={samples}), sep='\\n')"
)


class Prepared:
    """Static files and data in a folder that the processes of one run of the tests share.

    Each copies the static files to a folder of its own: a server collects them again when a source
    has changed meanwhile.
    """

    def __init__(self, folder: Path, own: Path) -> None:
        self._folder, self._own = folder, own

    @cached_property
    def static_root(self) -> Path:
        """The static files under their hashed names."""
        static = self._own / "static"
        shutil.copytree(self.empty_data.with_name("static"), static)
        return static

    @cached_property
    def empty_data(self) -> Path:
        """The data of a server that nobody has used; the static files are beside it."""
        return self._once("empty", self._set_up)

    @cached_property
    def peopled_data(self) -> Path:
        """The data of a server that people use who are signed in."""
        return self._once("peopled", self._let_people_in)

    def people(self) -> dict[bool, list[str]]:
        """Those people, without and with the samples: a name and the key of a session each."""
        return {
            samples: (self.peopled_data / f"people-{samples}").read_text().splitlines()
            for samples in PEOPLE
        }

    def _set_up(self, data: Path) -> None:
        data.mkdir()
        manage(self._environment(data), "shell", "--no-imports", "-c", SET_UP)

    def _let_people_in(self, data: Path) -> None:
        shutil.copytree(self.empty_data, data)
        first = 0
        for samples, count in PEOPLE.items():
            people = sign_in_people(self._environment(data), first, count, samples=samples)
            (data / f"people-{samples}").write_text("\n".join(people))
            first += count

    def _environment(self, data: Path) -> dict[str, str]:
        return clean_environment() | {
            "BATON_DATA_DIR": str(data),
            "BATON_STATIC_ROOT": str(self._folder / "static"),
        }

    def _once(self, name: str, make: Callable[[Path], None]) -> Path:
        """Make a folder, unless another process has made it or is about to."""
        folder, unfinished = self._folder / name, self._folder / f"{name}.unfinished"
        with (self._folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                make(unfinished)
                unfinished.rename(folder)
        return folder


def sign_in_people(
    environment: Mapping[str, str], first: int, count: int, *, samples: bool
) -> list[str]:
    """Let people in who were never there before: their names and the keys of their sessions."""
    code = SIGN_IN.format(first=first, count=count, samples=samples)
    return manage(environment, "shell", "--no-imports", "-c", code).splitlines()
