"""Serving: the server process, static files, origins and error pages."""
