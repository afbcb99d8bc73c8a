"""List of tools for import."""

import html
import re

import pytest

from tests.designer.connections.pets_document import PETS
from tests.designer.connections.tool_import_pages import offered_tools, page_text, post
from tests.designer.editor_requests import now

pytestmark = pytest.mark.django_db


def test_an_error_keeps_the_list_and_the_selection(client, pipeline):
    page = post(client, pipeline, "tools_of_document", text=PETS)
    (listing,) = re.findall(r'name="listing" value="([^"]*)"', page.content.decode())
    fields = {"listing": html.unescape(listing), "agent": ["agent-review"]}
    response = post(client, pipeline, "tools_take", tool=[], **fields)
    assert response.status_code == 422
    assert "Select at least one tool." in page_text(response)
    assert offered_tools(response) == offered_tools(page)
    assert "4 left out" in page_text(response)
    assert "This API requires a key" in page_text(response)
    assert 'value="agent-review" checked' in page_text(response)
    assert 'value="agent-intake" checked' not in page_text(response)

    selected = offered_tools(page)["get_pet"]
    response = post(client, pipeline, "tools_take", tool=[selected, "{"], **fields)
    assert response.status_code == 422
    assert re.findall(r'name="tool" value="([^"]*)" checked', response.content.decode()) == [
        html.escape(selected).replace("&#x27;", "&#39;")
    ]
    response = post(client, pipeline, "tools_take", tool=selected, **fields)
    assert list(now(pipeline).tools_by_name) == ["get_pet"]


@pytest.mark.parametrize("listing", ["{", "[]", '{"offered": [{"tool": {}}]}', '{"title": 1}'])
def test_an_invalid_list_is_not_shown(client, pipeline, listing):
    response = post(client, pipeline, "tools_take", tool=[], listing=listing)
    assert response.status_code == 422
    assert "Select at least one tool." in page_text(response)
    assert not offered_tools(response)
