"""Pages of jobs, and their permissions."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from designer.jobs.stop import fail_job
from designer.models import Job
from tests.conftest import signed_in
from tests.designer.editor_requests import HTMX
from tests.designer.jobs.workers import run_tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator():
    return signed_in(User.objects.create_user("root", is_staff=True))


def shown(client, job: Job) -> str:
    """Return the address that the page asks for the progress."""
    page = client.get(reverse("job", args=[job.pk])).text
    found = re.search(r'hx-get="(/jobs/[^"]+)"', page)
    assert found
    return found[1].replace("&amp;", "&")


def test_the_page_shows_the_progress_until_the_job_is_over(client, gated):
    job = gated(5)
    progress = shown(client, job)
    assert client.get(progress).status_code == 204
    run_tasks(at_most=1)
    html = client.get(progress).text
    assert '<progress class="job__progress" max="5" value="2"' in html
    assert "2 of 5 items" in html
    assert "every 1s" in html
    run_tasks()
    html = client.get(progress).text
    assert "5 of 5 items" in html
    assert "every 1s" not in html
    assert reverse("job_download", args=[job.pk]) in html


def test_a_job_that_no_worker_begins_says_so(client, gated):
    job = gated(5)
    progress = shown(client, job)
    Job.objects.update(created=timezone.now() - timedelta(minutes=1))
    assert "manage.py db_worker" in client.get(progress).text
    run_tasks(at_most=1)
    assert "manage.py db_worker" not in client.get(progress).text


def test_a_failed_job_shows_its_sentence(client, gated):
    job = gated(5)
    fail_job(job_id=job.pk, message="The disk of the <server> is full.")
    page = client.get(reverse("job", args=[job.pk])).text
    assert "The disk of the &lt;server&gt; is full." in page
    assert "Download" not in page


def test_stop_ends_a_job_and_leaves_a_finished_one(client, gated):
    job, finished = gated(5), gated(2, arguments={"other": True})
    run_tasks(at_most=1)
    stop = reverse("job_stop", args=[job.pk])
    assert client.get(stop).status_code == 405
    html = client.post(stop, headers=HTMX).text
    assert 'data-state="stopped"' in html
    run_tasks()
    assert client.post(reverse("job_stop", args=[finished.pk])).status_code == 302
    states = Job.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["stopped", "done"]


def test_the_list_has_the_own_jobs_and_all_jobs_for_administrators(
    client, other_client, administrator, gated
):
    job = gated(5)
    gated(2, asked_by=None, title="Of a command")
    address = reverse("job", args=[job.pk])
    own, others, everyone = (
        one.get("/jobs/").text for one in (client, other_client, administrator)
    )
    assert address in own
    assert "Of a command" not in own
    assert address not in others
    assert "There are no jobs." in others
    assert address in everyone
    assert "Of a command" in everyone


def test_administrators_stop_every_job_but_are_offered_no_file(administrator, gated):
    job, finished = gated(5), gated(2, arguments={"other": True})
    administrator.post(reverse("job_stop", args=[job.pk]))
    run_tasks()
    job.refresh_from_db()
    assert job.state == "stopped"
    page = administrator.get(reverse("job", args=[finished.pk])).text
    assert "Download" not in page


def test_other_people_do_not_find_a_job(other_client, anonymous_client, gated):
    job = gated(5)
    for name in ("job", "job_progress", "job_download", "job_stop"):
        address = reverse(name, args=[job.pk])
        send = "post" if name == "job_stop" else "get"
        assert getattr(other_client, send)(address).status_code == 404, name
        assert getattr(anonymous_client, send)(address).url.startswith("/sign-in/"), name
    job.refresh_from_db()
    assert job.is_open


@pytest.mark.django_db(transaction=True)
async def test_only_the_person_who_started_a_job_downloads_its_file(user, other_user, gated):
    job = await sync_to_async(gated)(5)
    address = reverse("job_download", args=[job.pk])
    owner = await asynchronous(user)
    assert (await owner.get(address)).status_code == 404
    await sync_to_async(run_tasks)()
    response: Any = await owner.get(address)
    assert response["Content-Disposition"] == 'attachment; filename="items.txt"'
    content = b"".join([part async for part in response.streaming_content])
    assert content == b"item 1\nitem 2\nitem 3\nitem 4\nitem 5\n"

    other = await asynchronous(other_user)
    assert (await other.get(address)).status_code == 404
    other_user.is_staff = True
    await other_user.asave()
    refused: Any = await other.get(address)
    assert refused.status_code == 403
    assert "Only the person who started this job can download its file." in refused.text


async def asynchronous(user: User) -> AsyncClient:
    client = AsyncClient()
    await client.aforce_login(user)
    return client
