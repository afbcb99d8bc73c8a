"""Users: creation, invitations, roles and states."""
