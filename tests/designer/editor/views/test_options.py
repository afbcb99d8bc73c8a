"""Lists of stages and agents: complete if they are short, otherwise loaded on use."""

import html
import re

import pytest
from django.urls import reverse

from designer.core.forms.choices import MAX_INITIAL
from designer.pipelines.actions import import_definition
from orchestration.definition import Agent, Group, Stage
from tests.designer.editor_requests import HTMX, chain, draw

pytestmark = pytest.mark.django_db

OPTION = re.compile(r'<option value="([^"]*)"')


def phases(count):
    return [f"stage-{n:03}" for n in range(count)]


def selected(client, pipeline, kind, key):
    asked = {"kind": kind, "key": key}
    response = client.get(reverse("inspect", args=[pipeline.pk]), asked, headers=HTMX)
    assert response.status_code == 200
    return response.content.decode()


def field(page, name):
    """Return a list with the element that loads the rest."""
    lists = rf'<select(?=[^>]* name="{name}")[\s\S]*?</select>'
    around = re.search(rf"<div[^>]*>(?:(?!<div)[\s\S])*?{lists}", page)
    assert around
    return around[0]


def offered(page, name):
    return OPTION.findall(field(page, name))


def rest(client, page, name):
    """Return the options that are loaded on use."""
    asks = re.search(r'hx-get="([^"]*)"', field(page, name))
    assert asks
    return OPTION.findall(client.get(html.unescape(asks[1])).content.decode())


def with_group(user, count):
    """Such a row, and behind it a stage that its first two agents serve together."""
    row = chain(*phases(count))
    group = Stage(
        phase="together", kind="group", group=Group(agents=("agent-stage-000", "agent-stage-001"))
    )
    stages = (*row.stages, group)
    return import_definition(user=user, definition=row.model_copy(update={"stages": stages}))


def test_a_short_list_contains_all_options(client, user):
    pipeline = draw(user, *phases(MAX_INITIAL))
    page = selected(client, pipeline, "stage", "stage-003")
    assert offered(page, "next_phase") == ["", *phases(MAX_INITIAL)]
    assert reverse("options", args=[pipeline.pk]) not in page


def test_a_long_list_contains_the_chosen_option_and_loads_the_rest(client, user):
    every = phases(MAX_INITIAL + 1)
    page = selected(client, draw(user, *every), "stage", "stage-003")
    assert offered(page, "next_phase") == ["", "stage-004"]
    assert '<option value="stage-004" selected>stage-004</option>' in page
    assert rest(client, page, "next_phase") == [one for one in every if one != "stage-004"]
    assert offered(page, "agent_id") == ["", "agent-stage-003", ":new", ":group", "human"]
    assert '<option value="agent-stage-003" selected>Stage-003</option>' in page
    agents = [f"agent-{phase}" for phase in every if phase != "stage-003"]
    assert rest(client, page, "agent_id") == agents


def test_an_existing_target_is_not_offered_again(client, user):
    every = phases(MAX_INITIAL + 2)
    page = selected(client, draw(user, *every), "stage", "stage-003")
    assert offered(page, "add_return") == [""]
    assert rest(client, page, "add_return") == [one for one in every if one != "stage-004"]


def test_a_group_is_offered_agents_that_are_not_members(client, user):
    pipeline = with_group(user, MAX_INITIAL + 3)
    page = selected(client, pipeline, "stage", "together")
    assert offered(page, "add_member") == [""]
    others = [f"agent-{phase}" for phase in phases(MAX_INITIAL + 3)[2:]]
    assert rest(client, page, "add_member") == others


def test_settings_rules_and_their_test_load_long_lists(client, user):
    pipeline = with_group(user, MAX_INITIAL + 1)
    every = [*phases(MAX_INITIAL + 1), "together"]
    settings = selected(client, pipeline, "pipeline", "")
    assert offered(settings, "entry") == ["", "stage-000"]
    assert rest(client, settings, "entry") == every[1:]
    agents = [f"agent-{phase}" for phase in every[:-1]]
    for name in ("default_agent_id", "supervisor_id"):
        assert offered(settings, name) == [""]
        assert rest(client, settings, name) == agents

    rule = client.get(reverse("edit_rule", args=[pipeline.pk]), {"new": "1"}).content.decode()
    assert offered(rule, "agent_id") == [""]
    assert rest(client, rule, "agent_id") == agents

    tester = client.get(reverse("show_tester", args=[pipeline.pk])).content.decode()
    assert offered(tester, "test-phase") == ["stage-000"]
    assert rest(client, tester, "test-phase") == every[1:]
    assert offered(tester, "test-active_agent_id") == ["", "human"]
    assert rest(client, tester, "test-active_agent_id") == [*agents, "together"]


@pytest.mark.parametrize("asked", [{}, {"field": "tools"}, {"field": "\x00"}])
def test_an_unknown_list_is_not_found(client, user, asked):
    pipeline = draw(user, "intake")
    assert client.get(reverse("options", args=[pipeline.pk]), asked).status_code == 404


def test_names_in_lists_are_escaped(client, user):
    agent = Agent(id="agent-intake", name="<b>Intake")
    definition = chain("intake").model_copy(update={"agents": (agent,)})
    pipeline = import_definition(user=user, definition=definition)
    asked = {"field": "strangers", "of": "\x00"}
    page = client.get(reverse("options", args=[pipeline.pk]), asked).content.decode()
    assert page == '<option value="agent-intake">&lt;b&gt;Intake</option>'


def test_selecting_a_stage_among_many_costs_no_more_bytes(client, user):
    few = len(selected(client, draw(user, *phases(10)), "stage", "stage-005"))
    assert len(selected(client, draw(user, *phases(300)), "stage", "stage-005")) < 2 * few


def test_the_names_for_instructions_are_those_of_the_pipeline_now(client, user):
    pipeline = draw(user, "intake", "review")
    names = client.get(reverse("prompt_names", args=[pipeline.pk])).content.decode()
    assert re.findall(r'data-trigger="@"\s+data-name="([^"]*)"', names) == ["intake", "review"]
