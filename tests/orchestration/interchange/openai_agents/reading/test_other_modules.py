"""Rules and HTTP requests in the modules beside the agents of an export."""

from __future__ import annotations

from orchestration.interchange.openai_agents.reading.other_modules import OtherModules
from orchestration.interchange.reading import Reading
from tests.orchestration.interchange.openai_agents.reading.foreign_code import lost

ROUTE = """\
ROUTER = Router(
    rules=[
        RouteRule(
            id="money",
            agent="billing",
            priority=2,
            intents=["bill"],
            rows=[FieldComparison("event.text", "contains", "bill")],
        ),
        RouteRule(id="cel", agent="billing", expression="event.text == 'a'"),
        RouteRule(id="found", agent=find()),
        RouteRule(id="No Key", agent="billing"),
    ],
    default="triage",
)
"""

TOOLS = """\
async def find(**arguments):
    return await call(arguments, method="POST", url="/x", connection="SHOP")
async def renamed(**arguments):
    return await call(arguments, url="/x", connection="WEB_SHOP")
async def wrong(**arguments):
    return await call(arguments, method="FETCH", url="/x")
async def computed(**arguments):
    return await call(arguments, url=address())
async def own(**arguments):
    return "x"
"""


def beside(**texts: str) -> tuple[OtherModules, Reading]:
    reading = Reading("openai-agents")
    return OtherModules({f"{name}.py": text for name, text in texts.items()}, reading), reading


def test_rules_have_their_conditions_and_others_are_losses_with_their_line() -> None:
    modules, reading = beside(route=ROUTE)
    rules, default = modules.routing()
    assert rules == [
        {
            "id": "money",
            "agent_id": "billing",
            "priority": 2,
            "conditions": {
                "intents": ["bill"],
                "rows": [{"field": "event.text", "operator": "contains", "value": "bill"}],
            },
        },
        {"id": "cel", "agent_id": "billing", "conditions": {"custom": "event.text == 'a'"}},
    ]
    assert default == "triage"
    assert lost(reading) == [
        ("Routing rule", "route.py, line 11", "left out"),
        ("Routing rule", "route.py, line 12", "left out"),
    ]


def test_missing_or_broken_rules_are_a_loss() -> None:
    modules, reading = beside()
    assert modules.routing() == ([], None)
    assert lost(reading) == [("Routing rules", "route.py", "left out")]
    modules, reading = beside(route="ROUTER = (")
    assert modules.routing() == ([], None)
    assert lost(reading)[0] == ("Module", "route.py", "left out")
    assert "not valid Python" in reading.rows[0].consequence


def test_a_request_has_its_connection_and_a_name_that_may_have_changed_is_a_loss() -> None:
    modules, reading = beside(tools=TOOLS)
    assert modules.request("find", "find") == {"method": "POST", "url": "/x", "connection": "shop"}
    assert lost(reading) == []
    assert modules.request("renamed", "search") == {"url": "/x", "connection": "web-shop"}
    assert lost(reading) == [("Connection", "tools.py, line 4", "now named web-shop")]


def test_a_request_that_cannot_be_read_is_a_loss() -> None:
    modules, reading = beside(tools=TOOLS)
    for function in ("wrong", "computed", "own", "gone"):
        assert modules.request(function, function) is None
    assert lost(reading) == [
        ("HTTP request", "tools.py, line 6", "left out"),
        ("HTTP request", "tools.py, line 8", "left out"),
        ("HTTP request", "tools.py, own", "left out"),
        ("HTTP request", "tools.py, gone", "left out"),
    ]
