"""Prepare what a CUDA machine needs into build/gpu: `python -m tools.gpu.prepare`.

For each program: its source for the device, what `native` says about 1,000 of a million rows
(results, steps, the last token, a digest of memory, SHA-256 of every token), and what lifted code
on a core says about a few longer rows. `tools/gpu/measure.py` needs nothing else.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import transputer as tp
from tools.gpu.native_rows import NativeRows, Tokens
from tools.gpu.weights import check_on_core, prepare_weights
from transputer.engines.batch.library import run_rows
from transputer.engines.batch.source import BatchSource
from transputer.machines.trace.tape import STATUS, VALUE
from transputer.runtime.trace.batch import RowBuilder, RowInput, sample
from transputer.runtime.trace.program import TraceProgram

ROWS = 1_000_000
SAMPLED = 1_000
LIMIT = 1 << 24
#: Longer rows, and those of them that are checked.
MANY, LONG_ROWS = 1 << 17, 32


@dataclass(frozen=True)
class Workload:
    """A program, the arguments of row i, and those of longer rows."""

    name: str
    args: Callable[[int], tuple[int, ...]]
    long: Callable[[int], tuple[int, ...]]


WORKLOADS = (
    Workload(
        "collatz", lambda i: (1 + i % 113_000, 4 + i // 113_000), lambda i: (1 + i % 113_000, 380)
    ),
    Workload("sha256", lambda i: (i, 1), lambda i: (i, 16)),
    Workload("sort", lambda i: (i, 64), lambda i: (i, 2048)),
    Workload("sudoku", lambda i: (i,), lambda i: (i,)),
)


#: Functions that are compared on all numbers of 32 bits.
CHECKED = ("popcount_loop", "popcount_sums", "popcount_planted")


def chosen_rows(count: int, seed: int = 26) -> list[int]:
    """Rows to be checked against `native`, the first and the last among them."""
    rows = np.random.default_rng(seed).choice(ROWS, count, replace=False)
    rows[:2] = 0, ROWS - 1
    return sorted({*rows.tolist()})


def started(builder: RowBuilder, args: Sequence[int]) -> Tokens:
    """The tokens of the host for a row."""
    start = builder.start.tokens.copy()
    for (token, _), arg in zip(builder.start.arguments, args, strict=True):
        start[token, VALUE : VALUE + 8] = [*arg.to_bytes(8, "little")]
    return np.concatenate([builder.host, start])


def native_rows(
    builder: RowBuilder, source: BatchSource, rows: Sequence[tuple[int, ...]]
) -> dict[str, NDArray[Any]]:
    """What `native` says about rows."""
    native = NativeRows(builder.code.lifting.model, STATUS)
    steps, last, digests, hashes = [], [], [], []
    for args in rows:
        host = started(builder, args)
        tokens = native.run(host, LIMIT)
        steps.append(len(tokens))
        last.append(builder.run.words(tokens[-1:])[0])
        digests.append(source.digest(np.concatenate([host, tokens])))
        hashes.append(hashlib.sha256(tokens.astype(np.uint8).tobytes()).digest())
    return {
        "steps": np.array(steps),
        "last": np.array(last),
        "digests": np.array(digests, dtype=np.uint64),
        "hashes": np.frombuffer(b"".join(hashes), dtype=">u4").reshape(-1, 8).astype(np.uint32),
    }


def prepare(work: Workload, folder: Path, count: int) -> None:
    """Write the files of a program."""
    began = time.time()
    program = tp.compile(f"tools/gpu/programs/{work.name}.c")
    assert isinstance(program, TraceProgram)
    builder = RowBuilder(program, "run")
    rows = chosen_rows(count)
    for args in (work.args(0), work.args(rows[1]), work.args(ROWS - 1), work.long(0)):
        builder.add(sample(program, "run", RowInput(args), LIMIT))
    source = builder.source()
    code = builder.program_of(source)
    (folder / f"{work.name}.cu").write_text(code.text)
    print(f"{work.name}: source, {len(code.text):,} characters, {time.time() - began:.0f} s")
    columns = np.array([work.args(i) for i in rows], dtype=np.uint64).T
    core = run_rows(code.text, code.shape, columns, LIMIT, checked=True)
    print(f"{work.name}: compiled, {time.time() - began:.0f} s; {(core.reason != 1).sum()} lost")
    long_args = np.array([work.long(i) for i in range(LONG_ROWS)], dtype=np.uint64).T
    long = run_rows(code.text, code.shape, long_args, LIMIT, checked=True)
    expected = native_rows(builder, source, [work.args(i) for i in rows])
    for name in ("steps", "last", "digests"):
        assert (getattr(core, name) == expected[name]).all(), (work.name, name)
    assert (long.reason == 1).all()
    every = np.array([work.args(i) for i in range(ROWS)], dtype=np.uint32).T
    every_long = np.array([work.long(i) for i in range(MANY)], dtype=np.uint32).T
    arrays: dict[str, Any] = {
        "rows": np.array(rows),
        "args": every,
        "long_args": every_long,
        "results": core.results,
        "tally": core.tally,
        "long_results": long.results,
        "long_steps": long.steps,
        "long_digests": long.digests,
        **expected,
    }
    np.savez_compressed(folder / f"{work.name}.npz", **arrays)
    facts = {
        "name": work.name,
        "arguments": code.shape.arguments,
        "results": code.shape.results,
        "groups": code.shape.groups,
        "room": code.shape.room,
        "row_words": source.row_words,
        "limit": LIMIT,
    }
    (folder / f"{work.name}.json").write_text(json.dumps(facts))
    print(f"{work.name}: {len(rows)} rows by native, {time.time() - began:.0f} s")


def prepare_check(name: str, folder: Path) -> None:
    """Write the source of a function of one number, to be compared on all numbers."""
    program = tp.compile(f"tools/gpu/programs/{name}.c")
    assert isinstance(program, TraceProgram)
    builder = RowBuilder(program, "run")
    for x in (0, 1, 0xDEADBEEF, 0xFFFFFFFF):
        builder.add(sample(program, "run", RowInput((x,)), LIMIT))
    source = builder.source()
    code = builder.program_of(source)
    (folder / f"{name}.cu").write_text(code.text)
    facts = {"arguments": 1, "results": 1, "groups": code.shape.groups, "room": code.shape.room}
    facts |= {"row_words": source.row_words, "limit": 1 << 20}
    (folder / f"{name}.json").write_text(json.dumps(facts))
    print(f"{name}: source")


def main() -> None:
    """Prepare all programs, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=int, default=SAMPLED)
    parser.add_argument("--folder", type=Path, default=Path("build/gpu"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for work in WORKLOADS:
        if not options.names or work.name in options.names:
            prepare(work, options.folder, options.rows)
    for name in CHECKED:
        if not options.names or name in options.names:
            prepare_check(name, options.folder)
    if not options.names or "weights" in options.names:
        prepare_weights(options.folder, sampled=options.rows)
        check_on_core(options.folder)


if __name__ == "__main__":
    main()
