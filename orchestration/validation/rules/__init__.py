"""The rules, one module for each kind of part."""
