"""Fragments of the editor: HTML that can be swapped alone, and its context."""
