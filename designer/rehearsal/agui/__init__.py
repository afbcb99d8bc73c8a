"""Agui."""
