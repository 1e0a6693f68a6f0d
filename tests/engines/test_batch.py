"""Rows in batches: the same tokens, results and memory as `native`."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

import transputer as tp
from transputer.engines.batch.library import run_rows
from transputer.runtime.trace.batch import RowBuilder, RowInput, run_batch, sample

SORT = """
static unsigned numbers[64];
unsigned run(unsigned seed, unsigned n) {
    unsigned check = 0;
    for (unsigned i = 0; i < n; i++) numbers[i] = seed = seed * 1664525u + 1013904223u;
    for (unsigned i = 1; i < n; i++)
        for (unsigned k = i; k && numbers[k - 1] > numbers[k]; k--) {
            unsigned other = numbers[k];
            numbers[k] = numbers[k - 1], numbers[k - 1] = other;
        }
    for (unsigned i = 0; i < n; i++) check = check * 31 + numbers[i];
    return check;
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory):
    source = Path(tmp_path_factory.mktemp("batch"), "sort.c")
    source.write_text(SORT)
    program = tp.compile(source)
    builder = RowBuilder(program, "run")
    builder.add(sample(program, "run", RowInput((1, 10)), 1 << 20))
    rows = builder.source()
    return program, builder, rows, builder.program_of(rows)


def test_rows_leave_what_native_leaves(built) -> None:
    program, builder, source, code = built
    args = [(seed, 10) for seed in range(2, 8)]
    columns = np.array(args, dtype=np.uint64).T
    fast = run_rows(code.text, code.shape, columns, 1 << 20, checked=True)
    traced = run_rows(code.text, code.shape, columns, 1 << 20, checked=True, traced=True)
    first = len(builder.start.tokens)
    for i, pair in enumerate(args):
        tokens = sample(program, "run", RowInput(pair), 1 << 20)
        wide = tokens.astype(np.uint16)
        assert fast.reason[i] == traced.reason[i] == 1
        assert fast.steps[i] == traced.steps[i] == len(tokens) - first
        assert (fast.last[i] == builder.run.words(wide[-1:])[0]).all()
        digest = source.digest(np.concatenate([builder.host, wide]))
        assert int(fast.digests[i]) == int(traced.digests[i]) == digest
        expected = hashlib.sha256(tokens[first:].tobytes()).hexdigest()
        assert "".join(f"{w:08x}" for w in traced.hashes[i].tolist()) == expected


def test_a_row_that_leaves_its_window_is_lost(built) -> None:
    """The sample sorted 10 numbers; 60 do not fit, and are left to another engine."""
    program, _, _, code = built
    ends = run_batch(code, [RowInput((5, 9)), RowInput((5, 60))], 1 << 22)
    assert ends[0] is not None and ends[1] is None
    assert ends[0]["results"] == program.run("run", [5, 9], engine="oracle").results
