"""A studio on a port of its own, in this process, and someone who talks to it."""

import http.client
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from transputer.studio.limits import MIB, StudioLimits

Json = dict[str, Any]
SMALL = StudioLimits(
    steps=3_000_000, seconds=5.0, compile_seconds=20.0, memory=512 * MIB, output=100_000,
    runs=2, finished=8, sessions=32,
)  # fmt: skip


def name() -> str:
    return secrets.token_urlsafe(18)


@dataclass
class Client:
    """One page."""

    port: int
    token: str
    session: str = field(default_factory=name)

    def send(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def get(self, door: str, query: str = "") -> tuple[int, Any]:
        path = f"/{self.token}/api/{door}?session={self.session}{query}"
        status, body = self.send("GET", path)
        return status, json.loads(body)

    def post(self, door: str, **body: Any) -> tuple[int, Any]:
        sent = json.dumps({"session": self.session, **body}).encode()
        status, answer = self.send("POST", f"/{self.token}/api/{door}", sent)
        return status, json.loads(answer)

    def ask(self, door: str, **body: Any) -> Any:
        status, answer = self.post(door, **body)
        assert status == 200, answer
        return answer

    def wait(self, test: Callable[[Json], bool], seconds: float = 120.0) -> Json:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            status, found = self.get("status")
            assert status == 200, found
            if test(found):
                return found
            time.sleep(0.03)
        raise AssertionError(f"still {found}")

    def run(self, source: str, language: str = "asm", **more: Any) -> Json:
        """Run something and wait for its end."""
        self.ask("run", source=source, language=language, **more)
        return self.wait(lambda s: s["phase"] in ("done", "failed"))


def listening() -> tuple[Any, Any]:
    uvicorn = pytest.importorskip("uvicorn", reason="pip install 'transputer[studio]'")
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen(128)
    return uvicorn, made


def served(limits: StudioLimits) -> Iterator[Client]:
    """A server with these limits, until the caller is done."""
    uvicorn, listener = listening()
    from transputer.studio.app import application

    port, token = listener.getsockname()[1], name()
    config = uvicorn.Config(
        application(token, port, limits), log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Client(port, token)
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def server() -> Iterator[Client]:
    yield from served(SMALL)


@pytest.fixture
def client(server: Client) -> Client:
    """A new page on the module's server."""
    return Client(server.port, server.token)
