"""Tools of an HTTP API, with a real server on loopback."""

import gzip
import json
from contextlib import aclosing

import pytest

from orchestration.definition import (
    Agent,
    Cue,
    CueCall,
    HttpCall,
    PipelineDefinition,
    Stage,
    Tool,
    ToolExample,
)
from orchestration.events import ToolReturned
from orchestration.messages import InboundMessage, ToolCall
from orchestration.network import AllowedAddresses, ConnectionSettings
from orchestration.providers.scripted import ScriptedProvider
from orchestration.runtime import Session
from orchestration.tools import MAX_HTTP_BYTES as MAX_BYTES
from orchestration.tools import MAX_REDIRECTS, HttpTool, RemoteTools, ToolHandler, WebClient
from tests.orchestration.web_server import Answer, WebServer, redirect

KEY = "sk-very-secret-key"


@pytest.fixture
def server():
    """Server that repeats the request, or sends the answers of the test."""
    answers: dict[str, Answer] = {}

    def answer(request):
        path = request.target.partition("?")[0]
        return answers.get(path) or Answer(
            as_json={"method": request.method, "target": request.target}
        )

    with WebServer(answer, said=answers) as running:
        yield running


async def call(server, arguments=None, *, connection=None, named=None, listed=None, **http):
    """Return the handler's result of a tool with this HTTP call."""

    async def find(name):
        return connection if connection and connection.name == name else None

    allowed = AllowedAddresses.parse([f"127.0.0.1:{server.port}"] if listed is None else listed)
    named = connection.name if connection else named
    tool = Tool(name="ask", kind="http", http=HttpCall(connection=named, **http))
    async with aclosing(WebClient(allowed)) as web:
        handler = ToolHandler(tools={"ask": HttpTool.of(tool, find, web)}, timeout=10)
        tool_call = ToolCall(id="1", name="ask", arguments=json.dumps(arguments or {}))
        (result,) = await handler.run([tool_call], key="session/run/1")
    return result


async def no_connection(_):
    return None


async def ok(*args, **options):
    result = await call(*args, **options)
    assert result.error is None, result.error
    return result.content


def shop(server, **fields):
    base = {"base_url": f"{server.url}/api/", "key": KEY, "headers": {"X-Shop": "header-secret"}}
    return ConnectionSettings("shop", "http", **base | fields)


# The request


async def test_arguments_are_escaped_for_their_place_in_the_address(server):
    url = f"{server.url}/orders/{{order}}/lines?page={{page}}&tag={{tag}}&open={{open}}&fixed=1"
    arguments = {"order": "a/b ?#", "tag": ["x&y", "ü"], "open": True}
    await ok(server, arguments, url=url)
    assert server.asked[0].method == "GET"
    assert server.asked[0].target == (
        "/orders/a%2Fb%20%3F%23/lines?tag=x%26y&tag=%C3%BC&open=true&fixed=1"
    )


@pytest.mark.parametrize("value", ["", None, ".", "..", "../keys", "a/../../keys", "..\\keys"])
async def test_an_argument_in_a_path_cannot_lead_elsewhere(server, value):
    result = await call(server, {"order": value}, url=f"{server.url}/orders/{{order}}")
    assert "'order'" in result.error
    assert server.asked == []


@pytest.mark.parametrize(
    "url", ["../keys", "a/../../keys", "/%2e%2e/keys", "..;/keys", "a\\..\\keys", "{a}{b}/keys"]
)
async def test_a_path_stays_below_the_address_of_its_connection(server, url):
    result = await call(server, {"a": ".", "b": "."}, connection=shop(server), url=url)
    assert "contains “.” or “..”" in result.error
    assert server.asked == []


async def test_an_argument_cannot_choose_the_host(server):
    result = await call(server, {"host": "127.0.0.1"}, url=f"http://{{host}}:{server.port}/")
    assert result.error == "An argument cannot choose the host of an address."
    assert server.asked == []


async def test_without_a_body_template_other_arguments_are_a_json_object(server):
    arguments = {"order": 7, "note": "née", "lines": [{"sku": "a"}]}
    await ok(server, arguments, method="POST", url=f"{server.url}/orders/{{order}}")
    (request,) = server.asked
    assert request.json == {"note": "née", "lines": [{"sku": "a"}]}
    assert request.headers["Content-Type"] == "application/json"


