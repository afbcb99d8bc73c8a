"""The rows: every model of the app, one module for each noun."""

from designer.models.sign_in import SignInLink

__all__ = ["SignInLink"]
