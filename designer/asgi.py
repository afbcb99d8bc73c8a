"""ASGI entry point: HTTP for Django, websockets of the same origin and channels for consumers."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")
django_application = get_asgi_application()

# Modules that use models can only be imported after Django's set-up.
from channels.routing import ChannelNameRouter, ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import WebsocketDenier  # noqa: E402
from channels.sessions import CookieMiddleware  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import re_path  # noqa: E402

from designer.core import close_connections_after_requests  # noqa: E402
from designer.monitoring.request_ids import SocketRequestIds  # noqa: E402
from designer.monitoring.socket_metrics import CountedSockets  # noqa: E402
from designer.routing import channel_consumers, websocket_urlpatterns  # noqa: E402
from designer.serving.origins import SameOriginValidator  # noqa: E402
from designer.serving.static_cache import StaticFileCache  # noqa: E402

close_connections_after_requests()
pages = StaticFileCache(django_application, prefix=settings.STATIC_URL)

# Reject unknown paths: the router alone would raise an exception.
websockets = URLRouter([*websocket_urlpatterns, re_path("", WebsocketDenier.as_asgi())])

# Consumers look up the user of the session for every message.
sockets = CountedSockets(CookieMiddleware(websockets))
application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": SocketRequestIds(SameOriginValidator(sockets)),
        "channel": ChannelNameRouter(channel_consumers),
    }
)
