"""Page of the audit trail."""

import pytest
from django.urls import reverse

from designer.audit import record_audit
from designer.audit.views import PAGE
from designer.models import AuditAction, AuditEntry

pytestmark = pytest.mark.django_db

TRAIL = reverse("audit_trail")


@pytest.fixture
def admin_client(user, client):
    """Client of an administrator."""
    user.is_staff = True
    user.save()
    return client


def test_only_administrators_find_the_audit_trail(client, user):
    assert client.get(TRAIL).status_code == 404
    assert TRAIL not in client.get("/").text
    user.is_staff = True
    user.save()
    assert "Audit trail" in client.get(TRAIL).text
    assert f'href="{TRAIL}"' in client.get("/").text


def test_entries_are_filtered_by_action_and_text(admin_client):
    record_audit(AuditAction.KEY_CHANGED, actor_name="grace", target="connection <b>work</b>")
    record_audit(AuditAction.PIPELINE_SHARED, actor_name="alan", target="pipeline 1")
    html = admin_client.get(TRAIL, {"action": "key_changed"}).text
    assert "connection &lt;b&gt;work&lt;/b&gt;" in html
    assert "pipeline 1" not in html
    assert "pipeline 1" in admin_client.get(TRAIL, {"q": "ALAN"}).text
    assert "No entries match" in admin_client.get(TRAIL, {"q": "nobody"}).text
    found = AuditEntry.objects.get(action="signed_in")
    assert "Signed in</td>" in admin_client.get(TRAIL, {"q": found.request_id or "ada"}).text


@pytest.mark.parametrize(
    "query", [{"action": "x"}, {"before": "-1"}, {"before": "9" * 30}, {"q": "a\0"}]
)
def test_an_invalid_filter_shows_entries(admin_client, query):
    response = admin_client.get(TRAIL, query)
    assert response.status_code == 200
    assert "Signed in</td>" in response.text


def test_older_entries_follow_page_by_page(admin_client):
    for number in range(PAGE + 4):
        record_audit(AuditAction.KEY_CHANGED, actor_name=f"user-{number}")
    first = admin_client.get(TRAIL, {"action": "key_changed"}).text
    assert f"user-{PAGE + 3}<" in first
    assert "user-3<" not in first
    oldest = AuditEntry.objects.get(actor_name="user-4")
    link = f"?action=key_changed&amp;before={oldest.pk}"
    assert f'href="{link}"' in first
    second = admin_client.get(TRAIL + link.replace("&amp;", "&")).text
    assert "user-3<" in second
    assert "user-4<" not in second
    assert "Older entries" not in second


def test_an_action_of_a_newer_version_is_shown_by_its_value(admin_client):
    AuditEntry.objects.create(action="launched_rocket")
    assert "launched_rocket</td>" in admin_client.get(TRAIL).text
