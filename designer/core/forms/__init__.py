"""Base classes and fields of forms."""
