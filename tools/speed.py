"""How much slower the weights are than running the same program directly.

`python -m tools.speed` prints it for this machine; `python -m tools.measure speed` saves it for
docs/how-it-works.md.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import wasmtime

from transputer.engines.reference.decoder import Reference
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.lower.flatten import flatten
from transputer.machines.trace.session import TraceSession
from transputer.machines.trace.universal import model
from transputer.oracle.ir import IrSession

#: The sum of the numbers from n to 1, nine instructions for each.
PROGRAM = """(module (func (export "sum") (param i32) (result i32) (local i32)
  (loop
    (local.set 1 (i32.add (local.get 1) (local.get 0)))
    (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
  (local.get 1)))"""
_EACH = 9


@dataclass(frozen=True, slots=True)
class Speed:
    """Instructions of `PROGRAM` per second of CPU time, on one core."""

    reference: float
    oracle: float
    wasmtime: float


def measure() -> Speed:
    """Run the loop on all three; each answer is checked."""
    return Speed(
        _rate(_weights(), 100),
        _rate(_interpreter(), 30_000),
        _rate(_compiled(), 200_000_000),
    )


def _rate(run: Callable[[int], int], n: int) -> float:
    started = time.process_time()
    result = run(n)
    seconds = time.process_time() - started
    if result % 2**32 != n * (n + 1) // 2 % 2**32:
        raise ArithmeticError(f"the sum of 1 to {n} is not {result}")
    return _EACH * n / seconds


def _weights() -> Callable[[int], int]:
    session = TraceSession(Reference(model()))
    instance, _ = session.load(flatten(verify(decode(to_wasm(PROGRAM)))))
    return lambda n: session.invoke(instance, "sum", [n]).results[0]


def _interpreter() -> Callable[[int], int]:
    session = IrSession()
    instance, _ = session.load(verify(decode(to_wasm(PROGRAM))))
    return lambda n: session.invoke(instance, "sum", [n]).results[0]


def _compiled() -> Callable[[int], int]:
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, to_wasm(PROGRAM))
    function = wasmtime.Instance(store, module, []).exports(store)["sum"]
    if not isinstance(function, wasmtime.Func):
        raise TypeError("not a function")
    return lambda n: int(function(store, n))


def main() -> None:
    """Print the three rates."""
    rates = measure()
    print(f"reference engine  {rates.reference:18,.0f} instructions/s")
    print(f"oracle            {rates.oracle:18,.0f} instructions/s")
    print(f"wasmtime          {rates.wasmtime:18,.0f} instructions/s")


if __name__ == "__main__":
    main()
