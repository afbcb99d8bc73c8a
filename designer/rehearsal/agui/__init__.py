"""Conversations as AG-UI streams for other front ends."""
