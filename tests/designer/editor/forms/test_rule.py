"""The forms of routing rules."""

import contextvars
import re
from html import unescape

import pytest
from django.db import connection
from django.urls import reverse

from designer.editor.actions.rules import add_rule, update_rule
from orchestration.definition import Comparison, Conditions, Rule
from tests.designer.editor_page import RULE, field_error
from tests.designer.editor_requests import HTMX, draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_a_rule_is_added_changed_and_deleted(client, pipeline):
    response = send(client, pipeline, "add_rule", panel="rules", **RULE)
    assert {"rules-table", "rule-form"} <= swapped(response)
    rule = now(pipeline).rules[0]
    assert (rule.id, rule.conditions.channel_types) == ("by-sms", ("sms", "voice"))
    changed = RULE | {"rule": "by-sms", "id": "by-sms", "channel_types": "", "intents": "refund"}
    send(client, pipeline, "update_rule", panel="rules", **changed)
    rule = now(pipeline).rules[0]
    assert (rule.conditions.channel_types, rule.conditions.intents) == (None, ("refund",))
    send(client, pipeline, "delete_rule", panel="rules", rule="by-sms")
    assert now(pipeline).rules == ()
    assert send(client, pipeline, "delete_rule", rule="by-sms").status_code == 409
    assert send(client, pipeline, "update_rule", **changed).status_code == 409


def test_channels_and_stages_are_separated_by_lines_or_commas(client, pipeline):
    words = {"channel_types": "fax, sms\nweb,", "phases": "intake,review", "intents": "a, b"}
    send(client, pipeline, "add_rule", **RULE | words)
    conditions = now(pipeline).rules[0].conditions
    assert conditions.channel_types == ("fax", "sms", "web")
    typed = {"channel_types": "SMS, Web chat, Fax", "id": "named"}
    send(client, pipeline, "add_rule", **RULE | typed)
    assert now(pipeline).rules[1].conditions.channel_types == ("Fax", "sms", "web")
    assert conditions.phases == ("intake", "review")
    assert conditions.intents == ("a, b",), "an intent may be any text"


def test_a_refused_rule_still_shows_the_error_of_its_expression(client, pipeline):
    fields = RULE | {"agent_id": "", "custom": "event.text ="}
    response = send(client, pipeline, "add_rule", **fields)
    assert response.status_code == 422
    assert field_error(response, "agent_id") == "Agent must not be empty."
    assert "At column 12" in field_error(response, "custom")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "!"), ("id", "taken"), ("agent_id", ""), ("agent_id", "gone"), ("priority", "high"),
        ("phases", "Not A Key"), ("intents", "x" * 121), ("custom", "x" * 1001),
    ],
)  # fmt: skip
def test_an_invalid_field_of_a_rule_has_its_error_beside_it(client, pipeline, field, value):
    send(client, pipeline, "add_rule", **(RULE | {"id": "taken"}))
    response = send(client, pipeline, "add_rule", **(RULE | {field: value}))
    assert response.status_code == 422
    assert field_error(response, field)


def test_the_form_of_a_rule_shows_it_and_a_missing_rule_has_none(client, pipeline):
    send(client, pipeline, "add_rule", **RULE)
    url = reverse("edit_rule", args=[pipeline.pk])
    assert "sms\nvoice" in client.get(url, {"rule": "by-sms"}).content.decode()
    assert "Add rule" in client.get(url).content.decode()
    assert client.get(url, {"rule": "gone"}).status_code == 404


def focused(html):
    """Return the fields with the attribute autofocus."""
    fields = re.findall(r"<(?:input|select|textarea)[^>]* autofocus[^>]*>", html)
    return [name for field in fields for name in re.findall(r'id="i\w{8}-([\w-]+)"', field)]


def test_a_valid_form_has_the_focus_on_the_name_and_no_errors(client, pipeline):
    send(client, pipeline, "add_rule", **RULE)
    for key in ("", "by-sms"):
        html = client.get(reverse("edit_rule", args=[pipeline.pk]), {"rule": key}).text
        assert focused(html) == ["id"]
        assert "is saved" not in html


# Comparisons


def compared(*rows, **changes):
    """Return the form of a rule with these comparisons."""
    posted = RULE | {"comparison-TOTAL_FORMS": len(rows), "comparison-INITIAL_FORMS": len(rows)}
    for place, row in enumerate(rows):
        for name, said in zip(("field", "operator", "value"), row, strict=True):
            posted |= {f"comparison-{place}-{name}": said}
    return posted | changes


