"""Accounts of people whom the OpenID Connect provider has identified."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from designer.accounts.people.invitations import use_invitation
from designer.accounts.people.users import create_user, is_taken, user_target
from designer.audit import record_audit
from designer.core import GoneError, RefusedError, atomic_action
from designer.models import AccountRole, AuditAction, Invitation, OpenIdIdentity

MAX_NAME = 140
NO_ACCOUNT = "You have no account here: ask an administrator for an invitation."
DEACTIVATED = "Your account is deactivated: ask an administrator."
SEVERAL = "Several accounts have your e-mail address: ask an administrator."
LINKED_TO_ANOTHER = (
    "The account with your e-mail address belongs to another person at the identity provider: "
    "ask an administrator."
)


@dataclass(frozen=True)
class OpenIdPerson:
    """A person as the provider has identified it."""

    issuer: str
    subject: str
    email: str
    """Verified e-mail address; empty if there is none."""
    name: str
    """Preferred user name; it identifies nobody."""

    @classmethod
    def from_claims(cls, claims: Mapping[str, Any]) -> OpenIdPerson:
        """Read checked claims. An address that the provider has not verified is ignored."""
        is_verified = claims.get("email_verified") in (True, "true")
        email = str(claims.get("email") or "") if is_verified else ""
        name = str(claims.get("preferred_username") or email.partition("@")[0])
        return cls(str(claims["iss"]), str(claims["sub"]), email, name)


@atomic_action
def find_or_create_user(
    person: OpenIdPerson, *, invitation_id: int | None = None, is_open: bool = False
) -> User:
    """Return the account of a person, or raise `RefusedError`.

    1. The account that is linked to the subject.
    2. The only account with the verified e-mail address, which is then linked. Administrators set
       these addresses, so nobody can prepare an account for another person.
    3. A new account with the invitation that the person has opened, or that was created for the
       verified e-mail address.
    4. A new account, if the provider is open.
    """
    linked = OpenIdIdentity.objects.filter(issuer=person.issuer, subject=person.subject)
    if identity := linked.select_related("user").first():
        return _active(identity.user)
    if user := _user_with_address(person):
        _link(user, person)
        return user
    user = _invited(person, invitation_id) or (_newcomer(person) if is_open else None)
    if user is None:
        raise RefusedError(NO_ACCOUNT)
    _link(user, person)
    return user


def _active(user: User) -> User:
    if not user.is_active:
        raise RefusedError(DEACTIVATED)
    return user


def _user_with_address(person: OpenIdPerson) -> User | None:
    users = User.objects.filter(email__iexact=person.email) if person.email else User.objects.none()
    found = list(users[:2])
    if len(found) > 1:
        raise RefusedError(SEVERAL)
    if not found:
        return None
    user = _active(found[0])
    if OpenIdIdentity.objects.filter(user=user, issuer=person.issuer).exists():
        raise RefusedError(LINKED_TO_ANOTHER)
    return user


def _invited(person: OpenIdPerson, invitation_id: int | None) -> User | None:
    choices = []
    if invitation_id is not None:
        choices.append(Invitation.objects.filter(pk=invitation_id))
    if person.email:
        choices.append(Invitation.objects.filter(email__iexact=person.email))
    for rows in choices:
        try:
            name = _free_name(person.name)
            return use_invitation(rows, username=name, email=person.email, password=None)
        except GoneError:
            continue
    return None


def _newcomer(person: OpenIdPerson) -> User:
    return create_user(
        username=_free_name(person.name),
        email=person.email,
        role=AccountRole.USER,
        password=None,
        detail="by OpenID Connect",
        by_itself=True,
    )


def _free_name(wish: str) -> str:
    """Return a user name like the wish that nobody has."""
    base = re.sub(r"[^\w.@+-]", "", wish)[:MAX_NAME] or "user"
    name, number = base, 1
    while is_taken(name):
        number += 1
        name = f"{base}-{number}"
    return name


def _link(user: User, person: OpenIdPerson) -> None:
    identity = OpenIdIdentity(user=user, issuer=person.issuer, subject=person.subject)
    identity.full_clean()
    identity.save()
    record_audit(
        AuditAction.IDENTITY_LINKED, actor=user, target=user_target(user), detail=str(identity)
    )
