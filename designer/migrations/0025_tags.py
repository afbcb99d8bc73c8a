from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("designer", "0024_watch_link_expiry"),
    ]

    operations = [
        migrations.AddField(
            model_name="pipeline",
            name="tags",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
