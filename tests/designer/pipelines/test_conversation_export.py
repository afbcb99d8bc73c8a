"""Export of all conversations of a pipeline."""

from __future__ import annotations

import pytest
from django.urls import reverse

from designer.models import Conversation, Job, Membership
from designer.pipelines.conversation_export import EXPORT
from designer.rehearsal.actions.conversations import start_conversation
from orchestration.runtime import read_trace
from tests.conftest import signed_in
from tests.designer.jobs.workers import output_of, run_tasks
from tests.designer.recorded_conversations import converse

pytestmark = pytest.mark.django_db


def traces(data: bytes) -> list[bytes]:
    """Divide an export into trace files: each head line begins one."""
    head = b'{"format": "baton.trace/1"'
    first, *rest = data.split(head)
    assert first == b""
    return [head + part for part in rest]


def export(client, pipeline) -> Job:
    response = client.post(reverse("conversations_export", args=[pipeline.pk]))
    job = Job.objects.latest("pk")
    assert response.url == reverse("job", args=[job.pk])
    return job


def test_the_owner_exports_all_conversations_in_order(client, user, recorded):
    pipeline = recorded.pipeline
    other = start_conversation(pipeline=pipeline, user=user)
    converse(other, "Hello")
    page = client.get(reverse("conversation", args=[other.pk])).text
    assert reverse("conversations_export", args=[pipeline.pk]) in page
    job = export(client, pipeline)
    assert job.title == f"Export of the rehearsals of {pipeline.name}"
    run_tasks()
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("done", 2, 2)
    first, second = map(read_trace, traces(output_of(job)))
    assert (first.name, second.name) == ("Rehearsal 1", "Rehearsal 2")
    assert list(first.events) == recorded.events()
    assert list(second.events) == other.events()
    assert EXPORT.file_name
    assert EXPORT.file_name(job) == "customer-support.traces.jsonl"


def test_only_the_owner_exports_all_conversations(
    other_client, anonymous_client, other_user, recorded
):
    address = reverse("conversations_export", args=[recorded.pipeline.pk])
    assert anonymous_client.post(address).url.startswith("/sign-in/")
    assert other_client.post(address).status_code == 404
    Membership.objects.create(pipeline=recorded.pipeline, user=other_user, role="editor")
    assert other_client.post(address).status_code == 403
    page = other_client.get(reverse("conversation", args=[recorded.pk])).text
    assert address not in page
    assert not Job.objects.exists()


def test_a_pipeline_without_conversations_is_not_exported(client, pipeline):
    address = reverse("conversations_export", args=[pipeline.pk])
    page = client.post(address, follow=True).text
    assert "This pipeline has no rehearsals to export." in page
    assert not Job.objects.exists()


def test_a_second_click_shows_the_running_export(client, recorded):
    assert export(client, recorded.pipeline) == export(client, recorded.pipeline)


def test_a_deleted_conversation_is_left_out(client, user, recorded):
    start_conversation(pipeline=recorded.pipeline, user=user)
    job = export(client, recorded.pipeline)
    recorded.delete()
    run_tasks()
    assert [read_trace(trace).name for trace in traces(output_of(job))] == ["Rehearsal 2"]


def test_a_person_who_may_no_longer_open_the_pipeline_gets_nothing(
    client, user, other_user, recorded
):
    job = export(client, recorded.pipeline)
    recorded.pipeline.owner = other_user
    recorded.pipeline.save()
    run_tasks()
    assert output_of(job) == b""
    again = export(signed_in(other_user), recorded.pipeline)
    user.is_active = False
    user.save()
    run_tasks()
    assert Conversation.objects.count() == len(traces(output_of(again))) == 1
