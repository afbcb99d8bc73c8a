"""Search path for the SDK: its package is named `agents`, like the module `agents.py` here.

Import this module before the SDK.
"""

import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def load_sdk() -> None:
    """Import the SDK from outside of this folder, so that `from agents import …` finds it."""
    loaded = sys.modules.get("agents")
    if loaded is not None and hasattr(loaded, "Runner"):
        return
    if loaded is not None:
        raise ImportError("Run `python agents.py`, or load agents.py under another name.")
    before = sys.path[:]
    sys.path[:] = [each for each in before if Path(each).resolve() != FOLDER]
    try:
        import_module("agents")
    finally:
        sys.path[:] = before


load_sdk()
