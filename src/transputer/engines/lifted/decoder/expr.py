"""Integer expressions on words: what polys over bits are, when bits form words.

An expression is evaluated in Python where all its words are known; otherwise `terms` and `cprint`
make C of it.
"""

import operator
import struct
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, reduce
from typing import ClassVar
from weakref import WeakValueDictionary

from transputer.engines.lifted.decoder.atoms import (
    Algebra,
    Bit,
    Digit,
    Floor,
    Monomial,
    Named,
    Poly,
    Square,
    StepAtom,
    Tab,
    digit,
)

#: Bits of the longest word.
BITS = 64
#: Values of an expression that are enumerated.
FEW = 4096
#: A group of parts of the token that a source stands for.
Variable = tuple[int, int]
Known = Mapping[Variable, int]


#: Kind, the identities of the parts (which an expression keeps alive), numbers.
_Key = tuple[str, tuple[int, ...], tuple[int, ...]]


class WordExpr:
    """A node; `kind` says what `parts` are combined to, with numbers `data`.

    Equal expressions are one object as long as there is one, so that shared parts are found by
    identity.
    """

    __slots__ = ("__weakref__", "data", "kind", "parts", "variables")
    __match_args__ = ("kind", "parts", "data")
    kind: str
    parts: tuple["WordExpr", ...]
    data: tuple[int, ...]
    variables: frozenset[Variable]
    _made: ClassVar[WeakValueDictionary[_Key, "WordExpr"]] = WeakValueDictionary()

    def __new__(
        cls, kind: str, parts: tuple["WordExpr", ...] = (), data: tuple[int, ...] = ()
    ) -> "WordExpr":
        """Return the one expression of this kind, parts and data."""
        key = kind, tuple(map(id, parts)), data
        existing = cls._made.get(key)
        if existing is None:
            existing = super().__new__(cls)
            existing.kind, existing.parts, existing.data = kind, parts, data
            if kind == "word":
                existing.variables = frozenset([(data[0], data[1])])
            else:
                existing.variables = frozenset().union(*(p.variables for p in parts))
            cls._made[key] = existing
        return existing

    def __reduce__(
        self,
    ) -> tuple[type["WordExpr"], tuple[str, tuple["WordExpr", ...], tuple[int, ...]]]:
        return WordExpr, (self.kind, self.parts, self.data)

    def value(self, known: Known) -> int | None:
        """The number it is, if all its words are known."""
        if self.kind == "num":
            return self.data[0]
        for variable in self.variables:
            if variable not in known:
                return None
        return self._value(known, {})

    def _value(self, known: Known, memo: dict["WordExpr", int]) -> int:
        """The same, all words being known; parts that occur twice are evaluated once."""
        if self.kind == "word":
            return known[self.data[0], self.data[1]]
        value = memo.get(self)
        if value is None:
            parts = [part._value(known, memo) for part in self.parts]
            value = memo[self] = VALUE[self.kind](parts, self.data)
        return value

    def values(self) -> frozenset[int] | None:
        """Numbers of which it is one, whatever its words are; None where they are too many."""
        if self.kind in ("ge", "eq", "not", "matches"):
            return frozenset((0, 1))
        if self.kind == "field" and 1 << self.data[1] <= FEW:
            return frozenset(range(1 << self.data[1]))
        if self.kind == "table":
            return frozenset(self.data)
        if self.kind == "word":
            return None
        found: set[tuple[int, ...]] = {()}
        for part in self.parts:
            values = part.values()
            if values is None:
                return None
            added = {(*before, v) for before in found for v in values}
            # The order of terms does not matter, so a sum needs no more than it is so far.
            found = {(sum(terms),) for terms in added} if self.kind == "sum" else added
            if len(found) > FEW:
                return None
        return frozenset(VALUE[self.kind]([*parts], self.data) for parts in found)

    def most(self, known: Known, width: Callable[[Variable], int]) -> int:
        """An upper bound of its value."""
        value = self.value(known)
        if value is not None:
            return value
        if self.kind == "word":
            return (1 << width((self.data[0], self.data[1]))) - 1
        if self.kind in ("mod", "clamp"):
            return self.data[0] - 1
        if self.kind == "field":
            return (1 << self.data[1]) - 1
        if self.kind in ("ge", "eq", "not", "matches"):
            return 1
        if self.kind == "scale":
            return max(0, self.data[0]) * self.parts[0].most(known, width)
        if self.kind == "sum":
            return sum(part.most(known, width) for part in self.parts)
        if self.kind == "choose":
            return max(part.most(known, width) for part in self.parts[1:])
        return (1 << BITS) - 1


#: Numbers and words that are kept, so that they are found at once.
KEPT = 1 << 14


@lru_cache(KEPT)
def num(value: int) -> WordExpr:
    """A number."""
    return WordExpr("num", (), (value,))


