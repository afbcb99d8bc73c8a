"""The pages of connections: list, form, trial, models."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from designer.actions.sharing import share_pipeline
from designer.allowances import Allowance
from designer.live.trials import MOST_AT_ONCE
from designer.models import Connection
from orchestration.addresses import AllowedAddresses
from tests.designer.drawing import HTMX, draw
from tests.designer.editing import agent_fields, inspected, page
from tests.e2e.openai_server import Failure, OpenAIServer

pytestmark = pytest.mark.django_db(transaction=True)

MCP_SERVER = Path(__file__).resolve().parents[1] / "orchestration" / "mcp_server.py"
FIELDS = {"kind": "openai_compatible", "name": "work", "base_url": "https://api.example/v1"}


@pytest.fixture(autouse=True)
def no_environment(monkeypatch) -> None:
    for vendor in ("OPENAI", "ANTHROPIC", "GEMINI", "OLLAMA"):
        for part in ("API_KEY", "BASE_URL", "MODEL"):
            monkeypatch.delenv(f"{vendor}_{part}", raising=False)


@pytest.fixture
def server(settings) -> Iterator[OpenAIServer]:
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    with OpenAIServer() as running:
        yield running


def post(client, view, *args, **fields):
    return client.post(reverse(view, args=args), {**FIELDS, **fields}, headers=HTMX)


def saved(client, **fields) -> Connection:
    response = post(client, "connection_add", **fields)
    assert response.headers["HX-Redirect"] == "/connections/", response.content
    return Connection.objects.filter(name=fields.get("name", "work")).latest("pk")


def said(response, field) -> str:
    found = re.search(rf'id="error-id_{field}"[^>]*>([^<]*)<', response.content.decode())
    assert found, field
    return found[1].replace("&#x27;", "'")


def trial(response) -> str:
    assert response.status_code == 200
    found = re.search(r'data-ok="(\w+)">\s*<p>(.*?)</div>', response.content.decode(), re.DOTALL)
    assert found
    return " ".join(re.sub(r"<[^>]+>", " ", f"{found[1]}: {found[2]}").split())


# The list


def test_who_has_none_is_told_how_to_add_one(client):
    html = client.get("/connections/").content.decode()
    assert "No connections yet" in html
    assert "played by the scripted provider" in html


def test_connections_of_the_environment_are_shown_as_such_and_without_their_keys(
    client, monkeypatch
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary-of-the-environment")
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-small")
    html = client.get("/connections/").content.decode()
    assert "From the environment" in html
    assert all(one in html for one in ("ANTHROPIC_API_KEY", "claude-small", "api.anthropic.com"))
    assert "answers agents that name no other" in html
    assert "canary" not in html
    saved(client, name="anthropic")
    html = client.get("/connections/").content.decode()
    assert "your own of that name is asked instead" in html


def test_the_list_says_who_asks_a_connection(client, user):
    pipeline = draw(user, "intake", "review")
    pipeline.agents.filter(key="agent-intake").update(provider="work")
    pipeline.agents.filter(key="agent-review").update(fallback="work")
    saved(client)
    assert "2 agents" in client.get("/connections/").content.decode()


def test_nobody_sees_the_connections_of_someone_else(client, other_client):
    saved(client, name="mine")
    assert "mine" not in other_client.get("/connections/").content.decode()


# The form


def test_a_connection_is_added_with_all_its_fields(client):
    row = saved(
        client,
        base_url="https://api.example/v1/",
        key="sk-canary",
        headers="X-Team: blue\nX-Title: Baton: desk",
        model="small",
        connect="2.5",
        tries="2",
        price_in="0.5",
        price_out="8",
    )
    assert (row.base_url, row.model, row.connect, row.tries) == (
        "https://api.example/v1", "small", 2.5, 2,
    )  # fmt: skip
    assert (row.price_in, row.price_out, row.turn) == (0.5, 8.0, None)
    value = row.value()
    assert value.key == "sk-canary"
    assert value.headers == {"X-Team": "blue", "X-Title": "Baton: desk"}


def test_an_address_that_is_left_out_is_the_vendors_own(client):
    assert saved(client, kind="gemini", base_url="").place == (
        "https://generativelanguage.googleapis.com"
    )


def test_the_first_connection_is_offered_as_the_default_one(client):
    assert 'name="name" value="default"' in client.get("/connections/add/").content.decode()
    saved(client)
    assert 'value="default"' not in client.get("/connections/add/").content.decode()


def test_neither_key_nor_headers_are_ever_shown_again(client):
    row = saved(client, key="sk-canary", headers="X-Team: canary-too")
    for address in ("/connections/", f"/connections/{row.pk}/"):
        html = client.get(address).content.decode()
        assert "canary" not in html
        assert row.sealed_key not in html
    assert "X-Team: ••••••" in html


def test_what_is_left_empty_or_dotted_stays_as_it_was(client):
    row = saved(client, key="sk-canary", headers="X-Team: blue")
    post(client, "connection", row.pk, headers="X-Team: ••••••\nX-New: red", model="large")
    value = Connection.objects.get().value()
    assert (value.key, value.model) == ("sk-canary", "large")
    assert value.headers == {"X-Team": "blue", "X-New": "red"}
    assert Connection.objects.get().version == row.version + 1


def test_a_key_is_forgotten_only_when_that_is_asked_for(client):
    row = saved(client, key="sk-canary")
    post(client, "connection", row.pk, forget_key="on")
    assert Connection.objects.get().value().key == ""


def test_another_address_asks_for_the_key_again(client):
    row = saved(client, key="sk-canary")
    moved = {"base_url": "https://evil.example/v1"}
    response = post(client, "connection", row.pk, **moved)
    assert response.status_code == 422
    assert said(response, "key").startswith("The key was given for https://api.example: enter")
    assert Connection.objects.get().base_url == row.base_url
    post(client, "connection", row.pk, **moved, key="sk-new")
    assert Connection.objects.get().value().key == "sk-new"


def test_another_path_on_the_same_host_does_not(client):
    row = saved(client, key="sk-canary")
    post(client, "connection", row.pk, base_url="https://api.example/v2")
    assert Connection.objects.get().value().key == "sk-canary"


def test_another_address_asks_for_the_headers_again(client):
    row = saved(client, headers="X-Team: blue")
    moved = {"base_url": "https://evil.example/v1", "headers": "X-Team: ••••••"}
    response = post(client, "connection", row.pk, **moved)
    assert said(response, "headers").startswith("The headers were given for https://api.example")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "", "Give the connection a name."),
        ("name", "scripted", "plays agents without a model"),
        ("name", "taken", "You have a connection “taken” already."),
        ("kind", "telex", "Select a valid choice"),
        ("base_url", "api.example", "begins with https:// or http://"),
        ("base_url", "file:///etc/passwd", "begins with https:// or http://"),
        ("base_url", "http+unix://%2Frun%2Fdocker.sock/v1", "begins with https:// or http://"),
        ("base_url", "https://ada:secret@api.example", "Leave name and password out"),
        ("base_url", "https://api.example:99999", "look at its host and port"),
        ("base_url", "https://api.example/?key=1", "ends before"),
        ("key", "sk-\nx", "line break"),
        ("key", "sk-ключ", "a character that no key has"),
        ("headers", "X-Team", "Line 1 is no header"),
        ("headers", "Host: evil", "leave it out"),
        ("headers", "TE: trailers", "leave it out"),
        ("headers", "A: 1\na: 2", "stands there twice"),
        ("headers", "A: é", "holds a character none can carry"),
        ("headers", "New: ••••••", "has no value yet"),
        ("connect", "0", "greater than or equal to"),
        ("turn", "nan", "Enter a number"),
        ("tries", "11", "less than or equal to"),
        ("price_in", "-1", "greater than or equal to"),
        ("model", "x" * 201, "at most 200"),
    ],
)
def test_what_cannot_be_is_told_beside_its_field(client, field, value, sentence):
    saved(client, name="taken")
    response = post(client, "connection_add", **{field: value})
    assert response.status_code == 422
    assert sentence in said(response, field)
    assert Connection.objects.count() == 1


def test_an_api_for_tools_needs_an_address(client):
    response = post(client, "connection_add", kind="http", base_url="")
    assert said(response, "base_url").startswith("Say where it is")


def test_a_server_of_this_machine_can_be_chosen_where_the_operator_lists_it(client, settings):
    assert said(post(client, "connection_add", kind="mcp_stdio"), "kind").startswith("Select")
    settings.MCP_STDIO = {"files": ("mcp-files",)}
    assert said(post(client, "connection_add", kind="mcp_stdio"), "command")
    unlisted = post(client, "connection_add", kind="mcp_stdio", command="rm")
    assert said(unlisted, "command").startswith("Select")
    row = saved(client, kind="mcp_stdio", command="files", key="sk-1")
    assert (row.base_url, row.sealed_key) == ("", "")


def test_without_htmx_the_page_comes_back_with_what_was_typed(client):
    response = client.post("/connections/add/", {**FIELDS, "name": "", "model": "small"})
    html = response.content.decode()
    assert response.status_code == 422
    assert "Give the connection a name." in html
    assert 'value="https://api.example/v1"' in html
    assert client.post("/connections/add/", FIELDS).headers["Location"] == "/connections/"


def test_a_connection_is_deleted(client):
    row = saved(client)
    response = client.post(f"/connections/{row.pk}/delete/", follow=True)
    assert "The connection “work” is deleted." in response.content.decode()
    assert not Connection.objects.exists()


def test_one_person_keeps_so_many_connections_and_no_more(client, user):
    rows = (Connection(owner=user, name=f"c{number}") for number in range(50))
    Connection.objects.bulk_create(rows)
    assert "as many as are kept" in said(post(client, "connection_add"), "name")


# A trial


def test_a_trial_asks_the_model_with_what_the_form_says(client, server):
    server.script = lambda _: ["Hello ", "there!"]
    fields = {"base_url": server.base_url, "key": server.api_key, "model": "small"}
    found = trial(post(client, "new_connection_try", **fields, headers="X-Team: blue", name=""))
    assert found.startswith("yes: It works. “small” answered in ")
    assert found.endswith("Hello there!")
    assert "tokens were sent" in found
    assert server.headers[0]["X-Team"] == "blue"
    assert not Connection.objects.exists()


def test_a_trial_of_a_saved_connection_uses_the_key_that_is_kept(client, server):
    row = saved(client, base_url=server.base_url, key=server.api_key, model="small")
    response = post(client, "connection_try", row.pk, base_url=server.base_url, model="large")
    assert trial(response).startswith("yes: It works. “large”")


def test_a_trial_sends_a_kept_key_to_no_other_place(client, server):
    row = saved(client, key="sk-canary")
    response = post(client, "connection_try", row.pk, base_url=server.base_url, model="small")
    assert response.status_code == 422
    assert "The key was given for https://api.example" in said(response, "key")
    assert server.headers == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"key": "wrong"}, "refused the key"),
        ({"key": "wrong", "model": ""}, "answered with status 401 when asked for its models"),
        ({"base_url": "http://127.0.0.1:9/v1"}, "Nobody answers at 127.0.0.1:9."),
        ({"base_url": "http://127.0.0.2:9/v1"}, "BATON_ALLOWED_ADDRESSES"),
    ],
)
def test_a_trial_that_fails_says_why(client, server, fields, sentence):
    given = {"base_url": server.base_url, "key": server.api_key, "model": "small", **fields}
    found = trial(post(client, "new_connection_try", **given))
    assert found.startswith("no: It does not work.")
    assert sentence in found


def test_a_trial_without_a_model_asks_for_the_list_of_them(client, server):
    given = {"base_url": server.base_url, "key": server.api_key, "model": ""}
    response = post(client, "new_connection_try", **given)
    assert trial(response).startswith("yes: It works. It lists 2 models: name the default one")
    assert 'data-model="small"' in response.content.decode()


def test_a_trial_without_a_model_where_none_are_listed_is_no_failure(client, server):
    given = {"base_url": f"{server.base_url}/elsewhere", "key": server.api_key, "model": ""}
    found = trial(post(client, "new_connection_try", **given))
    assert found == "hint: It lists no models: name a default model to test it with."


def test_a_trial_never_tells_the_key_that_a_server_echoes(client, server):
    server.script = lambda _: Failure(400, f"bad key {server.api_key} and team canary-team")
    fields = {"base_url": server.base_url, "key": server.api_key, "model": "small"}
    response = post(client, "new_connection_try", **fields, headers="X-Team: canary-team")
    assert trial(response).startswith("no: It does not work.")
    assert server.api_key not in response.content.decode()
    assert "canary" not in response.content.decode()


def test_a_trial_of_an_http_api_needs_no_model(client, server):
    found = trial(post(client, "new_connection_try", kind="http", base_url=server.base_url))
    assert re.search(r"^yes: It works\. 127\.0\.0\.1:\d+ answered in .*, with status 404\.$", found)


def test_a_trial_of_an_mcp_server_names_its_tools(client, settings):
    settings.MCP_STDIO = {"files": (sys.executable, str(MCP_SERVER), "stdio")}
    found = trial(post(client, "new_connection_try", kind="mcp_stdio", command="files"))
    assert found.startswith("yes: It works. It answered in ")
    assert "look_up, add, fail" in found


def test_a_trial_of_an_mcp_server_that_is_not_there_says_so(client, server):
    found = trial(post(client, "new_connection_try", kind="mcp", base_url="http://127.0.0.1:9/"))
    assert found.startswith("no: It does not work.")


def try_environment(client, name):
    return client.post(reverse("environment_try", args=[name]), headers=HTMX)


def test_what_the_environment_connects_is_tried_where_it_is_listed(client, monkeypatch):
    with OpenAIServer() as running:  # which is nothing that people's connections may reach
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", running.api_key)
        html = client.get("/connections/").content.decode()
        assert 'id="trial-result-openai_compatible"' in html
        response = try_environment(client, "openai_compatible")
        assert "It works. It lists" in trial(response)
        assert "data-model" not in response.content.decode()
        monkeypatch.setenv("OPENAI_MODEL", "small")
        response = try_environment(client, "openai_compatible")
        assert "It works. “small” answered in" in trial(response)
        assert 'id="trial-result-openai_compatible"' in response.content.decode()
        assert running.api_key not in response.content.decode()
    assert Connection.objects.count() == 0


def test_what_the_environment_does_not_connect_is_not_tried(client):
    assert try_environment(client, "anthropic").status_code == 404
    client.logout()
    assert try_environment(client, "anthropic").status_code == 401


async def test_who_tries_too_often_is_asked_to_wait_and_nobody_else_is(
    async_client, user, other_user, server
):
    fields = FIELDS | {"base_url": server.base_url, "key": server.api_key, "model": "small"}
    page = reverse("new_connection_try")
    await async_client.aforce_login(user)
    for _ in range(MOST_AT_ONCE):
        response = await async_client.post(page, fields, headers=HTMX)
        assert "It works." in trial(response)
    asked = len(server.requests)
    for view in ("new_connection_try", "new_connection_models"):
        response = await async_client.post(reverse(view), fields, headers=HTMX)
        assert response.status_code == 429
        html = response.content.decode()
        assert f"You tried {MOST_AT_ONCE} times in a short while: wait" in html
        assert "It does not work" not in html
    assert len(server.requests) == asked
    await async_client.aforce_login(other_user)
    assert (await async_client.post(page, fields, headers=HTMX)).status_code == 200


def test_as_time_goes_by_more_may_be_tried(monkeypatch):
    now = 0.0
    monkeypatch.setattr("designer.allowances.monotonic", lambda: now)
    allowance = Allowance(2, 0.5)
    assert [allowance.spend() for _ in range(3)] == [0, 0, 2]
    now = 1.0
    assert allowance.spend() == 1
    now = 2.0
    assert [allowance.spend() for _ in range(2)] == [0, 2]


def test_a_connection_of_someone_else_is_not_tried(client, other_client):
    row = saved(client, key="sk-canary")
    for name in ("connection_try", "connection_models", "connection", "connection_delete"):
        assert post(other_client, name, row.pk).status_code == 404


# Models


def test_the_models_of_a_vendor_are_offered_and_kept(client, server):
    row = saved(client, base_url=server.base_url, key=server.api_key)
    response = post(client, "connection_models", row.pk, base_url=server.base_url)
    assert trial(response).startswith("yes: It works. It has 2 models")
    assert '<option value="large"></option><option value="small"></option>' in (
        response.content.decode()
    )
    assert Connection.objects.get().known_models == ["large", "small"]
    assert '<option value="large">' in client.get(f"/connections/{row.pk}/").content.decode()


def test_models_of_another_address_are_offered_and_not_kept(client, server):
    row = saved(client)
    fields = {"base_url": server.base_url, "key": server.api_key}
    response = post(client, "connection_models", row.pk, **fields)
    assert '<option value="large">' in response.content.decode()
    assert json.dumps(Connection.objects.get().known_models) == "[]"


def test_a_vendor_that_refuses_its_list_is_told_in_words(client, server):
    found = trial(post(client, "new_connection_models", base_url=server.base_url, key="wrong"))
    assert "answered with status 401 when asked for its models." in found
    assert "Incorrect API key provided." in found


# Agents, and rehearsals


def asking(user, name):
    """A pipeline whose agent asks a provider."""
    pipeline = draw(user, "intake")
    pipeline.agents.update(provider=name)
    return pipeline


def options(html, field) -> list[str]:
    found = re.search(rf'<datalist id="[^"]*-{field}-list"[^>]*>(.*?)</datalist>', html)
    assert found
    return re.findall('value="([^"]*)"', found[1])


def test_an_agent_is_offered_what_the_owner_is_connected_to(client, user):
    pipeline = asking(user, "work")
    saved(client)
    saved(client, name="shop", kind="http")
    Connection.objects.filter(name="work").update(known_models=["large", "small"])
    html = inspected(client, pipeline, select="agent:agent-intake")
    assert options(html, "provider") == ["default", "scripted", "work"]
    assert options(html, "model") == ["large", "small"]
    assert "is connected here" not in html


def test_another_provider_offers_its_own_models_as_soon_as_it_is_saved(client, user):
    pipeline = asking(user, "default")
    saved(client)
    Connection.objects.update(known_models=["large", "small"])
    fields = agent_fields("agent-intake", provider="work")
    html = client.post(
        reverse("update_agent", args=[pipeline.pk]), fields, headers=HTMX
    ).content.decode()
    assert options(html, "model") == ["large", "small"]


def test_a_provider_that_is_not_connected_is_told_beside_its_field(client, user):
    html = inspected(client, asking(user, "work"), select="agent:agent-intake")
    assert "No provider “work” is connected here." in html


def test_a_pipeline_whose_provider_is_not_connected_cannot_be_rehearsed_until_it_is(client, user):
    pipeline = asking(user, "work")
    begun = client.post(f"/pipelines/{pipeline.pk}/conversations/")
    html = begun.content.decode().replace("&#x27;", "'")
    assert begun.status_code == 422
    assert "asks the provider 'work', and you have no connection of that name." in html
    assert 'href="/connections/add/"' in html
    assert "asks the provider" in page(client, pipeline)
    assert "1 error" in client.get("/").content.decode()
    saved(client)
    assert "1 error" not in client.get("/").content.decode()
    assert "asks the provider" not in page(client, pipeline)
    assert client.post(f"/pipelines/{pipeline.pk}/conversations/").status_code == 302


def test_a_fallback_that_is_not_connected_bars_a_rehearsal_too(client, user):
    pipeline = draw(user, "intake")
    pipeline.agents.update(fallback="spare")
    html = client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "falls back on the provider" in html


def test_who_shares_a_pipeline_is_told_that_its_owner_is_not_connected(
    client, other_client, user, other_user
):
    pipeline = asking(user, "work")
    saved(other_client)  # which does not count: it is not the owner's
    share_pipeline(pipeline=pipeline, username="grace", role="editor")
    html = other_client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "the owner of this pipeline has no connection of that name" in html
    assert 'href="/connections/add/"' not in html
    saved(client)
    html = other_client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "no connection of that name" not in html


def test_a_pipeline_is_rehearsed_in_the_terminal_with_its_owners_connections(
    client, user, server, capsys
):
    pipeline = asking(user, "work")
    with pytest.raises(CommandError, match="no connection of that name"):
        call_command("rehearse", str(pipeline.pk), message=["Hi"])
    server.script = lambda _: ["Good ", "day."]
    saved(client, base_url=server.base_url, key=server.api_key, model="small")
    call_command("rehearse", str(pipeline.pk), message=["Hi"])
    assert "Good day." in capsys.readouterr().out