async def test_an_argument_in_a_body_is_json_or_part_of_a_quoted_text(server):
    template = '{"text": "Dear {name}: {", "lines": {lines}, "more": {more}}'
    arguments = {"name": 'Bo "}\\\n', "lines": [1, {"a": None}]}
    await ok(server, arguments, method="PUT", url=server.url, body=template)
    body = {"text": 'Dear Bo "}\\\n: {', "lines": [1, {"a": None}], "more": None}
    assert server.asked[0].json == body


async def test_a_body_may_be_a_form_or_plain_text(server):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    fields = {"method": "POST", "url": server.url}
    arguments = {"name": "a b&c=d", "tags": ["x", "y"]}
    await ok(server, arguments, headers=form, body="n={name}&t={tags}&m={missing}", **fields)
    assert server.asked[0].body == b"n=a+b%26c%3Dd&t=x&t=y"
    await ok(server, arguments, headers={"content-type": "text/plain"}, body="<{name}>", **fields)
    assert server.asked[1].body == b"<a b&c=d>"


async def test_a_header_with_a_missing_argument_is_not_sent(server):
    headers = {"X-Trace": "t-{trace}", "X-Page": "{page}"}
    await ok(server, {"trace": 5}, url=server.url, headers=headers)
    (request,) = server.asked
    assert request.headers["X-Trace"] == "t-5"
    assert "X-Page" not in request.headers


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "ü", "\x00"])
async def test_an_argument_cannot_add_a_header(server, value):
    result = await call(server, {"trace": value}, url=server.url, headers={"X-Trace": "{trace}"})
    assert "A header cannot carry" in result.error
    assert server.asked == []


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "TE", "a b", "x:"])
async def test_a_tool_cannot_set_headers_of_the_transport(server, name):
    result = await call(server, url=server.url, headers={name: "1"})
    assert result.error == f"The header {name!r} cannot be set by a tool."


async def test_a_call_with_effects_has_an_idempotency_key(server):
    await ok(server, method="POST", url=server.url)
    await ok(server, url=server.url)
    assert server.asked[0].headers["Idempotency-Key"] == "session/run/1/1"
    assert "Idempotency-Key" not in server.asked[1].headers


async def test_cookies_are_not_kept_between_calls(server):
    server.said["/"] = Answer("in", headers={"Set-Cookie": "session=1; Path=/"})
    async with aclosing(WebClient(AllowedAddresses.parse(["127.0.0.1"]))) as web:
        tool = HttpTool.of(Tool(name="ask", http=HttpCall(url=server.url)), no_connection, web)
        handler = ToolHandler(tools={"ask": tool})
        for _ in range(2):
            await handler.run([ToolCall(id="1", name="ask", arguments="{}")])
    assert ["Cookie" in request.headers for request in server.asked] == [False, False]


# Connections


async def test_a_connection_adds_its_address_and_credentials(server):
    await ok(server, {"order": 7}, connection=shop(server), url="/orders/{order}?a=1")
    (request,) = server.asked
    assert request.target == "/api/orders/7?a=1"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["X-Shop"] == "header-secret"


@pytest.mark.parametrize("url", ["", "?a=1", "//evil.example/x", "@evil.example", ".evil.example"])
async def test_any_template_stays_below_the_address_of_its_connection(server, url):
    await ok(server, connection=shop(server), url=url)
    assert server.asked[0].target.startswith("/api")


@pytest.mark.parametrize(
    "url", ["https://evil.example/api/", "{server}/apix", "{server}/", "{server}.evil.example/api"]
)
async def test_credentials_are_sent_only_to_their_own_address(server, url):
    result = await call(server, connection=shop(server), url=url.format(server=server.url))
    assert "only call addresses below" in result.error
    assert server.asked == []


async def test_a_full_address_below_the_connection_is_allowed(server):
    await ok(server, connection=shop(server), url=f"{server.url}/api/orders")
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"


async def test_a_header_of_the_definition_cannot_replace_a_credential(server):
    headers = {"Authorization": "Bearer mine", "x-shop": "mine"}
    await ok(server, connection=shop(server), headers=headers)
    assert server.asked[0].headers.get_all("Authorization") == [f"Bearer {KEY}"]
    assert server.asked[0].headers.get_all("X-Shop") == ["header-secret"]


