"""Keep, where that is switched on, what goes to the models of a conversation and comes back."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("designer", "0012_forks_that_tell_of_subtasks"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="is_logged",
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name="Exchange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("session", models.CharField(max_length=300)),
                ("run", models.CharField(max_length=300)),
                ("turn", models.PositiveIntegerField()),
                ("body", models.JSONField()),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exchanges",
                        to="designer.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(fields=["conversation", "run", "turn"], name="exchange_of_a_turn")
                ],
            },
        ),
    ]
