"""Cancellation of tasks that may not end, and detection of its cause."""

import asyncio

import pytest

from orchestration.cancellation import being_cancelled, end_tasks, restored_cancellation


async def test_a_cancelled_task_detects_its_cancellation():
    detected: list[bool] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            detected.append(being_cancelled())

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert detected == [True]


async def test_an_error_of_the_awaited_code_is_not_a_cancellation_of_the_task():
    awaited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    awaited.cancel()
    try:
        await awaited
    except asyncio.CancelledError:
        assert not being_cancelled()
    else:
        raise AssertionError("the future is cancelled")


async def test_the_end_of_tasks_is_awaited_for_a_limited_time():
    may_end, ended = asyncio.Event(), asyncio.Event()

    async def swallow() -> None:
        while not may_end.is_set():
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                continue

    async def clean_up() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.set()
            raise ValueError("the clean-up failed")

    stubborn, obedient = asyncio.create_task(swallow()), asyncio.create_task(clean_up())
    await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await end_tasks([stubborn, obedient], within=0.1)
    assert ended.is_set()
    assert obedient.done()
    assert not stubborn.done()
    may_end.set()
    await stubborn


@pytest.mark.parametrize("is_turned_into_an_error", [False, True])
async def test_a_cancellation_that_a_library_swallows_is_restored(is_turned_into_an_error):
    async def call_library() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if is_turned_into_an_error:
                raise ConnectionError("The connection was closed.") from None

    async def work() -> str:
        with restored_cancellation():
            await call_library()
        return "continued"

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task}, timeout=10)
    assert task.cancelled()


async def test_an_earlier_cancellation_does_not_interrupt_the_clean_up():
    steps: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            with restored_cancellation():
                steps.append("first")
            steps.append("second")

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert steps == ["first", "second"]
