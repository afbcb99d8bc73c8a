"""Presence: avatars of others in the top bar, and announcements of joining and leaving."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from django.template.loader import render_to_string
from django.urls import reverse

from designer.canvas import HUES, initial
from designer.core import natural_key
from designer.models import Role

_NEW_ROLE: dict[Role, str] = {
    "owner": "You own this pipeline now.",
    "editor": "You can edit this pipeline now.",
    "viewer": "You can only view this pipeline now: changes are no longer saved.",
}


def render_people(
    people: Iterable[tuple[int, str, Sequence[str]]],
    *,
    joined: Collection[str],
    left: Collection[str],
) -> str:
    """Render the other people by id, name and selection, and announce who joined or left."""
    shown = [
        {
            "key": key,
            "name": name,
            "initial": initial(name),
            "hue": HUES[key % len(HUES)],
            "at": " ".join(at),
            "where": ", ".join(map(_element_name, at)),
        }
        for key, name, at in people
    ]
    texts = [_sentence(joined, "is here", "are here"), _sentence(left, "has left", "have left")]
    context = {"people": shown, "announcement": " ".join(filter(None, texts)), "oob": True}
    return render_to_string("components/_people.html", context)


def render_version(version: int, *, label: str = "", who: str = "", made: int = 0) -> str:
    """Render the notification of a new version, its change and its author.

    `made` is the version of this change; `version` is the newest one.
    """
    context = {"version": version, "label": label, "who": who, "made": made, "oob": True}
    return render_to_string("editor/page/_latest_version.html", context)


def render_notice(sentence: str) -> str:
    """Render a socket's message to a page: the reason for a refused request."""
    return render_to_string("editor/page/_socket_notice.html", {"text": sentence, "oob": True})


def render_new_role(pipeline_id: int, role: Role) -> str:
    """Render the notice that the reader's role has changed while the page is open."""
    context = {
        "text": _NEW_ROLE[role],
        "level": "warning",
        "link": reverse("editor", args=[pipeline_id]),
        "link_text": "Reload the page",
        "oob": True,
    }
    return render_to_string("components/_notice.html", context)


def _element_name(element: str) -> str:
    """Return the name of an element: `edge-intake--review` is `intake → review`."""
    kind, _, key = element.partition("-")
    return key.replace("--", " → ") if kind == "edge" else key


def _sentence(names: Collection[str], singular: str, plural: str) -> str:
    if not names:
        return ""
    *first, last = sorted(names, key=natural_key)
    return f"{', '.join(first)} and {last} {plural}." if first else f"{last} {singular}."
