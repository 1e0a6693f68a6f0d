"""The store of a session: functions, tables, memories and globals, by address.

Values are ints: the unsigned bits of a number; for a reference, 0 if null, else one plus the
function's address or the host's number.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Protocol

from transputer.errors import CapacityError, LinkError, Trap, TrapError
from transputer.host.memory import LinearMemory
from transputer.ir.module import (
    MAX_PAGES,
    PAGE,
    WIDE_PAGES,
    Body,
    ExternKind,
    ExternType,
    FuncType,
    GlobalType,
    Import,
    Instr,
    Limits,
    MemoryType,
    Mode,
    Module,
    TableType,
)
from transputer.isa.integers import mask
from transputer.isa.op import ValType, ValueType, is_subtype
from transputer.isa.wasm import TAG
from transputer.values import dataclass

#: Largest size of a table; growing beyond it returns -1, as in other engines.
MAX_TABLE = 10_000_000
#: Largest number of elements that one table instruction may touch one by one.
MAX_CELLS = 1_000_000


class TableInstance:
    """A table; sparse, because declared sizes may be huge."""

    def __init__(self, type_: TableType) -> None:
        self.element: ValueType = type_.element
        self.size = type_.limits.minimum
        self.maximum = type_.limits.maximum
        self.wide = type_.limits.wide
        self.cells: dict[int, int] = {}

    @property
    def type(self) -> TableType:
        """The current type; its minimum is the current size."""
        return TableType(self.element, Limits(self.size, self.maximum, self.wide))

    @property
    def limit(self) -> int:
        """The largest size it can grow to."""
        return MAX_TABLE if self.maximum is None else min(self.maximum, MAX_TABLE)

    def check(self, index: int, count: int) -> None:
        """Trap unless elements `index` to `index + count` are inside the table."""
        if index + count > self.size:
            raise TrapError(Trap.TABLE_OUT_OF_BOUNDS)

    def get(self, index: int) -> int:
        """Return one element."""
        self.check(index, 1)
        return self.cells.get(index, 0)

    def write(self, index: int, values: list[int]) -> None:
        """Write elements, starting at `index`."""
        self.check(index, len(values))
        self.cells.update(zip(range(index, index + len(values)), values, strict=True))

    def fill(self, index: int, value: int, count: int) -> None:
        """Set `count` elements to `value`; null takes no space."""
        self.check(index, count)
        if value:
            if count > MAX_CELLS:
                raise CapacityError(f"table.fill of {count:,} elements, at most {MAX_CELLS:,}")
            self.cells.update(dict.fromkeys(range(index, index + count), value))
        else:
            for at in [at for at in self.cells if index <= at < index + count]:
                del self.cells[at]

    def read(self, index: int, count: int) -> list[int]:
        """Return `count` elements, starting at `index`."""
        self.check(index, count)
        if count > MAX_CELLS:
            raise CapacityError(f"table.copy of {count:,} elements, at most {MAX_CELLS:,}")
        return [self.cells.get(at, 0) for at in range(index, index + count)]

    def copy(self, source: "TableInstance", to: int, start: int, count: int) -> None:
        """Copy `count` elements of a table, which may be this one; the ranges may overlap."""
        source.check(start, count)
        self.check(to, count)
        self.write(to, source.read(start, count))

    def grow(self, count: int, value: int) -> int:
        """Grow by `count` elements; return the old size, or -1 as an address on failure."""
        old, new = self.size, self.size + count
        if count and new > self.limit:
            return mask(64 if self.wide else 32)
        self.size = new
        self.fill(old, value, count)
        return old


@dataclass(slots=True)
class GlobalInstance:
    """A global and its value."""

    type: GlobalType
    value: int


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A function of the host; it takes and returns unsigned bits."""

    type: FuncType
    call: Callable[..., int | tuple[int, ...] | None]
    name: str = "host"