def in_words(html):
    """Return the conditions of each rule in the table as text."""
    cells = re.findall(r'<td class="clauses">(.*?)</td>', html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", "", cell).split()) for cell in cells]


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({}, "always"),
        (
            {"channel_types": ["sms"], "intents": ["billing"]},
            "channel is sms and intent is billing",
        ),
        ({"phases": []}, "stage is never"),
        ({"custom": "event.text == 'a'"}, "event.text == &#x27;a&#x27;"),
        (
            {
                "source_channel_ids": ["a", "b"],
                "match": "not",
                "rows": [
                    {"field": "event.text", "operator": "starts_with", "value": "x"},
                    {"field": "state.phase", "operator": "is", "value": "x"},
                ],
                "custom": "true",
            },
            "source channel is a or b and none of: message starts with x or stage is x and true",
        ),
        (
            {"match": "any", "rows": [{"field": "event.text", "value": "x"}]},
            "message is x",
        ),
        (
            {"match": "not", "rows": [{"field": "event.text", "value": "x"}]},
            "none of: message is x",
        ),
        (
            {
                "channel_types": ["SMS", "fax"],
                "rows": [{"field": "event.channel_type", "operator": "one_of", "value": ["pager"]}],
            },
            (
                "channel is SMS or fax and channel is pager"
                " No rehearsal uses “SMS” or “fax” or “pager”: Baton has web, sms, email, voice."
            ),
        ),
    ],
)
def test_the_table_of_rules_reads_as_sentences(client, user, pipeline, conditions, words):
    conditions = Conditions.model_validate(conditions)
    rule = Rule(id="r", agent_id="agent-review", conditions=conditions)
    add_rule(pipeline=pipeline, user=user, rule=rule)
    html = client.get(reverse("show_panel", args=[pipeline.pk]), {"panel": "rules"}).text
    assert in_words(html) == [words]
    assert 'data-unknown="No rehearsal uses the channel"' in shown(client, pipeline, "r")


def shown(client, pipeline, rule):
    return client.get(reverse("edit_rule", args=[pipeline.pk]), {"rule": rule}).text


def test_comparisons_keep_their_order_and_the_types_of_their_values(client, pipeline):
    fields = compared(
        ("event.text", "contains", " refund "),
        ("event.intent", "one_of", "refund\r\n complaint \r\n"),
        ("state.handoff_count", "at_least", "3"),
        ("", "is", ""),
        match="any",
    )
    response = send(client, pipeline, "add_rule", panel="rules", **fields)
    conditions = now(pipeline).rules[0].conditions
    assert conditions.match == "any"
    assert conditions.rows == (
        Comparison(field="event.text", operator="contains", value=" refund "),
        Comparison(field="event.intent", operator="one_of", value=("refund", "complaint")),
        Comparison(field="state.handoff_count", operator="at_least", value=3),
    )
    [words] = in_words(response.text)
    assert words.startswith("channel is sms or voice and any of: message contains refund")
    assert words.endswith("or intent is complaint or refund or handoffs so far at least 3")


def test_a_form_shows_the_comparisons_of_its_rule(client, user, pipeline):
    rows = (
        Comparison(field="event.intent", operator="one_of", value=("b", "a")),
        Comparison(field="state.active_agent_id", operator="is", value=""),
    )
    rule = Rule(id="r", agent_id="agent-review", conditions=Conditions(match="not", rows=rows))
    add_rule(pipeline=pipeline, user=user, rule=rule)
    html = shown(client, pipeline, "r")
    assert '<option value="not" selected>' in html
    assert "a\nb</textarea>" in html
    fields = compared(
        ("event.intent", "one_of", "a\nb"), ("state.active_agent_id", "is", ""), match="not"
    )
    send(client, pipeline, "update_rule", **fields | {"rule": "r", "id": "r", "channel_types": ""})
    assert now(pipeline).rules[0].conditions == rule.conditions


