"""Rename the model of a routing rule like the part of the definition that it stores."""

from django.db import migrations


class Migration(migrations.Migration):
    """Rename the table with its rows."""

    dependencies = [("designer", "0014_commands_that_end")]

    operations = [migrations.RenameModel("RoutingRule", "Rule")]
