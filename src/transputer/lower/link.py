"""Link routines: copy functions of a library module into a program, on demand.

A library is an ordinary module whose exports are its routines. Only the requested routines and
their callees are copied. Memory 0 of a library is the program's; routines bring their own globals,
and the library's further memories with their data and exports. Their imports become imports of the
program. A library has no tables and no segments in memory 0, because they would share the program's
address space.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from transputer.errors import LinkError
from transputer.ir.module import (
    Body,
    ElementSegment,
    ExternKind,
    Function,
    FuncType,
    Global,
    Import,
    Instr,
    Module,
    NameSection,
)
from transputer.isa.wasm import RELEASE_3
from transputer.lower.origin import Lowered, Origin
from transputer.values import dataclass

#: Module and name of an imported function.
Imported = tuple[str, str]
Mapped = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class LinkedProgram:
    """A program with routines, and the index of each requested routine."""

    program: Lowered
    functions: Mapping[str, int]


def link(program: Lowered, library: Module, names: Iterable[str]) -> LinkedProgram:
    """Append these routines and their callees to the functions of a program.

    Raises `LinkError` if a routine does not exist or needs something that the program or a library
    cannot have. The program's functions are renumbered only if a routine adds an import.
    """
    return _Linker(program, library).link(tuple(dict.fromkeys(names)))


def link_imports(program: Lowered, library: Module, routines: Mapping[Imported, str]) -> Lowered:
    """Replace imported functions of a program by routines.

    Raises `LinkError` if the type of a routine is not that of the import.
    """
    imports = program.module.imported(ExternKind.FUNC)
    wanted = {
        i: routines[item.module, item.name]
        for i, item in enumerate(imports)
        if (item.module, item.name) in routines
    }
    linked = link(program, library, wanted.values())
    module = linked.program.module
    for index, name in wanted.items():
        at = linked.functions[name]
        if module.func_types[index] != module.func_types[at]:
            item = imports[index]
            raise LinkError(
                f"{item.module}.{item.name} has type {module.func_types[at]}, "
                f"not {module.func_types[index]}"
            )
    others = [i for i in range(len(module.imported(ExternKind.FUNC))) if i not in wanted]
    return _without_imports(linked, others, {i: linked.functions[n] for i, n in wanted.items()})


def _without_imports(linked: LinkedProgram, others: list[int], replaced: dict[int, int]) -> Lowered:
    """Drop the imports in `replaced` and keep `others`; redirect references to the replacement."""
    module = linked.program.module
    total = len(module.func_types)
    count = total - len(module.functions)
    places = {old: new for new, old in enumerate((*others, *range(count, total)))}
    moved = {**places, **{old: places[new] for old, new in replaced.items()}}
    functions = [i for i in module.imports if i.kind is ExternKind.FUNC]
    dropped = {id(functions[i]) for i in replaced}
    imports = tuple(i for i in module.imports if id(i) not in dropped)
    return replace(
        linked.program, module=replace(_renumbered(module, moved.__getitem__), imports=imports)
    )


class _Linker:
    def __init__(self, program: Lowered, library: Module) -> None:
        self.program, self.library = program, library
        shared = any(not d.memory for d in library.data) or library.elements
        if library.table_types or shared or library.start is not None:
            raise LinkError("a library cannot have tables, shared segments or a start function")
        if library.imported(ExternKind.GLOBAL):
            raise LinkError("a library cannot import globals")
        self.exports = {e.name: e.index for e in library.exports if e.kind is ExternKind.FUNC}
        named = {index: name for name, index in self.exports.items()}
        self.names = library.function_names() | named
        self.types = list(program.module.types)
        self.numbers = {t: i for i, t in reversed(list(enumerate(self.types)))}
        self.globals = list(program.module.globals)
        self.global_places: dict[int, int] = {}
        self.imports: list[Import] = []  # new ones
        self.order: list[int] = []  # library functions to copy
        self.seen: set[int] = set()

    def link(self, names: tuple[str, ...]) -> LinkedProgram:
        """Collect the routines, add their imports, copy their code."""
        for name in names:
            if name not in self.exports:
                raise LinkError(f"no routine {name!r}")
            self._need(self.exports[name])
        module = self.program.module
        imported = len(module.imported(ExternKind.FUNC))
        places = self._places(imported)
        if self.imports:
            shift = len(self.imports)
            module = _renumbered(module, lambda i: i if i < imported else i + shift)
        copies = [self._copied(index, places) for index in self.order]
        own = [e for e in self.library.exports if e.kind is ExternKind.MEMORY]
        whole = replace(
            module,
            types=tuple(self.types),
            imports=(*module.imports, *self.imports),
            functions=(*module.functions, *copies),
            memories=(*module.memories, *self.library.memory_types[1:]),
            data=(
                *module.data,
                *(replace(d, memory=self._memory(d.memory)) for d in self.library.data),
            ),
            exports=(*module.exports, *(replace(e, index=self._memory(e.index)) for e in own)),
            globals=tuple(self.globals),
            names=self._named(module.names, places),
        )
        origins = (*self.program.origins, *(Origin(None) for _ in self.order))
        return LinkedProgram(Lowered(whole, origins), {n: places[self.exports[n]] for n in names})

    @property
    def first(self) -> int:
        """The first library function that is not imported."""
        return len(self.library.imported(ExternKind.FUNC))

    def _need(self, index: int) -> None:
        """Request a library function and everything it calls."""
        todo = [index]
        while todo:
            at = todo.pop()
            if at in self.seen:
                continue
            self.seen.add(at)
            if at < self.first:
                continue
            self.order.append(at)
            body = self.library.functions[at - self.first].body
            if any(i.name in _INDIRECT for i in body):
                raise LinkError(f"routine {self.names.get(at, at)} uses a function reference")
            todo += [i.args[0] for i in body if i.name == "call"]
            if not self.program.module.memory_types and any(map(_uses_memory, body)):
                raise LinkError(f"routine {self.names.get(at, at)} needs a memory")

    def _places(self, imported: int) -> dict[int, int]:
        """Return the new index of each library function."""
        places = {at: self._import(at, imported) for at in sorted(self.seen) if at < self.first}
        defined = imported + len(self.imports) + len(self.program.module.functions)
        return places | {at: defined + i for i, at in enumerate(self.order)}

    def _import(self, at: int, imported: int) -> int:
        """Return the index of a library's import in the program, adding it if it is missing."""
        item = self.library.imported(ExternKind.FUNC)[at]
        type_ = self.library.types[item.type_index]
        module = self.program.module
        for i, own in enumerate(module.imported(ExternKind.FUNC)):
            same = (own.module, own.name) == (item.module, item.name)
            if same and module.types[own.type_index] == type_:
                return i
        self.imports.append(replace(item, type_index=self._type(type_)))
        return imported + len(self.imports) - 1

    def _type(self, type_: FuncType) -> int:
        if type_ not in self.numbers:
            self.numbers[type_] = len(self.types)
            self.types.append(type_)
        return self.numbers[type_]

    def _global(self, index: int) -> int:
        """Return the index of a library's global, which its first user adds."""
        if index not in self.global_places:
            count = len(self.program.module.imported(ExternKind.GLOBAL))
            self.global_places[index] = count + len(self.globals)
            self.globals.append(self.library.globals[index])
        return self.global_places[index]

    def _memory(self, index: int) -> int:
        """Return the index in the program of a library's memory."""
        return index and len(self.program.module.memory_types) + index - 1

    def _memarg(self, arg: tuple[int, int, int]) -> tuple[int, int, int]:
        return arg[0], arg[1], self._memory(arg[2])

    def _copied(self, index: int, places: dict[int, int]) -> Function:
        source = self.library.functions[index - self.first]
        moves: dict[str, Callable[[Any], Any]] = {
            "func": places.__getitem__,
            "global": self._global,
            "blocktype": self._block_type,
            "memory": self._memory,
            "memarg": self._memarg,
        }
        body = _mapped(source.body, moves)
        type_index = self._type(self.library.types[source.type_index])
        return replace(source, type_index=type_index, body=body)

    def _block_type(self, type_: FuncType | int) -> FuncType | int:
        return self._type(self.library.types[type_]) if isinstance(type_, int) else type_

    def _named(self, names: NameSection, places: dict[int, int]) -> NameSection:
        copied = {places[at]: self.names[at] for at in self.order if at in self.names}
        return replace(names, functions={**names.functions, **copied})