def test_adding_or_removing_a_row_keeps_typed_text_and_saves_nothing(client, pipeline):
    rows = [("event.text", "contains", "refund"), ("state.handoff_count", "is", "many")]
    url = reverse("rule_rows", args=[pipeline.pk])
    more = client.post(url, compared(*rows, add_row="1"), headers=HTMX).text
    assert 'name="comparison-TOTAL_FORMS" value="3"' in more
    assert "refund</textarea>" in more
    assert "many</textarea>" in more
    assert 'id="i12345678-comparison-2-field"' in more
    assert more.count(" autofocus") == 1
    assert "field__error" in more
    assert "Write a whole number" not in more
    less = client.post(url, compared(*rows, take_off="0"), headers=HTMX).text
    assert "refund" not in less
    assert "many</textarea>" in less
    assert now(pipeline).rules == ()


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (("", "is", "refund"), "field"),
        (("event.metadata", "is", "x"), "field"),
        (("event.text", "matches", "x"), "operator"),
        (("event.text", "is", "x" * 501), "value"),
        (("event.text", "one_of", "x" * 121), "value"),
        (("state.handoff_count", "at_least", "many"), "value"),
        (("state.handoff_count", "is", ""), "value"),
        (("conversation.messages", "is", "9" * 5_000), "value"),
    ],
)
def test_an_invalid_comparison_has_its_error_beside_it(client, pipeline, row, field):
    fields = compared(("event.text", "is", "x"), row)
    response = send(client, pipeline, "add_rule", **fields)
    assert response.status_code == 422
    assert field_error(response, f"comparison-1-{field}")
    assert field_error(response, "comparison-0-value") == ""
    assert now(pipeline).rules == ()


def test_comparisons_above_the_maximum_are_refused(client, pipeline):
    fields = compared(*[("event.text", "is", "x")] * 51)
    response = send(client, pipeline, "add_rule", **fields)
    assert response.status_code == 422
    assert "50" in field_error(response, "form")


def test_an_expression_with_an_error_is_saved_and_the_form_shows_its_column(client, pipeline):
    fields = RULE | {"custom": "event.text == 'a' && event.textt == 'b'"}
    response = send(client, pipeline, "add_rule", panel="rules", **fields)
    assert now(pipeline).rules[0].conditions.custom == fields["custom"]
    beside = re.compile(r'-custom"[^>]* role="alert">[^<]* is wrong at column \d+')
    assert beside.search(response.text)
    assert 'name="rule" value="by-sms"' in response.text
    assert beside.search(shown(client, pipeline, "by-sms"))
    assert "is saved, but has an error" in response.text
    assert focused(response.text) == ["custom"]

    mended = fields | {"rule": "by-sms", "id": "by-sms", "custom": "event.text == 'b'"}
    response = send(client, pipeline, "update_rule", panel="rules", **mended)
    assert "rule-form" not in swapped(response), "an existing rule saves itself and stays open"
    assert "rule-state" in swapped(response)
    assert '<p id="rule-notice" hidden' in response.text
    assert field_error(response, "custom") == ""
    html = shown(client, pipeline, "by-sms")
    assert 'hx-trigger="change, submit"' in html
    assert "Done" in html
    assert 'type="submit"' not in html


def test_a_comparison_that_never_holds_is_saved_with_an_issue(client, pipeline):
    fields = compared(("event.text", "is", "x"), ("state.handoff_count", "contains", "3"))
    response = send(client, pipeline, "add_rule", panel="rules", **fields)
    assert response.status_code == 200
    assert len(now(pipeline).rules[0].conditions.rows) == 2
    assert focused(response.text) == ["comparison-1-value"]
    beside = response.text.partition("-comparison-1-value")[2]
    assert 'role="alert"' in beside.partition("</div>")[0]


def test_the_panel_explains_when_rules_are_checked(client, user):
    for topology, is_said in (("pipeline", True), ("swarm", True), ("workflow", False)):
        pipeline = draw(user, "intake", topology=topology)
        url = reverse("show_panel", args=[pipeline.pk])
        html = client.get(url, {"panel": "rules"}).text
        assert ("only while no agent has the conversation" in html) == is_said


def test_the_panel_explains_that_a_topology_ignores_rules(client, user):
    for topology, said in (("swarm", "the default agent"), ("team", "none would be checked")):
        pipeline = draw(user, "intake", topology=topology)
        url = reverse("show_panel", args=[pipeline.pk])
        assert said in client.get(url, {"panel": "rules"}).text


