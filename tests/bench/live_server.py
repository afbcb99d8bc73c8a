"""The process that `scripts/bench live` measures: `python -m tests.bench.live_server 50 10000`.

It prepares so many conversations and a trace of so many events in the data folder of the
environment, serves on a free port of loopback, and prints one line of JSON: where, and what there
is to read.
"""

from __future__ import annotations

import json
import os
import sys

import django


def main() -> None:
    """Prepare, serve, and say so."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")
    django.setup()
    from django.conf import settings

    from designer.management.commands.demo import collect_static_files
    from designer.serving.server import serve

    # Before anything serves them: which files there are is looked up once.
    collect_static_files()
    from tests.bench.live_there import prepare

    there = prepare(int(sys.argv[1]), int(sys.argv[2]))
    settings.ASGI_APPLICATION = "tests.bench.live_there.application"

    def announce(url: str) -> None:
        print(json.dumps(there | {"url": url}), flush=True)  # noqa: T201

    serve(host="127.0.0.1", port=0, announce=announce)


if __name__ == "__main__":
    main()
