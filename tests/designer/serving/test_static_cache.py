"""Cache of immutable static files."""

from typing import Any

import pytest

from designer.serving.static_cache import StaticFileCache

IMMUTABLE = (b"Cache-Control", b"max-age=315360000, public, immutable")


class Files:
    """Application that answers with a file and counts the requests."""

    def __init__(self, *headers: tuple[bytes, bytes], status: int = 200) -> None:
        self.headers, self.status, self.asked = list(headers), status, 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked += 1
        start = {"type": "http.response.start", "status": self.status, "headers": self.headers}
        await send(start)
        await send({"type": "http.response.body", "body": b"x" * 100, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def ask(
    application: Any, *headers: tuple[bytes, bytes], path: str = "/static/a.1.js", **scope: Any
) -> list[Any]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asked = {"type": "http", "method": "GET", "path": path, "headers": list(headers), **scope}
    await application(asked, None, send)
    return sent


async def test_an_immutable_file_is_requested_once():
    files = Files(IMMUTABLE, (b"X-Content-Type-Options", b"nosniff"))
    application = StaticFileCache(files, prefix="/static/")
    first = await ask(application)
    assert await ask(application) == first
    assert [one.get("body") for one in first] == [None, b"x" * 100, b""]
    assert files.asked == 1


async def test_encoding_host_and_scheme_have_separate_responses():
    files = Files(IMMUTABLE)
    application = StaticFileCache(files, prefix="/static/")
    for headers, scope in [
        ([], {}),
        ([(b"accept-encoding", b"gzip")], {}),
        ([(b"host", b"other.example")], {}),
        ([(b"x-forwarded-proto", b"https")], {}),
        ([], {"scheme": "https"}),
    ]:
        await ask(application, *headers, **scope)
    assert files.asked == 5


@pytest.mark.parametrize(
    ("files", "asked"),
    [
        (Files(), {}),
        (Files((b"Cache-Control", b"max-age=60, public")), {}),
        (Files(IMMUTABLE, status=404), {}),
        (Files(IMMUTABLE, (b"Set-Cookie", b"sessionid=a")), {}),
        (Files(IMMUTABLE), {"path": "/pipelines/1/"}),
        (Files(IMMUTABLE), {"method": "HEAD"}),
        (Files(IMMUTABLE), {"query_string": b"a=b"}),
    ],
)
async def test_other_responses_are_not_cached(files, asked):
    application = StaticFileCache(files, prefix="/static/")
    for _ in range(2):
        await ask(application, **asked)
    assert files.asked == 2


@pytest.mark.parametrize("name", [b"range", b"if-none-match", b"if-modified-since", b"if-range"])
async def test_partial_and_conditional_requests_are_not_cached(name):
    files = Files(IMMUTABLE)
    application = StaticFileCache(files, prefix="/static/")
    for _ in range(2):
        await ask(application, (name, b"1"))
    assert files.asked == 2


async def test_the_size_of_the_cache_is_limited():
    files = Files(IMMUTABLE)
    application = StaticFileCache(files, prefix="/static/", max_bytes=250)
    for number in (1, 2, 3):
        await ask(application, path=f"/static/{number}.js")
    await ask(application, path="/static/3.js")
    assert files.asked == 3
    await ask(application, path="/static/1.js")
    assert files.asked == 4


async def test_simultaneous_requests_are_cached_once():
    files = Files(IMMUTABLE)
    application = StaticFileCache(files, prefix="/static/", max_bytes=250)

    async def ask_within(scope: Any, receive: Any, send: Any) -> None:
        application.application = files
        await ask(application)
        await files(scope, receive, send)

    application.application = ask_within
    await ask(application)
    assert application._cached.currsize == 100
