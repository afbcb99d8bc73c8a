"""Modules that are copied into exported projects; they import nothing of Baton."""
