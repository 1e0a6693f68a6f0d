"""Declarations of a random module, before it has function bodies."""

from collections.abc import Sequence
from dataclasses import dataclass

from transputer.check.fuzz.choose import Choose
from transputer.check.fuzz.values import ALL, NUMBERS, Types, number
from transputer.ir.module import (
    PAGE,
    Body,
    DataSegment,
    ElementSegment,
    ExternKind,
    FuncType,
    Global,
    GlobalType,
    Import,
    Instr,
    Limits,
    MemoryType,
    Mode,
    Module,
    TableType,
)
from transputer.isa.op import ValType
from transputer.isa.wasm import WASM

#: Budget of loop rounds and calls for a call from outside.
ROUNDS = 60
_TYPES = (
    (4, ValType.I32),
    (2, ValType.I64),
    (2, ValType.F32),
    (2, ValType.F64),
    (1, ValType.FUNCREF),
    (1, ValType.EXTERNREF),
)
#: Functions of the module `spectest` of the official tests.
_HOST_FUNCTIONS = (
    ("print", ()),
    ("print_i32", (ValType.I32,)),
    ("print_i64", (ValType.I64,)),
    ("print_f32", (ValType.F32,)),
    ("print_f64", (ValType.F64,)),
    ("print_i32_f32", (ValType.I32, ValType.F32)),
    ("print_f64_f64", (ValType.F64, ValType.F64)),
)


def instr(name: str, *args: object) -> Instr:
    """An instruction by name."""
    return Instr(WASM[name], args)


def value_type(choose: Choose, types: Types) -> ValType:
    """Any of these value types, i32 most often."""
    return choose.weighted([(weight, t) for weight, t in _TYPES if t in types])


def references(types: Types) -> list[ValType]:
    """The types of references among these."""
    return [t for t in (ValType.FUNCREF, ValType.EXTERNREF) if t in types]


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """Declarations to generate bodies against.

    `module` lacks only its own functions, exports and start; `functions` are the type indices
    of its functions. `rounds` is the global with the remaining budget, `checksum` the global that
    values are mixed into; no random instruction sets them. All values are of `types`.
    """

    module: Module
    functions: tuple[int, ...]
    rounds: int
    checksum: int
    exported: frozenset[int]
    types: Types = ALL

    @property
    def func_types(self) -> tuple[FuncType, ...]:
        """The type of every function in the index space."""
        return tuple(self.module.types[i] for i in self.type_indices)

    @property
    def type_indices(self) -> tuple[int, ...]:
        """The type index of every function in the index space."""
        imported = tuple(i.type_index for i in self.module.imported(ExternKind.FUNC))
        return imported + self.functions

    @property
    def referable(self) -> tuple[int, ...]:
        """Functions that `ref.func` may name: exported, or mentioned outside of bodies."""
        functions = set(self.exported)
        bodies = [g.init for g in self.module.globals]
        bodies += [body for e in self.module.elements for body in e.init]
        functions |= {i.args[0] for body in bodies for i in body if i.name == "ref.func"}
        return tuple(sorted(functions))


def plan(choose: Choose, allowed: Types = ALL) -> ModulePlan:
    """Return random consistent declarations, with values of the allowed types."""
    types = _types(choose, allowed)
    imports = _imports(choose, types, allowed)
    declared = Module(types=types, imports=imports)
    functions = choose.several(1, 5, lambda: choose.integer(0, len(types) - 1))
    count = len(declared.imported(ExternKind.FUNC)) + len(functions)
    kinds = references(allowed)
    tables = choose.several(0, 3, lambda: _table(choose, kinds)) if kinds else ()
    memories = () if declared.memory_types or choose.chance(12) else (_memory(choose),)
    declared = Module(types=types, imports=imports, tables=tables, memories=memories)
    random_globals = choose.several(0, 4, lambda: _global(choose, declared, count, allowed))
    rounds = Global(GlobalType(ValType.I32, True), (instr("i32.const", ROUNDS), instr("end")))
    widest = ValType.I64 if ValType.I64 in allowed else ValType.I32
    zero = instr(f"{widest.value}.const", 0), instr("end")
    checksum = Global(GlobalType(widest, True), zero)
    declared = Module(
        types=types,
        imports=imports,
        tables=tables,
        memories=memories,
        globals=(*random_globals, rounds, checksum),
        elements=choose.several(1, 4, lambda: _element(choose, declared, count, kinds))
        if kinds
        else (),
        data=choose.several(1, 4, lambda: _data(choose, declared)),
    )
    exported = frozenset(i for i in range(count) if not choose.chance(6))
    cells = len(declared.global_types)
    return ModulePlan(declared, functions, cells - 2, cells - 1, exported, allowed)


