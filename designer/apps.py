"""Configuration of the app."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_migrate


class DaphneConfig(AppConfig):
    """Daphne's command `runserver`, without its server, which each command would load."""

    name = "daphne"


class DesignerConfig(AppConfig):
    """Configuration of Baton's only app."""

    default = True
    name = "designer"
    verbose_name = "Baton"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Announce the end of a session to its open sockets, record sign-ins, and count events."""
        from designer import audit  # needs the models
        from designer.accounts import end_session
        from designer.conversations import create_index, hold_first_word
        from designer.instrumentation import answer_begun
        from designer.monitoring import event_metrics, shared_state

        user_logged_out.connect(end_session)
        user_logged_in.connect(audit.record_sign_in)
        user_login_failed.connect(audit.record_failed_sign_in)
        user_logged_out.connect(audit.record_sign_out)
        post_migrate.connect(create_index, sender=self)
        event_metrics.connect()
        answer_begun.connect(hold_first_word)
        shared_state.register()
