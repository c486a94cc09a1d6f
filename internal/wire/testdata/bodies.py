"""Writes bodies.json: what a worker of the Python peer sends to the registry.

Run it with the Python of a venv that has pinned 0.16.0 (internal/peer/requirements.txt):

    python testdata/bodies.py > testdata/bodies.json
"""

import asyncio
import json
import random

import httpx
from pinned.domain import RealDomain
from pinned.pinboard.lease import Lease
from pinned.pinboard.registration import RegistrationClient


class Fixed(RealDomain):
    """Mints the same names at each run."""

    chance = random.Random(1)

    def token_hex(self, nbytes: int) -> str:
        return self.chance.randbytes(nbytes).hex()


bodies: list[dict[str, str]] = []


def answer(request: httpx.Request) -> httpx.Response:
    path = request.url.path.removeprefix("/registry/")
    bodies.append({"path": path, "body": request.content.decode()})
    if path == "heartbeat" and sum(b["path"] == path for b in bodies) == 2:
        return httpx.Response(409, json={"reregister": True})
    ack = {"sessionId": f"session-{len(bodies)}", "expiresInMs": 10_000, "draining": False}
    if path == "heartbeat":
        ack["messages"] = [{"msgId": "m1", "type": "wind_down", "ns": "/rooms", "id": "a", "deadline": 3.5}]
    return httpx.Response(200, json=ack)


async def worker(**options: object) -> None:
    domain = Fixed()
    client = RegistrationClient(
        pinboard_url="http://pinboard", token="t", namespaces=lambda: ["/rooms", "/r\u00e4ume"], lease=Lease(domain=domain),
        headroom=lambda: 512, domain=domain, on_control_message=lambda message: None, **options,
    )
    client._client = httpx.AsyncClient(base_url="http://pinboard", transport=httpx.MockTransport(answer))
    await client._register()
    await client.release("/rooms", "a", epoch=7)
    await client.release("/rooms", "b~.-_")
    client.mark_draining()
    for _ in range(3):
        await client._heartbeat()
    await client.deregister()


async def main() -> None:
    await worker(advertise_url="http://10.0.0.1:8000")
    await worker(
        advertise_url="https://h/base/", hostname="h.example", env="blue", envs=lambda: {"/rooms": "green"}, takeover="wind_down", epoch=3,
        list_instances=lambda: {"/rooms": ["a", "b"], "/r\u00e4ume": []},
    )


asyncio.run(main())
print(json.dumps(bodies, indent=1))
