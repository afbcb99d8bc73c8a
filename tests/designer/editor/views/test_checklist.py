"""Requests of the checklist."""

import pytest
from django.urls import reverse

from designer.models import Checklist
from tests.designer.editor_requests import HTMX

pytestmark = pytest.mark.django_db


def test_without_htmx_the_dismissal_leads_back_to_the_editor(client, user, pipeline):
    response = client.post(reverse("dismiss_checklist", args=[pipeline.pk]))
    assert (response.status_code, response.url) == (302, reverse("editor", args=[pipeline.pk]))
    assert Checklist.objects.get(user=user).is_closed


def test_a_link_dismisses_no_checklist(client, pipeline):
    address = reverse("dismiss_checklist", args=[pipeline.pk])
    assert client.get(address, headers=HTMX).status_code == 405
    assert not Checklist.objects.exists()


def test_the_checklist_is_only_read(client, pipeline):
    address = reverse("show_checklist", args=[pipeline.pk])
    assert client.post(address, headers=HTMX).status_code == 405
    assert 'class="checklist__item"' in client.get(address, headers=HTMX).text
