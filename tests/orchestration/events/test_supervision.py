"""Events of people's interventions."""

import msgspec
import pytest

from orchestration.events import (
    HumanJoined,
    HumanLeft,
    HumanReplied,
    RunPaused,
    RunResumed,
    SupervisorNoted,
    decode,
    dump,
    encode,
    load,
)
from tests.orchestration.conversations import NOON

HEAD = (1, NOON, "s1", "", "intake", None)
PAUSE = RunPaused(*HEAD, why="approval", ahead="call", target="pay", waits_for=(3, 5))


@pytest.mark.parametrize(
    "event",
    [
        PAUSE,
        RunResumed(*HEAD, step=True, by="ada", command_id="7"),
        SupervisorNoted(*HEAD, text="Psst", to_agent="agent-triage", by="ada"),
        HumanJoined(*HEAD, by="ada"),
        HumanReplied(*HEAD, text="Hello", by="ada"),
        HumanLeft(*HEAD, by="ada", ended=True),
    ],
)
def test_an_intervention_reads_back_from_its_json(event):
    assert decode(encode(event)) == event


@pytest.mark.parametrize("field", ["why", "ahead"])
def test_a_pause_has_a_known_reason_and_a_known_next_step(field):
    with pytest.raises(msgspec.ValidationError, match=rf"\$\.{field}"):
        load(dump(PAUSE) | {field: "boredom"})


def test_an_intervention_names_its_person_and_its_command():
    body = {name: dump(HumanJoined(*HEAD, by="ada"))[name] for name in ("by", "command_id")}
    assert body == {"by": "ada", "command_id": ""}
