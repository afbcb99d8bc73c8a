"""OpenID Connect provider on loopback: authorization code flow with PKCE and a real key."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID, CLIENT_SECRET = "baton", "the secret of the client"
KEY_ID = "key-1"


@cache
def private_key() -> rsa.RSAPrivateKey:
    """Key of the provider."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@cache
def foreign_key() -> rsa.RSAPrivateKey:
    """Key of somebody else."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def signed(claims: Mapping[str, Any]) -> str:
    """Sign a token as the provider does."""
    return jwt.encode(dict(claims), private_key(), algorithm="RS256", headers={"kid": KEY_ID})


class OpenIdServer:
    """A provider that identifies one person; `person` and `make_token` change its answers."""

    def __init__(self) -> None:
        self.person: dict[str, Any] = {
            "sub": "248289761001",
            "email": "ada@baton.example",
            "email_verified": True,
            "preferred_username": "ada",
        }
        self.user_info: dict[str, Any] = {}
        self.make_token: Callable[[dict[str, Any]], str] = signed
        self.requests: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}

    def __enter__(self) -> Self:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.requests.append(urlsplit(self.path).path)
                provider._answer(self, dict(parse_qsl(urlsplit(self.path).query)))

            def do_POST(self) -> None:
                provider.requests.append(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                provider._answer(self, dict(parse_qsl(body)))

            def log_message(self, *args: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Refuse further connections; it may be stopped twice."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler, values: dict[str, str]) -> None:
        match urlsplit(handler.path).path:
            case "/.well-known/openid-configuration":
                _send(handler, 200, self._description())
            case "/authorize":
                self._authorize(handler, values)
            case "/token":
                status, answer = self._exchange(values)
                _send(handler, status, answer)
            case "/keys":
                key = jwt.algorithms.RSAAlgorithm.to_jwk(private_key().public_key(), as_dict=True)
                _send(handler, 200, {"keys": [{**key, "kid": KEY_ID, "use": "sig"}]})
            case "/userinfo":
                _send(handler, 200, self.user_info)
            case _:
                _send(handler, 404, {})

    def _description(self) -> dict[str, str]:
        paths = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
        paths |= {"jwks_uri": "keys", "userinfo_endpoint": "userinfo"}
        return {"issuer": self.issuer} | {
            name: f"{self.issuer}/{path}" for name, path in paths.items()
        }

    def _authorize(self, handler: BaseHTTPRequestHandler, values: dict[str, str]) -> None:
        """Identify the person at once, and redirect back with a code."""
        assert values["client_id"] == CLIENT_ID
        assert values["response_type"] == "code"
        assert values["code_challenge_method"] == "S256"
        assert "openid" in values["scope"].split()
        code = secrets.token_urlsafe(8)
        self._codes[code] = values
        query = urlencode({"code": code, "state": values["state"]})
        handler.send_response(302)
        handler.send_header("Location", f"{values['redirect_uri']}?{query}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def _exchange(self, values: dict[str, str]) -> tuple[int, dict[str, str]]:
        request = self._codes.pop(values.get("code", ""), None)
        if request is None:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(values.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            values.get("client_id") != CLIENT_ID
            or values.get("client_secret") != CLIENT_SECRET
            or values.get("redirect_uri") != request["redirect_uri"]
            or challenge != request["code_challenge"]
        ):
            return 400, {"error": "invalid_request"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": request["nonce"],
            **self.person,
        }
        token = self.make_token(claims)
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": token}


def _send(handler: BaseHTTPRequestHandler, status: int, answer: object) -> None:
    body = json.dumps(answer).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
