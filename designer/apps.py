"""The app's configuration."""

from django.apps import AppConfig


class DesignerConfig(AppConfig):
    """The one app of the project."""

    name = "designer"
    verbose_name = "Baton"
    default_auto_field = "django.db.models.BigAutoField"
