"""Views of the editor."""
