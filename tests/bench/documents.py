"""Cost of the largest documents: time to load one, and latency of another user's page meanwhile.

A real server loads each document of one user, and another user opens pages all the time.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import django
import httpx
import yaml

from tests.serving import BatonServer

LIMIT_MS = 250
"""Maximum time to load the largest document of each kind."""

LIMIT_DELAY_MS = 100
"""Maximum delay of another user's page meanwhile."""

Upload = Callable[[httpx.Client, bytes], httpx.Response]


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench documents",
        description="Time to load the largest documents, and the delay of another user's page.",
    )
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement (5)")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "designer.settings"
    with TemporaryDirectory() as name:
        os.environ["BATON_DATA_DIR"] = name
        django.setup()
        _measure(Path(name), options.rounds)
    return 0


def _measure(folder: Path, rounds: int) -> None:
    from designer.connections.openapi import read_openapi
    from orchestration.loading import load_storable
    from orchestration.runtime import read_trace
    from tests.bench.largest_documents import (
        largest_definition,
        largest_openapi,
        largest_trace,
    )

    api = largest_openapi()
    as_yaml = yaml.dump(api, Dumper=yaml.CSafeDumper, sort_keys=False).encode()
    definition, trace = largest_definition(), largest_trace()
    kinds: list[tuple[str, bytes, Callable[[bytes], object], Upload]] = [
        ("definition (file)", definition, load_storable, _import),
        ("definition (clipboard)", definition, load_storable, _paste),
        ("OpenAPI (JSON)", json.dumps(api).encode(), read_openapi, _openapi),
        ("OpenAPI (YAML)", as_yaml, read_openapi, _openapi),
        ("trace", trace, read_trace, _trace),
    ]
    server = BatonServer(folder / "server", static_root=folder / "static")
    server.start()
    try:
        importer, reader = signed_in_client(server, "ada"), signed_in_client(server, "grace")
        _print("| kind | bytes | load (CPU) | request | page | page meanwhile | slower by |")
        _print("|---|---|---|---|---|---|---|")
        for name, data, load, upload in kinds:
            loaded = median(_cpu_milliseconds(load, data) for _ in range(rounds))
            alone = _pages(reader, rounds * 5)
            meanwhile, request = _pages_during(importer, reader, upload, data, rounds)
            delay = median(meanwhile) - median(alone)
            _print(
                f"| {name} | {len(data):,} | {loaded:.0f} ms | {median(request):.0f} ms "
                f"| {median(alone):.0f} ms | {median(meanwhile):.0f} ms | {delay:.0f} ms |"
            )
        _print(f"\nlimits: load {LIMIT_MS} ms, slower by {LIMIT_DELAY_MS} ms; medians of pages")
    finally:
        server.stop()


def _cpu_milliseconds(load: Callable[[bytes], object], data: bytes) -> float:
    start = time.thread_time()
    load(data)
    return (time.thread_time() - start) * 1000


def _milliseconds(load: Callable[[bytes], object], data: bytes) -> float:
    start = time.perf_counter()
    load(data)
    return (time.perf_counter() - start) * 1000


def signed_in_client(server: BatonServer, username: str) -> httpx.Client:
    """Return a client that is signed in and has the token of forms."""
    if username == server.username:
        link = server.sign_in_url()
    else:
        server.manage("createsuperuser", "--noinput", "--username", username, "--email", "")
        link = server.manage("sign_in_link", "--username", username, "--base-url", server.url)
    client = httpx.Client(base_url=server.url, timeout=60, follow_redirects=True)
    client.headers["Origin"] = server.url
    _set_token(client, client.get(link))
    client.post(link).raise_for_status()
    _set_token(client, client.get("/"))
    return client


def _set_token(client: httpx.Client, page: httpx.Response) -> None:
    token = page.text.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    client.headers["X-CSRFToken"] = token


def _pages(reader: httpx.Client, count: int) -> list[float]:
    return [_page(reader) for _ in range(count)]


def _page(reader: httpx.Client) -> float:
    start = time.perf_counter()
    reader.get("/").raise_for_status()
    return (time.perf_counter() - start) * 1000


def _pages_during(
    importer: httpx.Client, reader: httpx.Client, upload: Upload, data: bytes, rounds: int
) -> tuple[list[float], list[float]]:
    """Return the times of another user's pages during uploads, and of the uploads."""
    pages: list[float] = []
    requests: list[float] = []
    for _ in range(rounds):
        thread = threading.Thread(
            target=lambda: requests.append(_milliseconds(lambda body: upload(importer, body), data))
        )
        thread.start()
        time.sleep(0.02)
        while thread.is_alive():
            pages.append(_page(reader))
        thread.join()
    return pages, requests


def _check(response: httpx.Response) -> httpx.Response:
    if response.status_code >= 400 or "/sign-in" in response.headers.get("Location", ""):
        raise RuntimeError(
            f"{response.request.url}: {response.status_code} {response.text[-2000:]}"
        )
    return response


def _import(client: httpx.Client, data: bytes) -> httpx.Response:
    # A known name would lead to a choice. The editor is not part of the import.
    named = data.replace(b"The largest definition", secrets.token_hex(11).encode(), 1)
    response = client.post("/pipelines/import/", files={"file": named}, follow_redirects=False)
    return _check(response)


def _paste(client: httpx.Client, data: bytes) -> httpx.Response:
    created = client.post("/pipelines/create/", data={"name": "Empty"}, follow_redirects=False)
    address = _check(created).headers["Location"]
    fields = {"text": (None, data), "version": (None, b"1")}
    response = client.post(f"{address}parts/paste/", files=fields, headers={"HX-Request": "true"})
    return _check(response)


def _openapi(client: httpx.Client, data: bytes) -> httpx.Response:
    created = client.post("/pipelines/create/", data={"name": "Empty"}, follow_redirects=False)
    address = _check(created).headers["Location"]
    return _check(client.post(f"{address}tools/document/", files={"file": data}))


def _trace(client: httpx.Client, data: bytes) -> httpx.Response:
    return _check(client.post("/traces/open/", files={"file": data}, follow_redirects=False))


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
