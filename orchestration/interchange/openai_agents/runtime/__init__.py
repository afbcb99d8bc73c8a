"""Modules that are copied into a project for the OpenAI Agents SDK; Baton never imports them."""
