"""Training shared out among several devices, here parts of the CPU, in a process of its own."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("jax", reason="JAX is not installed; pip install 'transputer[jax]'")

SCRIPT = """
import json
import numpy as np
from transputer.errors import UsageError
from transputer.learning.gradient import Settings, train
from transputer.learning.tasks import TASKS

settings = Settings(length=2, updates=20, examples=8, only=("ADD", "SUB", "MOV"))
one = train(TASKS["add"], settings, 8, seed=3)
four = train(TASKS["add"], settings, 8, seed=3, shards=4)
problems = []
for restarts, shards in ((6, 4), (8, 8)):
    try:
        train(TASKS["add"], settings, restarts, shards=shards)
    except UsageError as problem:
        problems.append(str(problem))
print(json.dumps({
    "devices": [len(one.rows.sharding.device_set), len(four.rows.sharding.device_set)],
    "same": np.array_equal(one.rows, four.rows),
    "apart": float(np.abs(np.asarray(one.losses) - np.asarray(four.losses)).max()),
    "learns": float(np.asarray(four.losses)[:, -1].mean() / np.asarray(four.losses)[:, 0].mean()),
    "problems": problems,
}))
"""


@pytest.mark.slow
def test_restarts_are_shared_out_and_learn_the_same() -> None:
    flags = "--xla_force_host_platform_device_count=4"
    around = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    around["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"  # compiles faster; compared with itself
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=around, capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout)
    assert said["devices"] == [1, 4]
    assert said["same"] and said["apart"] < 1e-4 and said["learns"] < 1
    assert "cannot be shared out" in said["problems"][0] and "JAX has 4" in said["problems"][1]
