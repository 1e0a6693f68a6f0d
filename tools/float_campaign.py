"""Floating-point instructions through the weights, on many pairs, against the host's arithmetic.

A module draws operands itself, from a seed, and folds the bits of all results into one number;
NumPy draws the same operands and folds what the host computes. Where the numbers differ, the
first wrong pair is found by bisection. `python -m tools.float_campaign --out FILE` writes what
`docs/benchmarks/floats.json` has.
"""

import argparse
import json
import platform
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import MachineSession, new_session

Bits = NDArray[np.uint64]
#: Instructions of several steps, which most pairs are for.
SEVERAL = ("add", "sub", "mul", "div", "sqrt")
_BINARY: dict[str, Callable[..., object]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "gt": np.greater,
    "le": np.less_equal, "ge": np.greater_equal, "min": np.minimum, "max": np.maximum,
}  # fmt: skip
UNARY: dict[str, Callable[..., object]] = {
    "sqrt": np.sqrt, "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "nearest": np.rint,
}  # fmt: skip
#: Instructions whose result is a truth value.
COMPARES = ("eq", "ne", "lt", "gt", "le", "ge")
_MULTIPLIER = 0x2545F4914F6CDD1D
_FOLD = 0x9E3779B97F4A7C15


class Format:
    """A binary format: its bits, where its exponent stands, its NumPy types."""

    def __init__(self, bits: int, fraction: int) -> None:
        self.bits, self.fraction = bits, fraction
        self.exponent = (1 << bits - 1) - (1 << fraction)
        self.float = np.dtype(f"f{bits // 8}")
        self.word = np.dtype(f"u{bits // 8}")
        self.nan = self.exponent | 1 << fraction - 1


FORMATS = {"f32": Format(32, 23), "f64": Format(64, 52)}


def _module(name: str) -> str:
    """A function of (seed, count) that returns the fold of `count` results."""
    kind, op = name.split(".")
    f = FORMATS[kind]
    i = f"i{f.bits}"
    exponent, low = f.exponent, f.bits - 1
    wrap = " i32.wrap_i64" if f.bits == 32 else ""
    draw = (
        "(local.set $s (i64.xor (local.get $s) (i64.shr_u (local.get $s) (i64.const 12))))"
        "(local.set $s (i64.xor (local.get $s) (i64.shl (local.get $s) (i64.const 25))))"
        "(local.set $s (i64.xor (local.get $s) (i64.shr_u (local.get $s) (i64.const 27))))"
        f"(local.get $s) (i64.const {_MULTIPLIER}) i64.mul"
    )
    shift = f"(i64.and (i64.shr_u (local.get $r) (i64.const 8)) (i64.const {low}))"
    narrow = f"(i32.wrap_i64 {shift})" if f.bits == 32 else shift
    clear = f"({i}.const {exponent ^ (1 << f.bits) - 1})"
    near = (
        f"(local.set $b ({i}.or ({i}.and (local.get $b) {clear}) ({i}.and ({i}.add (local.get $a)"
        f" ({i}.shl ({i}.sub {narrow} ({i}.const {f.bits // 2})) ({i}.const {f.fraction})))"
        f" ({i}.const {exponent}))))"
    )
    short = (
        f"(local.set $b ({i}.and (local.get $b) ({i}.shl ({i}.const -1)"
        f" ({i}.rem_u {narrow} ({i}.const {f.fraction})))))"
    )
    a, b = (f"({kind}.reinterpret_{i} (local.get ${n}))" for n in "ab")
    value = f"({kind}.{op} {a} {b})" if op in _BINARY else f"({kind}.{op} {a})"
    boolean = op in COMPARES
    result = f"(i64.extend_i32_u {value})" if boolean else f"({i}.reinterpret_{kind} {value})"
    wide = " i64.extend_i32_u" if f.bits == 32 and not boolean else ""
    return f"""(module (func (export "fold") (param $s i64) (param $n i32) (result i64)
      (local $a {i}) (local $b {i}) (local $r i64) (local $k i32) (local $h i64)
      loop $next
        {draw}{wrap} local.set $a
        {draw}{wrap} local.set $b
        {draw} local.set $r
        (local.set $k (i32.and (i32.wrap_i64 (local.get $r)) (i32.const 7)))
        (if (i32.le_u (i32.sub (local.get $k) (i32.const 2)) (i32.const 1)) (then {near}))
        (if (i32.eq (local.get $k) (i32.const 4))
          (then (local.set $a ({i}.and (local.get $a) {clear}))))
        (if (i32.eq (local.get $k) (i32.const 5)) (then {short}))
        (if (i32.eq (local.get $k) (i32.const 6))
          (then (local.set $b ({i}.xor (local.get $a) ({i}.shr_u {narrow} ({i}.const 3))))))
        {result}{wide}
        local.get $h (i64.const 5) i64.rotl i64.xor (i64.const {_FOLD}) i64.mul local.set $h
        (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1))))
      end
      local.get $h))"""


