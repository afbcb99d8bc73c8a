"""Exported files for a download: one file, or an archive of several."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from designer.core import slug

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of all files in an archive, the earliest that the format has."""

READABLE = 0o644 << 16

CONTENT_TYPES = {
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""Content types by the ending of a name; other files are text."""


@dataclass(frozen=True, slots=True)
class Download:
    """One file for the browser or the disk."""

    name: str
    content: bytes

    @property
    def content_type(self) -> str:
        """Content type by the ending of the name."""
        return content_type(self.name)


def download(files: Mapping[str, bytes], *, pipeline: str, label: str) -> Download:
    """Return the only file, or an archive of all: `support-desk.langgraph.zip`.

    `pipeline` is the name of the pipeline, `label` the end of the name, such as `v7.langgraph`.
    """
    stem = f"{slug(pipeline)[:60] or 'pipeline'}{label}"
    if len(files) == 1:
        ((path, content),) = files.items()
        return Download(f"{stem}{PurePosixPath(path).suffix}", content)
    return Download(f"{stem}.zip", archive(files, folder=slug(pipeline)[:60] or "pipeline"))


def archive(files: Mapping[str, bytes], *, folder: str) -> bytes:
    """Return a zip archive with the files in a folder; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for path, content in files.items():
            info = zipfile.ZipInfo(f"{folder}/{path}", EPOCH)
            info.create_system = 3  # as on Unix, on every system
            info.external_attr = READABLE
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, content)
    return buffer.getvalue()


def content_type(name: str) -> str:
    """Return the content type of a file by the ending of its name."""
    suffix = PurePosixPath(name).suffix
    if suffix == ".zip":
        return "application/zip"
    return CONTENT_TYPES.get(suffix, "text/plain; charset=utf-8")
