"""What the server process takes, from whoever sends it."""

import httpx
import pytest

from designer.server import MAX_BODY
from tests.serving import BatonServer

pytestmark = pytest.mark.server


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_past_the_bound_is_answered_413_and_not_kept(
    server: BatonServer, is_chunked: bool
) -> None:
    piece = b"x" * 2**20
    body = (piece for _ in range(MAX_BODY // len(piece) + 1))
    length = {} if is_chunked else {"Content-Length": str(MAX_BODY + len(piece))}

    answer = httpx.post(f"{server.url}/sign-in/", content=body, headers=length, timeout=30)

    assert answer.status_code == 413
    assert "at most 16 MiB" in answer.text


def test_a_body_up_to_the_bound_comes_through(server: BatonServer) -> None:
    answer = httpx.post(f"{server.url}/sign-in/", content=b"x" * MAX_BODY, timeout=30)

    assert answer.status_code == 403, "Django's own answer to a post without a token"
