"""Counters of failed sign-ins."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils import timezone

from designer.accounts.sign_in_limits import (
    MAX_FAILURES,
    MAX_RESETS_OF_ADDRESS,
    clear_failures,
    count_attempt,
    count_reset,
)
from designer.models import SignInCounter

ADA = {"username": "ada", "address": "192.0.2.1"}


@pytest.mark.django_db
def test_the_count_begins_anew_after_the_waiting_time():
    for _ in range(MAX_FAILURES):
        assert count_attempt(**ADA)
    assert not count_attempt(**ADA)
    SignInCounter.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert count_attempt(**ADA)
    assert sorted(SignInCounter.objects.values_list("count", flat=True)) == [1, 1]


@pytest.mark.django_db
def test_a_sign_in_clears_its_name_and_does_not_count_against_its_address():
    count_attempt(username="grace", address=ADA["address"])
    count_attempt(**ADA)
    clear_failures(**ADA)
    assert sorted(SignInCounter.objects.values_list("count", flat=True)) == [1, 1]


@pytest.mark.django_db
def test_attempts_of_a_blocked_name_do_not_count_against_the_address():
    for _ in range(50):
        count_attempt(**ADA)
    assert set(SignInCounter.objects.values_list("count", flat=True)) == {MAX_FAILURES}


@pytest.mark.django_db
def test_the_database_contains_neither_names_nor_addresses():
    count_attempt(**ADA)
    assert "ada" not in str(list(SignInCounter.objects.values_list("key", flat=True)))
    assert "192.0.2.1" not in str(list(SignInCounter.objects.values()))


@pytest.mark.django_db
def test_mails_requested_from_one_address_are_limited_apart_from_sign_ins():
    for number in range(MAX_RESETS_OF_ADDRESS):
        assert count_reset(email=f"n{number}@baton.example", address=ADA["address"])
    assert not count_reset(email="another@baton.example", address=ADA["address"])
    assert count_reset(email="another@baton.example", address="192.0.2.2")
    assert count_attempt(**ADA)


def permitted_in_parallel(number: int) -> int:
    """Count attempts at the same time; return the number of those that are not blocked."""
    together, permitted = Barrier(number), []

    def attempt() -> None:
        together.wait()
        try:
            if count_attempt(**ADA):
                permitted.append(1)
        finally:
            connection.close()

    threads = [Thread(target=attempt) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(permitted)


@pytest.mark.django_db(transaction=True)
def test_parallel_attempts_are_limited_too():
    assert permitted_in_parallel(8) == MAX_FAILURES


@pytest.mark.long
def test_processes_share_the_counters_on_postgresql(on_postgresql):
    """The first process makes parallel attempts, the second one finds all of them counted."""
    code = (
        "from tests.designer.accounts.test_sign_in_limits import permitted_in_parallel as run;"
        "print(run(8))"
    )
    assert [on_postgresql(code).strip() for _ in range(2)] == [str(MAX_FAILURES), "0"]
