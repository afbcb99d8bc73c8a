"""Drawing on PostgreSQL: rows of every kind, written, renamed, undone."""

import pytest

pytestmark = pytest.mark.server

SCRIPT = """
from django.contrib.auth.models import User
from designer import definitions
from designer.actions import agents, stages, topology
from designer.actions.edits import redo_edit, undo_edit
from designer.actions.samples import SAMPLES, create_samples
from designer.models import Pipeline
from orchestration.definition import Position
from orchestration.loading import load_storable

user = User.objects.create_user("lin")
create_samples(user=user)
pipeline = Pipeline.objects.of(user).listed().get(name="Support desk")
now = lambda: definitions.read(Pipeline.objects.get(pk=pipeline.pk))
first = now()
assert first.dump() == load_storable((SAMPLES / "support-desk.json").read_bytes()).dump()
who = {"pipeline": pipeline, "user": user}
stage = first.stages_by_phase[first.entry]
following = first.transitions_from[stage.phase][0].target
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


def test_on_postgresql_a_definition_is_kept_to_the_letter_and_edits_are_undone(
    start_server, postgres_url
):
    server = start_server(environment={"DATABASE_URL": postgres_url})
    assert server.manage("shell", "--no-imports", "-c", SCRIPT) == "as it was"
