"""Floating-point instructions through the weights, on many operands, against the host's arithmetic.

NumPy draws the operands, edges among them, and the host writes them into the memory of a program
that loads operands, executes the instruction and stores the result. Every result is then read back
from the machine's tokens and compared with what the host's own arithmetic gives.
`python -m tools.float_campaign --out FILE` writes what `docs/benchmarks/floats.json` has, and with
`--engine reference --pairs 400 --edges 2` what `float-reference.json` has, in 84 CPU minutes.
"""

import argparse
import json
import platform
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.isa.wasm import WASM
from transputer.machines.trace.tape import SPACE, field, values
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import MachineSession, new_session

Bits = NDArray[np.uint64]
#: Pairs of operands in the memory of one session, and in one turn of the program's loop.
CHUNK, TURN = 1 << 13, 16
#: Bytes from a pair to the next: a word for each operand; the result replaces the first.
STRIDE = 16
#: One pair in so many consists of edges, unless the command says otherwise.
EDGES = 16
_BINARY: dict[str, Callable[..., object]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "gt": np.greater,
    "le": np.less_equal, "ge": np.greater_equal, "min": np.minimum, "max": np.maximum,
    "copysign": np.copysign,
}  # fmt: skip
UNARY: dict[str, Callable[..., object]] = {
    "sqrt": np.sqrt, "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "nearest": np.rint,
    "abs": np.abs, "neg": np.negative,
}  # fmt: skip
#: Instructions that change the sign of a NaN and keep its other bits.
_SIGNS = ("abs", "neg", "copysign")
#: Instructions whose result is a truth value.
COMPARES = ("eq", "ne", "lt", "gt", "le", "ge")
_BITS = {"i32": 32, "i64": 64, "f32": 32, "f64": 64}


class Format:
    """A binary format: its bits, where its exponent stands, its NumPy types."""

    def __init__(self, bits: int, fraction: int) -> None:
        self.bits, self.fraction = bits, fraction
        self.exponent = (1 << bits - 1) - (1 << fraction)
        self.bias = self.exponent >> fraction + 1
        self.float = np.dtype(f"f{bits // 8}")
        self.word = np.dtype(f"u{bits // 8}")
        self.nan = self.exponent | 1 << fraction - 1

    def edges(self) -> list[int]:
        """Zeros, subnormals, powers of two at which conversions change, infinities, NaNs."""
        powers = (
            self.bias + n << self.fraction for n in (-1, 0, 1, 23, 24, 31, 32, 52, 53, 63, 64)
        )
        middle = (0, 1 << self.fraction - 1, 1 << self.fraction, *powers, self.exponent, self.nan)
        return _with_neighbours(middle, self.bits)


FORMATS = {"f32": Format(32, 23), "f64": Format(64, 52)}


def _with_neighbours(numbers: tuple[int, ...], bits: int) -> list[int]:
    """Numbers and those beside them, with the highest bit and without."""
    near = {(n + d) % (1 << bits - 1) for n in numbers for d in (-1, 0, 1)}
    return sorted(n | top << bits - 1 for n in near for top in (0, 1))


def _module(name: str) -> str:
    """A function that replaces the operands in memory by results, TURN pairs in each turn."""
    row = WASM[name]
    kinds, (result,) = [t.value for t in row.params], [t.value for t in row.results]

    def pair(i: int) -> str:
        at = STRIDE * i
        loads = (f"(local.get $p) {kind}.load offset={at + 8 * k}" for k, kind in enumerate(kinds))
        return f"local.get $p {' '.join(loads)} {name} {result}.store offset={at}"

    return f"""(module (memory {CHUNK * STRIDE >> 16})
      (func (export "replace") (param $turns i32) (local $p i32)
        loop $next
          {" ".join(map(pair, range(TURN)))}
          (local.set $p (i32.add (local.get $p) (i32.const {TURN * STRIDE})))
          (br_if $next (local.tee $turns (i32.sub (local.get $turns) (i32.const 1))))
        end))"""


