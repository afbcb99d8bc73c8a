"""Drawing on PostgreSQL: rows of every kind, written, renamed, undone."""

import pytest

pytestmark = [pytest.mark.server, pytest.mark.long]

SCRIPT = """
from django.contrib.auth.models import User
from designer import definitions
from designer.editor.actions import agents, stages, topology
from designer.rehearsal.actions.conversations import start_conversation
from designer.core.edits import make_edit
from designer.core.undo import redo_edit, undo_edit
from designer.pipelines.sample_pipelines import SAMPLES, create_samples
from designer.models import Pipeline
from designer.definitions.patches import Patch, Settings
from orchestration.definition import (
    Comparison, Conditions, InputFilter, Limits, Position, Rule, Tool, Transition,
)
from orchestration.loading import load_storable

user = User.objects.create_user("lin")
create_samples(user=user)
pipeline = Pipeline.objects.of(user).listed().get(name="Support desk")
now = lambda: definitions.read(Pipeline.objects.get(pk=pipeline.pk))
first = now()
assert first.dump() == load_storable((SAMPLES / "support-desk.json").read_bytes()).dump()
who = {"pipeline": pipeline, "user": user}
begun = start_conversation(**who)
begun.refresh_from_db()
assert begun.snapshot().dump() == first.dump()
stage = first.stages_by_phase[first.entry]
following = first.transitions_from[stage.phase][0].target
fields = {"zip": {"type": "string"}, "amount": {"type": "integer"}}
typed = Transition(
    source=stage.phase, target=following, input_schema={"type": "object", "properties": fields},
    tool_name="take_over", input_filter=InputFilter(keep="last", count=3),
)
rows = (
    Comparison(field="event.intent", operator="one_of", value=("web", "sms")),
    Comparison(field="conversation.messages", operator="at_least", value=3),
)
rule = Rule(id="rows", agent_id=stage.agent_id, conditions=Conditions(match="any", rows=rows))
tool = Tool(name="ask", kind="subtask", pipeline="Refunds", template_hints=("refund",))
whole = Settings(topology="swarm", limits=Limits(detect_cycles=False), handoff_tool_name="pass_on")
patch = Patch(
    transitions={f"{stage.phase}>{following}": typed}, rules={"rows": rule}, tools={"ask": tool},
    settings=whole,
)
make_edit(label="Change kinds", patch=patch, **who)
kept = definitions.read_parts(Pipeline.objects.get(pk=pipeline.pk), patch)
assert kept == patch
(way,) = kept.transitions.values()
assert list(way.input_schema["properties"]) == ["zip", "amount"]
values = stages.StageValues(
    phase="renamed", kind="agent", agent_id=stage.agent_id, new_agent="", next_phase=following,
    returns=(), description="",
)
stages.update_stage(phase=stage.phase, values=values, **who)
topology.move_stages(to={"renamed": Position(x=1, y=2)}, **who)
topology.connect(source="renamed", target="renamed", **who)
topology.update_transition(key="renamed>renamed", kind="next", description="", **who)
topology.add_stage(source=following, **who)
agents.delete_agent(agent_id=stage.agent_id, **who)
topology.delete_parts(phases=["renamed", following], **who)
last = now()
while undo_edit(**who):
    pass
assert now().dump() == first.dump()
while redo_edit(**who):
    pass
assert now().dump() == last.dump()
print("as it was")
"""


FORMS = """
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from designer.models import Pipeline
from tests.designer.editor_requests import draw, now, send
from tests.designer.editor_page import (
    RULE, SETTINGS, agent_fields, cue_fields, payload_fields, stage_fields, tool_fields,
    transition_fields,
)

settings.ALLOWED_HOSTS = ["testserver"]
user = User.objects.create_user("kay")
client = Client()
client.force_login(user)
pipeline = draw(user, "intake", "review", "resolution")
tool, way = tool_fields("tool-1", name="lookup"), transition_fields("intake>review")
payload = payload_fields("intake>review", {"name": "why"})
group = {"agent_id": ":group", "member": ["agent-review", "agent-intake"], "order": "ordered"}
saved = [
    ("update_stage", stage_fields("review", description="Checks")),
    ("update_agent", agent_fields("agent-review", instructions="Check.")),
    ("update_cues", cue_fields({"say": "Good day"})),
    ("update_transition", way),
    ("update_payload", payload),
    ("update_stage", stage_fields("resolution", agent_id=":group")),
    ("update_stage", stage_fields("resolution", **group)),
    ("update_pipeline", SETTINGS),
    ("add_tool", {}),
    ("update_tool", tool),
    ("add_rule", RULE),
    ("update_rule", RULE | {"rule": "by-sms"}),
    ("delete_rule", {"rule": "by-sms"}),
]
for view, fields in saved:
    assert send(client, pipeline, view, **fields).status_code == 200, view

nul = [
    ("update_stage", stage_fields("review", subject="a\\0b")),
    ("update_agent", agent_fields("agent-review", subject="a\\0b")),
    ("update_cues", cue_fields({"say": "Good day"}, subject="a\\0b")),
    ("update_transition", way | {"subject": "intake>a\\0b"}),
    ("update_payload", payload | {"subject": "intake>a\\0b"}),
    ("update_tool", tool | {"subject": "a\\0b"}),
    ("update_rule", RULE | {"rule": "a\\0b"}),
    ("delete_rule", {"rule": "a\\0b"}),
    ("delete_agent", {"agent": "a\\0b"}),
    ("delete_tool", {"tool": "a\\0b"}),
    ("delete_parts", {"stages": '["a\\\\u0000b"]'}),
    ("connect", {"source": "intake", "target": "a\\0b"}),
]
before = now(pipeline)
for view, fields in nul:
    assert send(client, pipeline, view, **fields).status_code in {409, 422}, view
assert now(pipeline) == before
print("answered")
"""


def test_on_postgresql_every_form_is_saved_and_a_key_with_a_nul_is_nobodys(on_postgresql):
    assert on_postgresql(FORMS) == "answered"


def test_on_postgresql_a_definition_is_kept_to_the_letter_and_edits_are_undone(on_postgresql):
    assert on_postgresql(SCRIPT) == "as it was"
