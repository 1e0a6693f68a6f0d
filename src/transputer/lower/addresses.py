"""Lower 64-bit memories and tables to 32-bit ones.

An address beyond 32 bits becomes the last address, which is out of bounds: no memory here has more
than `WIDE_PAGES` pages, no table as many elements. Sizes are extended.
"""

from dataclasses import replace

from transputer.ir.module import Function, Instr, Limits, MemoryType, Module, TableType
from transputer.isa.integers import mask
from transputer.isa.op import ValType, ValueType
from transputer.isa.wasm import WASM
from transputer.lower.origin import Lowered

#: The type of an operand, and whether it is a 64-bit address.
Operand = tuple[ValueType, bool]
I32, I64 = ValType.I32, ValType.I64
_LAST = mask(32)


def lower_addresses(program: Lowered) -> Lowered:
    """Return a program with 32-bit addresses; unchanged if it has no others."""
    module = program.module
    limits = [m.limits for m in module.memory_types] + [t.limits for t in module.table_types]
    if not any(item.wide for item in limits):
        return program
    bodies = [_Narrower(module, f).lower() for f in module.functions]
    lowered = replace(
        module,
        functions=tuple(function for function, _ in bodies),
        memories=tuple(replace(m, limits=_lowered(m.limits)) for m in module.memories),
        tables=tuple(replace(t, limits=_lowered(t.limits)) for t in module.tables),
        imports=tuple(
            replace(i, type=replace(i.type, limits=_lowered(i.type.limits)))
            if isinstance(i.type, (MemoryType, TableType))
            else i
            for i in module.imports
        ),
    )
    pairs = zip(program.origins, bodies, strict=True)
    return Lowered(lowered, tuple(o.rewritten(sources) for o, (_, sources) in pairs))


def _lowered(limits: Limits) -> Limits:
    return replace(limits, lowered=limits.wide)


class _Narrower:
    """Lowers one body."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module, self.function = module, function
        types = module.types[function.type_index].params + function.local_types
        self.first = len(types)
        self.scratch: dict[tuple[int, ValueType], int] = {}
        self.body: list[Instr] = []

    def lower(self) -> tuple[Function, tuple[int, ...]]:
        """Return the function and the source of each of its instructions."""
        sources: list[int] = []
        for pc, instr in enumerate(self.function.body):
            self.rewrite(instr)
            sources += [pc] * (len(self.body) - len(sources))
        extra = tuple((1, type_) for _, type_ in self.scratch)
        function = replace(
            self.function, locals=(*self.function.locals, *extra), body=tuple(self.body)
        )
        return function, tuple(sources)

    def rewrite(self, instr: Instr) -> None:
        """Append an instruction, its addresses made narrow before it and its size wide after it."""
        operands = _operands(self.module, instr)
        if any(wide for _, wide in operands):
            self.narrow(operands)
        if instr.op.imm[:1] == ("memarg",):
            (alignment, offset, memory), *rest = instr.args
            instr = replace(instr, args=((alignment, min(offset, _LAST), memory), *rest))
        self.body.append(instr)
        if instr.name in _EXTENSIONS and _address(self.module, instr, 0)[1]:
            self.body.append(Instr(WASM[_EXTENSIONS[instr.name]]))

    def narrow(self, operands: tuple[Operand, ...]) -> None:
        """Append code that makes the wide addresses among the topmost operands narrow."""
        first, *rest = operands
        places = []
        for depth, (type_, wide) in enumerate(reversed(rest)):
            if wide:
                self.narrow_top()
            places.append(self.local(depth, I32 if wide else type_))
            self.body.append(Instr(WASM["local.set"], (places[-1],)))
        if first[1]:
            self.narrow_top()
        self.body += [Instr(WASM["local.get"], (place,)) for place in reversed(places)]

    def narrow_top(self) -> None:
        """Append code for the address on top: itself if it has 32 bits, else the last address."""
        wide = self.local(-1, I64)
        for name, *args in (
            ("local.tee", wide),
            ("i32.wrap_i64",),
            ("i32.const", _LAST),
            ("local.get", wide),
            ("i64.const", 32),
            ("i64.shr_u",),
            ("i64.eqz",),
            ("select",),
        ):
            self.body.append(Instr(WASM[str(name)], tuple(args)))

    def local(self, depth: int, type_: ValueType) -> int:
        """Return the index of a scratch local, which is added on first use."""
        key = (depth, type_)
        return self.first + self.scratch.setdefault(key, len(self.scratch))


#: What makes the result of an instruction wide: sizes have fewer bits, and -1 stays -1.
_EXTENSIONS = {
    "memory.size": "i64.extend_i32_u",
    "table.size": "i64.extend_i32_u",
    "memory.grow": "i64.extend_i32_s",
    "table.grow": "i64.extend_i32_s",
}


def _limits(module: Module, instr: Instr, which: int) -> Limits:
    """Return the limits of the memory or table that immediate `which` names."""
    kind, arg = instr.op.imm[which], instr.args[which]
    types = module.table_types if kind == "table" else module.memory_types
    limits: Limits = types[arg[2] if kind == "memarg" else arg].limits
    return limits


def _address(module: Module, instr: Instr, which: int) -> Operand:
    limits = _limits(module, instr, which)
    return limits.address, limits.wide


def _operands(module: Module, instr: Instr) -> tuple[Operand, ...]:
    """Return the operands from the first address on, topmost last; none without an address."""
    name, imm = instr.name, instr.op.imm
    if imm[:1] == ("memarg",):
        return (_address(module, instr, 0), *((t, False) for t in instr.op.params[1:]))
    if not {"memory", "table"} & set(imm) or name in ("memory.size", "table.size"):
        return ()
    number: Operand = (I32, False)
    at = _address(module, instr, -1 if len(imm) > 1 else 0)
    if name in ("memory.init", "table.init"):
        return at, number, number
    if name in ("memory.copy", "table.copy"):
        to = _address(module, instr, 0)
        return to, at, at if to[1] else to
    value = number if imm == ("memory",) else (module.table_types[instr.args[-1]].element, False)
    return {
        "memory.fill": (at, value, at),
        "table.fill": (at, value, at),
        "table.set": (at, value),
        "table.grow": (value, at),
    }.get(name, (at,))
