"""Base of the socket consumers."""

import asyncio
import gc

import pytest
from channels.exceptions import StopConsumer

from designer.core.consumer import MAX_REFUSED, FloodError, RefusalError, SocketReader
from designer.core.rate_limit import Allowance


def reader(capacity: float = 1) -> SocketReader:
    """Return a consumer that accepts `capacity` messages."""
    consumer = SocketReader()
    consumer.allowance, consumer.excess_messages = Allowance(capacity, 1e-9), 0
    return consumer


def test_a_message_above_the_limit_is_refused_with_a_message():
    consumer = reader(capacity=2)
    consumer.check_rate_limit()
    consumer.check_rate_limit()
    with pytest.raises(RefusalError, match="Wait a moment"):
        consumer.check_rate_limit()


def test_many_excess_messages_end_the_socket():
    consumer = reader()
    consumer.check_rate_limit()
    for _ in range(MAX_REFUSED):
        with pytest.raises(RefusalError):
            consumer.check_rate_limit()
    with pytest.raises(FloodError):
        consumer.check_rate_limit()


async def test_sending_to_a_closed_socket_stops_the_consumer():
    async def send(message: object) -> None:
        raise OSError("The socket is closed.")

    consumer = SocketReader()
    consumer.base_send = send
    with pytest.raises(StopConsumer):
        await consumer.send_html("<p>Hello</p>")


async def test_the_end_of_one_source_ends_all():
    dispatched = []

    class Reader(SocketReader):
        async def dispatch(self, message: dict[str, object]) -> None:
            dispatched.append(message["type"])
            if message["type"] == "last":
                raise StopConsumer

    queue: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    for kind in ("first", "last", "unread"):
        queue.put_nowait({"type": kind})
    silent: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    with pytest.raises(StopConsumer):
        await Reader().serve(queue.get, silent.get)
    assert dispatched == ["first", "last"]


async def test_a_source_that_ends_while_its_socket_is_cancelled_reports_nothing():
    reports: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))
    serving: list[asyncio.Task[None]] = []

    class Reader(SocketReader):
        async def dispatch(self, message: dict[str, object]) -> None:
            serving[0].cancel()  # as at the end of a server
            raise StopConsumer

    queue: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    queue.put_nowait({"type": "last"})
    serving.append(asyncio.create_task(Reader().serve(queue.get)))
    await asyncio.wait(serving)
    assert serving.pop().cancelled()
    gc.collect()
    assert reports == []
