"""Lanes, as a Python user writes them: serves them on a loopback port, which it prints,
until its standard input ends.

python lane.py DSN [setup]
"""

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI
from pinned import (
    PinnedAPI,
    PinnedHost,
    PinnedWorker,
    Tray,
    TrayCtx,
    inbox,
    persistent,
    persistent_outbox,
    persistent_queue,
    route,
    tray,
)
from pinned.durability.postgres import PostgresStateStore

Item = dict[str, Any]

# Holds the handlers that ask for it, until it is set.
opened = asyncio.Event()


class Line(Tray):
    """What all trays of lanes have."""

    max_attempts = 2

    queue = persistent_queue()
    steer = persistent_queue()
    out = persistent_outbox()
    count = persistent(0)
    label = persistent("new")
    seen = persistent(None)
    data = persistent(None)

    def items(self) -> Iterator[Item]:
        while self.queue.value:
            yield self.queue.peek()
            self.queue.popleft()

    @inbox
    def add(self, *items: Item) -> None:
        self.kick()
        self.queue.extend(items)

    @inbox
    def insert(self, item: Item) -> None:
        self.kick()
        self.queue.insert(0, item)

    @inbox
    def push(self, *items: Item) -> None:
        self.kick()
        self.steer.extend(items)

    def view(self) -> dict[str, Any]:
        out = self.out.value
        return {
            "queue": [item["n"] for item in self.queue.value],
            "steer": [item["n"] for item in self.steer.value],
            "out": out["item"]["n"] if out else 0,
            "attempt": self.out.attempt,
            "count": self.count.value,
            "label": self.label.value,
            "seen": self.seen.value,
            "data": self.data.value,
            "parked": self.parked,
        }


class Later(Line):
    """Has rows of a later version."""

    version = 2


class Jobs(Tray):
    """A queue in the entry ``items``, which no field can have: it is a method."""

    def items(self) -> Iterator[Item]:
        while pending := self.storage.get("items", []):
            yield pending[0]
            if rest := self.storage.get("items")[1:]:
                self.storage.set("items", rest)
            else:
                self.storage.delete("items")

    @inbox
    def add(self, *items: Item) -> None:
        self.kick()
        self.storage.set("items", [*self.storage.get("items", []), *items])


class Lane(PinnedAPI):
    """Has a tray of every kind."""

    @tray(Line)
    async def work(self, item: Item, ctx: TrayCtx) -> None:
        await self._handle(item, ctx)

    @tray(Line)
    async def relay(self, item: Item, ctx: TrayCtx) -> None:
        await self._handle(item, ctx)

    @tray(Line)
    async def sink(self, item: Item, ctx: TrayCtx) -> None:
        await self._handle(item, ctx)

    @tray.map(Line, always_open=True)
    async def shelf(self, item: Item, ctx: TrayCtx) -> None:
        await self._handle(item, ctx)

    @tray.map(Line)
    async def boxes(self, item: Item, ctx: TrayCtx) -> None:
        await self._handle(item, ctx)

    @tray(Later)
    async def later(self, item: Item, ctx: TrayCtx) -> None:
        await self._handle(item, ctx)

    @tray(Jobs)
    async def jobs(self, item: Item, ctx: TrayCtx) -> None:
        await self._handle(item, ctx)

    @route.post("/do")
    async def do(self, step: dict[str, Any]) -> dict[str, Any]:
        """Carries out a step. Without a tray it only activates the lane."""
        view: dict[str, Any] = {}
        if step["tray"]:
            view = self._step(await self._line(step["tray"]), step)
        elif step["op"] == "release":
            opened.set()
        await self.frontier.wait()
        return view

    async def _line(self, name: str) -> Any:
        field, _, key = name.partition("/")
        namespace = getattr(self, field)
        if field in ("boxes", "shelf"):
            return await namespace.get_or_create(key)
        return await namespace.get()

    def _step(self, line: Any, step: dict[str, Any]) -> dict[str, Any]:
        items = step.get("items", [])
        match step["op"]:
            case "open":
                pass
            case "kick":
                line.kick()
            case "add":
                line.add(*items)
            case "insert":
                line.insert(items[0])
            case "steer":
                line.push(*items)
            case "send":
                line.out.dispatch(items[0])
            case "ack":
                line.out.ack()
            case "count":
                line.count.value = step.get("n", 0)
            case "label":
                line.label.value = step.get("text", "")
            case "seen":
                line.seen.value = step["seen"]
            case "data":
                line.data.value = step.get("data")
            case "delete":
                line.delete()
            case "unpark":
                line.unpark()
            case "cancel":
                line.cancel_dispatch()
            case "view":
                return line.view()
            case op:
                raise ValueError(f"no such step: {op!r}")
        return {}

    async def _handle(self, item: Item, ctx: TrayCtx) -> None:
        """Does what the item says."""
        line: Any = ctx.tray
        for action in item.get("do", []):
            verb, _, arg = action.partition(":")
            match verb:
                case "state":
                    ctx.set_state({"at": arg})
                case "null":
                    ctx.set_state(None)
                case "take":
                    line.steer.take_now(min(int(arg), len(line.steer.value)))
                case "untake":
                    line.steer.untake(int(arg))
                case "wait":
                    await anext(line.steer.take())
                case "send":
                    line.out.dispatch(item)
                case "count":
                    line.count.value += item["n"]
                case "admit":
                    sink = await self.sink.get()
                    held = {"n": item["n"] + 100, "do": ["hold"]}
                    await ctx.dispatch(arg, sink.add, held)
                case "hold":
                    await opened.wait()
                case "fail":
                    if not opened.is_set():
                        await self.frontier.wait()  # an abort drops the rest
                        raise RuntimeError("the item says so")


def end_with_parent() -> None:
    """Ends the process when the one that started it has ended, however it did."""
    sys.stdin.read()
    os._exit(1)


async def main(dsn: str, setup: bool) -> None:
    store = PostgresStateStore(dsn=dsn)
    if setup:
        await store.setup()
    worker = PinnedWorker(state_store=store)
    app = FastAPI()
    app.include_router(worker)
    app.include_router(
        PinnedHost(
            Lane,
            worker=worker,
            namespace="/lanes",
            max_concurrent_activations=64,
        )
    )
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_level="warning")
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    asyncio.run(main(sys.argv[1], "setup" in sys.argv[2:]))
