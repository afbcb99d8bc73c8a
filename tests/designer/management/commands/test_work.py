"""Command that drives runs outside of the servers."""

import re

import pytest
from django.core.management import CommandError, call_command

from designer.management.commands.work import positive_number


def test_a_worker_needs_its_setting_and_postgresql(settings):
    settings.RUNS = "workers"
    with pytest.raises(CommandError, match="set DATABASE_URL to postgresql"):
        call_command("work")
    settings.RUNS = "here"
    with pytest.raises(CommandError, match="set BATON_RUNS=workers for servers and workers"):
        call_command("work")
    with pytest.raises(CommandError, match="--concurrency"):
        call_command("work", "--concurrency", "0")


@pytest.mark.parametrize(("text", "number"), [("1", 1), ("007", 7), ("250", 250)])
def test_a_number_of_runs_is_at_least_1(text, number):
    assert positive_number(text) == number


@pytest.mark.parametrize(
    "text", ["", "0", "00", "-1", "+1", "1.5", " 1", "\N{ARABIC-INDIC DIGIT ONE}", "²", "many"]
)
def test_any_other_number_of_runs_is_refused(text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        positive_number(text)
