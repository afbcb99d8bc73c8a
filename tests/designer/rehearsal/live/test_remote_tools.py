"""Remote tools of a rehearsal, with the connections of the pipeline's owner."""

import json
import sys

import pytest

from designer.core.database import in_database
from designer.models import Connection
from designer.rehearsal import live
from designer.rehearsal.actions.conversations import NotRehearsableError
from designer.rehearsal.live.providers import use_providers
from orchestration.definition import (
    Agent,
    Cue,
    CueCall,
    HttpCall,
    McpCall,
    PipelineDefinition,
    Stage,
    Tool,
    ToolExample,
)
from orchestration.messages import InboundMessage
from orchestration.network import AllowedAddresses
from orchestration.providers import providers_from_environment
from tests.designer.live_conversations import make_conversation
from tests.designer.live_waits import is_over, until
from tests.orchestration.web_server import Answer, WebServer
from tests.serving import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

SCRIPTED = providers_from_environment({"BATON_TOKENS_PER_SECOND": "0"})
MCP_SERVER = ROOT / "tests" / "orchestration" / "mcp_server.py"
KEY = "sk-canary-0123456789"


@pytest.fixture
def server():
    with WebServer(lambda asked: Answer(as_json={"seen": dict(asked.headers)})) as running:
        yield running


@pytest.fixture
def desk(settings, server):
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse([f"127.0.0.1:{server.port}"])
    call = CueCall(tool="look_up", arguments={"order": "7"})
    return PipelineDefinition(
        name="Desk",
        agents=(Agent(id="clerk", name="Clerk", tools=("look_up",), cues=(Cue(call=call),)),),
        stages=(Stage(phase="desk", agent_id="clerk"),),
        tools=(
            Tool(
                name="look_up",
                kind="http",
                http=HttpCall(url="orders/{order}", connection="shop"),
                parameters={"type": "object", "properties": {"order": {"type": "string"}}},
            ),
        ),
        entry="desk",
    )


def connect(owner, server, key=KEY, **fields):
    row = Connection(owner=owner, name="shop", kind="http", base_url=server.url, **fields)
    row.store_secrets(key=key, headers={"X-Shop": f"header-{key}"})
    row.save()
    return row


async def say(conversation, number=1):
    """Send a message, and return the tool's result and all events."""
    if number == 1:
        use_providers(SCRIPTED)
    await live.say(conversation.pk, InboundMessage(id=f"m{number}", text="Where is it?"))
    await until(is_over(conversation))
    events = await in_database(conversation.events)
    return [event.result for event in events if event.type == "tool.returned"][-1], events


async def test_a_rehearsal_asks_with_the_owners_connection_and_tells_nobody_its_key(
    user, server, desk
):
    await in_database(connect, user, server)
    conversation = await in_database(make_conversation, user, desk)
    result, _ = await say(conversation)
    assert result.error is None
    (asked,) = server.asked
    assert asked.target == "/orders/7"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert json.loads(result.content)["seen"]["authorization"] == "Bearer [redacted]"
    rows = await in_database(lambda: list(conversation.recorded_events.values_list("body")))
    assert KEY not in json.dumps(rows)


async def test_the_next_call_goes_with_the_connection_as_it_is_then(user, server, desk):
    row = await in_database(connect, user, server)
    conversation = await in_database(make_conversation, user, desk)
    await say(conversation)
    await in_database(row.delete)
    await in_database(connect, user, server, "sk-another-key")
    await say(conversation, 2)
    keys = [asked.headers["Authorization"] for asked in server.asked]
    assert keys == [f"Bearer {KEY}", "Bearer sk-another-key"]


async def test_the_connection_of_somebody_else_is_not_taken(user, other_user, server, desk):
    row = await in_database(connect, user, server)
    conversation = await in_database(make_conversation, user, desk)
    await in_database(row.delete)
    await in_database(connect, other_user, server)
    result, _ = await say(conversation)
    assert "'shop', which does not exist" in result.error
    assert server.asked == []


async def test_a_pipeline_whose_tool_has_no_connection_is_not_rehearsed(
    user, other_user, server, desk
):
    await in_database(connect, other_user, server)
    wanted = "Tool 'look_up' calls the HTTP API 'shop', but you have no connection of that name."
    with pytest.raises(NotRehearsableError) as refused:
        await in_database(make_conversation, user, desk)
    assert wanted in str(refused.value)
    (tool,) = desk.tools
    played = tool.model_copy(update={"stand_in": True, "examples": (ToolExample(result="On it."),)})
    conversation = await in_database(
        make_conversation, user, desk.model_copy(update={"tools": (played,)})
    )
    result, _ = await say(conversation)
    assert result.content == "On it."


async def test_an_address_that_the_operator_does_not_list_is_told_and_the_run_goes_on(
    user, settings, server, desk
):
    settings.ALLOWED_ADDRESSES = AllowedAddresses()
    await in_database(connect, user, server)
    conversation = await in_database(make_conversation, user, desk)
    result, events = await say(conversation)
    assert "BATON_ALLOWED_ADDRESSES" in result.error
    assert events[-1].type == "run.completed"
    assert server.asked == []


@pytest.mark.server
async def test_a_rehearsal_calls_a_tool_of_an_mcp_server_that_the_operator_lists(
    user, settings, desk
):
    settings.MCP_STDIO = {"orders": (sys.executable, str(MCP_SERVER), "stdio")}
    connection = Connection(owner=user, name="files", kind="mcp_stdio", command="orders")
    await in_database(connection.save)
    call = McpCall(connection="files", tool="look_up")
    tool = Tool(name="look_up", kind="mcp", mcp=call)
    cues = (Cue(call=CueCall(tool="look_up", arguments={"order": 7})),)
    clerk = desk.agents[0].model_copy(update={"cues": cues})
    told = desk.model_copy(update={"tools": (tool,), "agents": (clerk,)})
    conversation = await in_database(make_conversation, user, told)
    result, _ = await say(conversation)
    assert (result.content, result.error) == ("Order 7 is on its way.", None)
    settings.MCP_STDIO = {}
    result, _ = await say(conversation, 2)
    assert "must list it in BATON_MCP_STDIO" in result.error
