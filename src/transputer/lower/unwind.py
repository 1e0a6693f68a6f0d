"""What core code needs beside a module's own code: exceptions, references and tail calls.

The machine has no unwinding. A thrown exception is a record in a memory of its own, whose address
is in the global `pending` until a handler takes it; code after a call that may throw tests that
global and goes to its handler, or returns. The state is shared by all modules of a session. A
reference to an exception is the address of its record: the number of its tag, then its values, in
eight bytes each.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from transputer.errors import Trap
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule, core
from transputer.ir.module import (
    PAGE,
    Body,
    ExternKind,
    Function,
    FuncType,
    Global,
    GlobalType,
    Instr,
    Limits,
    MemoryType,
    Module,
    TableType,
)
from transputer.ir.unwinding import FAILURE, FAILURES, PENDING, RECORDS, TOP
from transputer.isa.op import ValType
from transputer.isa.wasm import TAG, WASM

#: Bytes of each field of an exception's record.
FIELD = 8
#: First value of each shared global; the address 0 means that there is no exception.
_FIRST = {PENDING: 0, TOP: FIELD, FAILURE: 0}
_THROWS = frozenset({"throw", "throw_ref"})
_CALLS = frozenset({"call", "return_call"})
_INDIRECT = frozenset({"call_indirect", "return_call_indirect", "call_ref", "return_call_ref"})


class Additions:
    """Globals, memories, tables and functions that lowering adds to a module, on demand."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.globals: list[Global] = []
        self.memories: list[MemoryType] = []
        self.tables: list[TableType] = []
        self.functions: list[CoreFunction] = []
        self.code: list[tuple[CoreInstr, ...]] = []  # of each added function, from address 0
        self._places: dict[tuple[str, object], int] = {}

    def _place(self, kind: str, key: object, space: int, items: list[object], item: object) -> int:
        """Return the index of an item, which is appended to its space if it is new."""
        if (kind, key) not in self._places:
            self._places[kind, key] = space + len(items)
            items.append(item)
        return self._places[kind, key]

    def _global(self, key: object, init: Instr, shared: str = "", mutable: bool = True) -> int:
        item = Global(GlobalType(ValType.I32, mutable), (init, _END), shared=shared)
        space = len(self.module.global_types)
        return self._place("global", key, space, self.globals, item)  # type: ignore[arg-type]

    def shared(self, name: str) -> int:
        """Return the index of a global that all modules of the session have in common."""
        return self._global(name, Instr(WASM["i32.const"], (_FIRST[name],)), name)

    def scratch(self) -> int:
        """Return the index of a global for a reference on its way to a call."""
        return self._global("scratch", Instr(WASM["i32.const"], (0,)))

    def tag(self, tag: int) -> int:
        """Return the index of the global that tells this tag from others."""
        return self._global(tag, Instr(TAG, (tag,)), mutable=False)

    def records(self) -> int:
        """Return the index of the memory of exceptions."""
        space, item = len(self.module.memory_types), MemoryType(Limits(1), RECORDS)
        return self._place("memory", 0, space, self.memories, item)  # type: ignore[arg-type]

    def cell(self) -> int:
        """Return the index of a table with one element: the function that is called next."""
        space, item = len(self.module.table_types), TableType(ValType.FUNCREF, Limits(1, 1))
        return self._place("table", 0, space, self.tables, item)  # type: ignore[arg-type]

    def add(self, key: object, function: CoreFunction, code: tuple[CoreInstr, ...]) -> int:
        """Add a function, whose entry is relative to its own code; return its index."""
        if ("function", key) not in self._places:
            self._places["function", key] = len(self.module.func_types) + len(self.functions)
            self.functions.append(function)
            self.code.append(tuple(replace(i, implied=True) for i in code))
        return self._places["function", key]

    def type_of(self, function: int) -> FuncType:
        """Return the type of a function, which may be an added one."""
        own = self.module.func_types
        return own[function] if function < len(own) else self.functions[function - len(own)].type

    def find(self, key: object) -> int | None:
        """Return the index of the added function with this key, if there is one."""
        return self._places.get(("function", key))

    def thrower(self, tag: int) -> int:
        """Return the function that makes an exception with this tag pending."""
        type_ = self.module.tag_types[tag]
        count = len(type_.params)
        function = CoreFunction(FuncType(type_.params), 0, count, count + 3, f"throw {tag}")
        return self.add(("throw", tag), function, tuple(self._throw(tag, count)))

    def _throw(self, tag: int, count: int) -> Iterator[CoreInstr]:
        """Yield code that appends a record to the memory of exceptions, which grows as needed."""
        memory, top = self.records(), self.shared(TOP)
        size = FIELD * (count + 1)
        yield from (core("global.get", top), core("i32.const", size), core("i32.add"))
        yield from (core("memory.size", memory), core("i32.const", PAGE.bit_length() - 1))
        yield from (core("i32.shl"), core("i32.gt_u"), core("jump_unless", 14))
        yield from (core("i32.const", 1), core("memory.grow", memory))
        yield from (core("i32.const", 0xFFFFFFFF), core("i32.eq"), core("jump_unless", 14))
        yield core("unreachable")
        yield from (core("global.get", top), core("global.get", self.tag(tag)))
        yield core("i32.store", 0, memory)
        for i in range(count):
            yield from (core("global.get", top), core("local.get", i))
            yield core("i64.store", FIELD * (i + 1), memory)
        yield from (core("global.get", top), core("global.set", self.shared(PENDING)))
        yield from (core("global.get", top), core("i32.const", size), core("i32.add"))
        yield from (core("global.set", top), core("return", 0))

    def whole(self, code: list[CoreInstr], functions: list[CoreFunction]) -> CoreModule:
        """Return the core module: a module's own code and functions, with what was added."""
        for function, body in zip(self.functions, self.code, strict=True):
            base = len(code)
            moved = ("jump_unless", "jump_if", "jump")
            code += [replace(i, args=(i.args[0] + base,)) if i.name in moved else i for i in body]
            functions.append(replace(function, entry=base))
        declarations = replace(
            self.module,
            functions=(),
            globals=(*self.module.globals, *self.globals),
            memories=(*self.module.memories, *self.memories),
            tables=(*self.module.tables, *self.tables),
        )
        return CoreModule(tuple(code), tuple(functions), declarations)


