"""Search for keys in all output of a server."""

import json
import logging
import traceback
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from designer.core.database import in_database
from designer.models import Connection, Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.share_links import create_share_link
from designer.rehearsal.actions.wire_log import switch_log
from designer.rehearsal.live.providers import providers_for
from designer.rehearsal.live.wire_log import all_recorded
from orchestration.definition import Agent, HttpCall, PipelineDefinition, Stage, Tool, ToolExample
from orchestration.exceptions import ProviderError
from orchestration.network import AllowedAddresses
from orchestration.providers.provider import ModelRequest, PromptMessage
from tests.conftest import signed_in
from tests.designer.editor_requests import HTMX
from tests.designer.live_conversations import make_conversation
from tests.designer.live_waits import has, message, until
from tests.designer.rehearsal.live.test_providers import conversation_of
from tests.openai_server import Call, Failure, OpenAIServer
from tests.orchestration.web_server import Answer, WebServer

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "sk-canary-0123456789abcdef"
HEADER = "team-canary-0123456789"
TOOL_KEY = "tk-canary-9876543210fedcba"
ENCODED = b64encode(KEY.encode()).decode().rstrip("=")[:-2]

PAGES_WITHOUT_MESSAGES = [
    "/",
    "/connections/",
    "/connections/add/",
    "/connections/{connection}/",
    "/pipelines/{pipeline}/",
    "/pipelines/{pipeline}/?select=agent:clerk",
    "/pipelines/{pipeline}/inspect/?select=agent:clerk",
    "/pipelines/{pipeline}/export/",
]

PAGES = [
    "/pipelines/{pipeline}/conversations/all/",
    "/conversations/",
    "/conversations/{conversation}/",
    "/conversations/{conversation}/events/",
    "/conversations/{conversation}/export/",
    "/conversations/{conversation}/timeline/",
    "/conversations/{conversation}/contexts/",
]


class Canary(OpenAIServer):
    """Server whose key is the canary."""

    api_key = KEY


@pytest_asyncio.fixture(autouse=True)
async def no_run_stays_behind() -> AsyncIterator[None]:
    yield
    await live.shut_down()


@pytest.fixture
def server(settings) -> Iterator[OpenAIServer]:
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    with Canary() as running:
        yield running


def is_clean(text: str) -> bool:
    """Report whether a text contains no secret, as a whole, in its longer half or encoded."""
    parts = (KEY, KEY[3:], HEADER, HEADER[5:], TOOL_KEY, TOOL_KEY[3:], ENCODED)
    return not any(part in text for part in parts)


def connect(user, server, **options) -> Connection:
    row = Connection(owner=user, name="work", base_url=server.base_url, model="small", **options)
    row.store_secrets(key=KEY, headers={"X-Team": HEADER})
    row.save()
    return row


