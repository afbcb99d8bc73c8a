"""Old values of a form, as its page submits them."""

from __future__ import annotations

from designer.core import RefusedError
from designer.editor.forms.merging import MOST_KEPT, Values, read_values

MALFORMED = "What your page sent of what was there before cannot be read, so nothing is saved."
TOO_LONG = (
    f"What your page sent of what was there before is longer than {MOST_KEPT:,} characters, so "
    "nothing is saved."
)


def kept_base(was: str) -> Values:
    """Return the submitted old values; raise RefusedError if they are invalid."""
    if len(was) > MOST_KEPT:
        raise RefusedError(TOO_LONG)
    try:
        return read_values(was)
    except ValueError:
        raise RefusedError(MALFORMED) from None
