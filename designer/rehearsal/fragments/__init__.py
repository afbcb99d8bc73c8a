"""Fragments of the rehearsal page: HTML that can be swapped alone, and its context."""
