"""Gallery of templates."""

import pytest

from designer.pipelines.sample_pipelines import samples
from tests.designer.pipelines.template_pages import gallery_cards

pytestmark = pytest.mark.django_db


def test_the_gallery_shows_own_templates_and_samples_with_pictures(client, template):
    shown = gallery_cards(client)
    assert list(shown) == ["My desk", *(sample.name for sample in samples().values())]
    assert all('<svg class="picture" role="img"' in card for card in shown.values())
    assert "2 stages: intake (entry), review" in shown["My desk"]
    assert "For desks." in shown["My desk"]
    assert "Rename" in shown["My desk"]
    assert "Rename" not in shown["Customer support"]


def test_templates_of_other_users_are_not_shown(other_client, template):
    assert "My desk" not in gallery_cards(other_client)
