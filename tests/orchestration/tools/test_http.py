"""Tools that an HTTP API answers, against a real server on loopback."""

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
    """Says what it was asked, unless a test tells it otherwise."""
    said: dict[str, Answer] = {}

    def answer(asked):
        path = asked.target.partition("?")[0]
        return said.get(path) or Answer(as_json={"method": asked.method, "target": asked.target})

    with WebServer(answer, said=said) as running:
        yield running


async def call(server, arguments=None, *, connection=None, named=None, listed=None, **http):
    """The result of a tool that makes this call, as the handler gives it to a model."""

    async def find(name):
        return connection if connection and connection.name == name else None

    allowed = AllowedAddresses.parse([f"127.0.0.1:{server.port}"] if listed is None else listed)
    named = connection.name if connection else named
    tool = Tool(name="ask", kind="http", http=HttpCall(connection=named, **http))
    async with aclosing(WebClient(allowed)) as web:
        handler = ToolHandler(tools={"ask": HttpTool.of(tool, find, web)}, timeout=10)
        made = ToolCall(id="1", name="ask", arguments=json.dumps(arguments or {}))
        (result,) = await handler.run([made], key="session/run/1")
    return result


async def nobody(_):
    return None


async def ok(*args, **options):
    result = await call(*args, **options)
    assert result.error is None, result.error
    return result.content


def shop(server, **fields):
    base = {"base_url": f"{server.url}/api/", "key": KEY, "headers": {"X-Shop": "header-secret"}}
    return ConnectionSettings("shop", "http", **base | fields)


# The request


async def test_arguments_fill_the_address_each_as_its_place_needs_it(server):
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
async def test_no_path_leads_above_the_address_of_a_connection(server, url):
    result = await call(server, {"a": ".", "b": "."}, connection=shop(server), url=url)
    assert "contains “.” or “..”" in result.error
    assert server.asked == []


async def test_an_argument_cannot_choose_the_host(server):
    result = await call(server, {"host": "127.0.0.1"}, url=f"http://{{host}}:{server.port}/")
    assert result.error == "An argument cannot choose the host of an address."
    assert server.asked == []


async def test_without_a_body_template_the_other_arguments_are_one_json_object(server):
    arguments = {"order": 7, "note": "née", "lines": [{"sku": "a"}]}
    await ok(server, arguments, method="POST", url=f"{server.url}/orders/{{order}}")
    (asked,) = server.asked
    assert asked.json == {"note": "née", "lines": [{"sku": "a"}]}
    assert asked.headers["Content-Type"] == "application/json"


async def test_an_argument_in_a_body_is_json_and_within_quotes_a_part_of_the_text(server):
    body = '{"text": "Dear {name}: {", "lines": {lines}, "more": {more}}'
    arguments = {"name": 'Bo "}\\\n', "lines": [1, {"a": None}]}
    await ok(server, arguments, method="PUT", url=server.url, body=body)
    said = {"text": 'Dear Bo "}\\\n: {', "lines": [1, {"a": None}], "more": None}
    assert server.asked[0].json == said


async def test_a_body_may_be_a_form_or_plain_text(server):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    fields = {"method": "POST", "url": server.url}
    arguments = {"name": "a b&c=d", "tags": ["x", "y"]}
    await ok(server, arguments, headers=form, body="n={name}&t={tags}&m={missing}", **fields)
    assert server.asked[0].body == b"n=a+b%26c%3Dd&t=x&t=y"
    await ok(server, arguments, headers={"content-type": "text/plain"}, body="<{name}>", **fields)
    assert server.asked[1].body == b"<a b&c=d>"


async def test_headers_carry_arguments_and_one_that_is_not_given_is_left_out(server):
    headers = {"X-Trace": "t-{trace}", "X-Page": "{page}"}
    await ok(server, {"trace": 5}, url=server.url, headers=headers)
    (asked,) = server.asked
    assert asked.headers["X-Trace"] == "t-5"
    assert "X-Page" not in asked.headers


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "ü", "\x00"])
async def test_an_argument_cannot_add_a_header(server, value):
    result = await call(server, {"trace": value}, url=server.url, headers={"X-Trace": "{trace}"})
    assert "A header cannot carry" in result.error
    assert server.asked == []


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "TE", "a b", "x:"])
async def test_a_tool_does_not_say_how_it_is_sent(server, name):
    result = await call(server, url=server.url, headers={name: "1"})
    assert result.error == f"The header {name!r} cannot be set by a tool."


async def test_a_call_that_changes_something_carries_the_key_against_doubles(server):
    await ok(server, method="POST", url=server.url)
    await ok(server, url=server.url)
    assert server.asked[0].headers["Idempotency-Key"] == "session/run/1/1"
    assert "Idempotency-Key" not in server.asked[1].headers


