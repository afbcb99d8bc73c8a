"""Forks of before it was kept which pipelines their subtasks run: closed, and complete again.

Such a fork may have been begun in an edited pipeline without subtasks. It tells of those of its
origin all the same, so nobody else may read it who may not read that; and what it tells is told
with the pipelines that the origin kept.
"""

from typing import Any

from django.db import migrations
from django.db.models import Exists, OuterRef


def close_and_complete(apps: Any, schema_editor: Any) -> None:
    """Note that such forks run pipelines of which nobody can say any more who may open them."""
    conversation, event, run = (
        apps.get_model("designer", name)
        for name in ("Conversation", "RecordedEvent", "SubtaskPipeline")
    )
    asked = event.objects.filter(
        conversation=OuterRef("pk"), type="subtask.started", body__kind="subtask"
    )
    known = run.objects.filter(conversation=OuterRef("pk"))
    forks = conversation.objects.filter(
        Exists(asked), ~Exists(known), pipeline__isnull=False, forked_at__isnull=False
    )
    for fork in forks.select_related("forked_from").order_by("pk").iterator(chunk_size=100):
        run.objects.create(conversation=fork, pipeline=None)
        origin = fork.forked_from
        if origin is not None and not fork.subtask_definitions:
            # Read anew: it may be such a fork itself, which was completed just now.
            fork.subtask_definitions = conversation.objects.get(pk=origin.pk).subtask_definitions
            fork.save(update_fields=["subtask_definitions"])


class Migration(migrations.Migration):
    dependencies = [
        ("designer", "0011_calls_that_wait_for_approval"),
    ]

    operations = [
        migrations.RunPython(close_and_complete, migrations.RunPython.noop),
    ]
