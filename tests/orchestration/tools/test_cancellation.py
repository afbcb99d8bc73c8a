"""Detection of the cause of a `CancelledError`."""

import asyncio

from orchestration.tools import being_cancelled


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
