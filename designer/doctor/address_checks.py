"""Checks of the addresses of the server."""

from __future__ import annotations

import base64
import secrets
import socket
import ssl
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from designer.doctor.findings import Finding, error, ok, warning

URL_SECONDS = 10.0
FORBIDDEN = 403


def check_hosts() -> Finding:
    """Resolve the allowed hosts."""
    hosts = [host.lstrip(".") for host in settings.ALLOWED_HOSTS]
    if not hosts:
        text = "BATON_ALLOWED_HOSTS is empty, so every request is refused."
        return error("Addresses", text, "Set it to the host names of this server.")
    unknown = [host for host in hosts if not _resolves(host)]
    if unknown:
        text = f"No address is known for {', '.join(unknown)}."
        return warning("Addresses", text, "Add DNS records, or correct BATON_ALLOWED_HOSTS.")
    return ok("Addresses", ", ".join(hosts))


def check_proxy() -> Finding:
    """Compare the number of proxies with the mode of the server."""
    if settings.PRODUCTION and not settings.TRUSTED_PROXIES:
        text = "BATON_PRODUCTION without a proxy redirects every request to HTTPS forever."
        return error("Proxy", text, "Set BATON_BEHIND_PROXY=1 if a proxy terminates TLS.")
    return ok("Proxy", f"{settings.TRUSTED_PROXIES} in front of the server")


def check_url(url: str) -> Finding:
    """Request the sign-in page and a websocket at the public address."""
    base = url.rstrip("/")
    try:
        # The authorities of the machine, as in other programs: it may have one of its own.
        tls = ssl.create_default_context()
        with httpx.Client(timeout=URL_SECONDS, trust_env=False, verify=tls) as client:
            page = client.get(f"{base}/sign-in/")
            handshake = client.get(f"{base}/doctor/", headers=_handshake(base))
    except httpx.HTTPError as reason:
        return error("URL", f"{base} cannot be reached: {reason}", "Check the proxy, DNS and TLS.")
    if not page.is_success or "Baton" not in page.text:
        text = f"{base}/sign-in/ answers {page.status_code} and not the sign-in page."
        return error("URL", text, "Check BATON_ALLOWED_HOSTS and the address in the proxy.")
    if handshake.status_code != FORBIDDEN:  # the answer of Baton to an unknown websocket
        text = f"Websockets do not reach Baton at {base} (status {handshake.status_code})."
        return error("URL", text, "Let the proxy pass the headers Upgrade, Connection and Host.")
    return ok("URL", f"{base} answers, and websockets pass.")


def _handshake(base: str) -> dict[str, str]:
    parts = urlsplit(base)
    return {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Origin": f"{parts.scheme}://{parts.netloc}",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(secrets.token_bytes(16)).decode(),
    }


def _resolves(host: str) -> bool:
    try:
        socket.getaddrinfo(host.strip("[]"), None)
    except OSError:
        return False
    return True