def _types(choose: Choose, allowed: Types) -> tuple[FuncType, ...]:
    """Return the empty type and random ones; sometimes a duplicate, which must change nothing."""
    types = (FuncType(), *choose.several(1, 6, lambda: _func_type(choose, allowed)))
    return (*types, types[-1]) if choose.chance(3) else types


def _func_type(choose: Choose, allowed: Types) -> FuncType:
    params = choose.several(0, 4, lambda: value_type(choose, allowed))
    return FuncType(params, choose.several(0, 3, lambda: value_type(choose, allowed)))


def _imports(choose: Choose, types: tuple[FuncType, ...], allowed: Types) -> tuple[Import, ...]:
    """Return random imports from the module `spectest`."""
    imports = [
        Import("spectest", name, ExternKind.FUNC, None, types.index(FuncType(params)))
        for name, params in _HOST_FUNCTIONS
        if FuncType(params) in types and choose.chance(3)
    ]
    imports += [
        Import("spectest", f"global_{t.value}", ExternKind.GLOBAL, GlobalType(t))
        for t in NUMBERS
        if t in allowed and choose.chance(4)
    ]
    if ValType.FUNCREF in allowed and choose.chance(5):
        type_ = TableType(ValType.FUNCREF, Limits(choose.integer(0, 10), 20))
        imports.append(Import("spectest", "table", ExternKind.TABLE, type_))
    if choose.chance(5):
        limits = choose.choice((Limits(1), Limits(0, 2), Limits(1, 3)))
        imports.append(Import("spectest", "memory", ExternKind.MEMORY, MemoryType(limits)))
    return tuple(imports)


def _table(choose: Choose, kinds: Sequence[ValType]) -> TableType:
    minimum = choose.integer(0, 14)
    maximum = minimum + choose.integer(0, 5) if choose.chance(2) else None
    return TableType(choose.choice(kinds), Limits(minimum, maximum))


def _memory(choose: Choose) -> MemoryType:
    """Return a small memory; it has a maximum, since growth without one depends on the host."""
    minimum = choose.weighted(((6, 1), (1, 0), (1, 2)))
    return MemoryType(Limits(minimum, minimum + choose.integer(0, 3)))


def _global(choose: Choose, declared: Module, functions: int, allowed: Types) -> Global:
    type_ = value_type(choose, allowed)
    return Global(GlobalType(type_, choose.chance(2)), constant(choose, declared, type_, functions))


def constant(choose: Choose, declared: Module, type_: ValType, functions: int) -> Body:
    """Return a constant expression: a constant, or an imported global if there is one."""
    cells = enumerate(declared.imported(ExternKind.GLOBAL))
    imported = [i for i, cell in cells if cell.type == GlobalType(type_)]
    if imported and choose.chance(3):
        first = instr("global.get", choose.choice(imported))
    elif not type_.is_ref:
        first = instr(f"{type_.value}.const", number(choose, type_))
    elif type_ is ValType.FUNCREF and not choose.chance(4):
        first = instr("ref.func", choose.integer(0, functions - 1))
    else:
        first = instr("ref.null", type_)
    return first, instr("end")


def _offset(choose: Choose, declared: Module, room: int) -> Body:
    """Return the offset of an active segment, nearly always inside."""
    if choose.chance(25):
        return constant(choose, declared, ValType.I32, 1)
    return instr("i32.const", choose.integer(0, max(0, room))), instr("end")


def _element(
    choose: Choose, declared: Module, functions: int, kinds: Sequence[ValType]
) -> ElementSegment:
    tables = declared.table_types
    mode = choose.choice((Mode.PASSIVE, Mode.DECLARED, *((Mode.ACTIVE,) * 3 if tables else ())))
    if mode is not Mode.ACTIVE:
        type_ = choose.weighted([(3 if t is ValType.FUNCREF else 1, t) for t in kinds])
        init = choose.several(0, 6, lambda: constant(choose, declared, type_, functions))
        return ElementSegment(type_, init, mode)
    table = choose.integer(0, len(tables) - 1)
    element, size = tables[table].element, tables[table].limits.minimum
    init = choose.several(0, min(6, size), lambda: constant(choose, declared, element, functions))
    return ElementSegment(element, init, mode, table, _offset(choose, declared, size - len(init)))


def _data(choose: Choose, declared: Module) -> DataSegment:
    length = choose.integer(0, 60)
    content = choose.integer(0, 256**length - 1).to_bytes(length, "little")
    if not declared.memory_types or choose.chance(2):
        return DataSegment(content, Mode.PASSIVE)
    size = declared.memory_types[0].limits.minimum * PAGE
    content = content[:size]
    room = choose.choice((min(80, size), size)) - len(content)
    return DataSegment(content, Mode.ACTIVE, 0, _offset(choose, declared, room))
