"""File `pyproject.toml` of a project."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.definition import PipelineDefinition
from orchestration.interchange.project import pyproject


@given(st.text(min_size=1, max_size=100), st.text(max_size=100))
def test_the_project_file_is_valid_toml(name: str, description: str) -> None:
    definition = PipelineDefinition(name=name, description=description)
    project = tomllib.loads(pyproject(definition, ["openai-agents>=0.20"], ["agents", "tools"]))
    assert project["project"]["dependencies"] == ["openai-agents>=0.20"]
    assert project["tool"]["setuptools"]["py-modules"] == ["agents", "tools"]


@pytest.mark.parametrize(
    ("name", "package"),
    [("Web Shop", "web-shop"), ("my_shop", "my-shop"), ("请求", "pipeline")],
)
def test_the_name_of_the_package_is_that_of_the_pipeline(name: str, package: str) -> None:
    project = tomllib.loads(pyproject(PipelineDefinition(name=name), [], []))
    assert project["project"]["name"] == package


def test_a_description_is_one_short_line() -> None:
    definition = PipelineDefinition(name="Shop", description="It\n sells.\u202e" + " x" * 200)
    project = tomllib.loads(pyproject(definition, [], [], ">=3.12"))["project"]
    assert project["description"].startswith("It sells.  x x")
    assert len(project["description"]) == 200
    assert project["requires-python"] == ">=3.12"
