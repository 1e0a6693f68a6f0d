"""Start the server: on the loopback address with a token, or on standard input and output."""

import os
import secrets
from collections.abc import Callable

from transputer.errors import EngineUnavailable
from transputer.serve.limits import ServeLimits
from transputer.studio.serve import HOST, listening

_MISSING = "transputer serve needs the MCP SDK; pip install 'transputer[serve]'"


def serve(
    port: int = 0,
    *,
    token: str | None = None,
    limits: ServeLimits | None = None,
    announce: Callable[[str, str], None] = print,
) -> None:
    """Serve the tools until interrupted; call `announce` with the address and the token.

    `token` is the secret that clients send; by default a new one, or TRANSPUTER_TOKEN. Raises
    `EngineUnavailable` if the extra is not installed, `UsageError` if the port is in use.
    """
    try:
        import uvicorn

        from transputer.serve.app import application
    except ImportError:
        raise EngineUnavailable(_MISSING) from None
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # many workers, small matrices
    listener = listening(port)
    port = listener.getsockname()[1]
    secret = token or os.environ.get("TRANSPUTER_TOKEN") or secrets.token_urlsafe(24)
    app, _ = application(secret, secrets.token_urlsafe(24), port, limits)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        limit_concurrency=256,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        server_header=False,
        ws="none",
    )
    announce(f"http://{HOST}:{port}", secret)
    uvicorn.Server(config).run(sockets=[listener])


def serve_stdio(limits: ServeLimits | None = None) -> None:
    """Serve the tools over MCP on standard input and output, for an assistant that starts this."""
    try:
        import anyio

        from transputer.serve.app import run_stdio
        from transputer.serve.calls import Calls
    except ImportError:
        raise EngineUnavailable(_MISSING) from None
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    async def run() -> None:
        await run_stdio(Calls(limits or ServeLimits()))

    anyio.run(run)
