"""Baton's Django project and its one app: drawing, rehearsing and exporting pipelines."""
