"""Wire log of a conversation: verbatim requests to models and their responses."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from designer.models.conversation import Conversation


class Exchange(models.Model):
    """One request to a model and its response, without keys.

    Exchanges are stored only while the log is on, and only the latest ones of a conversation.
    """

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="exchanges"
    )
    session = models.CharField(max_length=300)
    """The engine's session id of the conversation or of a subtask."""
    run = models.CharField(max_length=300)
    turn = models.PositiveIntegerField()
    """The turn's number within the run."""
    body = models.JSONField()
    """Fields of `orchestration.providers.provider.Exchange`."""

    class Meta:
        ordering = ("pk",)
        indexes: ClassVar = [
            models.Index(fields=["conversation", "run", "turn"], name="exchange_of_a_turn")
        ]

    def __str__(self) -> str:
        return f"exchange {self.pk} of {self.conversation_id}"
