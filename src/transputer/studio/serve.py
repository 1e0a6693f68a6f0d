"""Starting the server: this machine only, a free port, a token that nobody else knows."""

import os
import secrets
import socket
import webbrowser
from collections.abc import Callable

from transputer.errors import EngineUnavailable, UsageError
from transputer.studio.limits import Limits

HOST = "127.0.0.1"
_MISSING = "the studio needs starlette and uvicorn; pip install 'transputer[studio]'"


def serve(
    port: int = 0,
    *,
    browser: bool = True,
    limits: Limits | None = None,
    said: Callable[[str], None] = print,
) -> None:
    """Serve the studio until it is interrupted; `said` hears its address.

    Raises `EngineUnavailable` where the extra is not installed, `UsageError` for a taken port.
    """
    try:
        import uvicorn

        from transputer.studio.app import application
    except ImportError:
        raise EngineUnavailable(_MISSING) from None
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # workers are many, matrices small
    listening = _socket(port)
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    config = uvicorn.Config(
        application(token, port, limits),
        log_level="warning",
        access_log=False,
        limit_concurrency=256,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        server_header=False,
        ws="none",
    )
    address = f"http://{HOST}:{port}/{token}/"
    said(address)
    if browser:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listening])


def _socket(port: int) -> socket.socket:
    """A listening socket of this machine's own address."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
    except (OSError, OverflowError) as problem:
        made.close()
        raise UsageError(f"port {port}: {getattr(problem, 'strerror', None) or problem}") from None
    made.listen(128)
    return made