async def test_no_cookie_is_kept_from_one_call_to_the_next(server):
    server.said["/"] = Answer("in", headers={"Set-Cookie": "session=1; Path=/"})
    async with aclosing(WebClient(AllowedAddresses.parse(["127.0.0.1"]))) as web:
        tool = HttpTool.of(Tool(name="ask", http=HttpCall(url=server.url)), nobody, web)
        handler = ToolHandler(tools={"ask": tool})
        for _ in range(2):
            await handler.run([ToolCall(id="1", name="ask", arguments="{}")])
    assert ["Cookie" in asked.headers for asked in server.asked] == [False, False]


# Connections


async def test_a_connection_brings_its_address_and_its_credentials(server):
    await ok(server, {"order": 7}, connection=shop(server), url="/orders/{order}?a=1")
    (asked,) = server.asked
    assert asked.target == "/api/orders/7?a=1"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.headers["X-Shop"] == "header-secret"


@pytest.mark.parametrize("url", ["", "?a=1", "//evil.example/x", "@evil.example", ".evil.example"])
async def test_whatever_a_template_says_stays_below_the_address_of_its_connection(server, url):
    await ok(server, connection=shop(server), url=url)
    assert server.asked[0].target.startswith("/api")


@pytest.mark.parametrize(
    "url", ["https://evil.example/api/", "{server}/apix", "{server}/", "{server}.evil.example/api"]
)
async def test_credentials_do_not_leave_the_address_they_were_given_for(server, url):
    result = await call(server, connection=shop(server), url=url.format(server=server.url))
    assert "only call addresses below" in result.error
    assert server.asked == []


async def test_a_whole_address_below_that_of_the_connection_will_do(server):
    await ok(server, connection=shop(server), url=f"{server.url}/api/orders")
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"


async def test_a_header_of_the_definition_does_not_replace_a_credential(server):
    headers = {"Authorization": "Bearer mine", "x-shop": "mine"}
    await ok(server, connection=shop(server), headers=headers)
    assert server.asked[0].headers.get_all("Authorization") == [f"Bearer {KEY}"]
    assert server.asked[0].headers.get_all("X-Shop") == ["header-secret"]


async def test_a_connection_that_is_not_there_or_no_http_api_is_told(server):
    result = await call(server, named="shop", url="/a")
    assert "'shop', which does not exist" in result.error
    result = await call(server, url="/a", connection=ConnectionSettings("shop", "anthropic"))
    assert "has the kind anthropic" in result.error


async def test_a_key_that_comes_back_in_an_answer_is_struck_out(server):
    server.said["/api/echo"] = Answer(as_json={"auth": f"Bearer {KEY}", "x": "header-secret"})
    server.said["/api/wrong"] = Answer(f"key {KEY} is wrong", status=401)
    said = await ok(server, connection=shop(server), url="echo")
    assert json.loads(said) == {"auth": "Bearer [key]", "x": "[key]"}
    assert KEY not in (await call(server, connection=shop(server), url="wrong")).error


# Redirects


async def test_the_key_in_a_header_is_struck_out_where_it_comes_back_without_its_scheme(server):
    connection = shop(server, key="", headers={"Authorization": f"Bearer {KEY}"})
    server.said["/api/echo"] = Answer(f"Incorrect API key: {KEY}", status=400)
    result = await call(server, connection=connection, url="/echo")
    assert "Incorrect API key: [key]" in result.error


async def test_redirects_are_followed_three_times_and_no_more(server):
    for step in range(5):
        server.said[f"/{step}"] = redirect(f"/{step + 1}")
    assert json.loads(await ok(server, url=f"{server.url}/2"))["target"] == "/5"
    server.asked.clear()
    result = await call(server, url=f"{server.url}/0")
    assert "more than 3 times" in result.error
    assert len(server.asked) == MAX_REDIRECTS + 1


async def test_a_redirect_to_another_origin_carries_no_credentials_not_even_back(server):
    with WebServer(lambda asked: redirect(f"{server.url}/api/home", 307)) as other:
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
    for asked in (elsewhere, back):
        assert not {"Authorization", "X-Shop", "X-Own"} & set(asked.headers)
    assert back.json == {"a": 1}


async def test_a_redirect_to_an_address_that_is_not_public_is_refused(server):
    with WebServer(lambda asked: Answer("inside")) as inside:
        server.said["/"] = redirect(f"http://2130706433:{inside.port}/")
        result = await call(server, url=f"{server.url}/")
        assert "BATON_ALLOWED_ADDRESSES" in result.error
        assert inside.asked == []


# The answer


