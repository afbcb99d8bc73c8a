"""Messages of a rehearsal in the terminal."""

from __future__ import annotations

import pytest
from django.core.management import CommandError

from designer.management.message_lines import read_messages
from orchestration.definition import Conditions, PipelineDefinition, Rule

KIOSK = Rule(id="kiosk", agent_id="clerk", conditions=Conditions(channel_types=("kiosk",)))
DEFINITION = PipelineDefinition(name="Desk", rules=(KIOSK,), variables={"plan": "basic"})


def messages(texts=None, file=None, channel="web"):
    return read_messages(texts, file, channel=channel, intent=None, definition=DEFINITION)


def test_an_unknown_channel_is_an_error_unless_a_routing_rule_names_it():
    with pytest.raises(CommandError, match=r"no channel 'emial': .* Did you mean 'email'"):
        messages(["Hello"], channel="emial")
    assert [message.channel_type for message in messages(["Hi"], channel="KIOSK")] == ["kiosk"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"text": "Yes"', "said.txt, line 3: This is not JSON: .*(column 15). .* correct it"),
        ("{Hello}", "said.txt, line 3: This is not JSON: "),
        ('{"txet": "Yes"}', "said.txt, line 3: a message has no field 'txet'. Did you mean 'text'"),
        ('{"text": "Hi", "channel_type": "fax"}', "said.txt, line 3: There is no channel 'fax'"),
        ('{"text": ""}', "said.txt, line 3: Write something first"),
        (
            '{"text": "Hi", "variables": {"plam": "pro"}}',
            "said.txt, line 3: There is no variable 'plam': the pipeline declares plan. Did you",
        ),
    ],
)
def test_an_invalid_line_is_reported_with_its_number_before_a_message_is_sent(tmp_path, line, why):
    (tmp_path / "said.txt").write_text(f"Hello\n\n{line}\n", encoding="utf-8")
    with pytest.raises(CommandError, match=why.replace("(", r"\(").replace(")", r"\)")):
        messages(file=str(tmp_path / "said.txt"))


def test_lines_are_texts_or_objects_with_more_fields(tmp_path):
    lines = ["Hello", "", '{"text": "Hi", "channel_type": "SMS", "variables": {"plan": "pro"}}']
    (tmp_path / "said.txt").write_text("\n".join(lines), encoding="utf-8")
    first, second = messages(file=str(tmp_path / "said.txt"))
    assert (first.text, first.channel_type, first.variables or {}) == ("Hello", "web", {})
    assert (second.text, second.channel_type, second.variables) == ("Hi", "sms", {"plan": "pro"})
