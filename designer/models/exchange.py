"""The wire log of a conversation: what went to its models and came back, word for word."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from designer.models.conversation import Conversation


class Exchange(models.Model):
    """One request to a model's server and its answer, of one turn, without keys.

    It is kept only while the log is on, and of a conversation only the last ones.
    """

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="exchanges"
    )
    session = models.CharField(max_length=300)
    """The engine's id of the conversation, or of the subtask within it."""
    run = models.CharField(max_length=300)
    turn = models.PositiveIntegerField()
    """The turn's number within the run."""
    body = models.JSONField()
    """As `orchestration.providers.provider.Exchange` has it."""

    class Meta:
        ordering = ("pk",)
        indexes: ClassVar = [
            models.Index(fields=["conversation", "run", "turn"], name="exchange_of_a_turn")
        ]

    def __str__(self) -> str:
        return f"exchange {self.pk} of {self.conversation_id}"
