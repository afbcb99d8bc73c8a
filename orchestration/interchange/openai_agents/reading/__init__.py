"""A definition from Python code for the OpenAI Agents SDK: the agents and their handoffs.

The code is parsed with `ast` and never run. A part that is not understood becomes a loss with its
line.
"""

from orchestration.interchange.openai_agents.reading.project import KEY, read, recognises

__all__ = ["KEY", "read", "recognises"]