@lru_cache(KEPT)
def word(source: int, group: int) -> WordExpr:
    """A word."""
    return WordExpr("word", (), (source, group))


def _negative(word: int, width: int) -> int:
    """A word in two's complement."""
    return word - (word >> width - 1 << width)


def _rotated(word: int, by: int, width: int) -> int:
    """A word rotated left."""
    return (word << by % width | word >> -by % width) & (1 << width) - 1


#: How Python packs words that are floats of IEEE 754, and words, by their bits.
_FLOATS = {32: ("<f", "<I"), 64: ("<d", "<Q")}


def as_float(word: int, bits: int) -> float:
    """The float that a word is."""
    floats, words = _FLOATS[bits]
    value: float = struct.unpack(floats, struct.pack(words, word % (1 << bits)))[0]
    return value


def as_word(value: float, bits: int) -> int:
    """The word of a float, rounded to nearest.

    A sum or a product of two floats of 32 bits may be rounded to 64 bits first: these have more
    than twice as many significant bits.
    """
    floats, words = _FLOATS[bits]
    try:
        packed = struct.pack(floats, value)
    except OverflowError:
        packed = struct.pack(floats, float("inf") if value > 0 else float("-inf"))
    word: int = struct.unpack(words, packed)[0]
    return word


def _on_floats(
    operation: Callable[[float, float], float],
) -> Callable[[list[int], tuple[int, ...]], int]:
    """An operation on words that are floats."""
    return lambda p, d: as_word(operation(as_float(p[0], d[0]), as_float(p[1], d[0])), d[0])


#: What each kind amounts to, given its parts and numbers.
VALUE: dict[str, Callable[[list[int], tuple[int, ...]], int]] = {
    "num": lambda p, d: d[0],
    "sum": lambda p, d: sum(p),
    "scale": lambda p, d: p[0] * d[0],
    "product": lambda p, d: p[0] * p[1],
    "square": lambda p, d: max(p[0], 0) * p[0],
    "and": lambda p, d: p[0] & p[1],
    "or": lambda p, d: p[0] | p[1],
    "xor": lambda p, d: p[0] ^ p[1],
    "field": lambda p, d: p[0] >> d[0] & (1 << d[1]) - 1,
    "signed": lambda p, d: (p[0] ^ 1 << d[0] - 1) - (1 << d[0] - 1),
    "ones": lambda p, d: p[0].bit_count(),
    "ge": lambda p, d: int(p[0] >= d[0]),
    "eq": lambda p, d: int(p[0] == d[0]),
    "not": lambda p, d: 1 - p[0],
    "matches": lambda p, d: int(
        all(x & m == v for x, m, v in zip(p, d[::2], d[1::2], strict=True))
    ),
    "floor": lambda p, d: p[0] // d[0],
    "mod": lambda p, d: p[0] % d[0],
    "clamp": lambda p, d: min(max(p[0], 0), d[0] - 1),
    "table": lambda p, d: d[p[0]],
    "digit": lambda p, d: digit(*p),
    "choose": lambda p, d: p[1] if p[0] else p[2],
    "zeros": lambda p, d: BITS - max(p[0].bit_length(), 1),
    "shl": lambda p, d: p[0] << p[1] % d[0] & (1 << d[0]) - 1,
    "shr": lambda p, d: p[0] >> p[1] % d[0],
    "sar": lambda p, d: _negative(p[0], d[0]) >> p[1] % d[0] & (1 << d[0]) - 1,
    "rotl": lambda p, d: _rotated(p[0], p[1], d[0]),
    "rotr": lambda p, d: _rotated(p[0], -p[1], d[0]),
    "across": lambda p, d: (p[0] | p[1] << BITS) >> p[2] & (1 << BITS) - 1,
    "fadd": _on_floats(operator.add),
    "fmul": _on_floats(operator.mul),
}


