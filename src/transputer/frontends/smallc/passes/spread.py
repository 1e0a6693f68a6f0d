"""Replace stores through pointers by trees of tests that find the word.

This is the cost of a machine without indirect stores; the loom back end does it on demand.
"""

from transputer.frontends.smallc.tac import (
    Addr,
    MemoryObject,
    Reg,
    TacBlock,
    TacBranch,
    TacFunction,
    TacInstr,
    TacJump,
    TacUnit,
    Value,
)


def spread(unit: TacUnit) -> None:
    """Replace every store with an unknown address by a tree over its possible words."""
    for function in unit.functions.values():
        targets = _Targets(function, unit)
        todo = list(function.blocks)
        while todo:
            block = todo.pop()
            for i, one in enumerate(block.instrs):
                if one.op == "store" and isinstance(one.args[0], Reg):
                    objects = targets.objects(one.args[0])
                    todo.append(_split(function, block, i, objects, unit.bits))
                    break


class _Targets:
    """The objects that each register may point into, regardless of control flow."""

    def __init__(self, function: TacFunction, unit: TacUnit) -> None:
        self.every = unit.objects + function.objects
        self.into: dict[Reg, set[MemoryObject]] = {}
        self.unknown: set[Reg] = set()
        for reg in unit.globals:
            self._add(reg, reg.initial)
        changed = True
        while changed:
            before = (sum(map(len, self.into.values())), len(self.unknown))
            for block in function.blocks:
                for one in block.instrs:
                    self._instr(one)
            changed = before != (sum(map(len, self.into.values())), len(self.unknown))

    def _instr(self, one: TacInstr) -> None:
        if one.dst is None:
            return
        if one.op == "load":
            self.unknown.add(one.dst)
        elif one.op in ("mov", "add", "sub"):
            for arg in one.args:
                self._add(one.dst, arg)

    def _add(self, reg: Reg, value: Value) -> None:
        if isinstance(value, Addr):
            self.into.setdefault(reg, set()).add(value.object)
        elif isinstance(value, Reg):
            self.into.setdefault(reg, set()).update(self.into.get(value, ()))
            if value in self.unknown and not self.into.get(value):
                self.unknown.add(reg)

    def objects(self, address: Reg) -> list[MemoryObject]:
        """The objects that a store may write, in the order of memory."""
        known = self.into.get(address)
        return [one for one in self.every if not one.constant and (not known or one in known)]


class _Tree:
    """The tests that replace one store."""

    def __init__(self, function: TacFunction, store: TacInstr, rest: TacBlock, bits: int) -> None:
        self.function, self.line, self.rest, self.bits = function, store.line, rest, bits
        self.address, self.value = store.args

    def block(self, name: str) -> TacBlock:
        """A new block of the function."""
        block = TacBlock(name)
        self.function.blocks.append(block)
        return block

    def among(self, objects: list[MemoryObject]) -> TacBlock:
        """Find the object by its start address."""
        block = self.block("object")
        if len(objects) == 1:
            index = Reg("index", "main")
            block.instrs = [TacInstr("sub", index, (self.address, Addr(objects[0])), self.line)]
            block.term = TacJump(self.inside(objects[0], index, 0, objects[0].size, 0))
            return block
        middle = len(objects) // 2
        left, right = self.among(objects[:middle]), self.among(objects[middle:])
        limit = Addr(objects[middle])
        block.term = TacBranch("ult", self.address, limit, left, right, self.line)
        return block

    def inside(self, one: MemoryObject, index: Reg, low: int, high: int, passed: int) -> TacBlock:
        """Find the word: `index` counts from `passed`, which every test advances."""
        block = self.block(f"word{low}")
        if high - low == 1:
            block.instrs = [TacInstr("store", None, (Addr(one, low), self.value), self.line)]
            block.term = TacJump(self.rest)
            return block
        middle = (low + high) // 2
        if high - low > 1 << (self.bits - 1):  # the index is not yet a signed word
            left = self.inside(one, index, low, middle, passed)
            right = self.inside(one, index, middle, high, passed)
            block.term = TacBranch("ult", index, middle - passed, left, right, self.line)
            return block
        before, step = Reg("before", "main"), middle - 1 - passed
        block.instrs = [
            TacInstr("mov", before, (index,), self.line),
            TacInstr("add", index, (index, -step), self.line),
        ]
        left = self.inside(one, index, low, middle, middle - 1)
        right = self.inside(one, index, middle, high, middle - 1)
        block.term = TacBranch("le", before, step, left, right, self.line)
        return block


def _split(
    function: TacFunction, block: TacBlock, i: int, objects: list[MemoryObject], bits: int
) -> TacBlock:
    """Replace the store at i by a tree; return the block after it."""
    store = block.instrs[i]
    rest = TacBlock(f"{block.name}/", block.instrs[i + 1 :], block.term)
    block.instrs = block.instrs[:i]
    function.blocks.append(rest)
    block.term = TacJump(_Tree(function, store, rest, bits).among(objects))
    return rest
