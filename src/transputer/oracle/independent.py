"""The independent oracle: wasmtime runs the module as it is.

This uses only the public API of the Python binding. The binding passes floats as Python floats,
which do not preserve every NaN, so a bridge module reinterprets floats as integers of the same
bits. wasmtime is configured to produce canonical NaNs, as our arithmetic does.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import wasmtime

from transputer.errors import (
    InvalidError,
    LinkError,
    StepLimitError,
    Trap,
    TrapError,
    Unsupported,
    UsageError,
)
from transputer.host.memory import LinearMemory
from transputer.host.observation import (
    CELLS,
    HOST_MEMORY,
    CallRecord,
    Invocation,
    Observation,
    digest,
)
from transputer.host.store import MAX_TABLE, HostFunction
from transputer.ir.module import PAGE, FuncType
from transputer.isa.integers import mask
from transputer.isa.op import ValType, ValueType
from transputer.values import dataclass

#: Total fuel for a module and all its calls, about one unit per instruction.
FUEL = 100_000_000
#: Native stack limit, in bytes.
STACK = 1 << 20

#: Proposals that this package has not and that the binding can switch off.
NEWER = "custom_page_sizes stack_switching threads wide_arithmetic".split()

_TRAPS = {
    wasmtime.TrapCode.STACK_OVERFLOW: Trap.STACK_EXHAUSTED,
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: Trap.MEMORY_OUT_OF_BOUNDS,
    wasmtime.TrapCode.TABLE_OUT_OF_BOUNDS: Trap.TABLE_OUT_OF_BOUNDS,
    wasmtime.TrapCode.INDIRECT_CALL_TO_NULL: Trap.UNINITIALIZED_ELEMENT,
    wasmtime.TrapCode.BAD_SIGNATURE: Trap.INDIRECT_CALL_MISMATCH,
    wasmtime.TrapCode.INTEGER_OVERFLOW: Trap.INTEGER_OVERFLOW,
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: Trap.DIVIDE_BY_ZERO,
    wasmtime.TrapCode.BAD_CONVERSION_TO_INTEGER: Trap.INVALID_CONVERSION,
    wasmtime.TrapCode.UNREACHABLE: Trap.UNREACHABLE,
}
_TYPES = (
    (wasmtime.ValType.i32(), ValType.I32),
    (wasmtime.ValType.i64(), ValType.I64),
    (wasmtime.ValType.f32(), ValType.F32),
    (wasmtime.ValType.f64(), ValType.F64),
    (wasmtime.ValType.funcref(), ValType.FUNCREF),
    (wasmtime.ValType.externref(), ValType.EXTERNREF),
)
_INTEGERS = {ValType.F32: ValType.I32, ValType.F64: ValType.I64}


_SPECTEST = """(module
  (func (export "print"))
  (func (export "print_i32") (param i32))
  (func (export "print_i64") (param i64))
  (func (export "print_f32") (param f32))
  (func (export "print_f64") (param f64))
  (func (export "print_i32_f32") (param i32 f32))
  (func (export "print_f64_f64") (param f64 f64))
  (global (export "global_i32") i32 (i32.const 666))
  (global (export "global_i64") i64 (i64.const 666))
  (global (export "global_f32") f32 (f32.const 666.6))
  (global (export "global_f64") f64 (f64.const 666.6))
  (table (export "table") 10 20 funcref)
  (memory (export "memory") 1 2))"""


@dataclass(frozen=True, slots=True)
class HostObject:
    """The object behind an external reference; `number` is its value in our sessions."""

    number: int


@functools.cache
def engine() -> wasmtime.Engine:
    """Return this process's engine: the features of this package, deterministic, with fuel."""
    config = wasmtime.Config()
    for proposal in NEWER:
        setattr(config, f"wasm_{proposal}", False)
    config.wasm_memory64 = True
    config.wasm_relaxed_simd_deterministic = True
    config.cranelift_nan_canonicalization = True
    config.cranelift_opt_level = "none"
    config.parallel_compilation = False
    config.consume_fuel = True
    config.max_wasm_stack = STACK
    return wasmtime.Engine(config)


@functools.cache
def _spectest() -> wasmtime.Module:
    """Return the module that the official test suite imports."""
    return wasmtime.Module(engine(), _SPECTEST)


def complaint(binary: bytes) -> str:
    """Return why wasmtime rejects a module, or an empty string if it is valid."""
    try:
        wasmtime.Module.validate(engine(), binary)
    except wasmtime.WasmtimeError as problem:
        return str(problem)
    return ""


