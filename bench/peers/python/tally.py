"""Serves the object Tally of bench/notes, from the PyPI package `pinned` 0.16.0 in local mode with its PostgreSQL store,
under uvicorn.

Prints the address and ends when its standard input does. The argument is the database.
"""

import asyncio
import os
import socket
import sys
import threading

import uvicorn
from fastapi import FastAPI
from pinned import PinnedAPI, PinnedHost, PinnedWorker, Tray, inbox, persistent, route, tray
from pinned.durability.postgres import PostgresStateStore


class Sum(Tray):
    total = persistent(0)

    def items(self):
        yield from ()

    @inbox
    def add(self, n):
        self.kick()
        self.total.value += n


class Tally(PinnedAPI):
    @tray(Sum)
    async def sum(self, item, ctx):
        pass

    @route.post("/add")
    async def add(self, body: dict[str, int]):
        total = await self.sum.get()
        total.add(body["n"])
        await self.frontier.wait()
        return {"ok": True}


def end_with_stdin():
    while os.read(0, 4096):
        pass
    os._exit(0)


async def main():
    store = PostgresStateStore(dsn=sys.argv[1])
    await store.setup()
    worker = PinnedWorker(state_store=store)
    app = FastAPI()
    app.include_router(worker)
    app.include_router(PinnedHost(Tally, worker=worker, namespace="/tallies", max_concurrent_activations=64))
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    threading.Thread(target=end_with_stdin, daemon=True).start()
    config = uvicorn.Config(app, access_log=False, log_level="warning")
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    asyncio.run(main())