async def test_a_missing_or_wrong_connection_is_an_error(server):
    result = await call(server, named="shop", url="/a")
    assert "'shop', which does not exist" in result.error
    result = await call(server, url="/a", connection=ConnectionSettings("shop", "anthropic"))
    assert "has the kind anthropic" in result.error


async def test_a_key_is_redacted_in_an_answer(server):
    server.said["/api/echo"] = Answer(as_json={"auth": f"Bearer {KEY}", "x": "header-secret"})
    server.said["/api/wrong"] = Answer(f"key {KEY} is wrong", status=401)
    answer = await ok(server, connection=shop(server), url="echo")
    assert json.loads(answer) == {"auth": "Bearer [redacted]", "x": "[redacted]"}
    assert KEY not in (await call(server, connection=shop(server), url="wrong")).error


# Redirects


async def test_a_key_is_redacted_also_without_its_scheme(server):
    connection = shop(server, key="", headers={"Authorization": f"Bearer {KEY}"})
    server.said["/api/echo"] = Answer(f"Incorrect API key: {KEY}", status=400)
    result = await call(server, connection=connection, url="/echo")
    assert "Incorrect API key: [redacted]" in result.error


async def test_at_most_three_redirects_are_followed(server):
    for step in range(5):
        server.said[f"/{step}"] = redirect(f"/{step + 1}")
    assert json.loads(await ok(server, url=f"{server.url}/2"))["target"] == "/5"
    server.asked.clear()
    result = await call(server, url=f"{server.url}/0")
    assert "more than 3 times" in result.error
    assert len(server.asked) == MAX_REDIRECTS + 1


async def test_a_redirect_to_another_origin_loses_the_credentials(server):
    with WebServer(lambda request: redirect(f"{server.url}/api/home", 307)) as other:
        server.said["/api/away"] = redirect(f"{other.url}/", 307)
        listed = [f"127.0.0.1:{other.port}", f"127.0.0.1:{server.port}"]
        await ok(
            server,
            {"a": 1},
            connection=shop(server),
            listed=listed,
            method="POST",
            url="away",
            headers={"X-Own": "mine"},
        )
        (elsewhere,) = other.asked
    first, back = server.asked
    assert first.headers["Authorization"]
    for request in (elsewhere, back):
        assert not {"Authorization", "X-Shop", "X-Own"} & set(request.headers)
    assert back.json == {"a": 1}


async def test_a_redirect_to_a_private_address_is_an_error(server):
    with WebServer(lambda request: Answer("inside")) as inside:
        server.said["/"] = redirect(f"http://2130706433:{inside.port}/")
        result = await call(server, url=f"{server.url}/")
        assert "BATON_ALLOWED_ADDRESSES" in result.error
        assert inside.asked == []


# The answer


@pytest.mark.parametrize(
    ("take", "part"),
    [
        ("", '{"a": {"b/c": [{"d": "text"}, 2]}, "e~f": null}'),
        ("/a/b~1c/0/d", "text"),
        ("/a/b~1c/1", "2"),
        ("/a/b~1c", '[{"d": "text"}, 2]'),
        ("/e~0f", "null"),
    ],
)
async def test_the_selected_part_of_the_answer_is_returned(server, take, part):
    server.said["/"] = Answer('{"a": {"b/c": [{"d": "text"}, 2]}, "e~f": null}')
    assert await ok(server, url=f"{server.url}/", take=take) == part


@pytest.mark.parametrize("take", ["/b", "/a/1", "/a/-", "/a/x", "/a/0/0", "a", "/"])
async def test_a_missing_part_is_an_error(server, take):
    server.said["/"] = Answer('{"a": [1]}')
    result = await call(server, url=f"{server.url}/", take=take)
    assert result.error == f"The answer has nothing at {take!r}."


async def test_a_part_of_an_answer_without_json_is_an_error(server):
    server.said["/"] = Answer("<html>")
    result = await call(server, url=f"{server.url}/", take="/a")
    assert result.error == "The answer of ask is not JSON, so that no part can be selected."