def pages(
    user, conversation: Conversation, connection: Connection, more: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield all pages of a conversation, and more pages."""
    client = signed_in(user)
    ids = {
        "pipeline": conversation.pipeline_id,
        "conversation": conversation.pk,
        "connection": connection.pk,
    }
    paths = [path.format(**ids) for path in (*PAGES, *more)]
    events = conversation.recorded_events.values_list("seq", flat=True)
    paths += [f"/conversations/{conversation.pk}/events/{seq}/" for seq in events]
    for path in paths:
        response: Any = client.get(path, headers=HTMX if "inspect" in path else {})
        assert response.status_code == 200, path
        body = b"".join(response.streaming_content) if response.streaming else response.content
        yield path, body.decode()


FAULTS = {
    "an answer": lambda _: ["Good ", "day."],
    "a refusal that echoes": lambda _: Failure(
        400, f"no {KEY} of {HEADER}", (("x-request-id", KEY),)
    ),
    "a refused key": lambda _: Failure(401, f"Incorrect API key provided: {KEY}."),
    "an error": lambda _: Failure(403, f"{HEADER} may not", (("www-authenticate", KEY),)),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_no_event_page_export_log_or_row_holds_a_key(user, server, caplog, fault):
    caplog.set_level(logging.DEBUG)
    server.script = FAULTS[fault]
    connection = await in_database(connect, user, server)
    conversation = await in_database(conversation_of, user, "work")
    await live.say(conversation.pk, message())
    last = "run.completed" if fault == "an answer" else "run.failed"
    await until(has(conversation, last))
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["X-Team"] == HEADER

    def shown() -> list[tuple[str, str]]:
        return list(pages(user, conversation, connection, PAGES_WITHOUT_MESSAGES))

    for path, text in await in_database(shown):
        assert is_clean(text), path
    bodies: Any = await in_database(
        lambda: list(conversation.recorded_events.values_list("body", flat=True))
    )
    assert is_clean(json.dumps(bodies))
    assert is_clean(caplog.text)
    assert is_clean("\n".join(str(record.__dict__) for record in caplog.records))
    assert is_clean(repr(await providers_for(conversation.pk)))


ECHOES: dict[str, list[Any]] = {
    "whole": [f"My key is {KEY}, and {HEADER} is my team."],
    "in two pieces": ["My key is ", KEY[:11], KEY[11:], "."],
    "character by character": list(f"{KEY} {HEADER}"),
    "in base64": [b64encode(KEY.encode()).decode()],
    "in an argument": [Call("note", {"text": KEY, "more": [HEADER]})],
    "in an escaped argument": [
        Call("note", '{"text": "' + "".join(f"\\u{ord(letter):04x}" for letter in KEY) + '"}')
    ],
    "in the name of a call": [Call(KEY, {})],
}


@pytest.mark.parametrize("echo", ECHOES)
async def test_a_key_that_a_model_repeats_is_redacted_everywhere(user, server, echo):
    note = Tool(name="note", stand_in=True, examples=(ToolExample(result="Noted."),))
    is_call = isinstance(ECHOES[echo][0], Call)

    def script(request: dict[str, Any]) -> list[Any]:
        is_first = request["messages"][-1]["role"] == "user"
        return ECHOES[echo] if is_first else ["Done."]

    server.script = script
    texts = await shown_after_a_run(user, server, note)
    assert [path for path, text in texts.items() if not is_clean(text)] == []
    assert "[redacted]" in texts["events"]
    assert "[redacted]" in texts["watch"] or is_call
    assert "redacted" in texts["index"] or is_call
    assert texts["found"] == ""
    assert len(server.requests) == 1 + is_call
    assert is_clean(json.dumps(server.requests))


RESULTS = {
    "whole": [Answer(f"Your key is {TOOL_KEY}.")],
    "as JSON": [Answer(as_json={"headers": {"Authorization": f"Bearer {TOOL_KEY}"}})],
    "as an error": [Answer(f"Who is {TOOL_KEY}?", status=403)],
    "in two results": [Answer(TOOL_KEY[:13]), Answer(TOOL_KEY[13:])],
}


@pytest.mark.parametrize("answers", RESULTS)
async def test_a_key_that_a_tool_repeats_is_redacted_everywhere(user, server, answers):
    """The model joins all results and repeats them."""
    left = list(RESULTS[answers])
    look_up = Tool(name="look_up", kind="http", http=HttpCall(url="orders", connection="shop"))

    def script(request: dict[str, Any]) -> list[Any]:
        if left:
            return [Call("look_up", {})]
        results = [m["content"] for m in request["messages"] if m["role"] == "tool"]
        return list("".join(results))

    server.script = script
    with WebServer(lambda _: left.pop(0)) as shop:
        row = Connection(owner=user, name="shop", kind="http", base_url=shop.url)
        row.store_secrets(key=TOOL_KEY, headers={})
        await in_database(row.save)
        texts = await shown_after_a_run(user, server, look_up)
    assert [asked.headers["Authorization"] for asked in shop.asked] == [
        f"Bearer {TOOL_KEY}" for _ in RESULTS[answers]
    ]
    assert [path for path, text in texts.items() if not is_clean(text)] == []
    assert "[redacted]" in texts["watch"]


async def shown_after_a_run(user, server, tool: Tool) -> dict[str, str]:
    """Return all pages after a run with the wire log, the events, and the pages of a link."""
    row = await in_database(connect, user, server)
    definition = PipelineDefinition(
        name="Desk",
        agents=(Agent(id="clerk", name="Clerk", provider="work", tools=(tool.name,)),),
        stages=(Stage(phase="desk", agent_id="clerk"),),
        tools=(tool,),
        entry="desk",
    )
    conversation = await in_database(make_conversation, user, definition)
    await in_database(partial(switch_log, conversation=conversation, is_on=True))
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    await all_recorded()

    def shown() -> dict[str, str]:
        token = create_share_link(conversation=conversation, user=user)
        watch, watcher = f"/watch/{token}/", Client()
        bodies = list(conversation.recorded_events.values_list("body", flat=True))
        links = [watch, f"{watch}events/", f"{watch}timeline/", f"{watch}contexts/"]
        links += [f"{watch}events/{body['seq']}/" for body in bodies]
        exchanges = list(conversation.exchanges.values_list("body", flat=True))
        assert exchanges
        return {
            **dict(pages(user, conversation, row)),
            "events": json.dumps(bodies),
            "exchanges": json.dumps(exchanges),
            "watch": "".join(watcher.get(link).content.decode() for link in links),
            "index": indexed_messages(),
            "found": found_by_search(user, conversation),
        }

    return await in_database(shown)


def indexed_messages() -> str:
    """Return the content of the search index."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT text FROM designer_messageindex")
        return "\n".join(text for (text,) in cursor.fetchall())