class WordForms:
    """Turns polys into expressions on the words of given groups of parts."""

    def __init__(self, groups: list[tuple[int, ...]], sizes: list[int]) -> None:
        self.groups = groups
        self._atoms: dict[int, WordExpr] = {}
        self.place = {p: (g, 8 * d) for g, parts in enumerate(groups) for d, p in enumerate(parts)}
        self.width = [
            sum((sizes[p] - 1).bit_length() for p in parts) if len(parts) == 1 else 8 * len(parts)
            for parts in groups
        ]

    def expr(self, algebra: Algebra, poly: Poly, modulus: int | None = None) -> WordExpr:
        """The poly as an expression, modulo a power of two if one is given."""
        rest = poly
        if modulus is not None:
            rest = {m: r for m, c in poly.items() if (r := _near(c, modulus))}
        linear: dict[WordExpr, dict[int, int]] = {}
        pairs: dict[tuple[WordExpr, WordExpr], dict[tuple[int, int], int]] = {}
        terms, rest = self._equalities(algebra, rest)
        for monomial, c in rest.items():
            bits = [self._bit(algebra, i) for i in monomial]
            places = [b for b in bits if b is not None]
            if len(places) == len(monomial) == 1:
                linear.setdefault(places[0][0], {})[places[0][1]] = c
            elif len(places) == len(monomial) == 2:
                (a, i), (b, j) = sorted(places, key=lambda p: p[0].data)
                pairs.setdefault((a, b), {})[i, j] = c
            elif monomial:
                terms.append(self._monomial(algebra, monomial, c))
        for (a, b), weights in pairs.items():
            terms += self._pairs(a, b, weights, modulus, linear)
        for variable, coefficients in linear.items():
            terms += self._linear(variable, coefficients, modulus)
        if offset := rest.get((), 0):
            terms.append(num(offset))
        total = WordExpr("sum", tuple(terms)) if len(terms) != 1 else terms[0]
        if not terms:
            return num(0)
        return total if modulus is None else WordExpr("mod", (total,), (modulus,))

    def _equalities(self, algebra: Algebra, poly: Poly) -> tuple[list[WordExpr], Poly]:
        """[z >= k] - [z >= k + 1] is [z == k]: these as expressions, and the rest."""
        equalities: list[WordExpr] = []
        steps = {
            (atom.z, atom.bound): m
            for m in poly
            if len(m) == 1 and isinstance(atom := algebra.atoms[m[0]], StepAtom)
        }
        for (z, bound), one in steps.items():
            two = steps.get((z, bound + 1))
            if two is not None and one in poly and two in poly and poly[one] == -poly[two]:
                equality = WordExpr("eq", (self.expr(algebra, dict(z)),), (bound,))
                equalities.append(_scaled(equality, poly[one]))
                poly = {m: c for m, c in poly.items() if m not in (one, two)}
        return equalities, poly

    def _bit(self, algebra: Algebra, number: int) -> tuple[WordExpr, int] | None:
        atom = algebra.atoms[number]
        if not isinstance(atom, Bit):
            return None
        group, shift = self.place[atom.part]
        return word(atom.source, group), shift + atom.index

    def _monomial(self, algebra: Algebra, monomial: Monomial, c: int) -> WordExpr:
        product = reduce(
            lambda a, b: WordExpr("product", (a, b)), (self.atom(algebra, i) for i in monomial)
        )
        return product if c == 1 else WordExpr("scale", (product,), (c,))

    def atom(self, algebra: Algebra, number: int) -> WordExpr:
        """The expression of an atom, the same one until `forget` is called."""
        if number not in self._atoms:
            self._atoms[number] = self._atom(algebra, number)
        return self._atoms[number]

    def forget(self) -> None:
        """Forget the atoms: their numbers will stand for others."""
        self._atoms = {}

    def _atom(self, algebra: Algebra, number: int) -> WordExpr:
        atom = algebra.atoms[number]
        if isinstance(atom, Bit):
            group, shift = self.place[atom.part]
            return WordExpr("field", (word(atom.source, group),), (shift + atom.index, 1))
        if isinstance(atom, Tab):
            group, shift = self.place[atom.part]
            bits = (len(atom.values) - 1).bit_length()
            expr = WordExpr("field", (word(atom.source, group),), (shift, bits))
            return WordExpr("table", (expr,), atom.values)
        if isinstance(atom, Floor):
            return WordExpr("floor", (self.expr(algebra, dict(atom.z)),), (atom.divisor,))
        if isinstance(atom, Digit):
            forms = (self.expr(algebra, dict(z)) for z in (atom.x, atom.d, atom.c))
            return WordExpr("digit", tuple(forms))
        if isinstance(atom, Named):
            return self.expr(algebra, dict(atom.z))
        if isinstance(atom, Square):
            return WordExpr("square", (self.expr(algebra, dict(atom.z)),))
        return self.condition(algebra, atom)

    def condition(self, algebra: Algebra, step: StepAtom) -> WordExpr:
        """[z >= bound]; where only one choice of bits reaches it, as a comparison of masks."""
        z = dict(step.z)
        if all(len(m) == 1 and self._bit(algebra, m[0]) is not None for m in z):
            top, bottom = sum(max(c, 0) for c in z.values()), sum(min(c, 0) for c in z.values())
            if step.bound == top:
                return self._masks(algebra, z, 1)
            if step.bound == bottom + 1:
                return WordExpr("not", (self._masks(algebra, z, -1),))
        return WordExpr("ge", (self.expr(algebra, z),), (step.bound,))

    def _masks(self, algebra: Algebra, z: Poly, sign: int) -> WordExpr:
        """All bits as they have to be for the largest (sign 1) or the smallest sum."""
        masks: dict[WordExpr, tuple[int, int]] = {}
        for (i,), c in z.items():
            place = self._bit(algebra, i)
            assert place is not None
            variable, at = place
            mask, value = masks.get(variable, (0, 0))
            masks[variable] = mask | 1 << at, value | (1 << at if sign * c > 0 else 0)
        return WordExpr("matches", tuple(masks), tuple(n for pair in masks.values() for n in pair))

    def linear(self, word: WordExpr, weights: dict[int, int]) -> list[WordExpr]:
        """A weighted sum of bits of a word, as few fields of it as possible."""
        return self._linear(word, weights, None)

    def _linear(
        self, base: WordExpr, coefficients: dict[int, int], modulus: int | None
    ) -> list[WordExpr]:
        """A weighted sum of bits of a word, as few fields of it as possible."""
        whole = base if base.kind == "word" else base.parts[0]
        width = self.width[whole.data[1]]
        left = [coefficients.get(i, 0) for i in range(width)]
        terms = []
        signed = _signed(left, modulus)
        if signed:
            return [_scaled(WordExpr("signed", (base,), (width,)), signed)]
        at = 0
        while at < width:
            if not left[at]:
                at += 1
                continue
            end = _run(left, at, lambda a, b: _equal(b, 2 * a, modulus))
            same = _run(left, at, lambda a, b: a == b)
            size, bits = end - at, WordExpr("field", (base,), (at, end - at))
            if same - at > max(size, 2):
                size = same - at
                bits = WordExpr("ones", (WordExpr("field", (base,), (at, size)),))
            elif size == width:
                bits = base
            terms.append(_scaled(bits, left[at]))
            at += size
        return terms

    def _pairs(
        self,
        a: WordExpr,
        b: WordExpr,
        weights: dict[tuple[int, int], int],
        modulus: int | None,
        linear: dict[WordExpr, dict[int, int]],
    ) -> list[WordExpr]:
        """Products of bits of two words: a product of the words, or bitwise."""
        unit = weights.get((0, 0), 0)
        wide, high = self.width[a.data[1]], self.width[b.data[1]]
        if unit and modulus is not None:
            wanted = (
                _equal(weights.get((i, j), 0), unit << i + j, modulus)
                for i in range(wide)
                for j in range(high)
            )
            if all(wanted):
                return [_scaled(WordExpr("product", (a, b)), unit)]
        pairs = []
        diagonal = {i: c for (i, j), c in weights.items() if i == j}
        if diagonal:
            pairs += self._bitwise(a, b, diagonal, modulus, linear)
        for (i, j), c in weights.items():
            if i != j:
                one, two = (WordExpr("field", (x,), (k, 1)) for x, k in ((a, i), (b, j)))
                pairs.append(_scaled(WordExpr("product", (one, two)), c))
        return pairs

    def _bitwise(
        self,
        a: WordExpr,
        b: WordExpr,
        diagonal: dict[int, int],
        modulus: int | None,
        linear: dict[WordExpr, dict[int, int]],
    ) -> list[WordExpr]:
        """a + b - (a and b) is a or b, with -2 a xor b, for all bits alike."""
        mine, other = linear.get(a, {}), linear.get(b, {})
        every = range(self.width[a.data[1]])
        for kind, factor in (("or", -1), ("xor", -2)):
            if all(
                mine.get(i) == other.get(i) is not None
                and _equal(diagonal.get(i, 0), factor * mine[i], modulus)
                for i in every
            ):
                coefficients = linear.pop(a)
                linear.pop(b)
                return self._linear(WordExpr(kind, (a, b)), coefficients, modulus)
        return self._linear(WordExpr("and", (a, b)), diagonal, modulus)


def _near(c: int, modulus: int) -> int:
    """The same modulo, nearest to 0."""
    reduced = c % modulus
    return reduced - modulus if 2 * reduced > modulus else reduced


def _equal(a: int, b: int, modulus: int | None) -> bool:
    return a == b if modulus is None else (a - b) % modulus == 0


def _run(values: list[int], at: int, follows: Callable[[int, int], bool]) -> int:
    end = at + 1
    while end < len(values) and follows(values[end - 1], values[end]):
        end += 1
    return end


def _signed(values: list[int], modulus: int | None) -> int:
    """The factor, if these are the weights of a word in two's complement."""
    unit = values[0]
    usual = all(v == unit << i for i, v in enumerate(values[:-1]))
    if unit and modulus is None and usual and values[-1] == -(unit << len(values) - 1):
        return unit
    return 0


def _scaled(expr: WordExpr, factor: int) -> WordExpr:
    return expr if factor == 1 else WordExpr("scale", (expr,), (factor,))


def conjunction(parts: Iterable[WordExpr]) -> WordExpr:
    """1 where all are."""
    return reduce(lambda a, b: WordExpr("product", (a, b)), parts)
