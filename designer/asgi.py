"""The server's entry: HTTP goes to Django, websockets of the same origin to the consumers."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")
django_application = get_asgi_application()

# Only after Django's set-up may modules be imported that use its models.
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import WebsocketDenier  # noqa: E402
from channels.sessions import CookieMiddleware  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import re_path  # noqa: E402

from designer.core import close_connections_after_requests  # noqa: E402
from designer.routing import websocket_urlpatterns  # noqa: E402
from designer.serving.origins import SameOriginValidator  # noqa: E402
from designer.serving.static_cache import StaticFileCache  # noqa: E402

close_connections_after_requests()
pages = StaticFileCache(django_application, prefix=settings.STATIC_URL)

# A path that no consumer answers is refused in silence, where the router alone would raise.
websockets = URLRouter([*websocket_urlpatterns, re_path("", WebsocketDenier.as_asgi())])

# Whose session it is, a consumer asks anew for every message.
application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": SameOriginValidator(CookieMiddleware(websockets)),
    }
)