def test_an_outdated_form_is_refused_but_not_after_a_move_of_its_rule(client, pipeline):
    send(client, pipeline, "add_rule", **RULE)
    html = shown(client, pipeline, "by-sms")
    (base,) = re.findall(r'name="rule_base" value="(\w+)"', html)
    assert 'name="priority_shown" value="2"' in html
    fields = RULE | {"rule": "by-sms", "rule_base": base, "priority_shown": "2"}
    fields |= {"channel_types": "web"}

    send(client, pipeline, "add_rule", **RULE | {"id": "first", "priority": "1"})
    send(client, pipeline, "move_rule", rule="by-sms", before="first")
    response = send(client, pipeline, "update_rule", panel="rules", **fields)
    assert response.status_code == 200
    rule = now(pipeline).rules[0]
    assert (rule.id, rule.priority, rule.conditions.channel_types) == ("by-sms", 0, ("web",))

    response = send(client, pipeline, "update_rule", **fields | {"channel_types": "email"})
    assert response.status_code == 412
    assert "changed by you in another tab" in response.text
    assert now(pipeline).rules[0].conditions.channel_types == ("web",)


def test_a_rule_changed_just_before_the_lock_is_not_overwritten(client, user, pipeline):
    send(client, pipeline, "add_rule", **RULE)
    html = shown(client, pipeline, "by-sms")
    (base,) = re.findall(r'name="rule_base" value="(\w+)"', html)
    rule = now(pipeline).rules[0]
    theirs = rule.model_copy(update={"conditions": Conditions(channel_types=("web",))})
    waiting = [theirs]

    def change_first(execute, sql, params, many, context):
        """Save a change of another person when the transaction begins."""
        if sql.startswith("SAVEPOINT") and waiting:
            rule = waiting.pop()
            other_person = contextvars.Context()
            other_person.run(update_rule, pipeline=pipeline, user=user, key=rule.id, rule=rule)
        return execute(sql, params, many, context)

    fields = RULE | {"rule": "by-sms", "rule_base": base, "channel_types": "email"}
    with connection.execute_wrapper(change_first):
        response = send(client, pipeline, "update_rule", **fields)
    assert not waiting
    assert response.status_code == 412
    assert "changed by you in another tab" in response.text
    assert now(pipeline).rules == (theirs,)


def test_deleting_a_rule_does_not_change_the_form_of_another(client, pipeline):
    for key in ("one", "two"):
        send(client, pipeline, "add_rule", **RULE | {"id": key})
    response = send(
        client, pipeline, "delete_rule", panel="rules", deleted="one", rule="two", open_rule="two"
    )
    assert "rule-form" not in swapped(response)
    response = send(client, pipeline, "delete_rule", panel="rules", rule="two", open_rule="two")
    assert "rule-form" in swapped(response)


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("custom", "event.text == 'a'", ""),
        ("custom", "  ", ""),
        ("custom", "event.text == 'a' && event.textt", "At column 27: There is no 'event.textt'"),
        ("custom", "event.text ==", "At column 14: "),
        ("custom", "message.text == ''", "An expression can use event, conversation, state"),
        ("expression", "message.text == ''", ""),
        ("expression", "event.text == ''", "An expression can use message, payload, state"),
        (
            "expression",
            "1 + 1",
            "At column 1: The result is of type whole number: it must be true or false",
        ),
        ("custom", "true &&\r\nfalse", ""),
    ],
)
def test_an_expression_is_checked_while_it_is_typed(client, pipeline, field, text, said):
    url = reverse("check_expression", args=[pipeline.pk])
    sent = {field: text, "checked": f"i12345678-{field}"}
    response = client.post(url, sent, headers=HTMX)
    assert response.status_code == 200
    assert swapped(response) == {f"error-i12345678-{field}"}
    found = unescape(field_error(response, field))
    assert (said in found) if said else (found == "")


def test_only_fields_of_expressions_can_be_checked(client, pipeline):
    url = reverse("check_expression", args=[pipeline.pk])
    for checked in ("", "announcer", "i12345678-custom-x", "<b>"):
        sent = {"custom": "x", "checked": checked}
        assert client.post(url, sent, headers=HTMX).status_code == 404


def test_an_expression_field_offers_variables_and_functions(client, pipeline):
    html = client.get(reverse("edit_rule", args=[pipeline.pk])).text
    offered = re.findall(r'data-name="([^"]+)" data-of="(\w*)" data-kind="([^"]+)"', html)
    assert ("event.text", "", "text") in offered
    assert ("contains", "text", "true or false") in offered
    assert "message.text" not in {name for name, *_ in offered}
    assert 'data-insert="contains(&#x27;|&#x27;)"' in html
