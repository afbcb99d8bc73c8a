"""Tags of pipelines in the list."""

import pytest
from django.urls import reverse

from designer.core.forms.tags import MAX_TAG
from designer.models import Membership, Pipeline
from designer.pipelines.tags import MAX_TAGS, TagsForm
from tests.designer.editor_requests import draw

pytestmark = pytest.mark.django_db


def send_tags(client, pipeline, tags):
    return client.post(reverse("pipeline_tags", args=[pipeline.pk]), {"tags": tags})


def test_tags_are_stored_without_an_edit_and_shown_as_filters(client, user):
    pipeline = draw(user, "intake")
    before = Pipeline.objects.get()
    assert send_tags(client, pipeline, " sales,  <b>Big</b> deals , Sales,").status_code == 302
    after = Pipeline.objects.get()
    assert after.tags == ["sales", "<b>Big</b> deals"]
    assert (after.version, after.updated) == (before.version, before.updated)
    html = client.get(reverse("pipelines")).content.decode()
    assert 'data-tag="sales"' in html
    assert "&lt;b&gt;Big&lt;/b&gt; deals" in html
    send_tags(client, pipeline, "")
    assert "data-tag=" not in client.get(reverse("pipelines")).content.decode()


@pytest.mark.parametrize("tags", ["x" * (MAX_TAG + 1), ",".join(map(str, range(MAX_TAGS + 1)))])
def test_too_long_or_too_many_tags_are_rejected_and_kept_in_the_field(client, user, tags):
    pipeline = draw(user, "intake")
    response = send_tags(client, pipeline, tags)
    assert response.status_code == 422
    assert f'value="{tags}"' in response.content.decode()
    assert Pipeline.objects.get().tags == []


def test_only_people_who_may_edit_a_pipeline_change_its_tags(other_client, other_user, user):
    pipeline = draw(user, "intake")
    assert send_tags(other_client, pipeline, "mine").status_code == 404
    Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")
    assert send_tags(other_client, pipeline, "mine").status_code in (403, 404)
    assert Pipeline.objects.get().tags == []


def test_tags_differ_in_more_than_letter_case():
    form = TagsForm({"tags": "Sales, sales, SALES, trial"})
    assert form.is_valid()
    assert form.cleaned_data["tags"] == ["Sales", "trial"]
