"""Forms of the rehearsal."""
