"""Turn objects that are only accessed at fixed addresses into registers, word by word."""

from collections.abc import Callable
from dataclasses import replace

from transputer.frontends.smallc.tac import (
    Addr,
    MemoryObject,
    Reg,
    TacInstr,
    TacUnit,
    every_instr,
    term_values,
)


def promote(unit: TacUnit) -> bool:
    """Turn loads and stores at known addresses of private objects into moves."""
    private, homes = _private(unit)
    if not private:
        return False
    registers: dict[tuple[MemoryObject, int], Reg] = {}

    def register(at: Addr) -> Reg:
        key = (at.object, at.offset)
        if key not in registers:
            name = at.object.name if at.object.size == 1 else f"{at.object.name}[{at.offset}]"
            initial = at.object.initial[at.offset] if at.object.initial else 0
            registers[key] = Reg(name, at.object.scope and homes[at.object], initial)
            if not at.object.scope:
                unit.globals.append(registers[key])
        return registers[key]

    for function in unit.functions.values():
        function.objects = [o for o in function.objects if o not in private]
        for block in function.blocks:
            block.instrs = [_moved(one, private, register) for one in block.instrs]
    unit.objects = [o for o in unit.objects if o not in private]
    return True


def _moved(one: TacInstr, private: set[MemoryObject], register: Callable[[Addr], Reg]) -> TacInstr:
    at = one.args[0] if one.op in ("load", "store") else None
    if not isinstance(at, Addr) or at.object not in private:
        return one
    if one.op == "store":
        return TacInstr("mov", register(at), (one.args[1],), one.line)
    if at.object.constant and isinstance(at.object.initial[at.offset], int):
        return replace(one, op="mov", args=(at.object.initial[at.offset],))
    return replace(one, op="mov", args=(register(at),))


def _private(unit: TacUnit) -> tuple[set[MemoryObject], dict[MemoryObject, str]]:
    """Objects whose addresses appear only where they are read or written, in one function."""
    objects = {o for o in unit.objects if not o.visible}
    used_in: dict[MemoryObject, set[str]] = {}
    for function in unit.functions.values():
        objects |= set(function.objects)
    exposed: set[MemoryObject] = set()
    for function, _, one in every_instr(unit):
        for i, arg in enumerate(one.args):
            if not isinstance(arg, Addr):
                continue
            used_in.setdefault(arg.object, set()).add(function.name)
            if one.op not in ("load", "store") or i > 0 or not _inside(arg):
                exposed.add(arg.object)
    for function in unit.functions.values():
        for block in function.blocks:
            exposed |= {v.object for v in term_values(block.term) if isinstance(v, Addr)}
    for words in [o.initial for o in unit.objects] + [(g.initial,) for g in unit.globals]:
        exposed |= {word.object for word in words if isinstance(word, Addr)}
    shared = {o for o, names in used_in.items() if o.scope and len(names) > 1}
    return objects - exposed - shared, {o: min(names) for o, names in used_in.items()}


def _inside(at: Addr) -> bool:
    return 0 <= at.offset < at.object.size