def run_wasmtime(
    binary: bytes,
    calls: Iterable[Invocation],
    *,
    fuel: int = FUEL,
    hosts: Mapping[str, Mapping[str, HostFunction]] | None = None,
) -> Observation:
    """Instantiate a module, make the `calls` in order, and observe everything it exports.

    The module may import `spectest` and the functions in `hosts`, whose types must not contain
    floats. The binding has no vectors: exports must not have them.
    Raises `InvalidError` for an invalid module, `LinkError` for missing imports, and
    `StepLimitError` when the module runs out of `fuel`.
    """
    store = wasmtime.Store(engine())
    store.set_fuel(fuel)
    store.set_limits(table_elements=MAX_TABLE)
    linker = wasmtime.Linker(engine())
    spectest = wasmtime.Instance(store, _spectest(), [])
    linker.define_instance(store, "spectest", spectest)
    for module, functions in (hosts or {}).items():
        for name, function in functions.items():
            _define(linker, module, name, function)
    instance, trap = _guarded(lambda: _instantiate(linker, store, binary), fuel)
    records: tuple[CallRecord, ...] = ()
    exports = None if trap else _Exports(store, instance)
    if exports:
        records = tuple(exports.call(export, args, fuel) for export, args in calls)
    host = HOST_MEMORY, _digest(store, _named(store, spectest)["memory"])
    return exports.observation(records, host) if exports else Observation(trap, (), (host,))


def _instantiate(
    linker: wasmtime.Linker, store: wasmtime.Store, binary: bytes
) -> wasmtime.Instance:
    try:
        module = wasmtime.Module(engine(), binary)
    except wasmtime.WasmtimeError as problem:
        raise InvalidError(f"wasmtime: {problem}") from None
    try:
        return linker.instantiate(store, module)
    except wasmtime.WasmtimeError as problem:
        raise LinkError(f"wasmtime: {problem}") from None


def _guarded(action: Callable[[], Any], fuel: int) -> tuple[Any, Trap | None]:
    """Return the result of an action, or its trap."""
    try:
        return action(), None
    except TrapError as error:  # raised by a host function
        return None, error.trap
    except wasmtime.Trap as trap:
        return None, translated(trap, fuel)


def translated(trap: wasmtime.Trap, fuel: int) -> Trap:
    """Translate a trap of wasmtime's into ours; raise `StepLimitError` if it ran out of fuel."""
    if trap.trap_code is wasmtime.TrapCode.OUT_OF_FUEL:
        raise StepLimitError(fuel) from None
    if trap.trap_code is None or trap.trap_code not in _TRAPS:
        raise Unsupported(f"wasmtime trap without an equivalent here: {trap.message}") from None
    return _TRAPS[trap.trap_code]


def _value_type(type_: wasmtime.ValType) -> ValType:
    return next(ours for theirs, ours in _TYPES if theirs == type_)


def _wasmtime_type(type_: ValueType) -> wasmtime.ValType:
    return next(theirs for theirs, ours in _TYPES if ours is type_)


def _function_type(type_: FuncType) -> wasmtime.FuncType:
    params, results = ([_wasmtime_type(t) for t in ts] for ts in (type_.params, type_.results))
    return wasmtime.FuncType(params, results)


def _to_host(type_: ValueType, value: int) -> Any:
    """Convert a value to what the binding takes."""
    if type_ is ValType.FUNCREF and value:
        raise Unsupported("wasmtime cannot take a function by number; pass a null reference")
    if type_.is_ref:
        return HostObject(value) if value else None
    return value


def _from_host(type_: ValueType, value: Any) -> int:
    """Convert a value of the binding to what an `Observation` holds."""
    if type_.is_ref:
        null = value is None or isinstance(value, wasmtime.Val)
        return 0 if null else value.number if type_ is ValType.EXTERNREF else 1
    return int(value) & mask(type_.bits)


def _define(linker: wasmtime.Linker, module: str, name: str, function: HostFunction) -> None:
    type_ = function.type
    if any(t in _INTEGERS for t in (*type_.params, *type_.results)):
        raise Unsupported(f"{module}.{name}: a host function with floats would lose NaN bits")

    def call(*args: Any) -> Any:
        answer = function.call(*map(_from_host, type_.params, args))
        results = answer if isinstance(answer, tuple) else () if answer is None else (answer,)
        values = [_to_host(t, v) for t, v in zip(type_.results, results, strict=True)]
        return values if len(values) > 1 else values[0] if values else None

    linker.define_func(module, name, _function_type(type_), call)


def _bits(type_: ValueType) -> ValueType:
    """Return the type that carries a value across the bridge."""
    return _INTEGERS.get(type_, type_)


def _texts(types: Iterable[ValueType]) -> str:
    return " ".join(t.value for t in types)


def _as_bits(type_: ValueType, value: str) -> str:
    integer = _bits(type_)
    return value if integer is type_ else f"({integer.value}.reinterpret_{type_.value} {value})"


def _as_float(type_: ValueType, value: str) -> str:
    integer = _bits(type_)
    return value if integer is type_ else f"({type_.value}.reinterpret_{integer.value} {value})"