#: Instructions that a routine cannot have: they call or name functions, or throw.
_INDIRECT = RELEASE_3 | {"call_indirect", "ref.func"}


def _uses_memory(instr: Instr) -> bool:
    return any(kind in ("memarg", "memory") for kind in instr.op.imm)


def _mapped(body: Body, moves: Mapping[str, Callable[[Any], Any]]) -> Body:
    """Return a body with its immediates mapped by kind."""
    kept = moves.keys().isdisjoint
    return tuple([i if kept(i.op.imm) else _moved(i, moves) for i in body])


def _moved(instr: Instr, moves: Mapping[str, Callable[[Any], Any]]) -> Instr:
    pairs = zip(instr.op.imm, instr.args, strict=True)
    return replace(instr, args=tuple(moves.get(kind, _same)(arg) for kind, arg in pairs))


def _same(arg: Any) -> Any:
    return arg


def _renumbered(module: Module, moved: Mapped) -> Module:
    """Return the module with every reference to a function mapped."""
    moves = {"func": moved}
    names = module.names
    return replace(
        module,
        functions=tuple(replace(f, body=_mapped(f.body, moves)) for f in module.functions),
        globals=tuple(_renumbered_global(g, moves) for g in module.globals),
        tables=tuple(replace(t, init=_mapped(t.init, moves)) for t in module.tables),
        elements=tuple(_renumbered_element(e, moves) for e in module.elements),
        exports=tuple(
            replace(e, index=moved(e.index)) if e.kind is ExternKind.FUNC else e
            for e in module.exports
        ),
        start=None if module.start is None else moved(module.start),
        names=replace(
            names,
            functions={moved(i): name for i, name in names.functions.items()},
            locals={(moved(f), i): name for (f, i), name in names.locals.items()},
        ),
    )


def _renumbered_global(item: Global, moves: Mapping[str, Mapped]) -> Global:
    return replace(item, init=_mapped(item.init, moves))


def _renumbered_element(item: ElementSegment, moves: Mapping[str, Mapped]) -> ElementSegment:
    return replace(item, init=tuple(_mapped(body, moves) for body in item.init))
