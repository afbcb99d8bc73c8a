"""Baton's server process: daphne, with bounds that suit what Baton's sockets carry."""

import gc
import sys
from collections.abc import Callable
from typing import Any

from daphne.endpoints import build_endpoint_description_strings
from daphne.management.commands.runserver import get_default_application
from daphne.server import Server
from django.urls import get_resolver

MAX_WEBSOCKET_MESSAGE = 64 * 1024


class AnnouncingServer(Server):
    """A daphne that says where it listens, once it does."""

    def __init__(self, *, announce: Callable[[str], None], **options: Any) -> None:
        super().__init__(ready_callable=self._set_protocol_options, **options)
        self.announce = announce

    def listen_success(self, port: Any) -> None:
        """Pass on the address, which the system chose where port 0 was asked for."""
        super().listen_success(port)
        address = port.getHost()
        self.announce(f"http://{address.host}:{address.port}")

    def _set_protocol_options(self) -> None:
        """Tell a client that is cut off why, by a close frame where autobahn would just drop it.

        What is not said falls back to autobahn's own: null origins are refused further in.
        """
        self.ws_factory.setProtocolOptions(failByDrop=False, allowNullOrigin=True)


def serve(*, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Answer HTTP and websockets until a signal comes; `announce` is given the base URL.

    A websocket message of more than 64 KiB closes its socket with code 1009 (RFC 6455, 7.4.1).
    """
    application = get_default_application()
    _ = get_resolver().url_patterns
    server = AnnouncingServer(
        announce=announce,
        application=application,
        endpoints=build_endpoint_description_strings(host=host, port=port),
        websocket_max_message_size=MAX_WEBSOCKET_MESSAGE,
        websocket_max_frame_size=MAX_WEBSOCKET_MESSAGE,
        websocket_connect_timeout=5,
    )
    # What is loaded now stays: the collector need not walk it again and again.
    gc.collect()
    gc.freeze()
    server.run()
    if server.abort_start:
        sys.exit(1)
