"""Fixtures of the designer's tests: a conversation and a reader of it, a vendor, and none."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import get_finders
from django.test import Client

from designer.models import Conversation, Membership, Pipeline
from designer.rehearsal import live
from designer.serving.static_files import HashedStaticFilesStorage
from orchestration.network import AllowedAddresses
from tests.designer.editor_requests import draw
from tests.designer.live_conversations import Reader, make_conversation
from tests.designer.recorded_conversations import record_rehearsal
from tests.openai_server import OpenAIServer


@pytest.fixture
def conversation(user: User) -> Conversation:
    """One of `user`'s that has not begun."""
    return make_conversation(user)


@pytest.fixture
def recorded(user: User) -> Conversation:
    """Conversation of `user` with two answered messages, handoffs and tools."""
    return record_rehearsal(user)


@pytest.fixture
def pipeline(user: User, other_user: User) -> Pipeline:
    """One of `user`'s, of three stages, that `other_user` may edit, too."""
    pipeline = draw(user, "intake", "review", "resolution")
    Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    return pipeline


@pytest_asyncio.fixture
async def reader(client: Client, conversation: Conversation) -> AsyncIterator[Reader]:
    """A socket of the conversation, connected."""
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    yield reader
    await live.shut_down()
    await reader.leave()


@pytest.fixture
def vendor(settings: Any) -> Iterator[OpenAIServer]:
    """A chat-completions server that connections may reach."""
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is connected by the environment."""
    for vendor in ("OPENAI", "ANTHROPIC", "GEMINI", "OLLAMA"):
        for part in ("API_KEY", "BASE_URL", "MODEL"):
            monkeypatch.delenv(f"{vendor}_{part}", raising=False)


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> HashedStaticFilesStorage:
    """Return the storage with all static files, as after `collectstatic`."""
    folder = tmp_path_factory.mktemp("static")
    storage = HashedStaticFilesStorage(location=folder, base_url="/static/")
    paths = {}
    for finder in get_finders():
        for path, source in finder.list([]):
            with source.open(path) as file:
                storage.save(path, file)
            paths[path] = (storage, path)
    for _, _, processed in storage.post_process(paths):
        assert processed is not None
    return storage
