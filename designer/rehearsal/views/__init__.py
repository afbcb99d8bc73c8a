"""Views of the rehearsal."""
