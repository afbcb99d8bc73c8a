"""Fragments: HTML that can be swapped alone, and the values that its templates show."""
