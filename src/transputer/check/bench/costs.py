"""Costs of single operations: a lookup among t keys, and every instruction of the table."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from statistics import median

import numpy as np
from numpy.typing import NDArray

from transputer.check.fuzz.values import EDGES as EDGES_OF
from transputer.check.fuzz.values import FORMATS
from transputer.circuit import Graph, build
from transputer.circuit.lookup import KeySpace, digit_parabolic
from transputer.engines.native.decoder import Native
from transputer.errors import Unsupported
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.store import Instance
from transputer.ir.verify import verify
from transputer.isa.op import Op, ValType
from transputer.isa.wasm import WASM
from transputer.model import Model
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import MachineSession, new_session

#: How a head finds its token: by hashing its address, nearest in a tree, or by scanning.
LOOKUPS = ("table", "hull", "scan")
_BYTES = 4
_FAR = 1 << 28  # outside the range of the tree: such queries scan all keys
Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LookupCost:
    """CPU seconds of one step with one lookup of some kind among `keys` keys."""

    kind: str
    keys: int
    lookups: int
    seconds: float


def lookup_costs(most: int = 10**7, seconds: float = 0.3) -> Iterator[LookupCost]:
    """Yield the costs of every kind at 100, 1,000, ... keys; answers are checked before timing."""
    models = {kind: _pointers(kind) for kind in LOOKUPS}
    keys = 100
    while keys <= most:
        for kind in LOOKUPS:
            yield _lookup_cost(kind, models[kind], keys, seconds)
        keys *= 10


def _pointers(kind: str) -> Model:
    """Build a model whose tokens hold an address and a pointer; a step follows the last pointer.

    The decoded token is a copy of the target, so the number of keys stays constant.
    """
    g = Graph(context=2**31)
    at = [g.part(f"at{i}", 256) for i in range(_BYTES)]
    to = [g.part(f"to{i}", 256) for i in range(_BYTES)]
    space = KeySpace(
        tuple(p.number() for p in at), sum((p.square() for p in at[1:]), at[0].square())
    )
    away = _FAR if kind == "scan" else 0
    query = [p.number() + away for p in to]
    target = digit_parabolic(g, "target", query, space, recency=kind != "scan")
    for part in (*at, *to):
        g.output(part, target.read(part.number()))
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
    steps, started = 0, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        steps += len(engine.run(16 if kind == "scan" else 4096))
    return LookupCost(kind, len(at), steps, spent / steps)


def _digits(numbers: Keys) -> Keys:
    return numbers[:, None] >> 8 * np.arange(_BYTES) & 255


def _check(kind: str, engine: Native, at: Keys, to: Keys) -> None:
    """Compare the next few tokens with a NumPy search over all keys."""
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
    """Steps of one execution: the fewest, the median and the most over its operands.

    `nanoseconds` is the CPU time per step. `refused` is why there are no figures.
    """

    name: str
    fewest: int = 0
    steps: float = 0
    most: int = 0
    nanoseconds: float = 0.0
    refused: str = ""

    def __str__(self) -> str:
        """As `4`, or as `4 (1 to 6)` where the operands matter."""
        usual = f"{self.steps:g}"
        return usual if self.fewest == self.most else f"{usual} ({self.fewest} to {self.most})"


#: A loop around copies of a body.
_MODULE = """(module (memory 1) (table $t 4 funcref) (elem (i32.const 0) $id $id) (data "abcdefgh")
  (elem func $id) (elem declare func $id) (tag $e) (global $g (mut i32) (i32.const 5))
  (type $one (func (param i32) (result i32)))
  (func $id (param i32) (result i32) (local.get 0) (return))
  (func (export "f") (param $n i32) (local $x i32)
    (loop $again {body}
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""
_COPIES = 8
#: Instructions whose operands or immediates the signature does not tell: the body, and how many
#: other steps it takes. Constants, drops and references to functions take one each.
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
    "call_ref": ("i32.const 1 ref.func $id call_ref $one drop", 5),
    "try_table": ("try_table end", 0),
    "throw": ("block $h try_table (catch $e $h) throw $e end end", 0),
    "ref.as_non_null": ("ref.func $id ref.as_non_null drop", 2),
    "br_on_null": ("block ref.func $id br_on_null 0 drop end", 2),
    "br_on_non_null": (
        "block (result (ref $one)) ref.func $id br_on_non_null 0 unreachable end drop",
        2,
    ),
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
_NOT_IN_LOOPS = {
    "unreachable": "it ends the program",
    "throw_ref": "its exception comes from another instruction",
    **dict.fromkeys(
        ("return_call", "return_call_indirect", "return_call_ref"), "it ends the function"
    ),
}
#: Operands of an instruction: typical ones, and pairs of edges.
TYPICAL, EXTREME = 25, 75
#: Addresses of accesses: in one word of memory, and in two.
_ADDRESSES = (64, 64, 71)
#: The largest magnitude of a typical float.
_LARGE = 1000.0


def op_costs(engine: str = "native", times: int = 400) -> Iterator[OpCost]:
    """Every instruction of the WebAssembly table, executed in a loop, and on many operands."""
    empty, _ = _steps("", engine, times)
    session, instance = _functions(engine)
    for op in WASM:
        if reason := _NOT_IN_LOOPS.get(op.name):
            yield OpCost(op.name, refused=reason)
            continue
        body, others = _TEMPLATES.get(op.name) or _by_signature(op)
        try:
            steps, seconds = _steps(body, engine, times)
        except Unsupported as error:
            yield OpCost(op.name, refused=str(error))
            continue
        each = round((steps - empty) / (_COPIES * times)) - others
        counts = _counts(op, session, instance) if _has_operands(op) else [each]
        usual = median(counts[:TYPICAL])
        yield OpCost(op.name, min(counts), usual, max(counts), 1e9 * seconds / steps)


def _has_operands(op: Op) -> bool:
    return bool(op.fn and op.params)


def _by_signature(op: Op) -> tuple[str, int]:
    """The body for an instruction, and how many other steps it takes: each a constant or drop."""
    if op.name.endswith(".const"):
        return f"{op.name} 8 drop", 1
    used = [*(f"{t.value}.const 8" for t in op.params), op.name, *("drop" for _ in op.results)]
    return " ".join(used), len(op.params) + len(op.results)


def _functions(engine: str) -> tuple[MachineSession, Instance]:
    """A session with a function for every instruction that takes operands."""
    functions = []
    for op in filter(_has_operands, WASM):
        params = " ".join(t.value for t in op.params)
        results = " ".join(t.value for t in op.results)
        pushes = " ".join(f"local.get {i}" for i in range(len(op.params)))
        head = f'(func (export "{op.name}") (param {params}) (result {results})'
        functions.append(f"{head} {pushes} {op.name})")
    return _loaded(f"(module (memory 1) {' '.join(functions)})", engine)


def _counts(op: Op, session: MachineSession, instance: Instance) -> list[int]:
    """Steps on typical operands, then on edges; those of executions that trap do not count."""
    choose = Random(op.name)
    counts: list[int] = []
    while len(counts) < TYPICAL + EXTREME:
        draw = _typical if len(counts) < TYPICAL else _edge
        operands = [draw(choose, t) for t in op.params]
        if op.width:
            operands[0] = choose.choice(_ADDRESSES)
        outcome = session.invoke(instance, op.name, operands)
        if outcome.trap is None:
            counts.append(outcome.steps - len(operands) - 1)  # pushed, and returned
    return counts


def _typical(choose: Random, type_: ValType) -> int:
    """An integer of some length, so that divisions are long and short; a float of some size."""
    if type_ in FORMATS:
        return FORMATS[type_].encode(choose.uniform(-_LARGE, _LARGE))
    return choose.getrandbits(choose.randrange(type_.bits) + 1)


def _edge(choose: Random, type_: ValType) -> int:
    return choose.choice(EDGES_OF[type_])


def _steps(body: str, engine: str, times: int) -> tuple[int, float]:
    session, instance = _loaded(_MODULE.replace("{body}", " ".join([body] * _COPIES)), engine)
    started = time.process_time()
    outcome = session.invoke(instance, "f", [times])
    if outcome.trap is not None:
        raise ArithmeticError(f"{body}: {outcome.trap.value}")
    return outcome.steps, time.process_time() - started


def _loaded(text: str, engine: str) -> tuple[MachineSession, Instance]:
    program = TraceProgram("", module=verify(decode(to_wasm(text))))
    session = new_session(engine, max_steps=10**8)
    if not isinstance(session, MachineSession):
        raise Unsupported(f"engine {engine} has no steps")
    instance, _ = session.load_program(program)
    return session, instance
