"""Pipelines of a rehearsal's subtasks (contract T-9)."""

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


def stored_names(conversation: Conversation) -> list[str]:
    conversation.refresh_from_db()
    return [one["name"] for one in conversation.subtask_definitions]


def refusal_of(pipeline, user) -> str:
    with pytest.raises(NotRehearsableError) as refused:
        start_conversation(pipeline=pipeline, user=user)
    assert not Conversation.objects.exists()
    return str(refused.value)


def test_a_rehearsal_stores_the_pipelines_of_nested_subtasks(user):
    make_pipeline(user, asking("Inner"))
    make_pipeline(user, asking("Middle", running("Inner")))
    make_pipeline(user, asking("Unasked"))
    outer = make_pipeline(user, asking("Outer", running("Middle")))
    assert stored_names(start_conversation(pipeline=outer, user=user)) == ["Middle", "Inner"]


def test_stored_pipelines_do_not_change_with_later_edits(user):
    inner = make_pipeline(user, asking("Inner", description="As it was."))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    conversation = start_conversation(pipeline=outer, user=user)
    update_settings(pipeline=inner, user=user, settings=Settings(description="As it is now."))
    found = Conversation.objects.get(pk=conversation.pk).pipeline_for(
        SubtaskRequest(type="have_it_done", subtype="Inner")
    )
    assert found is not None
    assert found.description == "As it was."


def test_hints_find_the_same_pipeline_at_the_start_and_in_the_run(user):
    make_pipeline(user, asking("Letters", description="Writes letters of thanks."))
    make_pipeline(user, asking("Contract review", description="Finds risks in contracts."))
    outer = make_pipeline(user, asking("Outer", running(None, "contract", "risks")))
    conversation = start_conversation(pipeline=outer, user=user)
    assert stored_names(conversation) == ["Contract review"]
    request = SubtaskRequest(type="have_it_done", template_hints=("contract", "risks"))
    found = conversation.pipeline_for(request)
    assert found is not None
    assert found.name == "Contract review"


def test_a_recursive_pipeline_is_stored_once(user):
    outer = make_pipeline(user, asking("Outer", running("Outer")))
    assert stored_names(start_conversation(pipeline=outer, user=user)) == ["Outer"]


def test_the_most_recently_changed_pipeline_of_a_name_is_run(user):
    make_pipeline(user, asking("Inner", description="The older."))
    make_pipeline(user, asking("Inner", description="The newer."))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    conversation = start_conversation(pipeline=outer, user=user)
    assert [one["description"] for one in conversation.subtask_definitions] == ["The newer."]


def test_a_tool_without_an_agent_needs_no_pipeline(user):
    definition = asking("Outer").model_copy(update={"tools": (running("Nowhere"),)})
    outer = make_pipeline(user, definition)
    assert stored_names(start_conversation(pipeline=outer, user=user)) == []


