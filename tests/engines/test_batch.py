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


def _built(folder: Path, text: str, *samples: tuple[int, ...]):
    source = folder / "program.c"
    source.write_text(text)
    program = tp.compile(source)
    builder = RowBuilder(program, "run")
    for args in samples:
        builder.add(sample(program, "run", RowInput(args), 1 << 20))
    return program, builder.program_of(builder.source())


def _agree(program, code, rows: list[tuple[int, ...]]) -> None:
    """All rows end, with the results, the steps and the instructions of another engine."""
    ends = run_batch(code, [RowInput(row) for row in rows], 1 << 22)
    for row, end in zip(rows, ends, strict=True):
        alone = program.run("run", list(row), engine="native")
        assert end is not None
        assert end["results"] == alone.results
        assert (end["steps"], end["instructions"]) == (alone.steps, alone.instructions)


def test_calls_deeper_than_those_of_the_sample(tmp_path: Path) -> None:
    """Blocks know the frames of the sample; a row that goes deeper is taken by rows there."""
    text = """
    __attribute__((noinline)) static unsigned down(unsigned n) {
        return n ? n + 3 * down(n - 1) : 1;
    }
    unsigned run(unsigned n) { return down(n); }
    """
    program, code = _built(tmp_path, text, (3,))
    _agree(program, code, [(0,), (3,), (4,)])


def test_a_slot_of_64_bits(tmp_path: Path) -> None:
    """Slots that the sample left below 2^32 are variables of 32 bits only where rows agree."""
    text = """
    unsigned long long run(unsigned long long x, unsigned n) {
        unsigned count = 0;
        for (unsigned i = 0; i < n; i++) count += (unsigned)(x >> i) & 1;
        return x + count;
    }
    """
    program, code = _built(tmp_path, text, (5, 40))
    assert "uint32_t r" in code.text
    _agree(program, code, [(5, 40), (1 << 40, 50), ((1 << 64) - 1, 63)])


def test_words_that_rows_share_cannot_be_written(tmp_path: Path) -> None:
    """The sample left a table alone; a row that writes to it is left to another engine."""
    numbers = ", ".join(str(n * n + 1) for n in range(256))
    text = f"""
    static unsigned table[256] = {{{numbers}}};
    unsigned run(unsigned at, unsigned write) {{
        if (write) table[at & 255] = write;
        return table[at & 255] + table[(at + 1) & 255];
    }}
    """
    program, code = _built(tmp_path, text, (3, 0))
    _agree(program, code, [(200, 0), (3, 0)])
    (end,) = run_batch(code, [RowInput((3, 7))], 1 << 22)
    assert end is None
