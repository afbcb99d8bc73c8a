"""Other formats, in and out: one module for each."""
