"""What actions take and leave behind, for the tests of actions."""

from designer.core.edits import last_edit
from designer.editor.actions import stages


def label(who):
    edit = last_edit(**who)
    return edit.label if edit else None


def values(definition, of, /, **changes):
    stage = definition.stages_by_phase[of]
    ways = definition.transitions_from.get(of, ())
    as_is = {
        "phase": of,
        "kind": stage.kind,
        "agent_id": stage.agent_id,
        "new_agent": "",
        "next_phase": next((way.target for way in ways if way.kind == "next"), None),
        "returns": tuple(way.target for way in ways if way.kind == "return"),
        "description": stage.description,
    }
    return stages.StageValues(**(as_is | changes))
