"""Presence: avatars of others in the top bar, and announcements of joining and leaving."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from django.template.loader import render_to_string

from designer.canvas import HUES, initial


def render_people(
    people: Iterable[tuple[int, str, Sequence[str]]],
    *,
    came: Collection[str],
    went: Collection[str],
) -> str:
    """The others by number, name and what they have selected; and who came or went just now."""
    shown = [
        {
            "key": key,
            "name": name,
            "initial": initial(name),
            "hue": HUES[key % len(HUES)],
            "at": " ".join(at),
            "where": ", ".join(_said(one) for one in at),
        }
        for key, name, at in people
    ]
    said = [_sentence(came, "is here", "are here"), _sentence(went, "has left", "have left")]
    context = {"people": shown, "said": " ".join(filter(None, said)), "oob": True}
    return render_to_string("components/_people.html", context)


def render_bell(version: int, *, label: str = "", who: str = "", made: int = 0) -> str:
    """Render the notification of a new version, its change and its author.

    `made` is the version that this bell is about: another one may have been heard of before.
    """
    context = {"version": version, "label": label, "who": who, "made": made, "oob": True}
    return render_to_string("editor/page/_latest_version.html", context)


def render_remark(sentence: str) -> str:
    """Render a socket's message to a page: the reason for a refused request."""
    return render_to_string("editor/page/_socket_notice.html", {"text": sentence, "oob": True})


def _said(element: str) -> str:
    """Return the name of an element: `edge-intake--review` is `intake → review`."""
    kind, _, key = element.partition("-")
    return key.replace("--", " → ") if kind == "edge" else key


def _sentence(names: Collection[str], one: str, many: str) -> str:
    if not names:
        return ""
    *first, last = sorted(names, key=str.casefold)
    return f"{', '.join(first)} and {last} {many}." if first else f"{last} {one}."