def test_a_missing_pipeline_prevents_the_rehearsal(user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    sentence = "The tool 'have_it_done' runs the pipeline 'Inner', but you have none of that name."
    assert refusal_of(outer, user) == sentence


def test_hints_without_a_match_prevent_the_rehearsal(user):
    outer = make_pipeline(user, asking("Outer", running(None, "submarine")))
    sentence = "The tool 'have_it_done' has hints that match none of your pipelines."
    assert refusal_of(outer, user) == sentence


def test_a_pipeline_of_another_user_counts_as_missing(user, other_user):
    make_pipeline(other_user, asking("Inner"))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    assert "you have none of that name" in refusal_of(outer, user)


def test_errors_of_a_subtask_pipeline_prevent_the_rehearsal(user):
    faulty = asking("Inner").model_copy(update={"entry": None})
    make_pipeline(user, faulty)
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    sentence = "The tool 'have_it_done' runs the pipeline 'Inner', which has an error."
    assert refusal_of(outer, user) == sentence


def test_a_nested_problem_names_its_pipeline(user):
    make_pipeline(user, asking("Middle", running("Inner")))
    outer = make_pipeline(user, asking("Outer", running("Middle")))
    assert refusal_of(outer, user) == (
        "In the pipeline 'Middle': the tool 'have_it_done' runs the pipeline 'Inner', but you have"
        " none of that name."
    )


def test_the_number_of_pipelines_of_a_rehearsal_is_limited(user):
    tools = [running(f"Inner {n}", name=f"tool_{n}") for n in range(MAX_PIPELINES + 1)]
    for tool in tools:
        make_pipeline(user, asking(str(tool.pipeline)))
    too_many = make_pipeline(user, asking("Too many", *tools))
    sentence = f"The subtasks of this pipeline run more than {MAX_PIPELINES} other pipelines."
    assert refusal_of(too_many, user) == sentence
    as_many = make_pipeline(user, asking("As many as may be", *tools[1:]))
    assert len(stored_names(start_conversation(pipeline=as_many, user=user))) == MAX_PIPELINES


def test_the_page_links_to_the_tool_without_a_pipeline(client, user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    html = client.get(reverse("rehearse", args=[outer.pk])).content.decode()
    assert "This pipeline cannot be rehearsed yet" in html
    assert f'href="/pipelines/{outer.pk}/?select=tool%3Ahave_it_done"' in html
    assert 'id="composer"' not in html
    assert client.post(reverse("conversation_create", args=[outer.pk])).status_code == 422


# Messages of the editor and the list

MISSING = "The tool 'have_it_done' runs the pipeline 'Inner', but you have none of that name."


def page_text(client, view: str, *args) -> str:
    return str(client.get(reverse(view, args=args)).content.decode())


def test_the_editor_shows_the_problem_that_prevents_the_rehearsal(client, user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    shown = "runs the pipeline <b>Inner</b>, but you have none of that name."
    assert shown in page_text(client, "editor", outer.pk)
    assert shown in page_text(client, "show_panel", outer.pk)
    make_pipeline(user, asking("Inner"))
    assert shown not in page_text(client, "editor", outer.pk)


def test_an_edit_shows_the_problem_too(user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    change = update_settings(pipeline=outer, user=user, settings=Settings(name="Outermost"))
    assert [one.message for one in change.issues if one.severity == "error"] == [MISSING]


def test_the_inspector_shows_the_problem_at_the_field(client, user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    path = reverse("inspect", args=[outer.pk])
    html = client.get(path, {"select": "tool:have_it_done"}).content.decode()
    assert "you have none of that name" in html


def test_the_list_counts_current_problems(client, user):
    inner = make_pipeline(user, asking("Inner"))
    make_pipeline(user, asking("Outer", running("Inner")))
    assert "1 error" not in page_text(client, "pipelines")
    delete_pipeline(pipeline=inner)
    assert "1 error" in page_text(client, "pipelines")


def test_errors_come_before_warnings(user):
    definition = asking("Outer", running("Inner"))
    idle = Agent(id="idle", name="Idle")
    definition = definition.model_copy(update={"agents": (*definition.agents, idle)})
    outer = make_pipeline(user, definition)
    found = [issue.severity for issue in find_issues(outer, user, definition)]
    assert found == ["error", "warning"]


def test_without_subtasks_there_is_no_further_query(user):
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


def test_a_rehearsal_runs_only_pipelines_that_its_author_may_open(user, other_user):
    inner = make_pipeline(user, asking("Inner"))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    share(outer, other_user)
    make_pipeline(other_user, asking("Inner"))  # the owner's is meant, not theirs
    assert refusal_of(outer, other_user) == CLOSED
    assert stored_names(start_conversation(pipeline=outer, user=user)) == ["Inner"]
    share(inner, other_user, role="viewer")
    assert stored_names(start_conversation(pipeline=outer, user=other_user)) == ["Inner"]


def test_a_shared_pipeline_gives_no_access_to_its_subtask_pipelines(user, other_user):
    make_pipeline(user, asking("Inner"))
    middle = make_pipeline(user, asking("Middle", running("Inner")))
    outer = make_pipeline(user, asking("Outer", running("Middle")))
    share(outer, other_user)
    share(middle, other_user)
    assert refusal_of(outer, other_user).startswith("In the pipeline 'Middle': ")


def test_hints_find_only_accessible_pipelines(user, other_user):
    make_pipeline(user, asking("Contract review", description="Finds risks in contracts."))
    outer = make_pipeline(user, asking("Outer", running(None, "contract", "risks")))
    share(outer, other_user)
    assert refusal_of(outer, other_user) == (
        "The tool 'have_it_done' has hints that match none of the pipelines that the owner of this"
        " one shares with you."
    )


@pytest.mark.parametrize("entry", ["only", None])
@pytest.mark.parametrize("is_there", [True, False])
def test_an_inaccessible_pipeline_counts_as_missing(
    other_client, user, other_user, is_there, entry
):
    if is_there:
        make_pipeline(user, asking("Inner").model_copy(update={"entry": entry}))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    share(outer, other_user)
    change = update_settings(pipeline=outer, user=other_user, settings=Settings(name="Mine"))
    assert [one.message for one in change.issues if one.severity == "error"] == [CLOSED]
    shown = CLOSED.replace("'Inner'", "<b>Inner</b>").partition("runs")[2]
    assert shown in page_text(other_client, "editor", outer.pk)
    assert shown in page_text(other_client, "show_panel", outer.pk)
    assert "shares none of that name with you" in page_text(other_client, "rehearse", outer.pk)


def test_a_conversation_hides_pipelines_that_only_its_author_may_open(
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
def test_the_inspector_offers_only_accessible_pipelines(
    client, other_client, user, other_user, role
):
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


def test_a_refused_new_rehearsal_keeps_the_open_one(client, user):
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


def test_a_fork_has_the_access_restrictions_of_its_origin(user, other_user):
    make_pipeline(user, asking("Inner"))
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    origin = converse(start_conversation(pipeline=outer, user=user), "Hello")
    share(outer, other_user)
    edited = asking("Outer")
    fork = fork_conversation(origin, user=user, after=origin.last_seq, definition=edited)
    assert stored_names(fork) == []
    assert not Conversation.objects.of(other_user).filter(pk=fork.pk).exists()
    second = fork_conversation(fork, user=user, after=fork.last_seq)
    assert not Conversation.objects.of(other_user).filter(pk=second.pk).exists()
