"""Fault campaign: users talk while Redis, PostgreSQL and the servers fail."""
