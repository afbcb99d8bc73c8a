"""Configuration of the app."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out


class DesignerConfig(AppConfig):
    """Configuration of the only app."""

    name = "designer"
    verbose_name = "Baton"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Announce the end of a session to its open sockets."""
        from designer.accounts import end_session  # needs the models

        user_logged_out.connect(end_session)
