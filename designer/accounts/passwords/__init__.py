"""Passwords: change on the account page, and reset by a link."""
