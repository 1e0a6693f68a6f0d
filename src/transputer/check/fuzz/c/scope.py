"""Declarations of a random C program, and the names in scope."""

import ctypes
from dataclasses import dataclass, field

from transputer.check.fuzz.c.tree import (
    BITS,
    FLOATS,
    TYPES,
    CElement,
    CExpr,
    Const,
    CPlace,
    Mix,
    Statement,
)
from transputer.check.fuzz.choose import Choose

#: Types of variables with weights; common types are more frequent.
_WEIGHTS = (
    *((1, t) for t in ("i8", "u8", "i16", "u16")),
    *((4, t) for t in ("i32", "u32")),
    *((3, t) for t in ("i64", "u64")),
    *((1, "f32"), (2, "f64")),
)


def some_type(choose: Choose) -> str:
    """Any type."""
    return choose.weighted(_WEIGHTS)


def constant(choose: Choose, type_: str) -> Const:
    """A number of a type: small, at an edge, or any."""
    kind = choose.integer(0, 2)
    if type_ in FLOATS:
        return Const(type_, _float(choose, type_, kind))
    bits = BITS[type_]
    low = -(1 << bits - 1) if type_.startswith("i") else 0
    high = low + (1 << bits) - 1
    if kind == 0:
        return Const(type_, choose.integer(0, 12))
    if kind == 1:
        return Const(type_, choose.choice((high, low, high - 1, low + 1, high // 2 + 1)))
    return Const(type_, choose.integer(low, high))


def _float(choose: Choose, type_: str, kind: int) -> float:
    if kind == 0:
        return float(choose.integer(-8, 8)) / choose.choice((1, 2, 4))
    if kind == 1:
        edges = (0.0, -0.0, 1.0, 0.1, 1e-40, 5e-324, 3e38, 1e300, 2.0**31, 2.0**63, -(2.0**31))
        value = choose.choice((*edges, float("inf"), float("nan")))
    else:
        value = choose.integer(-(10**9), 10**9) / 1024 * 10.0 ** choose.integer(-6, 6)
    return value if type_ == "f64" else ctypes.c_float(value).value


@dataclass(frozen=True, slots=True)
class CArray:
    """An array, or a field of every struct in one, whose size is a power of two."""

    type: str
    name: str
    size: int
    field: str = ""

    def at(self, index: CExpr) -> CElement:
        """An element."""
        return CElement(self.type, self.name, self.size, index, self.field)


@dataclass(slots=True)
class CScope:
    """Variables and arrays that can be read and written, and complete statements."""

    places: list[CPlace] = field(default_factory=list)
    arrays: list[CArray] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)  # copies, sorts, pointers set elsewhere
    counters: list[CPlace] = field(default_factory=list)  # only to be read

    def inner(self) -> "CScope":
        """Return an inner scope with the names of this one."""
        return CScope([*self.places], [*self.arrays], [*self.moves], [*self.counters])


class Globals:
    """The declarations of a program outside of its functions."""

    def __init__(self, choose: Choose, prefix: str) -> None:
        self.choose, self.prefix = choose, prefix
        self.declarations: list[str] = []
        self.scope = CScope()
        self.pointable: list[tuple[str, str]] = []  # type and address of what a pointer may have
        for i in range(choose.integer(2, 5)):
            self._scalar(f"{prefix}v{i}")
        for i in range(choose.integer(1, 3)):
            self._array(f"{prefix}a{i}")
        for i in range(choose.integer(0, 2)):
            self._struct(f"{prefix}s{i}")
        self._copies()

    def _scalar(self, name: str) -> None:
        type_ = some_type(self.choose)
        self.declarations.append(f"static {type_} {name} = {constant(self.choose, type_)};")
        self.scope.places.append(CPlace(type_, name))
        self.pointable.append((type_, f"&{name}"))

    def _array(self, name: str) -> None:
        type_, size = some_type(self.choose), self.choose.choice((4, 8, 16))
        first = ", ".join(str(constant(self.choose, type_)) for _ in range(size // 2))
        self.declarations.append(f"static {type_} {name}[{size}] = {{{first}}};")
        self.scope.arrays.append(CArray(type_, name, size))
        self.pointable.append((type_, f"&{name}[{self.choose.integer(0, size - 1)}]"))
        if type_ in ("i32", "u64"):
            self.scope.moves.append(f"qsort({name}, {size}, sizeof *{name}, order_{type_});")

    def _struct(self, name: str) -> None:
        """A type, a variable of it, and an array."""
        types = [some_type(self.choose) for _ in range(self.choose.integer(2, 5))]
        members = " ".join(f"{t} f{i};" for i, t in enumerate(types))
        tail = some_type(self.choose)
        self.declarations += [
            f"struct {name} {{ {members} {tail} t[4]; }};",
            f"static struct {name} {name}_x, {name}_y[4], *{name}_p = &{name}_y[1];",
        ]
        for i, type_ in enumerate(types):
            self.scope.places += [CPlace(type_, f"{name}_x.f{i}"), CPlace(type_, f"{name}_p->f{i}")]
            self.scope.arrays.append(CArray(type_, f"{name}_y", 4, f".f{i}"))
            self.pointable.append((type_, f"&{name}_x.f{i}"))
        self.scope.arrays += [CArray(tail, f"{name}_x.t", 4), CArray(tail, f"{name}_p->t", 4)]
        self.scope.moves += [
            f"{name}_x = {name}_y[{self.choose.integer(0, 3)}];",
            f"{name}_y[{self.choose.integer(0, 3)}] = {name}_x;",
            f"*{name}_p = {name}_x;",
            f"{name}_p = &{name}_y[{self.choose.integer(0, 3)}];",
            f"{name}_p = &{name}_x;",
        ]

    def _copies(self) -> None:
        """Arrays of one type and size, copied whole; and parts moved inside of one."""
        plain = [a for a in self.scope.arrays if not a.field and "_p->" not in a.name]
        for a in plain:
            self.scope.moves.append(f"memmove({a.name} + 1, {a.name}, 3 * sizeof *{a.name});")
            for b in plain:
                if (a.type, a.size) == (b.type, b.size) and a != b:
                    self.scope.moves.append(f"memcpy({a.name}, {b.name}, sizeof {a.name});")

    def checked(self) -> tuple[Statement, ...]:
        """Return statements that mix every variable into the checksum."""
        places: list[CExpr] = [*self.scope.places]
        places += [a.at(Const("u32", i)) for a in self.scope.arrays for i in range(a.size)]
        return tuple(Mix(place) for place in places)


assert {t for _, t in _WEIGHTS} == set(TYPES)
