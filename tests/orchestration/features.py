"""What each provider can do, and the tests that show it: the README's table is made of this."""

from __future__ import annotations

from dataclasses import dataclass, field

VENDORS = ("openai_compatible", "openai", "anthropic", "gemini", "ollama")
PROVIDERS = (*VENDORS, "scripted")


@dataclass(frozen=True)
class Feature:
    """A row of the table."""

    name: str
    tests: tuple[str, ...]
    """Of the vendors' cells: `module::test`. Each runs for the vendors that say `yes` or more."""
    cells: dict[str, str] = field(default_factory=dict)
    """What is said of a provider in place of `yes`."""
    dash: str = ""
    """The test that shows what becomes of it where a vendor knows no such thing."""
    scripted: str = "-"
    """What is said of the scripted provider; `test_scripted_features` shows it row by row."""

    def cell(self, provider: str) -> str:
        if provider == "scripted":
            return self.scripted
        return self.cells.get(provider, "yes")


UNDERSTOOD = "test_vendors::test_text_calls_usage_and_what_is_to_go_back_are_understood"
ANYWHERE = "test_vendors::test_the_same_is_understood_wherever_the_stream_is_cut"
HELD_BACK = "test_demands::test_what_the_filter_held_back_is_told_apart"
REFUSED = "test_demands::test_a_refusal_is_told_apart_and_its_words_are_kept"
AS_USUAL = "test_demands::test_where_a_vendor_tells_nothing_apart_an_answer_ends_as_usual"

FEATURES = (
    Feature(
        "text, streamed",
        (UNDERSTOOD, ANYWHERE, "test_vendors::test_the_same_is_understood_byte_by_byte"),
        scripted="yes",
    ),
    Feature(
        "arguments of tools, streamed",
        (UNDERSTOOD, ANYWHERE),
        {"gemini": "whole", "ollama": "whole"},
        scripted="whole",
    ),
    Feature(
        "several calls at once",
        ("test_tool_exchange::test_two_calls_at_once_are_two_calls_in_their_order",),
    ),
    Feature(
        "results of tools, with errors",
        ("test_tool_exchange::test_the_results_of_both_go_back_and_what_failed_says_so",),
        scripted="yes",
    ),
    Feature(
        "tool choice: may, has to, must not",
        (
            (
                "test_demands::test_whether_a_tool_may_has_to_or_must_not_be_called_is_said_as_the_"
                "vendor_says_it"
            ),
            (
                "test_demands::test_a_handoff_can_be_forced_and_who_was_answered_by_a_tool_is_free_to_"
                "speak"
            ),
            "test_demands::test_ollama_is_made_to_call_by_the_schema_of_its_answer",
            "test_demands::test_ollama_is_shown_no_tools_where_none_may_be_called",
        ),
        {"ollama": "by a schema"},
        scripted="must not",
    ),
    Feature(
        "answers by a JSON schema",
        (
            "test_demands::test_the_schema_of_the_answers_is_sent_as_the_vendor_wants_it",
            (
                "test_demands::test_where_tools_and_the_schema_cannot_be_set_together_it_is_asked_for_"
                "in_words"
            ),
        ),
        {"gemini": "yes; before 3 not with tools", "ollama": "yes; not with tools"},
        scripted="yes",
    ),
    Feature(
        "system prompt",
        ("test_tool_exchange::test_the_system_prompt_stands_where_the_vendor_wants_it",),
    ),
    Feature(
        "usage, streamed",
        (UNDERSTOOD,),
        scripted="estimated",
    ),
    Feature(
        "stop reason: cut off at the bound",
        ("test_demands::test_an_answer_that_reached_the_bound_on_its_length_says_so",),
    ),
    Feature(
        "stop reason: held back by a filter",
        (HELD_BACK, REFUSED),
        {"anthropic": "as a refusal", "ollama": "-"},
        AS_USUAL,
    ),
    Feature(
        "refusals",
        (REFUSED, HELD_BACK),
        {"gemini": "as a filter", "ollama": "-"},
        AS_USUAL,
    ),
    Feature(
        "reasoning effort",
        ("test_demands::test_how_long_to_think_is_said_as_the_model_knows_it",),
    ),
    Feature(
        "reasoning that goes back",
        (
            (
                "test_vendors::test_what_the_vendor_wants_back_is_sent_back_unchanged_to_the_same_"
                "model_alone"
            ),
            (
                "test_demands::test_reasoning_goes_back_with_the_calls_that_came_of_it_to_the_same_"
                "model_alone"
            ),
        ),
    ),
    Feature(
        "name of the request in errors",
        ("test_faults::test_each_adapter_does_with_each_fault_as_declared",),
        {"gemini": "of the answer", "ollama": "-"},
        "test_faults::test_where_a_vendor_names_no_request_an_error_names_none",
    ),
    Feature(
        "headers of one's own",
        ("test_vendors::test_headers_of_the_connection_go_along_over_the_vendors_own",),
    ),
)


def table() -> str:
    """The table as the README has it."""
    head = ["", *(f"`{provider}`" for provider in PROVIDERS)]
    rows = [[one.name, *map(one.cell, PROVIDERS)] for one in FEATURES]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
