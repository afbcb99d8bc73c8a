"""Settings and application of an echo server behind Baton's origin check."""

from typing import Any

from designer.serving.origins import SameOriginValidator
from designer.settings import *  # noqa: F403

ASGI_APPLICATION = "tests.designer.serving.echo_server.application"


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Echo each message until the client disconnects."""
    while True:
        event = await receive()
        match event["type"]:
            case "websocket.connect":
                await send({"type": "websocket.accept"})
            case "websocket.receive":
                await send({"type": "websocket.send", "text": event["text"]})
            case _:
                return


application = SameOriginValidator(echo)
