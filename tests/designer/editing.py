"""What the editor's page and its forms hold, for tests that send and read them."""

import re

from django.urls import reverse

from tests.designer.drawing import HTMX


def page(client, pipeline, **query):
    response = client.get(reverse("editor", args=[pipeline.pk]), query)
    assert response.status_code == 200
    return response.content.decode()


def inspected(client, pipeline, **query):
    response = client.get(reverse("inspect", args=[pipeline.pk]), query, headers=HTMX)
    assert response.status_code == 200
    return response.content.decode()


def hidden(html, name):
    found = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert found, name
    return found[1]


def stage_fields(of, /, **changes):
    """The stage form as the page holds it, of a stage in the row."""
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


def told(response, field):
    """What an answer says beside a field."""
    html = response.content.decode()
    found = re.search(rf'id="error-i12345678-{field}"[^>]*>([^<]*)<', html)
    return found[1] if found else None


def cue_fields(*cues, **extra):
    fields = {"cue-TOTAL_FORMS": len(cues), "cue-INITIAL_FORMS": len(cues)}
    for place, cue in enumerate(cues):
        fields |= {f"cue-{place}-{name}": value for name, value in cue.items()}
    return agent_fields("agent-review") | fields | extra


SETTINGS = {
    "token": "i12345678",
    "name": "Support",
    "entry": "intake",
    "on_handoff": "continue",
    "max_turns": "24",
    "max_handoffs": "8",
    "max_context_tokens": "128000",
}

RULE = {
    "form_token": "i12345678",
    "rule": "",
    "id": "By SMS",
    "agent_id": "agent-review",
    "priority": "2",
    "channel_types": "sms\nvoice",
}
