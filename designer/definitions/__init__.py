"""Rows to definitions and back: the only place where either knows the other.

Reading and writing go by parts (`designer.patches.Patch`), so that a gesture costs what it touches:
`read_parts` asks for the rows that a patch names, `write` saves just those.
"""

from designer.definitions.reading import (
    read,
    read_around,
    read_frames,
    read_notes,
    read_parts,
)
from designer.definitions.writing import write

__all__ = ["read", "read_around", "read_frames", "read_notes", "read_parts", "write"]
