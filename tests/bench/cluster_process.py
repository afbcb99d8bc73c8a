"""`manage.py` of `scripts/bench cluster`, with a model that stamps its words."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator

import django


def main() -> None:
    """Run a command of manage.py with the stamping model."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")
    django.setup()
    from django.core.management import execute_from_command_line

    from designer.core import PerEventLoop
    from designer.rehearsal.live import providers
    from orchestration.providers import ModelRequest
    from orchestration.providers.provider import Finished, Piece, TextPiece
    from tests.bench.live_there import StampingProvider

    class BriefProvider(StampingProvider):
        """Answers a message with "briefly" by one word."""

        async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
            if "briefly" in str(request.messages[-1]):
                yield TextPiece("Yes.")
                yield Finished(input_tokens=10, output_tokens=1)
                return
            async for piece in super().stream(request):
                yield piece

    providers._CONNECTED = PerEventLoop(lambda: {"default": BriefProvider()})
    execute_from_command_line(["manage.py", *sys.argv[1:]])


if __name__ == "__main__":
    main()
