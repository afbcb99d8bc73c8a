"""The editor's page and the fields of its forms, for tests that read and submit them."""

import re
from html import unescape
from html.parser import HTMLParser

from django.urls import reverse

from tests.designer.editor_requests import HTMX


def page(client, pipeline, **query):
    """Return the editor page with its deferred parts (static/js/canvas/deferred-elements.js)."""
    response = client.get(reverse("editor", args=[pipeline.pk]), query)
    assert response.status_code == 200
    html = response.content.decode("ascii")
    html = re.sub(r"<!--|-->", "", html)
    return re.sub(r"&#(\d{3,});", lambda match: chr(int(match[1])), html)


def inspected(client, pipeline, **query):
    response = client.get(reverse("inspect", args=[pipeline.pk]), query, headers=HTMX)
    assert response.status_code == 200
    return response.content.decode()


def section(html, name):
    """Return whether a section of a form is open, and its values in a few words."""
    match = re.search(
        rf'<details[^>]*data-section="{re.escape(name)}"([^>]*)>(.*?)</summary>', html, re.DOTALL
    )
    assert match, name
    state = re.search(r'class="section__state"[^>]*>([^<]*)<', match[2])
    return " open" in match[1], " ".join(unescape(state[1]).split()) if state else ""


def hidden(html, name):
    match = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert match, name
    return match[1]


HEAD = ("select", "subject", "tab", "token", "base")
"""Hidden fields of every form of the inspector."""


class _Form(HTMLParser):
    """Parser of the values that a browser would submit of a form."""

    def __init__(self, form):
        super().__init__()
        self.form, self.is_open, self.values = form, False, {}
        self.text = self.select = None

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "form":
            self.is_open = attributes.get("id") == self.form
        if not self.is_open:
            return
        if tag == "select":
            self.select = attributes["name"]
        elif tag == "option" and self.select:
            first = self.select not in self.values
            if first or "selected" in attributes:
                self.values[self.select] = [attributes["value"]]
        elif tag == "textarea":
            self.text = attributes["name"]
            self.values[self.text] = [""]
        elif tag == "input" and attributes.get("name"):
            boxes = attributes.get("type") in ("checkbox", "radio")
            if not boxes or "checked" in attributes:
                self.values.setdefault(attributes["name"], []).append(
                    attributes.get("value", "on" if boxes else "")
                )

    def handle_endtag(self, tag):
        if tag == "form":
            self.is_open = False
        elif tag == "select":
            self.select = None
        elif tag == "textarea" and self.text:
            self.values[self.text][0] = self.values[self.text][0].removeprefix("\n")
            self.text = None

    def handle_data(self, data):
        if self.text:
            self.values[self.text][0] += data


def as_shown(html, form, **changes):
    """Return the values that a form would submit, with these changes."""
    parser = _Form(form)
    parser.feed(html)
    assert parser.values, form
    head = {name: unescape(hidden(html, name)) for name in HEAD}
    return head | parser.values | changes


def opened(client, pipeline, form, **query):
    """Return a function that gives the values of a form as it is shown now, with changes."""
    html = inspected(client, pipeline, **query)
    was = unescape(hidden(html, "was"))
    return lambda **changes: as_shown(html, form, **({"was": was} | changes))


def stage_fields(of, /, **changes):
    """Return the fields of the form of a stage in the chain."""
    following = {"intake": "review", "review": "resolution", "resolution": ""}[of]
    as_is = {
        "select": f"stage:{of}",
        "subject": of,
        "token": "i12345678",
        "phase": of,
        "agent_id": f"agent-{of}",
        "new_agent": "",
        "next_phase": following,
        "add_return": "",
        "description": "",
    }
    return as_is | changes


def agent_fields(agent, **changes):
    as_is = {
        "select": f"agent:{agent}",
        "subject": agent,
        "token": "i12345678",
        "id": agent,
        "name": agent.removeprefix("agent-").title(),
        "instructions": "",
        "provider": "default",
    }
    return as_is | changes


def transition_fields(key, **changes):
    """Return the fields of the form of a transition."""
    as_is = {
        "select": f"transition:{key}",
        "subject": key,
        "token": "i12345678",
        "kind": "next",
        "description": "",
        "keep": "full",
        "count": "10",
        "expression": "",
    }
    return as_is | changes


def payload_fields(key, *rows, **changes):
    """Return the fields of the form of a transition's payload."""
    fields = {
        "select": f"transition:{key}",
        "subject": key,
        "token": "i12345678",
        "tool_name": "",
        "field-TOTAL_FORMS": len(rows),
        "field-INITIAL_FORMS": len(rows),
    }
    for place, row in enumerate(rows):
        values = {"name": "", "type": "text", "choices": "", "description": ""} | row
        fields |= {f"field-{place}-{name}": value for name, value in values.items()}
    return fields | changes


def tool_fields(of, /, **changes):
    """Return the fields of the form of a tool."""
    return {
        "select": f"tool:{of}",
        "subject": of,
        "token": "i12345678",
        "name": of,
        "kind": "function",
    } | changes


def example_fields(of, /, *examples, **extra):
    """Return the fields of the form of a tool's examples."""
    fields = {"example-TOTAL_FORMS": len(examples), "example-INITIAL_FORMS": len(examples)}
    for place, example in enumerate(examples):
        fields |= {f"example-{place}-{name}": value for name, value in example.items()}
    return tool_fields(of) | fields | extra


def field_error(response, field):
    """Return the error next to a field in a response."""
    html = response.content.decode()
    match = re.search(rf'id="error-i12345678-{field}"[^>]*>([^<]*)<', html)
    return match[1] if match else None


def cue_fields(*cues, **extra):
    fields = {"cue-TOTAL_FORMS": len(cues), "cue-INITIAL_FORMS": len(cues)}
    for place, cue in enumerate(cues):
        fields |= {f"cue-{place}-{name}": value for name, value in cue.items()}
    return agent_fields("agent-review") | fields | extra


SETTINGS = {
    "token": "i12345678",
    "name": "Support",
    "topology": "pipeline",
    "entry": "intake",
    "on_handoff": "continue",
    "max_turns": "24",
    "max_handoffs": "8",
    "max_context_tokens": "128000",
    "supervisor_calls": "20",
    "max_calls": "200",
    "max_tokens": "1000000",
    "max_cost": "",
    "max_seconds": "900",
    "count_handoffs": "completed",
}

RULE = {
    "form_token": "i12345678",
    "rule": "",
    "id": "By SMS",
    "agent_id": "agent-review",
    "priority": "2",
    "channel_types": "sms\nvoice",
}
