"""Add the sums of the events that a fork copied."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("designer", "0042_share_links"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversationsummary",
            name="copied_cost",
            field=models.FloatField(default=0.0),
        ),
        migrations.AddField(
            model_name="conversationsummary",
            name="copied_tokens",
            field=models.PositiveBigIntegerField(default=0),
        ),
    ]