def found_by_search(user, conversation: Conversation) -> str:
    """Return the secrets whose search finds the conversation; a word in a message is found."""
    client, address = (
        signed_in(user),
        reverse("pipeline_conversations", args=[conversation.pipeline_id]),
    )

    def total(text: str) -> int:
        return int(client.get(address, {"q": text}).context["total"])

    assert total(message().text) == 1
    secrets = (KEY, HEADER, TOOL_KEY, ENCODED, KEY.split("-")[2], f'"{KEY[3:9]}"')
    return "\n".join(secret for secret in secrets if total(secret))


def test_no_dump_of_the_database_holds_a_key(user, server, capsys):
    connect(user, server)
    call_command("dumpdata", "designer.connection")
    dumped = capsys.readouterr().out
    assert '"name": "work"' in dumped
    assert is_clean(dumped)


@pytest.mark.parametrize("debug", [True, False])
def test_no_report_of_an_error_holds_a_key(user, server, settings, debug):
    settings.DEBUG = debug
    row = connect(user, server)
    settings.ENCRYPTION_KEYS = [5]  # which fails in the midst of encrypting
    client = signed_in(user)
    client.raise_request_exception = False
    fields = {
        "kind": "openai_compatible",
        "name": "work",
        "base_url": server.base_url,
        "key": KEY,
        "headers": f"X-Team: {HEADER}",
    }
    response = client.post(reverse("connection", args=[row.pk]), fields)
    assert response.status_code == 500
    assert ("AttributeError" in response.content.decode()) is debug
    assert is_clean(response.content.decode())


async def test_no_traceback_of_a_call_holds_a_key(user, server):
    server.script = lambda _: Failure(401, f"Incorrect API key provided: {KEY}.")
    await in_database(connect, user, server)
    conversation = await in_database(conversation_of, user, "work")
    provider = (await providers_for(conversation.pk))["work"]
    request = ModelRequest(
        agent=Agent(id="clerk", name="Clerk"),
        phase="desk",
        system_parts=(),
        messages=[PromptMessage(role="user", text="Hi")],
    )
    with pytest.raises(ProviderError) as failed:
        async for _ in provider.stream(request):
            pass
    lines = "".join(traceback.format_exception(failed.value))
    assert is_clean(lines)
    assert failed.value.__cause__ is None
    assert is_clean(repr(failed.value) + repr(vars(failed.value)))
