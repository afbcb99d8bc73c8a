"""Expensive initial data of servers, prepared once and shared by all tests."""

import fcntl
import shutil
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from tests.serving import clean_environment, manage

PEOPLE = {False: 60, True: 20}
"""Number of users created at once, without and with the samples."""

SET_UP = (
    "from designer.management.commands.demo import collect_static_files, migrate;"
    "migrate(); collect_static_files()"
)
PREPARE = (
    "from tests.people import prepare_people;"
    "print(*prepare_people({first}, {count}, samples={samples}), sep='\\n')"
)


class Prepared:
    """Static files and data in a folder that the processes of one run of the tests share.

    Each process copies the static files: a server collects them again after a change of a source.
    """

    def __init__(self, folder: Path, own: Path) -> None:
        self._folder, self._own = folder, own

    @cached_property
    def static_root(self) -> Path:
        """Folder with the hashed static files."""
        static = self._own / "static"
        shutil.copytree(self.empty_data.with_name("static"), static)
        return static

    @cached_property
    def empty_data(self) -> Path:
        """Data folder of an unused server; the static files are next to it."""
        return self._once("empty", self._set_up)

    @cached_property
    def data_with_users(self) -> Path:
        """Data folder of a server with signed-in users."""
        return self._once("users", self._sign_in_users)

    def people(self) -> dict[bool, list[str]]:
        """Return the users without and with the samples, as names, keys and tokens."""
        return {
            samples: (self.data_with_users / f"people-{samples}").read_text().splitlines()
            for samples in PEOPLE
        }

    def _set_up(self, data: Path) -> None:
        data.mkdir()
        manage(self._environment(data), "shell", "--no-imports", "-c", SET_UP)

    def _sign_in_users(self, data: Path) -> None:
        shutil.copytree(self.empty_data, data)
        first = 0
        for samples, count in PEOPLE.items():
            people = prepare_people(self._environment(data), first, count, samples=samples)
            (data / f"people-{samples}").write_text("\n".join(people))
            first += count

    def _environment(self, data: Path) -> dict[str, str]:
        return clean_environment() | {
            "BATON_DATA_DIR": str(data),
            "BATON_STATIC_ROOT": str(self._folder / "static"),
        }

    def _once(self, name: str, make: Callable[[Path], None]) -> Path:
        """Create a folder once for all processes."""
        folder, temporary = self._folder / name, self._folder / f"{name}.temporary"
        with (self._folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                make(temporary)
                temporary.rename(folder)
        return folder


def prepare_people(
    environment: Mapping[str, str], first: int, count: int, *, samples: bool
) -> list[str]:
    """Create signed-in users; return their names, session keys and tokens of sign-in links."""
    code = PREPARE.format(first=first, count=count, samples=samples)
    return manage(environment, "shell", "--no-imports", "-c", code).splitlines()
