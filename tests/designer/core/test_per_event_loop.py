"""Values per event loop."""

import asyncio

from designer.core import PerEventLoop


def test_each_event_loop_has_its_own_value():
    values: PerEventLoop[list[str]] = PerEventLoop(list)

    async def add(text: str) -> list[str]:
        values.get().append(text)
        await asyncio.sleep(0)
        values.get().append(text)
        return values.get()

    assert asyncio.run(add("a")) == ["a", "a"]
    assert asyncio.run(add("b")) == ["b", "b"]


def test_a_value_can_be_replaced_and_removed():
    values = PerEventLoop(lambda: 1)

    async def replace() -> list[int | None]:
        before = values.get()
        values.set(2)
        return [before, values.pop(), values.pop(), values.get()]

    assert asyncio.run(replace()) == [1, 2, None, 1]
