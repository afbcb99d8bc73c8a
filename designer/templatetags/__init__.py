"""Template tags of the designer."""
