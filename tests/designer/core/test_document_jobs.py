"""One import of a document at a time for each user."""

from datetime import timedelta
from threading import Thread

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from designer.core.document_jobs import BUSY, ImportRunningError, document_job
from designer.models import DocumentJob, Pipeline
from designer.pipelines.templates import save_template
from tests.designer.connections.pets_document import PETS
from tests.designer.editor_requests import chain, draw, now, send

pytestmark = pytest.mark.django_db


def test_a_second_import_of_a_user_is_refused_while_the_first_runs(user):
    with (
        document_job(user.pk),
        pytest.raises(ImportRunningError),
        document_job(user.pk, wait=0),
    ):
        pass
    with document_job(user.pk, wait=0):
        pass


def test_imports_of_other_users_run_at_the_same_time(user, other_user):
    with document_job(user.pk), document_job(other_user.pk, wait=0):
        assert DocumentJob.objects.filter(locked_until__gt=timezone.now()).count() == 2


def test_an_import_waits_for_the_previous_one(transactional_db, user):
    with document_job(user.pk):
        later = Thread(target=_hold, args=(user.pk,))
        later.start()
        later.join(0.2)
        assert later.is_alive()
    later.join()
    assert DocumentJob.objects.get(user=user).locked_until <= timezone.now()


def _hold(user_id):
    with document_job(user_id, wait=30):
        pass
    connection.close()


def test_the_lock_of_a_stopped_process_ends_by_itself(user):
    past = timezone.now() - timedelta(seconds=1)
    DocumentJob.objects.create(user=user, locked_until=past)
    with document_job(user.pk, wait=0):
        pass


def test_a_job_that_outlived_its_lock_leaves_the_next_lock_in_place(user):
    with document_job(user.pk):
        until = timezone.now() + timedelta(seconds=30)
        DocumentJob.objects.update(locked_until=until)  # another process has taken over
    assert DocumentJob.objects.get(user=user).locked_until == until


@pytest.mark.parametrize(
    "entrance", ["definition", "trace", "document", "tools", "paste", "template"]
)
def test_each_entrance_refuses_a_second_import_with_a_sentence(client, user, entrance):
    pipeline = draw(user, "intake", "review")
    template = save_template(pipeline=pipeline, user=user, name="Mine", description="")
    text = chain("answer").dump()
    before = now(pipeline)
    with document_job(user.pk):
        match entrance:
            case "definition":
                file = SimpleUploadedFile("file.json", text.encode())
                response = client.post(reverse("pipeline_import"), {"file": file})
            case "trace":
                file = SimpleUploadedFile("file.jsonl", text.encode())
                response = client.post(reverse("trace_open"), {"file": file})
            case "document":
                address = reverse("tools_of_document", args=[pipeline.pk])
                response = client.post(address, {"text": PETS})
                assert "/pets/{petId}" in response.content.decode(), "the typed document is lost"
            case "tools":
                address = reverse("tools_take", args=[pipeline.pk])
                response = client.post(address, {"tool": '{"name": "look_up"}'})
            case "paste":
                response = send(client, pipeline, "paste_parts", text=text)
            case _:
                response = client.post(reverse("template_use", args=[template.pk]))
    assert response.status_code == 429
    assert BUSY in response.content.decode()
    assert now(pipeline) == before
    assert Pipeline.objects.count() == 1
