"""Modules that are copied unchanged into a project for RoomKit."""
