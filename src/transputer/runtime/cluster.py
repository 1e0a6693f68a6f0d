"""Work spread over the workers of a Dask cluster.

Every worker, also one that joins later, gets the work once; tasks name it. Dask runs the tasks of
a worker that is lost again, and hands each result out once.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, TypeVar

from transputer.registry.machine import require
from transputer.runtime.workers import ItemResult, never

T = TypeVar("T")
R = TypeVar("R")
#: The scheduler that is a cluster of processes on this machine.
LOCAL = "dask-local"
#: Tasks in flight for each worker.
AHEAD = 3
#: Seconds to wait for a scheduler.
PATIENCE = "30s"


def spread_on(
    scheduler: str,
    work: Callable[[T], R],
    items: Iterable[T],
    jobs: int,
    hold: Callable[[], bool] = never,
) -> Iterator[ItemResult[R]]:
    """Do `work` on every item on a cluster; yield results as they become ready, as `spread` does.

    `scheduler` is an address, or `dask-local` for `jobs` processes of this machine. Raises
    `EngineUnavailable` without Dask. An exception of `work`, or that its worker was lost too
    often, is the problem of its item.
    """
    require("distributed", "dask", "--scheduler")
    from distributed import Client, LocalCluster, as_completed

    name = f"transputer-{uuid.uuid4().hex}"
    source = iter(enumerate(items))
    flying: dict[str, int] = {}
    with ExitStack() as stack:
        place: Any = scheduler
        if scheduler == LOCAL:
            options = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
            place = stack.enter_context(LocalCluster(**options))
        client = stack.enter_context(Client(place, timeout=PATIENCE))
        client.register_plugin(_plugin(work), name=name)
        ready = as_completed()

        room = AHEAD * max(1, len(client.scheduler_info()["workers"]))

        def fill() -> None:
            while len(flying) < room and not (flying and hold()):
                pair = next(source, None)
                if pair is None:
                    return
                future = client.submit(_do, name, pair[1], pure=False)
                flying[future.key] = pair[0]
                ready.add(future)

        fill()
        for future in ready:
            index, error = flying.pop(future.key), future.exception()
            if error is None:
                yield ItemResult(index, future.result())
            else:
                yield ItemResult(index, None, f"{type(error).__name__}: {error}")
            future.release()
            fill()


def _plugin(work: Callable[[Any], Any]) -> Any:
    """What puts the work on every worker."""
    from distributed import WorkerPlugin

    class WorkPlugin(WorkerPlugin):  # type: ignore[misc]
        """Holds the work of a client."""

        def __init__(self) -> None:
            self.work = work

    return WorkPlugin()


def _do(name: str, item: Any) -> Any:
    from distributed import get_worker

    return get_worker().plugins[name].work(item)
