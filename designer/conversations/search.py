"""Full-text index of the messages: FTS5 on SQLite, `tsvector` on PostgreSQL.

The index contains the texts of recorded events, from which secrets are removed before they are
recorded. Triggers delete the entries of a deleted conversation, also after a deletion in bulk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models.expressions import RawSQL

MAX_INDEXED = 20_000
"""Maximum number of indexed characters of a message."""

MAX_WORDS = 8
"""Maximum number of words and phrases of a search."""

TEXT_FIELDS = {
    "message.received": ("message", "text"),
    "message.completed": ("text",),
    "human.replied": ("text",),
    "input.requested": ("question",),
    "input.received": ("text",),
}
"""Path of the text in the body of each indexed type of event."""

_SHIFT = 24
"""Bits of an entry's id for the number of the event; the others are the conversation's id."""

_PART = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"\w+")

_SQLITE = (
    """
    CREATE VIRTUAL TABLE IF NOT EXISTS designer_messageindex
    USING fts5(text, tokenize='unicode61 remove_diacritics 2')
    """,
    f"""
    CREATE TRIGGER IF NOT EXISTS designer_messageindex_deletion
    AFTER DELETE ON designer_conversation
    BEGIN
        DELETE FROM designer_messageindex
        WHERE rowid BETWEEN old.id << {_SHIFT} AND ((old.id + 1) << {_SHIFT}) - 1;
    END
    """,  # noqa: S608 - a constant
)
_POSTGRESQL = (
    """
    CREATE TABLE IF NOT EXISTS designer_messageindex (
        conversation_id bigint NOT NULL,
        seq integer NOT NULL,
        vector tsvector NOT NULL,
        PRIMARY KEY (conversation_id, seq)
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS designer_messageindex_vector
    ON designer_messageindex USING gin (vector)
    """,
    """
    CREATE OR REPLACE FUNCTION designer_messageindex_delete() RETURNS trigger AS $$
    BEGIN
        DELETE FROM designer_messageindex WHERE conversation_id = OLD.id;
        RETURN NULL;
    END
    $$ LANGUAGE plpgsql
    """,
    """
    CREATE OR REPLACE TRIGGER designer_messageindex_deletion
    AFTER DELETE ON designer_conversation
    FOR EACH ROW EXECUTE FUNCTION designer_messageindex_delete()
    """,
)


def create_index(**_: Any) -> None:
    """Create the index and its triggers, if they do not exist.

    Called after each migration: a migration that rebuilds the table of conversations on SQLite
    removes its triggers.
    """
    if "designer_conversation" not in connection.introspection.table_names():
        return  # the migrations were reversed
    with connection.cursor() as cursor:
        for statement in _POSTGRESQL if connection.vendor == "postgresql" else _SQLITE:
            cursor.execute(statement)


def indexed_text(kind: str, body: Any) -> str:
    """Return the text of an event for the index; empty if it has none."""
    value = body
    for name in TEXT_FIELDS.get(kind, ()):
        value = value.get(name) if isinstance(value, dict) else None
    return value[:MAX_INDEXED] if isinstance(value, str) else ""


def add_texts(entries: Iterable[tuple[int, int, str]]) -> None:
    """Index texts, each with its conversation's id and its event's number."""
    rows = [(pk, seq, text) for pk, seq, text in entries if text]
    if not rows:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "INSERT INTO designer_messageindex"
                " SELECT pk, seq, to_tsvector('simple', text)"
                " FROM unnest(%s::bigint[], %s::integer[], %s::text[]) AS rows (pk, seq, text)"
                " ON CONFLICT DO NOTHING",
                [list(column) for column in zip(*rows, strict=True)],
            )
        else:
            cursor.executemany(
                "INSERT OR REPLACE INTO designer_messageindex (rowid, text) VALUES (%s, %s)",
                [((pk << _SHIFT) + seq, text) for pk, seq, text in rows],
            )


def split_search(text: str) -> Sequence[Sequence[str]]:
    """Return the parts of a search, each a list of adjacent words; at most `MAX_WORDS` of them.

    Quoted words and words joined by punctuation are adjacent in the message.
    """
    parts = (_WORD.findall(match[1] or match[2] or "") for match in _PART.finditer(text))
    return [part for part in parts if part][:MAX_WORDS]


def matching(part: Sequence[str]) -> RawSQL:
    """Return the subquery for the ids of the conversations with a message that contains a part."""
    if connection.vendor == "postgresql":
        statement = (
            "SELECT conversation_id FROM designer_messageindex"
            " WHERE vector @@ phraseto_tsquery('simple', %s)"
        )
        return RawSQL(statement, (" ".join(part),))  # noqa: S611 - a parameter
    statement = (
        f"SELECT rowid >> {_SHIFT} FROM designer_messageindex"  # noqa: S608 - a constant
        " WHERE designer_messageindex MATCH %s"
    )
    return RawSQL(statement, ('"' + " ".join(part) + '"',))  # noqa: S611 - a parameter
