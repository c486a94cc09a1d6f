"""Serves the object that bench/rooms has, from the PyPI package `pinned` in local mode, under uvicorn.

Prints the address and ends when its standard input does. What begins with /bench/ is for the benchmark: it makes
residents without a request each (0.16.0 walks every resident on each request, so 10,000 requests would take minutes), and
collects garbage before memory is read.
"""

import contextlib
import ctypes
import gc
import importlib.metadata
import os
import socket
import threading

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pinned import PinnedAPI, PinnedHost, route

OLD = importlib.metadata.version("pinned").startswith("0.2.")
MAX_INSTANCES = 200_000


class Room(PinnedAPI):
    async def lifespan(self):
        self.topic = "Durable objects for Go"
        yield

    @route.get("/topic")
    async def get_topic(self):
        return {"text": self.topic}

    @route.websocket("/live")
    async def live(self, websocket: WebSocket):
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                message = await websocket.receive_json()
                await websocket.send_json({"heard": message["say"]})


app = FastAPI()
if OLD:
    host = PinnedHost(Room, max_instances=MAX_INSTANCES)
    app.include_router(host, prefix="/halls")
else:
    from pinned import PinnedWorker

    worker = PinnedWorker()
    host = PinnedHost(Room, worker=worker, namespace="/halls", max_instances=MAX_INSTANCES)
    app.include_router(worker)
    app.include_router(host)


@app.post("/bench/residents/{first}/{count}")
async def residents(first: int, count: int):
    """Activates count ids, as bench names them, from the first on."""
    for n in range(first, first + count):
        record = await host.directory.get(f"room-{n:011d}")
        if not OLD:
            await host.directory.serve(record)
    return {"residents": len(host.directory._entries)}


@app.post("/bench/settle")
async def settle():
    """Collects garbage and gives what is free back to the system."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    return {}


def end_with_stdin():
    while os.read(0, 4096):
        pass
    os._exit(0)


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    threading.Thread(target=end_with_stdin, daemon=True).start()
    config = uvicorn.Config(app, access_log=False, log_level="warning")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
