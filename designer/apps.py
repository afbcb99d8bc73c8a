"""The app's configuration."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out


class DesignerConfig(AppConfig):
    """The one app of the project."""

    name = "designer"
    verbose_name = "Baton"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have whoever signs out heard of by their open sockets."""
        from designer.accounts import end_session  # needs the models

        user_logged_out.connect(end_session)
