from typing import Any

from django.conf import settings
from django.db import migrations, models
from django.utils import timezone


def queue_interrupted_runs(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("designer", "Conversation").objects.filter(is_paused=False)
    rows.exclude(run_id="").update(ready_since=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("designer", "0030_span_export"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="ready_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(queue_interrupted_runs, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("ready_since__isnull", False)),
                fields=["started_by", "ready_since"],
                name="conversation_ready_runs",
            ),
        ),
    ]
