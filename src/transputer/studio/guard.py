"""Who may come in: those who know the token, from this machine's own pages."""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: What every answer says about itself.
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; font-src 'self'; "
    "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_NO = b"403: open the address that `transputer studio` printed, with its token.\n"


class Guard:
    """Lets requests through whose path begins with the token and whose host is this one."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        inner = self._admitted(scope)
        if inner is None:
            await _refuse(scope, send)
            return

        async def sealed(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_headers()]}
            await send(message)

        await self._app(inner, receive, sealed)

    def _admitted(self, scope: Scope) -> Scope | None:
        """The request without its token; None where it may not come in."""
        if scope["type"] != "http":
            return None
        headers = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return None
        if any(origin not in {b"http://" + host for host in self._hosts} for origin in origins):
            return None
        first, slash, rest = scope["path"].removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(first.encode(), self._token):
            return None
        return {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode(), "root_path": ""}


def _headers() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in HEADERS.items()]


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] != "http":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_headers()]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": _NO})
