"""Pending commands of a conversation."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from designer.models.conversation import Conversation


class Command(models.Model):
    """A command or message that a conversation has not processed yet.

    It waits for a safe point between two steps of the engine. The transaction that records its
    result deletes it, so it is processed once.
    """

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="commands"
    )
    key = models.CharField(max_length=64)
    """Id chosen by the page: a repeated command is stored once."""
    kind = models.CharField(
        max_length=10,
        choices=[
            ("say", "Say something as the customer"),
            ("pause", "Pause at the next safe point"),
            ("go_on", "Go on, or do one step"),
            ("note", "A note to the agent"),
            ("hand_over", "Hand over"),
            ("take_over", "Take over as the human"),
            ("reply", "Reply as the human"),
            ("hand_back", "Hand back to an agent"),
            ("end", "End it"),
            ("approve", "Approve a call"),
            ("change", "Change a call"),
            ("refuse", "Refuse a call"),
            ("feedback", "Feedback on an answer"),
        ],
    )
    body = models.JSONField(default=dict, blank=True)
    """Data of the kind, such as the fields of a message or the target of a handoff."""
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="commands"
    )
    created = models.DateTimeField(auto_now_add=True)
    request_id = models.CharField(max_length=64, blank=True)
    """Id of the request that issued it."""
    refusal = models.CharField(max_length=500, blank=True)
    """Reason for a refusal at the safe point; shown until a user withdraws the command."""

    class Meta:
        ordering = ("pk",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["conversation", "key"], name="one_command_per_key")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
