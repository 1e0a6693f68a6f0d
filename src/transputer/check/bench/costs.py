"""What single things cost: a lookup among t keys, and every instruction of the table."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transputer.circuit import Graph, build
from transputer.circuit.lookup import KeySpace, digit_parabolic
from transputer.engines.native.decoder import Native
from transputer.errors import Unsupported
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.isa.op import Op
from transputer.isa.wasm import WASM
from transputer.model import Model
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import MachineSession, new_session

#: How a head finds its token: by hashing its address, nearest in a tree, or one by one.
LOOKUPS = ("table", "hull", "scan")
_BYTES = 4
_FAR = 1 << 28  # beyond what the tree squares: such queries are scanned for
Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LookupCost:
    """CPU seconds of one step with one lookup of some kind among `keys` keys."""

    kind: str
    keys: int
    lookups: int
    seconds: float


def lookup_costs(most: int = 10**7, seconds: float = 0.3) -> Iterator[LookupCost]:
    """Every kind at 100, 1,000, ... keys; each answer is checked before the clock starts."""
    models = {kind: _pointers(kind) for kind in LOOKUPS}
    keys = 100
    while keys <= most:
        for kind in LOOKUPS:
            yield _lookup_cost(kind, models[kind], keys, seconds)
        keys *= 10


def _pointers(kind: str) -> Model:
    """Tokens hold an address and a pointer; a step finds what the last pointer points to.

    What it decodes is the found token again, so the number of keys stays.
    """
    g = Graph(context=2**31)
    at = [g.part(f"at{i}", 256) for i in range(_BYTES)]
    to = [g.part(f"to{i}", 256) for i in range(_BYTES)]
    space = KeySpace(
        tuple(p.number() for p in at), sum((p.square() for p in at[1:]), at[0].square())
    )
    away = _FAR if kind == "scan" else 0
    query = [p.number() + away for p in to]
    found = digit_parabolic(g, "target", query, space, recency=kind != "scan")
    for part in (*at, *to):
        g.output(part, found.read(part.number()))
    return build(g)


def _lookup_cost(kind: str, model: Model, count: int, seconds: float) -> LookupCost:
    rng = np.random.default_rng(count)
    engine = Native(model, large=0)
    at = rng.choice(2**31, size=count, replace=False).astype(np.int64) if count < 10**5 else None
    at = np.unique(rng.integers(0, 2**31, count)) if at is None else at
    at = rng.permutation(at) * 2  # even: an odd pointer finds only neighbours
    to = np.roll(at, -1) + (0 if kind == "table" else 1)
    for some in np.array_split(np.arange(len(at)), max(1, len(at) >> 16)):
        engine.extend(np.concatenate([_digits(at[some]), _digits(to[some])], axis=1))
    _check(kind, engine, at, to)
    done, started = 0, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        done += len(engine.run(16 if kind == "scan" else 4096))
    return LookupCost(kind, len(at), done, spent / done)


def _digits(numbers: Keys) -> Keys:
    return numbers[:, None] >> 8 * np.arange(_BYTES) & 255


def _check(kind: str, engine: Native, at: Keys, to: Keys) -> None:
    """The next few tokens against a search in NumPy over all keys."""
    digits, away = _digits(at), _FAR if kind == "scan" else 0
    pointer = int(to[-1])
    for row in engine.run(3).tolist():
        query = _digits(np.array([pointer]))[0] + away
        scores = (2 * digits * query - digits * digits).sum(axis=1)
        address = sum(row[i] << 8 * i for i in range(_BYTES))
        best = scores.max()
        if scores[np.flatnonzero(at == address)].max(initial=best - 1) != best:
            raise ArithmeticError(f"{kind}: the lookup found {address}, which is not nearest")
        pointer = sum(row[_BYTES + i] << 8 * i for i in range(_BYTES))


@dataclass(frozen=True, slots=True)
class OpCost:
    """Steps that one execution takes, nanoseconds of CPU time per step; or why there are none."""

    name: str
    steps: float = 0.0
    nanoseconds: float = 0.0
    refused: str = ""


#: A loop around copies of a body.
_MODULE = """(module (memory 1) (table $t 4 funcref) (elem (i32.const 0) $id $id) (data "abcdefgh")
  (elem func $id) (elem declare func $id) (global $g (mut i32) (i32.const 5))
  (type $one (func (param i32) (result i32)))
  (func $id (param i32) (result i32) (local.get 0) (return))
  (func $i (result i32) i32.const 8) (func $l (result i64) i64.const 8)
  (func $f (result f32) f32.const 8) (func $d (result f64) f64.const 8)
  (func $i0 (param i32)) (func $l0 (param i64)) (func $f0 (param f32)) (func $d0 (param f64))
  (func (export "f") (param $n i32) (local $x i32)
    (loop $again {body}
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""
_COPIES = 8
#: Instructions whose operands or immediates the signature does not tell: the body, and how many
#: other steps it takes. Constants of a word, drops and references to functions take one each.
_TEMPLATES: dict[str, tuple[str, int]] = {
    "nop": ("nop", 0),
    "block": ("block end", 0),
    "loop": ("loop end", 0),
    "if": ("i32.const 1 if end", 1),
    "else": ("i32.const 0 if else end", 2),
    "end": ("block end", 0),
    "br": ("block br 0 end", 0),
    "br_if": ("block i32.const 1 br_if 0 end", 1),
    "br_table": ("block i32.const 0 br_table 0 0 end", 1),
    "call": ("i32.const 1 call $id drop", 4),
    "call_indirect": ("i32.const 1 i32.const 0 call_indirect $t (type $one) drop", 5),
    "return": ("i32.const 1 call $id drop", 4),
    "drop": ("i32.const 1 drop", 1),
    "select": ("i32.const 1 i32.const 2 i32.const 0 select drop", 4),
    "select_t": ("i32.const 1 i32.const 2 i32.const 0 select (result i32) drop", 4),
    "local.get": ("local.get $x drop", 1),
    "local.set": ("i32.const 1 local.set $x", 1),
    "local.tee": ("i32.const 1 local.tee $x drop", 2),
    "global.get": ("global.get $g drop", 1),
    "global.set": ("i32.const 1 global.set $g", 1),
    "table.get": ("i32.const 0 table.get $t drop", 2),
    "table.set": ("i32.const 2 ref.func $id table.set $t", 2),
    "table.size": ("table.size $t drop", 1),
    "table.grow": ("ref.null func i32.const 0 table.grow $t drop", 3),
    "table.fill": ("i32.const 1 ref.null func i32.const 1 table.fill $t", 3),
    "table.copy": ("i32.const 1 i32.const 0 i32.const 1 table.copy $t $t", 3),
    "table.init": ("i32.const 1 i32.const 0 i32.const 1 table.init $t 1", 3),
    "elem.drop": ("elem.drop 0", 0),
    "data.drop": ("data.drop 0", 0),
    "memory.init": ("i32.const 0 i32.const 0 i32.const 4 memory.init 0", 3),
    "memory.fill": ("i32.const 0 i32.const 7 i32.const 4 memory.fill", 3),
    "memory.copy": ("i32.const 0 i32.const 4 i32.const 4 memory.copy", 3),
    "ref.func": ("ref.func $id drop", 1),
    "ref.null": ("ref.null func drop", 1),
    "ref.is_null": ("ref.null func ref.is_null drop", 2),
    "memory.size": ("memory.size drop", 1),
    "memory.grow": ("i32.const 0 memory.grow drop", 2),
}
_NOT_IN_LOOPS = {"unreachable": "it ends the program"}
#: Types by their letters in signatures.
_TYPES = "ilfd"


def op_costs(engine: str = "native", times: int = 400) -> Iterator[OpCost]:
    """Every instruction of the WebAssembly table, executed in a loop."""
    empty, _ = _steps("", engine, times)
    copies = _COPIES * times

    def cost(body: str) -> float:
        return (_steps(body, engine, times)[0] - empty) / copies

    # calls give operands and take results; a drop is one step
    given = {t: cost(f"call ${t} drop") - 1 for t in _TYPES}
    taken = {t: cost(f"call ${t} call ${t}0") - given[t] for t in _TYPES}
    for op in WASM:
        if reason := _NOT_IN_LOOPS.get(op.name):
            yield OpCost(op.name, refused=reason)
            continue
        body, others = _TEMPLATES.get(op.name) or _by_signature(op, given, taken)
        try:
            steps, seconds = _steps(body, engine, times)
        except Unsupported as error:
            yield OpCost(op.name, refused=str(error))
            continue
        each = (steps - empty) / copies - others
        yield OpCost(op.name, each, 1e9 * seconds / steps)


def _by_signature(
    op: Op, given: Mapping[str, float], taken: Mapping[str, float]
) -> tuple[str, float]:
    """The body for an instruction, and how many steps the calls around it take."""
    operands, _, results = op.sig.partition(":")
    if op.name.endswith(".const"):
        return f"{op.name} 8 call ${results}0", taken[results]
    used = [*(f"call ${o}" for o in operands), op.name, *(f"call ${r}0" for r in results)]
    return " ".join(used), sum(given[o] for o in operands) + sum(taken[r] for r in results)


def _steps(body: str, engine: str, times: int) -> tuple[int, float]:
    text = _MODULE.replace("{body}", " ".join([body] * _COPIES))
    program = TraceProgram("", module=verify(decode(to_wasm(text))))
    session = new_session(engine, max_steps=10**8)
    if not isinstance(session, MachineSession):
        raise Unsupported(f"engine {engine} has no steps")
    instance, _ = session.load_program(program)
    started = time.process_time()
    outcome = session.invoke(instance, "f", [times])
    if outcome.trap is not None:
        raise ArithmeticError(f"{body}: {outcome.trap.value}")
    return outcome.steps, time.process_time() - started
