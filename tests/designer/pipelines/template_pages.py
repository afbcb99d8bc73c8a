"""Requests to the template pages and their content."""

import re
from html import unescape

from django.urls import reverse

from tests.designer.editor_requests import HTMX


def post(client, view, /, *args, htmx=False, **fields):
    return client.post(reverse(view, args=args), fields, headers=HTMX if htmx else {})


def gallery_cards(client):
    """Return the cards of the gallery by name."""
    html = client.get(reverse("pipelines")).content.decode()
    html = html[html.index('id="templates"') :]
    cards = re.findall(r'<li class="card card--template".*?</li>', html, re.DOTALL)
    titles = re.findall(r'class="card__title">([^<]*)<', "".join(cards))
    return dict(zip(map(unescape, titles), cards, strict=True))
