"""Questions to the test of the routing rules, for the tests of its parts."""

import re
from html import unescape

from django.urls import reverse

from designer.editor.actions.rules import add_rule
from orchestration.definition import Comparison, Conditions, Rule
from tests.designer.editor_requests import HTMX, draw


def ask(client, pipeline, **fields):
    """Return the answer of the test for a message with these fields, as text."""
    typed = {f"test-{name}": value for name, value in fields.items() if "-" not in name}
    url = reverse("test_rules", args=[pipeline.pk])
    response = client.post(url, {"test-phase": "intake", **typed}, headers=HTMX)
    assert response.status_code == 200
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", response.text)).split())


def draw_with_rules(user):
    """Return a pipeline with two rules and a default agent."""
    pipeline = draw(user, "intake", "review", default_agent_id="agent-intake")
    vip = Conditions(channel_types=("sms",), intents=("billing",))
    rows = (
        Comparison(field="event.text", operator="contains", value="help"),
        Comparison(field="state.handoff_count", operator="at_least", value=3),
    )
    late = Conditions(match="any", rows=rows, custom="event.metadata.vip == true")
    for key, priority, conditions in (("vip", 1, vip), ("late", 2, late)):
        rule = Rule(id=key, agent_id="agent-review", priority=priority, conditions=conditions)
        add_rule(pipeline=pipeline, user=user, rule=rule)
    return pipeline
