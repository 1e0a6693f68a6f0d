"""Rows as code for an interpreter, so that a row can be used before it is compiled.

A row's formulas become operations on registers, one per expression: `interpret.h` executes them.
Numbers that fit in 64 bits are computed modulo 2^64; ranges of the expressions tell which may need
128. `Unsupported` for a number that might not fit there where all of it matters.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.circuit import OWN, Fixed
from transputer.engines.lifted.decoder.expr import Variable, WordExpr, num
from transputer.engines.lifted.decoder.rows import Query, RowLeaf, RowWord, Tree, size
from transputer.engines.lifted.decoder.shelf import Shelf
from transputer.engines.lifted.decoder.terms import Terms
from transputer.errors import Unsupported

#: The operations, by number; a last one leaves the step to somebody else.
OPERATIONS = (
    *("LIN", "LINK", "LINX", "NUM", "MUL", "MULX", "AND", "OR", "XOR", "FIELD", "FIELDX"),
    *("GE", "GEU", "GEX", "EQ", "EQX", "NOT", "MATCH", "FLOOR", "SAR", "SARX", "MOD", "MODX"),
    *("CLAMP", "CLAMPX", "SQUARE", "SQUAREX", "ONES", "SIGNED", "TABLE", "DIGIT", "DIGITX"),
    *("SHL", "SHR", "ASHR", "ROTL", "ROTR", "CHOOSE", "ZEROS", "FIXED", "ENTRY", "READ"),
    *("UNLESS", "REQUIRE", "TOKEN", "LEAVE"),
)
_OP = {name: number for number, name in enumerate(OPERATIONS)}
#: Registers that a row may have.
REGISTERS = 4096
#: A last step with more expressions than this is left to somebody else.
ENDING = 60
#: How a number is held: in 64 bits with a sign or without, in 128 bits, or only its low 64 bits.
SIGNED, UNSIGNED, WIDE, LOW = range(4)
_SHIFTS = {"shl": "SHL", "shr": "SHR", "sar": "ASHR", "rotl": "ROTL", "rotr": "ROTR"}
_WORDS = {"and": "AND", "or": "OR", "xor": "XOR"}
Block = NDArray[np.int64]


def interpreter(out: int) -> str:
    """The C of the interpreter, which returns `out` for a step that it cannot take."""
    labels = ", ".join(f"&&L_{name}" for name in OPERATIONS)
    text = Path(__file__).with_name("interpret.h").read_text()
    return f"#define OUT {out}\n#define REGISTERS {REGISTERS}\n#define LABELS {labels}\n{text}"


class Assembler:
    """Makes the block of one row after the other."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf, self.frame = shelf, shelf.frame
        self.terms = Terms(self.frame.width)

    def block(self, fixed: Fixed, tree: Tree) -> Block:
        """The constants and the code of a row, which chooses by what is fixed."""
        self._code: list[int] = []
        self._constants: dict[tuple[int, ...], int] = {}
        self._pool: list[int] = []
        self._registers: dict[WordExpr | Variable, int] = {}
        self._order: list[WordExpr | Variable] = []  # as they were entered, to be taken back
        self._next = len(self.frame.groups)
        for (source, part), value in fixed.items():
            group, _ = self.frame.place[part]
            if len(self.frame.groups[group]) == 1 and source != OWN:
                self._enter((source, group), self._value(num(value), {}))
        self._tree(tree)
        code = np.array(self._code + [0] * (len(self._code) % 2), dtype=np.int32)
        pool = np.array(self._pool, dtype=np.int64)
        return np.concatenate([[len(pool)], pool, code.view(np.int64)])

    # Trees

    def _tree(self, tree: Tree) -> None:
        if isinstance(tree, RowLeaf):
            self._leaf(tree)
            return
        condition = self._value(tree.condition, tree.queries)
        self._put("UNLESS", condition, 0)
        jump = len(self._code) - 1
        for side in (tree.yes, tree.no):
            known, free = len(self._order), self._next
            self._tree(side)
            for key in self._order[known:]:
                del self._registers[key]
            del self._order[known:]
            self._next = free
            if side is tree.yes:
                self._code[jump] = len(self._code)

    def _leaf(self, leaf: RowLeaf) -> None:
        if self.shelf.ends(leaf) and size(leaf) > ENDING:
            self._put("LEAVE")
            return
        self._put("TOKEN", *[self._word(w, leaf.queries) for w in leaf.words])

    def _word(self, row_word: RowWord, queries: Mapping[int, Query]) -> int:
        if row_word.guard is not None:
            self._put("REQUIRE", self._value(row_word.guard, queries))
        return self._value(row_word.expr, queries)

    # Registers and constants

    def _put(self, name: str, *operands: int) -> None:
        self._code += [_OP[name], *operands]

    def _enter(self, key: WordExpr | Variable, register: int) -> int:
        self._registers[key] = register
        self._order.append(key)
        return register

    def _to(self) -> int:
        """A register for a result."""
        if self._next == REGISTERS:
            raise Unsupported("a row takes too many registers")
        self._next += 1
        return self._next - 1

    def _number(self, *values: int) -> int:
        """Where constants are, modulo 2^64."""
        key = tuple(_low(value) for value in values)
        if key not in self._constants:
            self._constants[key] = len(self._pool)
            self._pool += key
        return self._constants[key]

    def _wide(self, value: int) -> int:
        """Where a constant of 128 bits is."""
        if not -(1 << 127) <= value < 1 << 127:
            raise Unsupported("a constant takes more than 128 bits")
        return self._number(value, value >> 64)

    def _type(self, expr: WordExpr) -> int:
        lo, hi = self.terms.bounds(expr)
        if lo >= -(1 << 63) and hi < 1 << 63:
            return SIGNED
        if lo >= 0 and hi < 1 << 64:
            return UNSIGNED
        return WIDE if lo >= -(1 << 127) and hi < 1 << 127 else LOW

    def _operand(self, expr: WordExpr, queries: Mapping[int, Query]) -> int:
        """A register with the type of its number, for operations on 128 bits."""
        return self._value(expr, queries) | self._exact(expr) << 24

    def _exact(self, expr: WordExpr) -> int:
        """The type of a number of which all bits matter."""
        held = self._type(expr)
        if held == LOW:
            raise Unsupported("a number takes more than 128 bits")
        return held

    # Values

    def _value(self, expr: WordExpr, queries: Mapping[int, Query]) -> int:
        """The register of an expression."""
        if expr.kind == "word":
            return self._read((expr.data[0], expr.data[1]), queries)
        register = self._registers.get(expr)
        if register is None:
            register = self._enter(expr, self._computed(expr, queries))
        return register

    def _computed(self, expr: WordExpr, queries: Mapping[int, Query]) -> int:
        kind, data, parts = expr.kind, expr.data, expr.parts
        if kind in ("num", "sum", "scale"):
            return self._sum(expr, queries)
        if kind in ("ge", "eq"):
            return self._compared(expr, queries)
        if kind in ("floor", "mod", "clamp", "square"):
            return self._divided(expr, queries)
        if kind == "product" and self._type(expr) == WIDE:
            operands = [self._operand(p, queries) for p in parts]
            return self._result("MULX", *operands)
        if kind == "field":
            mask = self._number((1 << data[1]) - 1)
            if sum(data) <= 64 or (data[1] <= 64 and self._exact(parts[0]) != WIDE and data[0] < 64
                                   and self.terms.bounds(parts[0])[0] >= 0):  # fmt: skip
                return self._result("FIELD", self._value(parts[0], queries), data[0], mask)
            return self._result("FIELDX", self._operand(parts[0], queries), data[0], mask)
        if kind == "matches":
            pairs = zip(parts, data[::2], data[1::2], strict=True)
            tests = [
                (self._value(part, queries), self._number(mask), self._number(value))
                for part, mask, value in pairs
            ]
            return self._result("MATCH", len(tests), *[n for test in tests for n in test])
        if kind == "digit" and any(abs(n) >> 47 for p in parts for n in self.terms.bounds(p)):
            return self._result("DIGITX", *[self._operand(p, queries) for p in parts])
        registers = [self._value(p, queries) for p in parts]
        if kind == "product":
            return self._result("MUL", *registers)
        if any(self._type(e) in (WIDE, LOW) for e in (expr, *parts)):
            raise Unsupported(f"{kind} of a number that takes more than 64 bits")
        if kind == "not":
            return self._result("NOT", *registers)
        if kind in _WORDS:
            return self._result(_WORDS[kind], *registers)
        if kind in _SHIFTS:
            mask = self._number((1 << data[0]) - 1)
            return self._result(_SHIFTS[kind], *registers, data[0], mask)
        if kind == "ones":
            return self._result("ONES", *registers)
        if kind == "signed":
            return self._result("SIGNED", *registers, 64 - data[0])
        if kind == "table":
            return self._result("TABLE", *registers, self._number(*data))
        if kind in ("digit", "choose", "zeros"):
            return self._result(kind.upper(), *registers)
        raise Unsupported(f"no code for {kind}")

    def _result(self, name: str, *operands: int) -> int:
        to = self._to()
        self._put(name, to, *operands)
        return to

    def _sum(self, expr: WordExpr, queries: Mapping[int, Query]) -> int:
        """A sum of numbers with weights."""
        weights: dict[WordExpr, int] = {}
        offset = 0
        for part in expr.parts if expr.kind == "sum" else (expr,):
            weight, rest = 1, part
            while rest.kind == "scale":
                weight, rest = weight * rest.data[0], rest.parts[0]
            if rest.kind == "num":
                offset += weight * rest.data[0]
            else:
                weights[rest] = weights.get(rest, 0) + weight
        if self._type(expr) == WIDE:
            pairs = [(self._operand(e, queries), self._wide(w)) for e, w in weights.items()]
            return self._result("LINX", len(pairs), self._wide(offset), *_flat(pairs))
        if not weights:
            return self._result("NUM", self._number(offset))
        near = {e: _low(w) for e, w in weights.items()}
        if all(-(1 << 31) <= w < 1 << 31 for w in near.values()):
            pairs = [(self._value(e, queries), w) for e, w in near.items()]
            if not offset and [w for _, w in pairs] == [1]:
                return pairs[0][0]
            return self._result("LIN", len(pairs), self._number(offset), *_flat(pairs))
        pairs = [(self._value(e, queries), self._number(w)) for e, w in near.items()]
        return self._result("LINK", len(pairs), self._number(offset), *_flat(pairs))

    def _compared(self, expr: WordExpr, queries: Mapping[int, Query]) -> int:
        (inner,), (bound,) = expr.parts, expr.data
        held = self._exact(inner)
        if held == SIGNED and -(1 << 63) <= bound < 1 << 63:
            name = "GE" if expr.kind == "ge" else "EQ"
            return self._result(name, self._value(inner, queries), self._number(bound))
        if held == UNSIGNED and 0 <= bound < 1 << 64:
            name = "GEU" if expr.kind == "ge" else "EQ"
            return self._result(name, self._value(inner, queries), self._number(bound))
        name = "GEX" if expr.kind == "ge" else "EQX"
        return self._result(name, self._operand(inner, queries), self._wide(bound))

    def _divided(self, expr: WordExpr, queries: Mapping[int, Query]) -> int:
        kind, data, (inner,) = expr.kind, expr.data, expr.parts
        if kind == "mod" and data[0] <= 1 << 64 and data[0] & data[0] - 1 == 0:
            mask = self._number(data[0] - 1)
            return self._result("FIELD", self._value(inner, queries), 0, mask)
        if self._exact(inner) == SIGNED and self._type(expr) == SIGNED:
            register = self._value(inner, queries)
            if kind == "floor" and data[0] & data[0] - 1 == 0:
                return self._result("SAR", register, data[0].bit_length() - 1)
            more = {"clamp": [data[0] - 1], "square": []}.get(kind, [*data])
            if all(n < 1 << 63 for n in more):
                return self._result(kind.upper(), register, *map(self._number, more))
        operand = self._operand(inner, queries)
        if kind in ("floor", "mod") and data[0] & data[0] - 1:
            raise Unsupported("a wide number is divided by other than a power of two")
        if kind == "floor":
            return self._result("SARX", operand, data[0].bit_length() - 1)
        return self._result(f"{kind.upper()}X", operand, *[self._wide(data[0] - 1) for _ in data])

    # Arrays

    def _read(self, variable: Variable, queries: Mapping[int, Query]) -> int:
        head, group = variable
        if variable in self._registers:
            return self._registers[variable]
        if head == OWN:
            return group
        if head in self.shelf.fixed:
            at = self.shelf.fixed[head] * len(self.frame.groups) + group
            return self._enter(variable, self._result("FIXED", at))
        query = self.frame.fetched if head == self.frame.setting.fetch else queries[head]
        if not query.hits:
            self._put("LEAVE")
        if query.index.guard is not None:
            self._put("REQUIRE", self._value(query.index.guard, queries))
        return self._enter(variable, self._looked_up(variable, query, queries))

    def _looked_up(self, variable: Variable, query: Query, queries: Mapping[int, Query]) -> int:
        head, group = variable
        owner, count = self.shelf.by_head[head], len(self.frame.groups)
        index, mask = self._value(query.index.expr, queries), self._number(256**owner.digits - 1)
        tag = query.tags[0].value({})
        slot = None if tag is None else owner.slot(tag)
        if slot is not None and self._certain(slot, group):
            special = group if query.falls_back else -1
            return self._result("ENTRY", slot * count + group, index, mask, special)
        return self._result(
            *("READ", self._value(query.tags[0], queries), owner.first - owner.low),
            *(owner.slots.start, owner.slots.stop, group, index, mask, int(query.falls_back)),
        )

    def _certain(self, slot: int, group: int) -> bool:
        """Whether every session has an array, with words and whether they were written."""
        there = slot in self.shelf.certain and group in self.shelf.groups(slot)
        return there and not (self.shelf.bare(slot, group) or self.shelf.optional(slot, group))


def _low(value: int) -> int:
    """A number modulo 2^64, as one with a sign."""
    rest = value & (1 << 64) - 1
    return rest - (1 << 64) if rest >> 63 else rest


def _flat(pairs: Sequence[tuple[int, int]]) -> list[int]:
    return [n for pair in pairs for n in pair]


def packed(blocks: Mapping[int, Block]) -> bytes:
    """Blocks by number, as bytes."""
    head = [len(blocks), *_flat([(number, len(block)) for number, block in blocks.items()])]
    return np.concatenate([np.array(head, dtype=np.int64), *blocks.values()]).tobytes()


def unpacked(contents: bytes) -> dict[int, Block]:
    """What `packed` made bytes of."""
    numbers = np.frombuffer(contents, dtype=np.int64)
    count = int(numbers[0])
    head, rest = numbers[1 : 1 + 2 * count].reshape(-1, 2), numbers[1 + 2 * count :]
    ends = np.cumsum(head[:, 1])
    if ends[-1] != len(rest):
        raise ValueError("blocks of other lengths")
    return dict(zip(head[:, 0].tolist(), np.split(rest, ends[:-1]), strict=True))
