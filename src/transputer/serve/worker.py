"""One call in a process of its own, with limits on time and memory."""

import json
import os
import signal
from multiprocessing.connection import Connection
from typing import Any

from transputer.errors import TransputerError
from transputer.serve.limits import ServeLimits
from transputer.serve.tools import TOOLS
from transputer.studio.limits import StudioLimits
from transputer.studio.worker import confine, confine_memory

Json = dict[str, Any]


def main(connection: Connection, name: str, call: Json, limits: ServeLimits) -> None:
    """Run the worker process: call a tool and send its answer, or the problem."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    confine(StudioLimits(seconds=limits.seconds), compiles=True)
    confine_memory(limits.memory)
    try:
        message: Json = {"answer": TOOLS[name].function(call, limits)}
    except TransputerError as error:
        message = {"problem": str(error)[:20_000]}
    except RecursionError:
        message = {"problem": "the input is nested too deeply"}
    except MemoryError:
        message = {"problem": f"out of memory: a call has {limits.memory >> 20} MiB"}
    connection.send_bytes(json.dumps(message).encode())
    connection.close()
    os._exit(0)  # threads may still wait
