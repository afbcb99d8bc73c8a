import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("designer", "0026_checklist"),
    ]

    operations = [
        migrations.AddField(
            model_name="pipeline",
            name="unresolved",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="stage",
            name="unknown_agent",
            field=models.CharField(blank=True, max_length=64, default=""),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="rule",
            name="unknown_agent",
            field=models.CharField(blank=True, max_length=64, default=""),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="rule",
            name="agent",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="rules",
                to="designer.agent",
            ),
        ),
    ]
