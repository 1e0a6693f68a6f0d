"""A server for assistants on a port of its own, in this process."""

import http.client
import json
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from transputer.serve.limits import MIB, ServeLimits
from transputer.studio.serve import listening

SMALL = ServeLimits(steps=300_000, seconds=20.0, memory=512 * MIB, calls=2, waiting=8)


@dataclass
class Server:
    """The address of a server and its token."""

    port: int
    token: str

    @property
    def mcp(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def send(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if token is None:
            token = self.token
        sent = {"Authorization": f"Bearer {token}", **headers} if token else headers
        try:
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def call(self, name: str, **arguments: Any) -> Any:
        """The answer of a tool through the OpenAI-compatible endpoint."""
        call = {"id": "c1", "function": {"name": name, "arguments": json.dumps(arguments)}}
        status, body = self.send("POST", "/v1/tool_calls", {"tool_calls": [call]})
        assert status == 200, body
        (message,) = json.loads(body)["messages"]
        assert (message["role"], message["tool_call_id"]) == ("tool", "c1")
        return json.loads(message["content"])


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    import uvicorn

    from transputer.serve.app import application

    listener = listening(0)
    port, token = listener.getsockname()[1], secrets.token_urlsafe(24)
    app, _ = application(token, secrets.token_urlsafe(24), port, SMALL)
    config = uvicorn.Config(app, log_level="warning", access_log=False, ws="none")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.02)
    yield Server(port, token)
    running.should_exit = True
    thread.join(20)
