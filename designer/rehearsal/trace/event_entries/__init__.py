"""Entries of the event types: category, fragments, details, canvas, timeline and AG-UI form."""
