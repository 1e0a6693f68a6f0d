"""Start the server: on the loopback address, on a free port, with a secret token."""

import os
import secrets
import socket
import webbrowser
from collections.abc import Callable

from transputer.errors import EngineUnavailable, UsageError
from transputer.studio.limits import StudioLimits

HOST = "127.0.0.1"
_MISSING = "the studio needs starlette and uvicorn; pip install 'transputer[studio]'"


def serve(
    port: int = 0,
    *,
    browser: bool = True,
    limits: StudioLimits | None = None,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve the studio until it is interrupted; call `announce` with its address.

    Raises `EngineUnavailable` if the extra is not installed, `UsageError` if the port is in use.
    """
    try:
        import uvicorn

        from transputer.studio.app import application
    except ImportError:
        raise EngineUnavailable(_MISSING) from None
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # many workers, small matrices
    listener = listening(port)
    port = listener.getsockname()[1]
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
    announce(address)
    if browser:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listener])


def listening(port: int) -> socket.socket:
    """Return a socket that listens on the loopback address."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as problem:
        listener.close()
        raise UsageError(f"port {port}: {getattr(problem, 'strerror', None) or problem}") from None
    listener.listen(128)
    return listener
