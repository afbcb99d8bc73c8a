"""Accounts: sign-in and sharing."""

from designer.accounts.openid.provider import OpenIdProviderError, fetch_metadata
from designer.accounts.passwords.changes import finish_password_change
from designer.accounts.people.administrators import create_administrator
from designer.accounts.people.users import is_taken, user_target
from designer.accounts.sharing import share_pipeline, unshare_pipeline, unshared_subtasks
from designer.accounts.sharing_form import ShareForm, UnshareForm
from designer.accounts.sign_in import create_sign_in_link
from designer.accounts.sign_out import end_session

__all__ = [
    "OpenIdProviderError",
    "ShareForm",
    "UnshareForm",
    "create_administrator",
    "create_sign_in_link",
    "end_session",
    "fetch_metadata",
    "finish_password_change",
    "is_taken",
    "share_pipeline",
    "unshare_pipeline",
    "unshared_subtasks",
    "user_target",
]
