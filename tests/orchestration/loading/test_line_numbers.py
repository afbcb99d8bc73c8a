"""Line numbers of faults in a file."""

import json

from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.loading.line_numbers import line_numbers
from orchestration.validation import json_path
from tests.orchestration.strategies import definitions

TEXT = """{
  "name": "A, \\"b\\" {",
  "stages": [
    {"phase": "intake"},
    {
      "phase": "review",
      "odd key": [1, -2.5e3, [true, null]]
    }
  ]
}
"""


def test_each_value_has_the_line_of_its_key_or_its_beginning() -> None:
    lines = {
        "$.name": 2,
        "$.stages": 3,
        "$.stages[0].phase": 4,
        "$.stages[1]": 5,
        "$.stages[1].phase": 6,
        "$.stages[1]['odd key'][2][1]": 7,
    }
    assert line_numbers(TEXT, lines) == lines


def test_a_missing_value_has_the_line_of_the_object_around_it() -> None:
    assert line_numbers(TEXT, ["$.entry", "$.stages[1].kind", "$.stages[9].phase"]) == {
        "$.entry": 1,
        "$.stages[1].kind": 5,
        "$.stages[9].phase": 3,
    }


@given(definitions())
def test_the_last_part_of_any_definition_is_on_its_line(definition: PipelineDefinition) -> None:
    text = definition.dump()
    raw = json.loads(text)
    last = list(raw)[-1]
    (line,) = line_numbers(text, [json_path(last)]).values()
    assert text.split("\n")[line - 1].startswith(f'  "{last}":')
