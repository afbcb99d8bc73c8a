"""Modules that are copied into exported projects; they import LangGraph and nothing of Baton."""
