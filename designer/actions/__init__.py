"""Actions: the functions that change rows, each in one transaction."""
