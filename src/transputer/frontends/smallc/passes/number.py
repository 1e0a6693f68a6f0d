"""Value numbering along chains of blocks with one predecessor."""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from transputer.frontends.smallc.tac import (
    COMMUTATIVE,
    PURE,
    Addr,
    MemoryObject,
    Reg,
    TacBlock,
    TacFunction,
    TacInstr,
    TacUnit,
    Value,
    beyond,
    predecessors,
    successors,
    wrap,
)

#: A value, and for a register the number of its definition.
_Version: TypeAlias = tuple[Value, int]
_Key: TypeAlias = tuple[object, ...]


@dataclass(slots=True)
class _ValueTable:
    """Values computed so far, and the registers that hold them."""

    globals: list[Reg]
    versions: dict[Reg, int] = field(default_factory=dict)
    results: dict[_Key, tuple[Reg, int]] = field(default_factory=dict)
    sums: dict[tuple[Reg, int], tuple[_Version, Value]] = field(default_factory=dict)
    roots: dict[tuple[Reg, int], MemoryObject] = field(default_factory=dict)
    words: dict[_Version, tuple[Value, int, MemoryObject | None]] = field(default_factory=dict)

    def copy(self) -> "_ValueTable":
        return _ValueTable(
            self.globals,
            dict(self.versions),
            dict(self.results),
            dict(self.sums),
            dict(self.roots),
            dict(self.words),
        )

    def version(self, value: Value) -> _Version:
        return value, self.versions.get(value, 0) if isinstance(value, Reg) else 0

    def current(self, reg: Reg, version: int) -> bool:
        return self.versions.get(reg, 0) == version

    def root(self, address: Value) -> MemoryObject | None:
        """The object that an address points into; None if unknown."""
        if isinstance(address, Addr):
            return address.object
        if isinstance(address, Reg):
            return self.roots.get((address, self.versions.get(address, 0)))
        return None


def number(function: TacFunction, unit: TacUnit) -> bool:
    """Reuse values already computed; return whether any was."""
    before = predecessors(function.blocks)
    changed = False
    starts = [b for b in function.blocks if len(before[b]) != 1 or _entry(b, function)]
    todo = [(block, _ValueTable(unit.globals)) for block in starts]
    done: set[TacBlock] = set()
    while todo:
        block, table = todo.pop()
        if block in done:
            continue
        done.add(block)
        changed |= _block(block, table, unit.bits)
        for after in set(successors(block.term)):
            if len(before[after]) == 1 and not _entry(after, function):
                todo.append((after, table.copy()))
    return changed


def _entry(block: TacBlock, function: TacFunction) -> bool:
    return block is function.blocks[0]


def _block(block: TacBlock, table: _ValueTable, bits: int) -> bool:
    changed = False
    for i, one in enumerate(block.instrs):
        new = _reused(_regrouped(one, table, bits), table)
        if new is not one:
            block.instrs[i], changed = new, True
        _note(new, table)
    return changed


def _regrouped(one: TacInstr, table: _ValueTable, bits: int) -> TacInstr:
    """(x + c) + d is x + (c + d), for numbers and addresses c and d."""
    if one.op != "add" or len(one.args) != 2:
        return one
    a, b = one.args
    if isinstance(a, int | Addr):
        a, b = b, a
    if not isinstance(a, Reg) or not isinstance(b, int | Addr):
        return one
    known = table.sums.get((a, table.versions.get(a, 0)))
    if known is None:
        return one
    (x, version), c = known
    if not isinstance(x, Reg) or not table.current(x, version):
        return one
    if isinstance(b, int) and isinstance(c, int):
        return replace(one, args=(x, wrap(bits, b + c)))
    if isinstance(b, Addr) and isinstance(c, int):
        return replace(one, args=(x, beyond(bits, b, c)))
    if isinstance(b, int) and isinstance(c, Addr):
        return replace(one, args=(x, beyond(bits, c, b)))
    return one


def _key(one: TacInstr, table: _ValueTable) -> _Key:
    args = [table.version(arg) for arg in one.args]
    if one.op in COMMUTATIVE:
        args.sort(key=lambda a: (type(a[0]).__name__, id(a[0]) if isinstance(a[0], Reg) else 0))
    return (one.op, *args)


def _reused(one: TacInstr, table: _ValueTable) -> TacInstr:
    if one.dst is None or one.op not in PURE or one.op in ("mov", "find"):
        return one
    if one.op == "load":
        value = table.words.get(table.version(one.args[0]))
        if value and (not isinstance(value[0], Reg) or table.current(value[0], value[1])):
            return TacInstr("mov", one.dst, (value[0],), one.line)
        return one
    known = table.results.get(_key(one, table))
    if known and table.current(*known) and known[0] is not one.dst:
        return TacInstr("mov", one.dst, (known[0],), one.line)
    return one


def _note(one: TacInstr, table: _ValueTable) -> None:
    """Record in the table what an operation computes and overwrites."""
    if one.op == "store":
        _stored(one, table)
    elif one.op == "call":
        table.words.clear()
        for reg in table.globals:
            table.versions[reg] = table.versions.get(reg, 0) + 1
    if one.dst is None:
        return
    key, root, total = _key(one, table), _root(one, table), _sum(one, table)
    address = table.version(one.args[0]) if one.op == "load" else None
    of = table.root(one.args[0]) if one.op == "load" else None
    version = table.versions.get(one.dst, 0) + 1
    table.versions[one.dst] = version
    if one.dst in one.args:
        return
    if root:
        table.roots[one.dst, version] = root
    if total:
        table.sums[one.dst, version] = total
    if address is not None:
        table.words[address] = (one.dst, version, of)
    elif one.op in PURE and one.op not in ("mov", "find"):
        table.results[key] = (one.dst, version)


def _sum(one: TacInstr, table: _ValueTable) -> tuple[_Version, Value] | None:
    if one.op != "add":
        return None
    a, b = one.args
    if isinstance(a, int | Addr):
        a, b = b, a
    if isinstance(a, Reg) and isinstance(b, int | Addr):
        return table.version(a), b
    return None


def _root(one: TacInstr, table: _ValueTable) -> MemoryObject | None:
    if one.op == "mov":
        return table.root(one.args[0])
    if one.op != "add":
        return None
    roots = [r for r in map(table.root, one.args) if r]
    return roots[0] if len(roots) == 1 else None


def _stored(one: TacInstr, table: _ValueTable) -> None:
    """A store invalidates other words of the object and defines its own."""
    address, value = one.args
    root = table.root(address)
    for at, (_, _, of) in list(table.words.items()):
        if _overlap(at[0], of, address, root):
            del table.words[at]
    value_version = table.versions.get(value, 0) if isinstance(value, Reg) else 0
    table.words[table.version(address)] = (value, value_version, root)


def _overlap(a: Value, of_a: MemoryObject | None, b: Value, of_b: MemoryObject | None) -> bool:
    if isinstance(a, Addr) and isinstance(b, Addr):
        return a == b
    return of_a is None or of_b is None or of_a is of_b
