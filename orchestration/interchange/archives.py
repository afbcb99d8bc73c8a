"""Archives (ZIP) of exported files, and the documents in them."""

from __future__ import annotations

from io import BytesIO
from pathlib import PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading import MAX_BYTES

MAX_FILES = 100
"""Maximum number of files in an archive."""

_SIGNATURE = b"PK\x03\x04"
_PROGRAMS, _DATA = frozenset((".py",)), frozenset((".json", ".yaml", ".yml"))
_ENCRYPTED = 1
"""Bit of an encrypted file in the flags (PKWARE's APPNOTE, 4.4.4)."""


def is_archive(data: bytes | str) -> bool:
    """Report whether a document is an archive."""
    return isinstance(data, bytes) and data.startswith(_SIGNATURE)


def documents(data: bytes) -> dict[str, bytes]:
    """Return all programs and the first JSON or YAML file of an archive, by file name.

    Only one JSON or YAML file is returned, so that an archive costs no more than a single document.
    Raises `DefinitionError` for a damaged or encrypted archive, and for one with too many files or
    more bytes in all than a single document may have. The sizes are checked before and during the
    reading, because an archive can declare others.
    """
    if len(data) > MAX_BYTES:
        raise _refusal(f"The archive is larger than {MAX_BYTES:,} bytes.")
    try:
        with ZipFile(BytesIO(data)) as archive:
            files = archive.infolist()
            if len(files) > MAX_FILES:
                raise _refusal(f"The archive has more than {MAX_FILES} files.")
            chosen = [*_files(files, _PROGRAMS), *_files(files, _DATA)[:1]]
            if any(each.flag_bits & _ENCRYPTED for each in chosen):
                raise _refusal("The archive is encrypted: unpack it and choose a file in it.")
            return _contents(archive, chosen)
    except (BadZipFile, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise _refusal("The archive is damaged: download or pack it again.") from error


def _files(files: list[ZipInfo], suffixes: frozenset[str]) -> list[ZipInfo]:
    """Return the files with these suffixes, by name; other ways of compression are not read."""
    plain = [each for each in files if each.compress_type in (ZIP_STORED, ZIP_DEFLATED)]
    chosen = [each for each in plain if PurePosixPath(each.filename).suffix.lower() in suffixes]
    return sorted(chosen, key=lambda each: each.filename)


def _contents(archive: ZipFile, files: list[ZipInfo]) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    left = MAX_BYTES
    for each in files:
        with archive.open(each) as file:
            content = file.read(left + 1)
        if len(content) > left:
            raise _refusal(f"The files in the archive have more than {MAX_BYTES:,} bytes.")
        left -= len(content)
        contents.setdefault(PurePosixPath(each.filename).name, content)
    return contents


def _refusal(sentence: str) -> DefinitionError:
    return DefinitionError([Fault("$", sentence)])