@dataclass(slots=True, eq=False)
class Instance:
    """An instantiated module: the store addresses of its index spaces."""

    module: Module
    functions: tuple[int, ...] = ()
    tables: tuple[int, ...] = ()
    memories: tuple[int, ...] = ()
    globals: tuple[int, ...] = ()
    tags: tuple[int, ...] = ()
    exports: Mapping[str, tuple[ExternKind, int]] = field(default_factory=dict)
    data: list[bytes] = field(default_factory=list)
    elements: list[list[int]] = field(default_factory=list)

    def init_memory(
        self, segment: int, memory: LinearMemory, to: int, start: int, count: int
    ) -> None:
        """Copy part of a data segment into a memory."""
        data = self.data[segment]
        if start + count > len(data):
            raise TrapError(Trap.MEMORY_OUT_OF_BOUNDS, f"data segment {segment}")
        memory.write(to, data[start : start + count])

    def init_table(
        self, segment: int, table: TableInstance, to: int, start: int, count: int
    ) -> None:
        """Copy part of an element segment into a table."""
        elements = self.elements[segment]
        if start + count > len(elements):
            raise TrapError(Trap.TABLE_OUT_OF_BOUNDS, f"element segment {segment}")
        table.write(to, elements[start : start + count])

    def drop_data(self, segment: int) -> None:
        """Empty a data segment."""
        self.data[segment] = b""

    def drop_elements(self, segment: int) -> None:
        """Empty an element segment."""
        self.elements[segment] = []


@dataclass(frozen=True, slots=True, eq=False)
class DefinedFunction:
    """A function of a module, with the instance it belongs to.

    `definition` is what the session's executor runs: the function as written with its frame
    layout, or the core function.
    """

    type: FuncType
    instance: Instance
    index: int
    definition: Any

    @property
    def name(self) -> str:
        """The author's name for it."""
        return self.instance.module.function_name(self.index)


Extern = tuple[ExternKind, int]
Resolver = Callable[[str, str], Extern | None]


