"""Requests to the tool import page and its content."""

import html
import json
import re

from django.urls import reverse


def post(client, pipeline, view, **fields):
    return client.post(reverse(view, args=[pipeline.pk]), fields)


def offered_tools(response):
    """Return the tools of a page by name, as submitted when they are selected."""
    values = re.findall(r'name="tool" value="([^"]*)"', response.content.decode())
    tools = map(html.unescape, values)
    return {json.loads(tool)["name"]: tool for tool in tools}


def page_text(response):
    return html.unescape(response.content.decode())
