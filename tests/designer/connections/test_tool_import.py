"""Import of tools into a pipeline."""

import pytest

from orchestration.definition import Tool
from tests.designer.connections.tool_import_pages import post
from tests.designer.editor_requests import now

pytestmark = pytest.mark.django_db


def test_a_used_name_gets_a_number(client, pipeline):
    tool = Tool(name="look_up").model_dump_json()
    post(client, pipeline, "tools_take", tool=tool)
    post(client, pipeline, "tools_take", tool=tool)
    assert list(now(pipeline).tools_by_name) == ["look_up", "look_up_2"]
