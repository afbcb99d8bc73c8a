"""Supervision of a conversation: the due calls of the supervisor, and its tools."""
