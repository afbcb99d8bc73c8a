from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def close_for_experienced_users(apps: Any, schema_editor: Any) -> None:
    """Close the checklist of users who have pipelines already."""
    checklist = apps.get_model("designer", "Checklist")
    owners = apps.get_model("designer", "Pipeline").objects.values_list("owner_id", flat=True)
    checklist.objects.bulk_create(
        checklist(user_id=owner, is_closed=True) for owner in sorted(set(owners))
    )


class Migration(migrations.Migration):
    dependencies = [
        ("designer", "0025_tags"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Checklist",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="checklist",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("is_closed", models.BooleanField(default=False)),
                (
                    "exported_pipeline",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="designer.pipeline",
                    ),
                ),
            ],
        ),
        migrations.RunPython(close_for_experienced_users, migrations.RunPython.noop),
    ]