class Store:
    """All functions, tables, memories, globals and tags of a session.

    A tag has the address of an immutable global, whose value is one plus that address: core code
    tells tags apart by these values. `shared` are the globals and memories that the modules of
    the session have in common, by name.
    """

    def __init__(self) -> None:
        self.functions: list[DefinedFunction | HostFunction] = []
        self.tables: list[TableInstance] = []
        self.memories: list[LinearMemory] = []
        self.maxima: list[int | None] = []  # largest size of each memory, in pages
        self.memory_limits: list[Limits] = []  # of each memory, as declared
        self.globals: list[GlobalInstance] = []
        self.tags: dict[int, FuncType] = {}
        self.exceptions: list[tuple[int, tuple[int, ...]]] = []  # address of the tag, values
        self.shared: dict[str, Extern] = {}

    def write_table(self, address: int, start: int, references: list[int]) -> None:
        """Set elements of a table."""
        self.tables[address].write(start, references)

    def write_global(self, address: int, value: int) -> None:
        """Set a global."""
        self.globals[address].value = value

    def write_memory(self, address: int, start: int, data: bytes) -> None:
        """Write bytes to a memory."""
        self.memories[address].write(start, data)

    def read_memory(self, address: int, start: int, count: int) -> bytes:
        """Return bytes of a memory."""
        return self.memories[address].read(start, count)

    def add_host(self, function: HostFunction) -> Extern:
        """Add a host function; return its address as an extern."""
        self.functions.append(function)
        return ExternKind.FUNC, len(self.functions) - 1

    def add_table(self, type_: TableType) -> Extern:
        """Add an empty table."""
        self.tables.append(TableInstance(type_))
        return ExternKind.TABLE, len(self.tables) - 1

    def add_memory(self, type_: MemoryType) -> Extern:
        """Add a zeroed memory."""
        limits = type_.limits
        most = WIDE_PAGES if limits.wide else MAX_PAGES
        if limits.minimum > most:
            raise CapacityError(f"a memory of {limits.minimum:,} pages; the limit is {most:,}")
        maximum = most if limits.maximum is None else min(most, limits.maximum)
        self.memories.append(LinearMemory(limits.minimum, maximum))
        self.maxima.append(maximum if limits.wide else limits.maximum)
        self.memory_limits.append(limits)
        return ExternKind.MEMORY, len(self.memories) - 1

    def add_global(self, type_: GlobalType, value: int) -> Extern:
        """Add a global with its initial value."""
        self.globals.append(GlobalInstance(type_, value))
        return ExternKind.GLOBAL, len(self.globals) - 1

    def add_tag(self, type_: FuncType) -> Extern:
        """Add a tag of exceptions."""
        address = self.add_global(GlobalType(ValType.I32), len(self.globals) + 1)[1]
        self.tags[address] = type_
        return ExternKind.TAG, address

    def add_exception(self, tag: int, values: tuple[int, ...]) -> int:
        """Add an exception; return a reference to it."""
        self.exceptions.append((tag, values))
        return len(self.exceptions)

    def common(self, name: str, add: Callable[[], Extern]) -> Extern:
        """Return the shared object of this name, or a new one if there is none or no name."""
        if name not in self.shared:
            extern = add()
            if not name:
                return extern
            self.shared[name] = extern
        return self.shared[name]

    def indirect(self, table: TableInstance, index: int, type_: FuncType) -> int:
        """Return the address of the callee of an indirect call; trap if there is none."""
        if index >= table.size:
            raise TrapError(Trap.UNDEFINED_ELEMENT, str(index))
        reference = table.get(index)
        if not reference:
            raise TrapError(Trap.UNINITIALIZED_ELEMENT, str(index))
        if self.functions[reference - 1].type != type_:
            raise TrapError(Trap.INDIRECT_CALL_MISMATCH, f"element {index}")
        return reference - 1

    def type_of(self, extern: Extern) -> ExternType:
        """Return the current type of an extern."""
        kind, address = extern
        if kind is ExternKind.FUNC:
            return self.functions[address].type
        if kind is ExternKind.TAG:
            return self.tags[address]
        if kind is ExternKind.TABLE:
            return self.tables[address].type
        if kind is ExternKind.MEMORY:
            limits = self.memory_limits[address]
            return MemoryType(replace(limits, minimum=self.memories[address].size // PAGE))
        return self.globals[address].type

    def constant(self, instance: Instance, body: Body) -> int:
        """Return the value of a constant expression, which must be valid."""
        values: list[int] = []
        for instr in body[:-1]:
            if instr.op.fn is not None:
                last = values.pop()
                values.append(instr.op.pure(values.pop(), last))
            else:
                values.append(self._constant(instance, instr))
        return values[0]

    def _constant(self, instance: Instance, instr: Instr) -> int:
        if instr.name == "global.get":
            return self.globals[instance.globals[int(instr.args[0])]].value
        if instr.name == "ref.func":
            return instance.functions[int(instr.args[0])] + 1
        if instr.op is TAG:
            return self.globals[instance.tags[int(instr.args[0])]].value
        return 0 if instr.name == "ref.null" else int(instr.args[0])


def _matches(actual: ExternType, declared: ExternType) -> bool:
    if isinstance(actual, TableType) and isinstance(declared, TableType):
        return actual.element == declared.element and actual.limits.admits(declared.limits)
    if isinstance(actual, MemoryType) and isinstance(declared, MemoryType):
        return actual.limits.admits(declared.limits)
    if isinstance(actual, GlobalType) and isinstance(declared, GlobalType):
        if actual.half != declared.half:
            return False
        same = actual.type == declared.type
        wider = not actual.mutable and is_subtype(actual.type, declared.type)
        return actual.mutable == declared.mutable and (same or wider)
    return actual == declared


def _resolve(store: Store, module: Module, item: Import, resolve: Resolver) -> int:
    extern = resolve(item.module, item.name)
    if extern is None:
        raise LinkError(f"unknown import {item.module!r} {item.name!r} ({item.kind.value})")
    declared = module.types[item.type_index] if item.type is None else item.type
    if extern[0] is not item.kind or not _matches(store.type_of(extern), declared):
        raise LinkError(f"incompatible import type for {item.module!r} {item.name!r}")
    return extern[1]


def allocate(
    store: Store,
    module: Module,
    definitions: Sequence[tuple[FuncType, Any]],
    resolve: Resolver,
) -> Instance:
    """Instantiate a module without its segments and start function.

    `definitions` has the type of each defined function and the code for the executor. Raises
    `LinkError`, leaving the store unchanged, if an import is missing or has the wrong type.
    """
    addresses: dict[ExternKind, list[int]] = {kind: [] for kind in ExternKind}
    for item in module.imports:
        addresses[item.kind].append(_resolve(store, module, item, resolve))
    addresses[ExternKind.TAG] += [store.add_tag(module.types[t])[1] for t in module.tags]
    instance = Instance(module, tags=tuple(addresses[ExternKind.TAG]))
    for index, (type_, definition) in enumerate(definitions, len(addresses[ExternKind.FUNC])):
        store.functions.append(DefinedFunction(type_, instance, index, definition))
        addresses[ExternKind.FUNC].append(len(store.functions) - 1)
    addresses[ExternKind.TABLE] += [store.add_table(t)[1] for t in module.tables]
    addresses[ExternKind.MEMORY] += [
        store.common(m.shared, partial(store.add_memory, m))[1] for m in module.memories
    ]
    instance.functions = tuple(addresses[ExternKind.FUNC])
    instance.tables = tuple(addresses[ExternKind.TABLE])
    instance.memories = tuple(addresses[ExternKind.MEMORY])
    instance.globals = tuple(
        addresses[ExternKind.GLOBAL]
    )  # imported ones; an initialiser may also read the module's own globals before it
    for declared in module.globals:
        value = store.constant(instance, declared.init)
        add = partial(store.add_global, declared.type, value)
        instance.globals += (store.common(declared.shared, add)[1],)
    addresses[ExternKind.GLOBAL] = list(instance.globals)
    instance.elements = [[store.constant(instance, b) for b in e.init] for e in module.elements]
    instance.data = [d.data for d in module.data]
    instance.exports = {e.name: (e.kind, addresses[e.kind][e.index]) for e in module.exports}
    return instance


class SegmentTarget(Protocol):
    """Receives the active segments: bounds-checked writes to tables and memories; and globals."""

    def write_global(self, address: int, value: int) -> None:
        """Set a global."""

    def write_table(self, address: int, start: int, references: list[int]) -> None:
        """Set elements of a table."""

    def write_memory(self, address: int, start: int, data: bytes) -> None:
        """Write bytes to a memory."""

    def read_memory(self, address: int, start: int, count: int) -> bytes:
        """Return bytes of a memory."""


def fill_segments(store: Store, instance: Instance, target: SegmentTarget) -> None:
    """Copy and drop active segments in order; trap at the first that is out of bounds."""
    _fill_tables(store, instance, target)
    for i, element in enumerate(instance.module.elements):
        if element.mode is Mode.ACTIVE:
            start = store.constant(instance, element.offset)
            target.write_table(instance.tables[element.table], start, instance.elements[i])
        if element.mode is not Mode.PASSIVE:
            instance.elements[i] = []
    for i, data in enumerate(instance.module.data):
        if data.mode is Mode.ACTIVE:
            start = store.constant(instance, data.offset)
            target.write_memory(instance.memories[data.memory], start, data.data)
            instance.data[i] = b""


def _fill_tables(store: Store, instance: Instance, target: SegmentTarget) -> None:
    """Set the elements of the instance's own tables to the values that these declare."""
    tables = instance.module.tables
    own = instance.tables[len(instance.tables) - len(tables) :]
    for address, table in zip(own, tables, strict=True):
        count = table.limits.minimum
        if table.init and (value := store.constant(instance, table.init)):
            if count > MAX_CELLS:
                message = f"a table of {count:,} elements with a value, at most {MAX_CELLS:,}"
                raise CapacityError(message)
            target.write_table(address, 0, [value] * count)


def spectest(store: Store) -> dict[str, Extern]:
    """Add and return the module `spectest` of the official tests, with silent print functions."""
    i32, f32, f64, i64 = ValType.I32, ValType.F32, ValType.F64, ValType.I64
    prints: dict[str, tuple[ValType, ...]] = {
        "print": (),
        "print_i32": (i32,),
        "print_i64": (i64,),
        "print_f32": (f32,),
        "print_f64": (f64,),
        "print_i32_f32": (i32, f32),
        "print_f64_f64": (f64, f64),
    }
    module = {
        name: store.add_host(HostFunction(FuncType(params), _silent, f"spectest.{name}"))
        for name, params in prints.items()
    }
    module["global_i32"] = store.add_global(GlobalType(i32), 666)
    module["global_i64"] = store.add_global(GlobalType(i64), 666)
    module["global_f32"] = store.add_global(GlobalType(f32), 0x4426A666)  # 666.6
    module["global_f64"] = store.add_global(GlobalType(f64), 0x4084D4CCCCCCCCCD)  # 666.6
    module["table"] = store.add_table(TableType(ValType.FUNCREF, Limits(10, 20)))
    module["table64"] = store.add_table(TableType(ValType.FUNCREF, Limits(10, 20, True)))
    module["memory"] = store.add_memory(MemoryType(Limits(1, 2)))
    return module


def _silent(*args: Any) -> None:
    """Print nothing."""


def check_arguments(type_: FuncType, args: list[int]) -> None:
    """Raise `TypeError` for a wrong number of arguments, which is a bug of the caller."""
    if len(args) != len(type_.params):
        raise TypeError(f"expected {len(type_.params)} arguments, got {len(args)}")