@pytest.mark.parametrize(
    ("take", "given"),
    [
        ("", '{"a": {"b/c": [{"d": "text"}, 2]}, "e~f": null}'),
        ("/a/b~1c/0/d", "text"),
        ("/a/b~1c/1", "2"),
        ("/a/b~1c", '[{"d": "text"}, 2]'),
        ("/e~0f", "null"),
    ],
)
async def test_the_part_of_the_answer_that_is_taken_is_given_back(server, take, given):
    server.said["/"] = Answer('{"a": {"b/c": [{"d": "text"}, 2]}, "e~f": null}')
    assert await ok(server, url=f"{server.url}/", take=take) == given


@pytest.mark.parametrize("take", ["/b", "/a/1", "/a/-", "/a/x", "/a/0/0", "a", "/"])
async def test_a_part_that_is_not_there_is_an_error(server, take):
    server.said["/"] = Answer('{"a": [1]}')
    result = await call(server, url=f"{server.url}/", take=take)
    assert result.error == f"The answer has nothing at {take!r}."


async def test_an_answer_of_which_no_part_can_be_taken_is_an_error(server):
    server.said["/"] = Answer("<html>")
    result = await call(server, url=f"{server.url}/", take="/a")
    assert result.error == "The answer of ask is not JSON, so that no part can be selected."


async def test_a_status_that_is_no_success_is_an_error_with_what_was_said(server):
    server.said["/"] = Answer("No such order." + "x" * 5_000, status=404)
    result = await call(server, url=f"{server.url}/")
    assert result.error.startswith("127.0.0.1 answered with status 404 Not Found: No such order.")
    assert len(result.error) < 2_100
    server.said["/"] = Answer(status=599)
    result = await call(server, url=f"{server.url}/")
    assert result.error == "127.0.0.1 answered with status 599."


async def test_an_empty_answer_and_one_that_is_no_text_say_what_they_are(server):
    server.said["/"] = Answer(status=204)
    assert "status 204" in await ok(server, url=f"{server.url}/")
    server.said["/"] = Answer(b"\x89PNG\x00" * 10, headers={"Content-Type": "image/png"})
    assert await ok(server, url=f"{server.url}/") == "(image/png, 50 bytes: no text)"
    latin = Answer("née".encode("latin-1"), headers={"Content-Type": "text/plain; charset=latin-1"})
    server.said["/"] = latin
    assert await ok(server, url=f"{server.url}/") == "née"
    server.said["/"] = Answer(b"n\xffe", headers={"Content-Type": "text/plain; charset=none-such"})
    assert await ok(server, url=f"{server.url}/") == "n�e"


async def test_a_long_answer_is_read_to_a_bound_packed_or_not(server):
    long = b"x" * (MAX_BYTES * 3)
    packed = Answer(gzip.compress(long), headers={"Content-Encoding": "gzip"})
    for answer in (Answer(long), packed):
        server.said["/"] = answer
        assert len(await ok(server, url=f"{server.url}/")) < MAX_BYTES
        result = await call(server, url=f"{server.url}/", take="/a")
        assert result.error == "The answer of ask is longer than 2 MB."


# What goes wrong


async def test_a_host_that_cannot_be_reached_and_an_address_that_is_none_are_told(server):
    with WebServer(lambda asked: Answer()) as gone:
        pass
    result = await call(server, url=gone.url, listed=["127.0.0.1"])
    assert result.error == f"127.0.0.1:{gone.port} cannot be reached."
    assert "has no host" in (await call(server, url="/orders")).error
    assert "The address of ask is wrong" in (await call(server, url="https://[a]/")).error
    assert "no address of the web" in (await call(server, url="ftp://a.example/")).error


async def test_an_answer_that_breaks_off_is_told(server):
    server.said["/"] = Answer("short", headers={"Content-Length": "100", "Connection": "close"})
    result = await call(server, url=f"{server.url}/")
    assert result.error.startswith(f"The connection to 127.0.0.1:{server.port} broke off")


# In a conversation


def desk(**fields):
    tool = Tool(name="look_up", kind="http", **fields)
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
    (found,) = [event.result for event in events if isinstance(event, ToolReturned)]
    return found


async def test_a_conversation_asks_the_api_that_its_definition_names(server):
    definition = desk(http=HttpCall(url=f"{server.url}/orders/{{order}}", take="/target"))
    async with aclosing(WebClient(AllowedAddresses.parse(["127.0.0.1"]))) as web:
        result = await returned(definition, RemoteTools(web=web))
    assert (result.content, result.error) == ("/orders/A%2F7", None)


async def test_examples_that_stand_in_answer_in_the_place_of_an_api(server):
    definition = desk(
        http=HttpCall(url=server.url), stand_in=True, examples=(ToolExample(result="Shipped"),)
    )
    async with aclosing(WebClient(AllowedAddresses.parse(["127.0.0.1"]))) as web:
        result = await returned(definition, RemoteTools(web=web))
    assert result.content == "Shipped"
    assert server.asked == []
