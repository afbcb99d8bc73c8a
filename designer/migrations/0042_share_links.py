"""Rename the model of share links; its table keeps the earlier name."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("designer", "0041_role_labels"),
    ]

    operations = [
        migrations.AlterModelTable(name="watchlink", table="designer_watchlink"),
        migrations.RenameModel(old_name="WatchLink", new_name="ShareLink"),
        migrations.AlterField(
            model_name="sharelink",
            name="conversation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="share_links",
                to="designer.conversation",
            ),
        ),
        migrations.AlterField(
            model_name="sharelink",
            name="created_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="share_links",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