async def test_an_error_status_is_an_error_with_its_text(server):
    server.said["/"] = Answer("No such order." + "x" * 5_000, status=404)
    result = await call(server, url=f"{server.url}/")
    assert result.error.startswith("127.0.0.1 answered with status 404 Not Found: No such order.")
    assert len(result.error) < 2_100
    server.said["/"] = Answer(status=599)
    result = await call(server, url=f"{server.url}/")
    assert result.error == "127.0.0.1 answered with status 599."


async def test_an_empty_or_binary_answer_is_described(server):
    server.said["/"] = Answer(status=204)
    assert "status 204" in await ok(server, url=f"{server.url}/")
    server.said["/"] = Answer(b"\x89PNG\x00" * 10, headers={"Content-Type": "image/png"})
    assert await ok(server, url=f"{server.url}/") == "(image/png, 50 bytes: no text)"
    latin = Answer("née".encode("latin-1"), headers={"Content-Type": "text/plain; charset=latin-1"})
    server.said["/"] = latin
    assert await ok(server, url=f"{server.url}/") == "née"
    server.said["/"] = Answer(b"n\xffe", headers={"Content-Type": "text/plain; charset=none-such"})
    assert await ok(server, url=f"{server.url}/") == "n�e"


async def test_a_long_answer_is_limited_also_if_compressed(server):
    long = b"x" * (MAX_BYTES * 3)
    packed = Answer(gzip.compress(long), headers={"Content-Encoding": "gzip"})
    for answer in (Answer(long), packed):
        server.said["/"] = answer
        assert len(await ok(server, url=f"{server.url}/")) < MAX_BYTES
        result = await call(server, url=f"{server.url}/", take="/a")
        assert result.error == "The answer of ask is longer than 2 MB."


# Failures


async def test_an_unreachable_host_and_an_invalid_address_are_errors(server):
    with WebServer(lambda request: Answer()) as gone:
        pass
    result = await call(server, url=gone.url, listed=["127.0.0.1"])
    assert result.error == f"127.0.0.1:{gone.port} cannot be reached."
    assert "has no host" in (await call(server, url="/orders")).error
    assert "The address of ask is wrong" in (await call(server, url="https://[a]/")).error
    assert "no web address" in (await call(server, url="ftp://a.example/")).error


async def test_an_answer_that_breaks_off_is_an_error(server):
    server.said["/"] = Answer("short", headers={"Content-Length": "100", "Connection": "close"})
    result = await call(server, url=f"{server.url}/")
    assert result.error.startswith(f"The connection to 127.0.0.1:{server.port} broke off")


ORDER = {"type": "object", "properties": {"order": {"type": "string"}}}


def desk(**fields):
    tool = Tool(name="look_up", kind="http", parameters=ORDER, **fields)
    cues = (
        Cue(call=CueCall(tool="look_up", arguments={"order": "A/7"})),
        Cue(say="It is on its way."),
    )
    return PipelineDefinition(
        name="Desk",
        agents=(Agent(id="clerk", name="Clerk", tools=("look_up",), cues=cues),),
        stages=(Stage(phase="desk", agent_id="clerk"),),
        tools=(tool,),
        entry="desk",
    )


async def returned(definition, remote_tools):
    providers = {"default": ScriptedProvider(tokens_per_second=0)}
    session = Session(definition, session_id="s", providers=providers, remote_tools=remote_tools)
    events = [event async for event in session.run(InboundMessage(id="m", text="Where is it?"))]
    return next(event.result for event in events if isinstance(event, ToolReturned))


async def test_a_conversation_calls_the_api_of_its_definition(server):
    definition = desk(http=HttpCall(url=f"{server.url}/orders/{{order}}", take="/target"))
    async with aclosing(WebClient(AllowedAddresses.parse(["127.0.0.1"]))) as web:
        result = await returned(definition, RemoteTools(web=web))
    assert (result.content, result.error) == ("/orders/A%2F7", None)


async def test_examples_replace_an_api(server):
    definition = desk(
        http=HttpCall(url=server.url), stand_in=True, examples=(ToolExample(result="Shipped"),)
    )
    async with aclosing(WebClient(AllowedAddresses.parse(["127.0.0.1"]))) as web:
        result = await returned(definition, RemoteTools(web=web))
    assert result.content == "Shipped"
    assert server.asked == []
