"""Conversations that pass between agents: the engine of Baton, without the web app."""