def drawn(f: Format, seed: int, count: int, every: int = EDGES) -> tuple[Bits, Bits]:
    """Pairs of floats: close exponents, subnormals, few bits, equal up to some bits, edges."""
    rng = np.random.default_rng([seed, f.bits])
    a, b = _random(rng, f.bits, count), _random(rng, f.bits, count)
    size, exponent = np.uint64((1 << f.bits) - 1), np.uint64(f.exponent)
    k, small = rng.integers(8, size=count), rng.integers(f.bits, size=count, dtype=np.uint64)
    clear = ~exponent & size
    moved = (a + ((small - np.uint64(f.bits // 2)) << np.uint64(f.fraction))) & exponent
    b = np.where((k == 2) | (k == 3), b & clear | moved, b)
    a = np.where(k == 4, a & clear, a)
    b = np.where(k == 5, b & (size << small % np.uint64(f.fraction)) & size, b)
    b = np.where(k == 6, a ^ small >> np.uint64(3), b)
    return _edged(a, f.edges(), 1, every), _edged(b, f.edges(), len(f.edges()), every)


def drawn_unary(f: Format, low: int, high: int, seed: int, count: int, every: int = EDGES) -> Bits:
    """Floats: half of them of exponents from `low` to `high`, half of few bits, edges."""
    rng = np.random.default_rng([seed, f.bits, 1])
    a, size = _random(rng, f.bits, count), np.uint64((1 << f.bits) - 1)
    inside = rng.integers(f.bias + low, f.bias + high, size=count, dtype=np.uint64)
    near = a & ~np.uint64(f.exponent) & size | inside << np.uint64(f.fraction)
    a = np.where(rng.integers(2, size=count) == 0, near, a)
    short = a & size << rng.integers(f.fraction, size=count, dtype=np.uint64) & size
    return _edged(np.where(rng.integers(2, size=count) == 0, short, a), f.edges(), 1, every)


def drawn_integers(bits: int, seed: int, count: int, every: int = EDGES) -> Bits:
    """Integers of every length, half of them of few bits, edges."""
    rng = np.random.default_rng([seed, bits, 2])
    a, size = _random(rng, bits, count), np.uint64((1 << bits) - 1)
    a = a >> rng.integers(bits, size=count, dtype=np.uint64)
    short = a & size << rng.integers(bits, size=count, dtype=np.uint64) & size
    a = np.where(rng.integers(2, size=count) == 0, short, a)
    a = np.where(rng.integers(2, size=count) == 0, -a & size, a)
    middle = tuple(1 << n for n in range(bits - 1))
    return _edged(a, _with_neighbours(middle, bits), 1, every)


def _random(rng: np.random.Generator, bits: int, count: int) -> Bits:
    return rng.integers(1 << bits, size=count, dtype=np.uint64) if bits < 64 else (
        rng.integers(0, (1 << 64) - 1, size=count, dtype=np.uint64, endpoint=True)
    )  # fmt: skip


def _edged(values: Bits, edges: list[int], repeat: int, every: int) -> Bits:
    """Replace some by an edge; over pairs that repeat differently, all pairs of them."""
    at = np.arange(0, len(values), every)
    values[at] = np.array(edges, np.uint64)[np.arange(len(at)) // repeat % len(edges)]
    return values


def host(name: str, a: Bits, b: Bits) -> Bits:
    """What the host computes, as bits; every NaN of arithmetic is the canonical one."""
    kind, op = name.split(".")
    f = FORMATS[kind]
    x, y = _float(f, a), _float(f, b)
    with np.errstate(all="ignore"):
        result = np.asarray(UNARY[op](x) if op in UNARY else _BINARY[op](x, y))
        if op in ("min", "max"):  # WebAssembly orders the zeros
            both = (x == 0) & (y == 0)
            zeros = (a | b) if op == "min" else (a & b)
            result = np.where(both, zeros.astype(f.word).view(f.float), result)
    if result.dtype == bool:
        return result.astype(np.uint64)
    return _bits(f, result) if op in _SIGNS else _canonical(f, result)


def _float(f: Format, bits: Bits) -> NDArray[np.floating]:
    return bits.astype(f.word).view(f.float)


def _bits(f: Format, values: NDArray[np.floating]) -> Bits:
    return values.astype(f.float).view(f.word).astype(np.uint64)


def _canonical(f: Format, values: NDArray[np.floating]) -> Bits:
    return np.where(np.isnan(values), np.uint64(f.nan), _bits(f, values))


def _integer(signed: bool, bits: int) -> np.dtype[np.integer]:
    return np.dtype(f"{'i' if signed else 'u'}{bits // 8}")


def converted(name: str, a: Bits) -> Bits:
    """What a conversion gives on the host."""
    target, op = name.split(".")
    verb, source = op.split("_")[0], WASM[name].params[0]
    if verb == "reinterpret":
        return a
    with np.errstate(all="ignore"):
        if verb in ("demote", "promote"):
            to = FORMATS[target]
            return _canonical(to, _float(FORMATS[source.value], a).astype(to.float))
        signed = op.endswith("_s")
        if verb == "convert":
            word = _integer(False, source.bits)
            number = a.astype(word).view(_integer(signed, source.bits))
            return _bits(FORMATS[target], number.astype(FORMATS[target].float))
        return _truncated(_float(FORMATS[source.value], a), signed, _BITS[target])


def _range(signed: bool, bits: int) -> tuple[int, int]:
    """The lowest integer and the end of a range; both are floats of every format."""
    return (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)


def _inside(x: NDArray[np.floating], signed: bool, bits: int) -> NDArray[np.bool_]:
    low, end = _range(signed, bits)
    with np.errstate(all="ignore"):
        x = np.trunc(x)
    return (x >= low) & (x < x.dtype.type(end))


def _truncated(x: NDArray[np.floating], signed: bool, bits: int) -> Bits:
    """Truncate to integers, saturating."""
    low, end = _range(signed, bits)
    inside, mask = _inside(x, signed, bits), (1 << bits) - 1
    whole = np.where(inside, x, 0).astype(_integer(signed, 64)).view(np.uint64)
    ends = np.where(x < low, np.uint64(low & mask), np.uint64(end - 1))
    return np.where(inside, whole & np.uint64(mask), np.where(np.isnan(x), np.uint64(0), ends))


def _in_range(name: str, a: Bits) -> Bits:
    """Operands that do not trap: negative ones without their sign, if need be, and zeros."""
    f, target = FORMATS[WASM[name].params[0].value], name.split(".")[0]
    positive = a & np.uint64((1 << f.bits - 1) - 1)
    fits = [_inside(_float(f, n), name.endswith("_s"), _BITS[target]) for n in (a, positive)]
    return np.where(fits[0], a, np.where(fits[1], positive, np.uint64(0)))


def cases(name: str, seed: int, count: int, every: int = EDGES) -> tuple[list[Bits], Bits]:
    """The operands of an instruction, and what the host computes from them."""
    source = WASM[name].params[0].value
    op = name.split(".")[1]
    if op in _BINARY:
        a, b = drawn(FORMATS[source], seed, count, every)
        return [a, b], host(name, a, b)
    if source not in FORMATS:
        a = drawn_integers(_BITS[source], seed, count, every)
        return [a], converted(name, a)
    low, high = (-152, 130) if op.startswith("demote") else (-2, 66)
    a = drawn_unary(FORMATS[source], low, high, seed, count, every)
    if op in UNARY:
        return [a], host(name, a, a)
    if op.startswith("trunc") and "sat" not in op:
        a = _in_range(name, a)
    return [a], converted(name, a)


def measure(name: str, engine: str, seed: int, count: int, every: int = EDGES) -> dict[str, Any]:
    """Run an instruction on `count` pairs; `wrong` is the first that differs, if any."""
    operands, expected = cases(name, seed, count, every)
    module = verify(decode(to_wasm(_module(name))))
    mask = np.uint64((1 << WASM[name].results[0].bits) - 1)
    steps, wrong, seconds = 0, np.zeros(0, np.int64), 0.0
    for first in range(0, count, CHUNK):
        some = [o[first : first + CHUNK] for o in operands]
        began = time.process_time()
        taken, results = _run(name, engine, module, some)
        seconds += time.process_time() - began
        steps += taken
        differ = np.flatnonzero((results & mask) != expected[first : first + CHUNK])
        wrong = np.concatenate([wrong, first + differ])
    shown = "" if not wrong.size else " ".join(
        [*(f"{int(o[wrong[0]]):#x}" for o in operands), f"expected {int(expected[wrong[0]]):#x}"]
    )  # fmt: skip
    return {"op": name, "pairs": count, "differ": int(wrong.size), "wrong": shown,
            "steps": steps, "cpu_seconds": round(seconds, 1)}  # fmt: skip


def _run(name: str, engine: str, module: object, operands: list[Bits]) -> tuple[int, Bits]:
    """Steps, and the words of the results, of at most CHUNK pairs in one session."""
    session = new_session(engine, max_steps=1 << 40, keep=True)
    assert isinstance(session, MachineSession)
    instance, _ = session.load_program(TraceProgram(name, module=module))  # type: ignore[arg-type]
    (memory,) = instance.memories
    turns = -(-len(operands[0]) // TURN)
    words = np.zeros((turns * TURN, STRIDE // 8), dtype="<u8")
    for column, numbers in enumerate(operands):
        words[: len(numbers), column] = numbers
    session.trace.write_memory(memory, 0, words.tobytes())
    outcome = session.invoke(instance, "replace", [turns])
    assert outcome.trap is None, f"{name}: {outcome.trap}"
    tokens = session.trace.tape.tokens[-outcome.steps :]
    stores = tokens[tokens[:, SPACE] == session.trace.spaces["memory", memory]]
    words.flat[field(stores, "at")] = values(stores)
    return outcome.steps, words[: len(operands[0]), 0]


def names() -> Iterator[str]:
    """Instructions whose operands and results have one format, and comparisons."""
    for kind in FORMATS:
        yield from (f"{kind}.{op}" for op in (*_BINARY, *UNARY))


def conversions() -> Iterator[str]:
    """Instructions between formats and integers."""
    yield from ("f32.demote_f64", "f64.promote_f32")
    for kind, f in FORMATS.items():
        yield from (f"{kind}.reinterpret_i{f.bits}", f"i{f.bits}.reinterpret_{kind}")
        for i in ("i32", "i64"):
            for sign in "su":
                yield f"{kind}.convert_{i}_{sign}"
                yield from (f"{i}.{verb}_{kind}_{sign}" for verb in ("trunc", "trunc_sat"))


def main() -> int:
    """Measure all instructions and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="native")
    parser.add_argument("--pairs", type=int, default=1_000_000, help="pairs of each instruction")
    parser.add_argument("--edges", type=int, default=EDGES, help="one pair in so many is of edges")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--only", nargs="*", default=[], help="instructions, by name")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    git = ["git", "rev-parse", "--short", "HEAD"]
    options = f"--engine {given.engine} --pairs {given.pairs} --edges {given.edges}"
    about = {"command": f"python -m tools.float_campaign {options}",
             "commit": subprocess.run(git, capture_output=True, text=True).stdout.strip(),
             "machine": platform.machine(), "engine": given.engine, "seed": given.seed,
             "pairs": given.pairs}  # fmt: skip
    rows: list[dict[str, Any]] = []
    for name in given.only or [*names(), *conversions()]:
        rows.append(measure(name, given.engine, given.seed, given.pairs, given.edges))
        print(rows[-1], flush=True)
        if given.out:
            totals = {"instructions": len(rows), "differ": sum(row["differ"] for row in rows)}
            content = {**about, **totals, "rows": rows}
            given.out.write_text(json.dumps(content, indent=1) + "\n")
    return int(any(row["differ"] for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