def _bridge(functions: Sequence[FuncType], cells: Sequence[tuple[ValueType, bool]]) -> str:
    """Return the text of a module that re-exports functions and globals with floats as bits."""
    lines = ["(module"]
    for t in functions:
        signature = f"(param {_texts(t.params)}) (result {_texts(t.results)})"
        lines.append(f'(import "" "" (func {signature}))')
    for cell, mutable in cells:
        kind = f"(mut {cell.value})" if mutable else cell.value
        lines.append(f'(import "" "" (global {kind}))')
    lines += [_bridge_function(i, t) for i, t in enumerate(functions)]
    for i, (cell, _) in enumerate(cells):
        value = _as_bits(cell, f"(global.get {i})")
        lines.append(f'(func (export "global {i}") (result {_bits(cell).value}) {value})')
    return "\n".join((*lines, ")"))


def _bridge_function(index: int, t: FuncType) -> str:
    """Return a function that takes floats as bits, calls function `index`, and returns bits.

    The results pass through locals, because a function can return several.
    """
    base, count = len(t.params), len(t.results)
    params, results = (_texts(map(_bits, ts)) for ts in (t.params, t.results))
    args = " ".join(_as_float(p, f"(local.get {i})") for i, p in enumerate(t.params))
    keep = " ".join(f"(local.set {base + i})" for i in reversed(range(count)))
    give = " ".join(_as_bits(r, f"(local.get {base + i})") for i, r in enumerate(t.results))
    return (
        f'(func (export "func {index}") (param {params}) (result {results}) '
        f"(local {_texts(t.results)}) (call {index} {args}) {keep} {give})"
    )


class _Exports:
    """Exports of an instance; functions and globals are accessed through the bridge."""

    def __init__(self, store: wasmtime.Store, instance: wasmtime.Instance) -> None:
        self.store = store
        self.items = _named(store, instance)
        self.types = {n: _our_type(f.type(store)) for n, f in self.of(wasmtime.Func)}
        self.cells = {n: _cell(g.type(store)) for n, g in self.of(wasmtime.Global)}
        text = _bridge(list(self.types.values()), list(self.cells.values()))
        imports = [self.items[name] for name in (*self.types, *self.cells)]
        module = wasmtime.Module(engine(), text)
        self.bridge = _named(store, wasmtime.Instance(store, module, imports))

    def of(self, kind: type[Any]) -> list[tuple[str, Any]]:
        """Return the exports of one kind, sorted by name."""
        return sorted((name, item) for name, item in self.items.items() if isinstance(item, kind))

    def call(self, export: str, args: Sequence[int], fuel: int) -> CallRecord:
        """Call an exported function; arguments and results are ints as in our sessions."""
        if export not in self.types:
            raise UsageError(f"no exported func {export!r}")
        type_ = self.types[export]
        values = [_to_host(t, v) for t, v in zip(type_.params, args, strict=True)]
        function = self.bridge[f"func {list(self.types).index(export)}"]
        answer, trap = _guarded(lambda: function(self.store, *values), fuel)
        if trap:
            return CallRecord(export, tuple(args), (), trap)
        results = answer if len(type_.results) > 1 else [answer][: len(type_.results)]
        return CallRecord(export, tuple(args), tuple(map(_from_host, type_.results, results)))

    def observation(self, calls: tuple[CallRecord, ...], host: tuple[str, str]) -> Observation:
        """Return the current contents of all exports."""
        memories = [(n, _digest(self.store, m)) for n, m in self.of(wasmtime.Memory)]
        tables = [(n, self.table(t)) for n, t in self.of(wasmtime.Table)]
        values = [
            (name, _from_host(type_, self.bridge[f"global {i}"](self.store)))
            for i, (name, (type_, _)) in enumerate(self.cells.items())
        ]
        return Observation(None, calls, (*memories, host), tuple(tables), tuple(values))

    def table(self, table: wasmtime.Table) -> tuple[int, ...]:
        """Return the size and the first cells of a table."""
        type_, size = _value_type(table.type(self.store).element), table.size(self.store)
        cells = (table.get(self.store, i) for i in range(min(size, CELLS)))
        return (size, *(_from_host(type_, cell) for cell in cells))


def _named(store: wasmtime.Store, instance: wasmtime.Instance) -> dict[str, Any]:
    return dict(instance.exports(store).items())


def _our_type(type_: wasmtime.FuncType) -> FuncType:
    params, results = (tuple(map(_value_type, ts)) for ts in (type_.params, type_.results))
    return FuncType(params, results)


def _cell(type_: wasmtime.GlobalType) -> tuple[ValType, bool]:
    return _value_type(type_.content), type_.mutable


def _digest(store: wasmtime.Store, memory: wasmtime.Memory) -> str:
    """Return the digest of our `LinearMemory` with the same contents."""
    copy = LinearMemory(memory.size(store))
    for page in range(memory.size(store)):
        copy.write(page * PAGE, bytes(memory.read(store, page * PAGE, (page + 1) * PAGE)))
    return digest(copy)
