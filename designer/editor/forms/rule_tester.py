"""Form of the rule tester: a message, and the state of its conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from django import forms

from designer.core import JsonField, PartForm, PickField, ProseField, part_choices
from orchestration.definition import HUMAN, PipelineDefinition
from orchestration.messages import CHANNELS, InboundMessage, channel_key
from orchestration.routing import RoutingContext
from orchestration.state import ConversationState

MANY = 1_000_000


class RuleTesterForm(PartForm):
    """An inbound message, with all facts that rules can check."""

    channel_type = forms.CharField(label="Channel", required=False, max_length=120, initial="web")
    intent = forms.CharField(required=False, max_length=120)
    phase = PickField(label="Stage")
    active_agent_id = PickField(label="Active agent")
    text = ProseField(label="Message", rows=1)
    source_channel_id = forms.CharField(label="Source channel", required=False, max_length=120)
    messages = forms.IntegerField(
        label="Messages so far", required=False, min_value=0, max_value=MANY
    )
    handoff_count = forms.IntegerField(
        label="Handoffs so far", required=False, min_value=0, max_value=MANY
    )
    metadata = JsonField(
        dict[str, Any], label="Metadata", rows=1, empty="{}", help_text="A JSON object."
    )

    RARE = "source_channel_id"
    """First of the rarely used fields."""

    @classmethod
    def showing(cls, definition: PipelineDefinition, typed: Mapping[str, Any]) -> Self:
        """Return the form with earlier texts, and the stages and agents to choose from."""
        form = cls(initial={"phase": definition.entry or "", **typed}, prefix="test")
        form.auto_id = "tester-%s"
        form.fields["channel_type"].widget.attrs["autofocus"] = True
        no_agent, human = ("", "None yet"), (HUMAN, "The human")
        none = [] if definition.stages else [("", "None yet")]
        form.set_part_choices("phase", part_choices(definition, "stages"), before=none)
        speakers = part_choices(definition, "speakers")
        form.set_part_choices("active_agent_id", speakers, before=[no_agent], after=[human])
        intents = {word for rule in definition.rules for word in rule.conditions.intents or ()}
        form.suggest("channel_type", list(CHANNELS))
        form.suggest("intent", sorted(intents))
        return form

    @classmethod
    def sent(cls, data: Mapping[str, Any]) -> Self:
        """Return the submitted form."""
        return cls(data, prefix="test")

    @property
    def says_more(self) -> bool:
        """Report whether one of the rarely used fields is in use."""
        names = list(self.fields)
        return any(self[name].value() for name in names[names.index(self.RARE) :])

    @property
    def typed(self) -> dict[str, str]:
        """Return the texts of the fields, to be shown again."""
        return {name: str(self[name].value() or "") for name in self.fields}

    @property
    def message(self) -> InboundMessage:
        """Return the message of a valid form."""
        values = self.cleaned_data
        return InboundMessage(
            id="test",
            text=values["text"],
            channel_type=channel_key(values["channel_type"]) or "web",
            intent=values["intent"] or None,
            source_channel_id=values["source_channel_id"] or None,
            metadata=values["metadata"],
        )

    @property
    def state(self) -> ConversationState:
        """Return the state of the test conversation."""
        values = self.cleaned_data
        active = values["active_agent_id"]
        return ConversationState(
            phase=values["phase"],
            active_agent_id=active if active and active != HUMAN else None,
            with_human=active == HUMAN,
            handoff_count=values["handoff_count"] or 0,
        )

    @property
    def context(self) -> RoutingContext:
        """Return further facts about the test conversation for the rules."""
        return RoutingContext(session_id="test", messages=self.cleaned_data["messages"] or 0)
