"""Pipelines that the subtasks of a conversation run, for permission checks."""

from __future__ import annotations

from django.db import models

from designer.models.conversation import Conversation
from designer.models.pipeline import Pipeline


class SubtaskPipeline(models.Model):
    """A pipeline that a subtask of a conversation runs."""

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="subtask_pipelines"
    )
    pipeline = models.ForeignKey(Pipeline, null=True, on_delete=models.SET_NULL, related_name="+")
    """None if the pipeline was deleted or is unknown, so permissions cannot be checked."""

    def __str__(self) -> str:
        return str(self.pipeline)
