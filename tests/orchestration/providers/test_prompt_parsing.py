"""Parsing of the prompt of a scripted agent."""

from __future__ import annotations

from orchestration.providers.prompt_parsing import ParsedPrompt, is_labelled


def test_the_note_of_a_handoff_is_removed():
    note = "[Context from previous agent (agent-desk)]: The board\n> \n> is asked"
    prompt = f"please the board\n\n{note}\n\n[agent-one]: It is."
    parsed = ParsedPrompt.parse([prompt])
    assert (parsed.words, parsed.names) == ("please the board", ["One"])


def test_a_prompt_may_consist_only_of_other_agents_words():
    parsed = ParsedPrompt.parse(["[agent-one]: It\n\nis.", "[two]: So it is."])
    assert (parsed.words, parsed.text) == ("", "It\n\nis.\n\nSo it is.")
    assert parsed.names == ["One", "Two"]


def test_a_label_at_the_beginning_marks_the_words_of_another_agent():
    assert is_labelled("[agent-one]: It is.")
    assert not is_labelled("It is [agent-one]: so.")


def test_only_the_quotation_of_a_stand_in_remains():
    parsed = ParsedPrompt.parse(
        ["Desk here. I sort requests. You wrote “The tides”. Anything else?"]
    )
    assert parsed.words == "The tides"
