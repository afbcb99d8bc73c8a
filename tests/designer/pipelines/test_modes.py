"""Modes in the header of a pipeline's pages."""

import re

import pytest
from django.urls import reverse

from designer.rehearsal.actions.conversations import start_conversation
from tests.designer.editor_requests import draw

pytestmark = pytest.mark.django_db

MODES = {
    "Design": "editor",
    "Rehearse": "rehearse",
    "Conversations": "pipeline_conversations",
    "Versions": "versions",
}
LATER = re.compile(r">\s*(Published|Runs)\s*<")


@pytest.fixture
def pages(user):
    """Addresses of the pages with their modes."""
    pipeline = draw(user, "intake", "review")
    conversation = start_conversation(pipeline=pipeline, user=user)
    return pipeline, {
        reverse("editor", args=[pipeline.pk]): "Design",
        reverse("rehearse", args=[pipeline.pk]): "Rehearse",
        reverse("conversation", args=[conversation.pk]): "Rehearse",
        reverse("pipeline_conversations", args=[pipeline.pk]): "Conversations",
        reverse("versions", args=[pipeline.pk]): "Versions",
        reverse("version_publish", args=[pipeline.pk]): "Versions",
    }


def test_every_page_links_its_modes_and_marks_the_current_one(client, pages):
    pipeline, addresses = pages
    for address, mode in addresses.items():
        html = client.get(address, follow=True).content.decode()
        (bar,) = re.findall(r'<nav class="modes".*?</nav>', html, re.DOTALL)
        links = re.findall(r'<a href="([^"]*)"([^>]*)>([^<]*)</a>', bar)
        assert {name: href for href, _, name in links} == {
            name: reverse(view, args=[pipeline.pk]) for name, view in MODES.items()
        }
        assert [name for _, current, name in links if "aria-current" in current] == [mode]
        assert len(links) == len(re.findall(r"<(?:a|button)\b", bar))
        assert not LATER.search(html)


def test_every_mode_has_a_page(client, pages):
    pipeline, _ = pages
    for view in MODES.values():
        assert client.get(reverse(view, args=[pipeline.pk]), follow=True).status_code == 200