_END = Instr(WASM["end"])


def failure(trap: Trap, additions: Additions) -> tuple[CoreInstr, ...]:
    """Return code that traps for a reason which the machine has not: a global says which."""
    return (
        core("i32.const", FAILURES.index(trap) + 1, implied=True),
        core("global.set", additions.shared(FAILURE), implied=True),
        core("unreachable", implied=True),
    )


class Throwing:
    """Which calls of a module may throw.

    Imported functions may if `foreign`: another module of the session throws. An indirect call may
    if a function of its type may that is referenced, or if another module can put functions in
    the tables.
    """

    def __init__(self, module: Module, foreign: bool) -> None:
        self.module = module
        self.types = module.func_types
        imported = len(module.imported(ExternKind.FUNC))
        self.open = False
        self.functions: set[int] = set(range(imported)) if foreign else set()
        own = foreign or any(i.name in _THROWS for _, f in module.bodies() for i in f.body)
        self.indirect: set[FuncType] = set()
        if own:
            self._spread()

    def _spread(self) -> None:
        """Mark the callers of functions that may throw until nothing changes."""
        candidates = referenced(self.module)
        bodies = [(index, _calls(f, self.module)) for index, f in self.module.bodies()]
        self.open = _shares_tables(self.module)
        before = -1
        while before != (before := len(self.functions) + len(self.indirect)):
            self.indirect |= {self.types[i] for i in self.functions & candidates}
            self.functions |= {index for index, calls in bodies if any(self._may(c) for c in calls)}

    def _may(self, called: int | FuncType | None) -> bool:
        if called is None:
            return True
        if isinstance(called, int):
            return called in self.functions
        return self.open or called in self.indirect

    def call(self, instr: Instr) -> bool:
        """Return whether this call may throw."""
        if instr.op.imm[0] == "func":
            return instr.args[0] in self.functions
        type_ = self.module.types[instr.args[0]]
        return self.open or type_ in self.indirect


def _calls(function: Function, module: Module) -> set[int | FuncType | None]:
    """Return what a function calls: functions, types of indirect calls; None if it throws."""
    calls: set[int | FuncType | None] = set()
    for instr in function.body:
        if instr.name in _THROWS:
            calls.add(None)
        elif instr.name in _CALLS:
            calls.add(instr.args[0])
        elif instr.name in _INDIRECT:
            calls.add(module.types[instr.args[0]])
    return calls


def referenced(module: Module) -> set[int]:
    """Return the functions that an indirect call may call."""
    bodies: Iterator[Body] = chain(
        (f.body for f in module.functions),
        (g.init for g in module.globals),
        (t.init for t in module.tables),
        chain.from_iterable(e.init for e in module.elements),
    )
    return {i.args[0] for body in bodies for i in body if i.name == "ref.func"}


def _shares_tables(module: Module) -> bool:
    """Return whether another module may put functions where this one calls them."""
    passed = any(t.is_ref for type_ in module.types for t in (*type_.params, *type_.results))
    exported = any(e.kind is ExternKind.TABLE for e in module.exports)
    return passed or exported or bool(module.imported(ExternKind.TABLE))
