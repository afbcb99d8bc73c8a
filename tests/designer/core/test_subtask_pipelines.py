"""The pipelines run by a rehearsal's subtasks are collected at its start (contract T-9)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from designer.core.subtask_pipelines import MAX_PIPELINES, find_issues
from designer.definitions.patches import Settings
from designer.models import Conversation
from designer.pipelines.actions import delete_pipeline
from designer.pipelines.settings import update_settings
from designer.rehearsal.actions.conversations import NotRehearsableError, start_conversation
from designer.rehearsal.actions.forks import fork_conversation
from orchestration.definition import Agent
from orchestration.messages import SubtaskRequest
from tests.designer.live_conversations import make_pipeline
from tests.designer.recorded_conversations import converse
from tests.designer.subtask_definitions import asking, running, share

pytestmark = pytest.mark.django_db


def kept(conversation: Conversation) -> list[str]:
    conversation.refresh_from_db()
    return [one["name"] for one in conversation.subtask_definitions]


def refusal(pipeline, user) -> str:
    with pytest.raises(NotRehearsableError) as refused:
        start_conversation(pipeline=pipeline, user=user)
    assert not Conversation.objects.exists()
    return str(refused.value)


def test_a_rehearsal_keeps_the_pipelines_of_its_subtasks_and_of_theirs(user):
    make_pipeline(user, asking("Inner"))
    make_pipeline(user, asking("Middle", running("Inner")))
    make_pipeline(user, asking("Unasked"))
    outer = make_pipeline(user, asking("Outer", running("Middle")))
    assert kept(start_conversation(pipeline=outer, user=user)) == ["Middle", "Inner"]


def test_what_is_kept_does_not_change_with_the_pipeline(user):
    inner = make_pipeline(user, asking("Inner", description="As it was."))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    conversation = start_conversation(pipeline=outer, user=user)
    update_settings(pipeline=inner, user=user, settings=Settings(description="As it is now."))
    found = Conversation.objects.get(pk=conversation.pk).pipeline_for(
        SubtaskRequest(type="have_it_done", subtype="Inner")
    )
    assert found is not None
    assert found.description == "As it was."


def test_a_pipeline_is_found_by_hints_and_the_same_one_again_when_it_runs(user):
    make_pipeline(user, asking("Letters", description="Writes letters of thanks."))
    make_pipeline(user, asking("Contract review", description="Finds risks in contracts."))
    outer = make_pipeline(user, asking("Outer", running(None, "contract", "risks")))
    conversation = start_conversation(pipeline=outer, user=user)
    assert kept(conversation) == ["Contract review"]
    request = SubtaskRequest(type="have_it_done", template_hints=("contract", "risks"))
    found = conversation.pipeline_for(request)
    assert found is not None
    assert found.name == "Contract review"


def test_a_pipeline_may_run_itself_and_is_kept_once(user):
    outer = make_pipeline(user, asking("Outer", running("Outer")))
    assert kept(start_conversation(pipeline=outer, user=user)) == ["Outer"]


def test_of_two_with_one_name_the_one_changed_last_is_run(user):
    make_pipeline(user, asking("Inner", description="The older."))
    make_pipeline(user, asking("Inner", description="The newer."))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    conversation = start_conversation(pipeline=outer, user=user)
    assert [one["description"] for one in conversation.subtask_definitions] == ["The newer."]


def test_a_tool_that_nobody_has_needs_no_pipeline(user):
    definition = asking("Outer").model_copy(update={"tools": (running("Nowhere"),)})
    outer = make_pipeline(user, definition)
    assert kept(start_conversation(pipeline=outer, user=user)) == []


def test_a_pipeline_that_is_not_there_bars_the_rehearsal(user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    sentence = "The tool 'have_it_done' runs the pipeline 'Inner', but you have none of that name."
    assert refusal(outer, user) == sentence


def test_hints_that_fit_nothing_bar_the_rehearsal(user):
    outer = make_pipeline(user, asking("Outer", running(None, "submarine")))
    sentence = "The tool 'have_it_done' has hints that match none of your pipelines."
    assert refusal(outer, user) == sentence


def test_someone_else_s_pipeline_is_as_one_that_is_not_there(user, other_user):
    make_pipeline(other_user, asking("Inner"))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    assert "you have none of that name" in refusal(outer, user)


def test_a_pipeline_with_errors_bars_the_rehearsal_of_whoever_runs_it(user):
    faulty = asking("Inner").model_copy(update={"entry": None})
    make_pipeline(user, faulty)
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    sentence = "The tool 'have_it_done' runs the pipeline 'Inner', which has an error."
    assert refusal(outer, user) == sentence


def test_what_is_missing_further_in_is_named_with_the_pipeline_that_asks_for_it(user):
    make_pipeline(user, asking("Middle", running("Inner")))
    outer = make_pipeline(user, asking("Outer", running("Middle")))
    assert refusal(outer, user) == (
        "In the pipeline 'Middle': the tool 'have_it_done' runs the pipeline 'Inner', but you have"
        " none of that name."
    )


def test_how_many_pipelines_a_rehearsal_runs_is_bounded(user):
    tools = [running(f"Inner {n}", name=f"tool_{n}") for n in range(MAX_PIPELINES + 1)]
    for tool in tools:
        make_pipeline(user, asking(str(tool.pipeline)))
    too_many = make_pipeline(user, asking("Too many", *tools))
    sentence = f"The subtasks of this pipeline run more than {MAX_PIPELINES} other pipelines."
    assert refusal(too_many, user) == sentence
    as_many = make_pipeline(user, asking("As many as may be", *tools[1:]))
    assert len(kept(start_conversation(pipeline=as_many, user=user))) == MAX_PIPELINES


def test_the_page_says_which_tool_lacks_its_pipeline_and_leads_to_it(client, user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    html = client.get(reverse("rehearse", args=[outer.pk])).content.decode()
    assert "This pipeline cannot be rehearsed yet" in html
    assert f'href="/pipelines/{outer.pk}/?select=tool%3Ahave_it_done"' in html
    assert 'id="composer"' not in html
    assert client.post(reverse("conversation_create", args=[outer.pk])).status_code == 422


# Messages of the editor and the list

MISSING = "The tool 'have_it_done' runs the pipeline 'Inner', but you have none of that name."


def said(client, view: str, *args) -> str:
    return str(client.get(reverse(view, args=args)).content.decode())


def test_the_editor_names_the_same_problem_that_bars_the_rehearsal(client, user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    shown = "runs the pipeline <b>Inner</b>, but you have none of that name."
    assert shown in said(client, "editor", outer.pk)
    assert shown in said(client, "show_panel", outer.pk)
    make_pipeline(user, asking("Inner"))
    assert shown not in said(client, "editor", outer.pk)


def test_an_edit_tells_it_too(user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    change = update_settings(pipeline=outer, user=user, settings=Settings(name="Outermost"))
    assert [one.message for one in change.issues if one.severity == "error"] == [MISSING]


def test_the_inspector_says_it_at_the_field(client, user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    path = reverse("inspect", args=[outer.pk])
    html = client.get(path, {"select": "tool:have_it_done"}).content.decode()
    assert "you have none of that name" in html


def test_the_list_counts_it_as_long_as_it_is_so(client, user):
    inner = make_pipeline(user, asking("Inner"))
    make_pipeline(user, asking("Outer", running("Inner")))
    assert "1 error" not in said(client, "pipelines")
    delete_pipeline(pipeline=inner)
    assert "1 error" in said(client, "pipelines")


def test_errors_stand_before_warnings(user):
    definition = asking("Outer", running("Inner"))
    idle = Agent(id="idle", name="Idle")
    definition = definition.model_copy(update={"agents": (*definition.agents, idle)})
    outer = make_pipeline(user, definition)
    found = [issue.severity for issue in find_issues(outer, user, definition)]
    assert found == ["error", "warning"]


def test_without_tools_for_subtasks_nothing_is_asked_of_the_database(user):
    plain = asking("Plain")
    pipeline = make_pipeline(user, plain)
    with CaptureQueriesContext(connection) as queries:
        find_issues(pipeline, user, plain)
    assert len(queries) == 0


# Shared pipelines give no access to other pipelines of the owner

CLOSED = (
    "The tool 'have_it_done' runs the pipeline 'Inner', but the owner of this pipeline shares none"
    " of that name with you."
)


def test_a_rehearsal_runs_only_what_whoever_begins_it_may_open(user, other_user):
    inner = make_pipeline(user, asking("Inner"))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    share(outer, other_user)
    make_pipeline(other_user, asking("Inner"))  # the owner's is meant, not theirs
    assert refusal(outer, other_user) == CLOSED
    assert kept(start_conversation(pipeline=outer, user=user)) == ["Inner"]
    share(inner, other_user, role="viewer")
    assert kept(start_conversation(pipeline=outer, user=other_user)) == ["Inner"]


def test_what_is_shared_lets_nobody_into_what_it_runs_itself(user, other_user):
    make_pipeline(user, asking("Inner"))
    middle = make_pipeline(user, asking("Middle", running("Inner")))
    outer = make_pipeline(user, asking("Outer", running("Middle")))
    share(outer, other_user)
    share(middle, other_user)
    assert refusal(outer, other_user).startswith("In the pipeline 'Middle': ")


def test_hints_find_only_what_one_may_open(user, other_user):
    make_pipeline(user, asking("Contract review", description="Finds risks in contracts."))
    outer = make_pipeline(user, asking("Outer", running(None, "contract", "risks")))
    share(outer, other_user)
    assert refusal(outer, other_user) == (
        "The tool 'have_it_done' has hints that match none of the pipelines that the owner of this"
        " one shares with you."
    )


@pytest.mark.parametrize("entry", ["only", None])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_closed_pipeline_is_as_one_that_is_not_there(
    other_client, user, other_user, is_there, entry
):
    if is_there:
        make_pipeline(user, asking("Inner").model_copy(update={"entry": entry}))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    share(outer, other_user)
    change = update_settings(pipeline=outer, user=other_user, settings=Settings(name="Mine"))
    assert [one.message for one in change.issues if one.severity == "error"] == [CLOSED]
    shown = CLOSED.replace("'Inner'", "<b>Inner</b>").partition("runs")[2]
    assert shown in said(other_client, "editor", outer.pk)
    assert shown in said(other_client, "show_panel", outer.pk)
    assert "shares none of that name with you" in said(other_client, "rehearse", outer.pk)


def test_a_conversation_shows_nobody_the_pipelines_that_only_its_beginner_may_open(
    client, other_client, user, other_user
):
    make_pipeline(user, asking("Inner"))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    share(outer, other_user)
    begun = start_conversation(pipeline=outer, user=user)
    page = reverse("conversation", args=[begun.pk])
    assert client.get(page).status_code == 200
    for name in ("conversation", "trace_export"):
        assert other_client.get(reverse(name, args=[begun.pk])).status_code == 404
    rehearse = other_client.get(reverse("rehearse", args=[outer.pk]))
    assert rehearse.status_code == 200, "they are not led to it"
    assert page not in rehearse.text
    assert page not in other_client.get(reverse("compare", args=[outer.pk])).text

    plain = make_pipeline(user, asking("Plain"))
    share(plain, other_user)
    begun = start_conversation(pipeline=plain, user=user)
    assert other_client.get(reverse("conversation", args=[begun.pk])).status_code == 200


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_the_inspector_offers_only_what_one_may_open(client, other_client, user, other_user, role):
    make_pipeline(user, asking("Confidential"))
    opened = make_pipeline(user, asking("Opened"))
    outer = make_pipeline(user, asking("Outer", running("Opened")))
    share(outer, other_user, role)
    share(opened, other_user, role)
    path = reverse("inspect", args=[outer.pk]) + "?select=tool:have_it_done"
    assert "Confidential" in client.get(path).text
    shown = other_client.get(path).text
    assert "Opened" in shown
    assert "Confidential" not in shown


def test_a_refused_new_rehearsal_leaves_the_open_one_in_view_and_says_why(client, user):
    inner = make_pipeline(user, asking("Inner"))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    conversation = start_conversation(pipeline=outer, user=user)
    delete_pipeline(pipeline=inner)
    refused = client.post(reverse("conversation_create", args=[outer.pk]), follow=True)
    assert refused.redirect_chain[-1][0] == reverse("conversation", args=[conversation.pk])
    html = refused.content.decode()
    assert "cannot be rehearsed yet" in html
    assert 'id="composer"' in html
    assert Conversation.objects.count() == 1


def test_a_fork_without_subtasks_of_its_own_is_closed_to_whom_its_origin_is(user, other_user):
    make_pipeline(user, asking("Inner"))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    origin = converse(start_conversation(pipeline=outer, user=user), "Hello")
    share(outer, other_user)
    edited = asking("Outer")
    fork = fork_conversation(origin, user=user, after=origin.last_seq, definition=edited)
    assert kept(fork) == []
    assert not Conversation.objects.of(other_user).filter(pk=fork.pk).exists()
    second = fork_conversation(fork, user=user, after=fork.last_seq)
    assert not Conversation.objects.of(other_user).filter(pk=second.pk).exists()
