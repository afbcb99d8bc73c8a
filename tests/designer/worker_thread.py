"""A worker in a thread of its own, for tests whose event loop is the server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from channels.layers import get_channel_layer
from django.db import connections

from designer.asgi import application
from designer.rehearsal import WORKERS_CHANNEL
from designer.rehearsal.live.providers import use_providers
from designer.serving.run_worker import RunWorker
from orchestration.providers import Provider
from tests.designer.live_conversations import MAX_WAIT


class _ThreadWorker(RunWorker):
    """Worker without signals, which only the main thread receives."""

    def __init__(self, provider: Provider, **options: Any) -> None:
        super().__init__(**options)
        self.provider = provider

    async def arun(self) -> None:
        use_providers({"default": self.provider})
        self.loop = asyncio.get_running_loop()
        await super(RunWorker, self).arun()


class WorkerThread:
    """Context manager of a worker with a model; the end of the body stops it."""

    def __init__(self, provider: Provider, concurrency: int = 5) -> None:
        self._is_ready = threading.Event()
        self.worker = _ThreadWorker(
            provider,
            application=application,
            channels=[WORKERS_CHANNEL],
            channel_layer=get_channel_layer(),
            concurrency=concurrency,
            announce=self._is_ready.set,
        )
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    async def __aenter__(self) -> Self:
        self._thread.start()
        await asyncio.to_thread(self._is_ready.wait, MAX_WAIT)
        return self

    async def __aexit__(self, *_: object) -> None:
        with suppress(RuntimeError):  # it has ended already
            self.call(self._stop_at_once)
        await self.ended()

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the event loop of the worker."""
        self.worker.loop.call_soon_threadsafe(function, *arguments)

    def stop(self) -> None:
        """Send what a signal sends."""
        self.call(self.worker.stop)

    async def ended(self) -> None:
        """Wait for the end of the worker."""
        await asyncio.to_thread(self._thread.join, MAX_WAIT)
        assert not self._thread.is_alive()

    def _stop_at_once(self) -> None:
        self.worker.stop()
        self.worker.stop()

    def _run(self) -> None:
        try:
            self.worker.run()
        finally:
            connections.close_all()
