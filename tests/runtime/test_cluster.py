"""Rows on a Dask cluster: each exactly once, also when a worker is killed."""

import os
import signal
from math import gcd

import pytest

from transputer.runtime import map as mapping
from transputer.runtime.cluster import spread_on

distributed = pytest.importorskip("distributed")


def test_a_killed_worker_loses_and_doubles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "BATCH", 100)
    rows = [[i, 5040] for i in range(1, 10_001)]
    run = mapping.runner("examples/c/gcd.c", "gcd")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        address = cluster.scheduler_address
        found = []
        for result in mapping.map_inputs(
            run, mapping.rows_as_inputs(rows), scheduler=address, ordered=False
        ):
            if len(found) == 500:
                os.kill(cluster.workers[0].pid, signal.SIGKILL)
            found.append(result)
    assert sorted(r["line"] for r in found) == [*range(1, 10_001)]
    assert {r["line"]: r["results"] for r in found} == {i: [gcd(i, 5040)] for i in range(1, 10_001)}
    one = [*mapping.map_inputs(run, mapping.rows_as_inputs(rows[:300]))]
    ours = sorted(found, key=lambda r: r["line"])[:300]
    same = ("line", "id", "results", "steps", "instructions", "trap", "exit_code")
    assert [[r[k] for k in same] for r in ours] == [[r[k] for k in same] for r in one]


def double(x: int) -> int:
    if x == 3:
        raise ValueError("unlucky")
    return 2 * x


def test_a_cluster_of_this_machine() -> None:
    found = {r.index: (r.value, r.problem) for r in spread_on("dask-local", double, range(5), 1)}
    assert found.pop(3) == (None, "ValueError: unlucky")
    assert found == {i: (2 * i, "") for i in (0, 1, 2, 4)}