def drawn(f: Format, seed: int, count: int) -> tuple[Bits, Bits]:
    """The operands that the module draws."""
    s, mask = seed, (1 << 64) - 1
    draws = np.empty(3 * count, np.uint64)
    for i in range(3 * count):
        s ^= s >> 12
        s = (s ^ s << 25) & mask
        s ^= s >> 27
        draws[i] = s * _MULTIPLIER & mask
    size = np.uint64((1 << f.bits) - 1)
    a, b, r = (draws[i::3] for i in range(3))
    a, b, k = a & size, b & size, r & np.uint64(7)
    small = (r >> np.uint64(8)) & np.uint64(f.bits - 1)
    exponent = np.uint64(f.exponent)
    clear = ~exponent & size
    moved = (a + ((small - np.uint64(f.bits // 2)) << np.uint64(f.fraction))) & exponent
    b = np.where((k == 2) | (k == 3), b & clear | moved, b)
    a = np.where(k == 4, a & clear, a)
    b = np.where(k == 5, b & (size << small % np.uint64(f.fraction)) & size, b)
    b = np.where(k == 6, a ^ small >> np.uint64(3), b)
    return a, b


def host(name: str, a: Bits, b: Bits) -> Bits:
    """What the host computes, as bits; every NaN is the canonical one."""
    kind, op = name.split(".")
    f = FORMATS[kind]
    x, y = (n.astype(f.word).view(f.float) for n in (a, b))
    with np.errstate(all="ignore"):
        result = np.asarray(UNARY[op](x) if op in UNARY else _BINARY[op](x, y))
        if op in ("min", "max"):  # WebAssembly orders the zeros
            both = (x == 0) & (y == 0)
            zeros = (a | b) if op == "min" else (a & b)
            result = np.where(both, zeros.astype(f.word).view(f.float), result)
    if result.dtype == bool:
        return result.astype(np.uint64)
    bits = result.astype(f.float).view(f.word).astype(np.uint64)
    return np.where(np.isnan(result), np.uint64(f.nan), bits)


def _fold(values: Bits) -> int:
    h, mask = 0, (1 << 64) - 1
    for value in values.tolist():
        h = (value ^ (h << 5 | h >> 59) & mask) * _FOLD & mask
    return h


def _session(name: str, engine: str) -> tuple[MachineSession, object]:
    session = new_session(engine, max_steps=1 << 40)
    assert isinstance(session, MachineSession)
    module = verify(decode(to_wasm(_module(name))))
    instance, _ = session.load_program(TraceProgram(name, module=module))
    return session, instance


def measure(name: str, engine: str, seed: int, count: int) -> dict[str, object]:
    """Run an instruction on `count` pairs; `wrong` is the first pair that differs, if any."""
    session, instance = _session(name, engine)
    began = time.process_time()
    outcome = session.invoke(instance, "fold", [seed, count])  # type: ignore[arg-type]
    seconds = time.process_time() - began
    a, b = drawn(FORMATS[name[:3]], seed, count)
    same = outcome.results == (_fold(host(name, a, b)),)
    wrong = "" if same else _first_wrong(name, engine, seed, count, a, b)
    return {"op": name, "pairs": count, "differ": int(not same), "wrong": wrong,
            "steps": outcome.steps, "cpu_seconds": round(seconds, 1)}  # fmt: skip


def _first_wrong(name: str, engine: str, seed: int, count: int, a: Bits, b: Bits) -> str:
    low, high = 1, count  # how many pairs it takes for the fold to differ
    wanted = host(name, a, b)
    while low < high:
        middle = (low + high) // 2
        session, instance = _session(name, engine)
        result = session.invoke(instance, "fold", [seed, middle]).results  # type: ignore[arg-type]
        low, high = (low, middle) if result != (_fold(wanted[:middle]),) else (middle + 1, high)
    return f"{int(a[low - 1]):#x} {int(b[low - 1]):#x}: expected {int(wanted[low - 1]):#x}"


def names() -> Iterator[str]:
    """All instructions of the campaign."""
    for kind in FORMATS:
        yield from (f"{kind}.{op}" for op in (*_BINARY, *UNARY))


def main() -> int:
    """Measure all instructions and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="native")
    parser.add_argument("--pairs", type=int, default=1_000_000, help="pairs of each instruction")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--only", nargs="*", default=[], help="instructions, by name")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = []
    for name in given.only or names():
        count = given.pairs if name.split(".")[1] in SEVERAL else max(1, given.pairs // 10)
        rows.append(measure(name, given.engine, given.seed, count))
        print(rows[-1], flush=True)
        if given.out:
            commit = subprocess.run(
                ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True
            )
            about = {"commit": commit.stdout.strip(), "machine": platform.machine(),
                     "engine": given.engine, "seed": given.seed}  # fmt: skip
            given.out.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")
    return int(any(row["differ"] for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
