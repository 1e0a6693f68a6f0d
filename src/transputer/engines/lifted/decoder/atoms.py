"""Exact expressions over bits: what a form of lanes is, once the token parts behind it are known.

A `Poly` maps monomials (sorted tuples of atoms, by number) to integer coefficients; `()` is the
constant. Atoms are the bits of a part of some token, tables over a part that bits do not express
linearly, steps `[z >= k]` and floors `floor(z / m)` of other polys. Everything is an integer, and
equal functions mostly have equal polys, so that identities such as "all carries cancel" are
found by adding.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from math import gcd

from transputer.errors import Unsupported

Monomial = tuple[int, ...]
Poly = dict[Monomial, int]
Range = tuple[int, int]
#: Terms that a row may take: to evaluate its circuit, and to split it on conditions as well.
MOST_EVALUATED = 55_000
MOST_SPLIT = 400_000
#: Bits that may occur together for bounds to try all their values.
MAX_BLOCK = 4


class TooManyTerms(Unsupported):
    """The derivation of a row takes more terms than it may."""


@dataclass(frozen=True, slots=True)
class Bit:
    """Bit `index` of a part of the token that a source stands for."""

    source: int
    part: int
    index: int


@dataclass(frozen=True, slots=True)
class Tab:
    """`values[v]` where the part has value v."""

    source: int
    part: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StepAtom:
    """`[z >= bound]`; z has no constant, a positive first coefficient and no common factor."""

    z: tuple[tuple[Monomial, int], ...]
    bound: int


@dataclass(frozen=True, slots=True)
class Floor:
    """`floor(z / divisor)`; coefficients of z are no multiples of the divisor."""

    z: tuple[tuple[Monomial, int], ...]
    divisor: int


@dataclass(frozen=True, slots=True)
class Square:
    """`relu(z) * z`."""

    z: tuple[tuple[Monomial, int], ...]


@dataclass(frozen=True, slots=True)
class Digit:
    """The largest v below 256 with x >= v d + v^2 c; 255 where none is larger."""

    x: tuple[tuple[Monomial, int], ...]
    d: tuple[tuple[Monomial, int], ...]
    c: tuple[tuple[Monomial, int], ...]


@dataclass(frozen=True, slots=True)
class Named:
    """`z` itself: a lane with too many terms to carry along."""

    z: tuple[tuple[Monomial, int], ...]


Atom = Bit | Tab | StepAtom | Floor | Square | Digit | Named


def digit(x: int, d: int, c: int) -> int:
    """The number of v from 1 to 255 with x >= v d + v^2 c, for d and c that are not negative."""
    low, high = 0, 255
    while low < high:
        v = (low + high + 1) // 2
        low, high = (v, high) if x >= v * d + v * v * c else (low, v - 1)
    return low


def plus(a: Mapping[Monomial, int], b: Mapping[Monomial, int], factor: int = 1) -> Poly:
    """a + factor * b."""
    added = dict(a)
    for monomial, coefficient in b.items():
        total = added.get(monomial, 0) + factor * coefficient
        if total:
            added[monomial] = total
        else:
            added.pop(monomial, None)
    return added


def scaled(a: Mapping[Monomial, int], factor: int) -> Poly:
    """factor * a."""
    return {m: factor * c for m, c in a.items()} if factor else {}


def constant(number: int) -> Poly:
    """A number."""
    return {(): number} if number else {}


def is_constant(a: Mapping[Monomial, int]) -> bool:
    """Whether it is a number."""
    return not a or (len(a) == 1 and () in a)


def frozen(a: Mapping[Monomial, int]) -> tuple[tuple[Monomial, int], ...]:
    """A poly as a key."""
    return tuple(sorted(a.items()))


@lru_cache(maxsize=4096)
def slopes(values: tuple[int, ...]) -> tuple[int, ...] | None:
    """What each bit of the index adds to a table; None where it is not a sum of that."""
    slopes = tuple(values[1 << i] - values[0] for i in range((len(values) - 1).bit_length()))
    sums = [values[0]]
    for slope in slopes:
        sums += [partial + slope for partial in sums]
    return slopes if tuple(sums[: len(values)]) == values else None


#: Stands for an atom that is as it was.
_SAME: Poly = {}


@dataclass(slots=True)
class AtomTable:
    """The numbers of atoms, and the range of each."""

    atoms: list[Atom] = field(default_factory=list)
    numbers: dict[Atom, int] = field(default_factory=dict)
    ranges: list[Range] = field(default_factory=list)
    work: int = 0
    most_work: int = MOST_EVALUATED


class Algebra:
    """Arithmetic on polys under assumptions, with sound bounds.

    `decided` fixes atoms to numbers; `known` narrows the range of a z that steps compare, as a
    consequence. Both are assumptions under which every result holds.
    """

    def __init__(self, registry: AtomTable, decided: Mapping[Atom, int] | None = None) -> None:
        self._registry = registry
        self.atoms, self._numbers, self._ranges = registry.atoms, registry.numbers, registry.ranges
        self.decided: dict[Atom, int] = {}
        self.known: dict[tuple[tuple[Monomial, int], ...], Range] = {}
        for atom, value in (decided or {}).items():
            self.decided[atom] = value
        for atom, value in self.decided.items():
            if isinstance(atom, StepAtom):
                self._assume(atom, value)

    def _assume(self, step: StepAtom, value: int) -> None:
        """Narrows what a step compares, with what else is decided filled in."""
        z = self.filled(dict(step.z))
        inner, sign, factor, offset = self._canonical(z)
        if not inner:
            return
        lo, hi = self.known.get(inner) or self._naive(dict(inner))
        # sign * factor * inner + offset >= bound, or not
        if (sign > 0) == bool(value):
            edge = step.bound - offset if value else offset - step.bound + 1
            lo = max(lo, -(-edge // factor))
        else:
            edge = step.bound - 1 - offset if not value else offset - step.bound
            hi = min(hi, edge // factor)
        self.known[inner] = lo, hi

    def _decision(self, atom: Atom) -> int | None:
        """What an atom is decided to be, itself or by the range of what it compares."""
        if atom in self.decided or not isinstance(atom, StepAtom):
            return self.decided.get(atom)
        lo, hi = self.known.get(atom.z, (atom.bound - 1, atom.bound))
        return int(lo >= atom.bound) if lo >= atom.bound or hi < atom.bound else None

    def filled(self, a: Poly) -> Poly:
        """With what is decided filled in."""
        total: Poly = {}
        for monomial, c in a.items():
            left = []
            for i in monomial:
                value = self._decision(self.atoms[i])
                if value is None:
                    left.append(i)
                else:
                    c *= value
            if c:
                key = tuple(left)
                total[key] = total.get(key, 0) + c
        return {m: c for m, c in total.items() if c}

    def atom(self, atom: Atom, reach: Range) -> Poly:
        """The poly of an atom."""
        if atom in self.decided:
            return constant(self.decided[atom])
        number = self._numbers.get(atom)
        if number is None:
            number = self._numbers[atom] = len(self.atoms)
            self.atoms.append(atom)
            self._ranges.append(reach)
        return {(number,): 1}

    def bit(self, source: int, part: int, index: int) -> Poly:
        """A bit of a part."""
        return self.atom(Bit(source, part, index), (0, 1))

    def table(self, source: int, part: int, values: tuple[int, ...]) -> Poly:
        """A table over a part: a sum of bits where it is one, else an atom."""
        by_bit = slopes(values)
        if by_bit is None:
            return self.atom(Tab(source, part, values), (min(values), max(values)))
        total = constant(values[0])
        for i, slope in enumerate(by_bit):
            if slope:
                total = plus(total, self.bit(source, part, i), slope)
        return total

    def boolean(self, number: int) -> bool:
        """Whether an atom is 0 or 1, so that it equals its square."""
        return self._ranges[number] == (0, 1)

    def times(self, a: Poly, b: Poly) -> Poly:
        """a * b."""
        if is_constant(a):
            return scaled(b, a.get((), 0))
        if is_constant(b):
            return scaled(a, b.get((), 0))
        self.spend(len(a) * len(b))
        total: Poly = {}
        for m, c in a.items():
            for n, d in b.items():
                both = self._join(m, n)
                total[both] = total.get(both, 0) + c * d
        return {m: c for m, c in total.items() if c}

    def carried(self, a: Poly, b: Poly, most: int | None) -> Poly:
        """a * b; with `most`, factors that make more terms than that are carried along by name."""
        if most is not None and len(a) * len(b) > most:
            a, b = (p if len(p) <= 1 else self.named(p) for p in (a, b))
        return self.times(a, b)

    def spend(self, terms: int) -> None:
        """Count terms that were computed; `Unsupported` for a row that takes too many."""
        self._registry.work += terms
        if self._registry.work > self._registry.most_work:
            raise TooManyTerms(f"a row takes more than {self._registry.most_work:,} terms")

    def _join(self, m: Monomial, n: Monomial) -> Monomial:
        if not m or not n:
            return m or n
        return tuple(sorted((*m, *(i for i in n if not (self.boolean(i) and i in m)))))

    # Bounds

    def _naive(self, a: Mapping[Monomial, int]) -> Range:
        lo = hi = 0
        ranges = self._ranges
        for monomial, c in a.items():
            low = high = 1
            for i in monomial:
                first, last = ranges[i]
                if first == 0:
                    low, high = min(low * last, 0), max(high * last, 0)
                else:
                    ends = low * first, low * last, high * first, high * last
                    low, high = min(ends), max(ends)
            if c > 0:
                lo, hi = lo + c * low, hi + c * high
            else:
                lo, hi = lo + c * high, hi + c * low
        return lo, hi

    def _blocks(self, a: Poly) -> Range:
        """Bounds of a sum, exact for each set of monomials that share few bits."""
        owner: dict[int, int] = {}
        blocks: dict[int, list[Monomial]] = {}
        for monomial in a:
            if not monomial:
                continue
            joined = {owner[i] for i in monomial if i in owner}
            keep = min(joined, default=monomial[0])
            for other in joined - {keep}:
                blocks.setdefault(keep, []).extend(blocks.pop(other))
                owner |= {i: keep for i, o in owner.items() if o == other}
            blocks.setdefault(keep, []).append(monomial)
            owner |= dict.fromkeys(monomial, keep)
        lo = hi = a.get((), 0)
        for members in blocks.values():
            numbers = sorted({i for m in members for i in m})
            part = {m: a[m] for m in members}
            if len(numbers) > MAX_BLOCK or not all(self.boolean(i) for i in numbers):
                low, high = self._naive(part)
            else:
                sums = [
                    sum(c for m, c in part.items() if all(bits >> numbers.index(i) & 1 for i in m))
                    for bits in range(1 << len(numbers))
                ]
                low, high = min(sums), max(sums)
            lo, hi = lo + low, hi + high
        return lo, hi

    def bounds(self, a: Poly) -> Range:
        """Lowest and highest value, soundly.

        Uses what is known of a form, that x - m floor(x / m) is in [0, m), and the two cases of a
        step with its form beside it: x - m [x >= m] is in [0, m) for x in [0, 2 m).
        """
        if is_constant(a):
            return a.get((), 0), a.get((), 0)
        lo, hi = self._naive(a)
        if any(len(m) > 1 for m in a):
            low, high = self._blocks(a)
            lo, hi = max(lo, low), min(hi, high)
        lone = {m[0] for m in a if len(m) == 1}
        stairs = self._stairs(a, lone)
        if stairs is not None:
            lo, hi = max(lo, stairs[0]), min(hi, stairs[1])
        for number in lone:
            atom = self.atoms[number]
            c = -a.get((number,), 0)
            if isinstance(atom, Floor) and c > 0 and c % atom.divisor == 0:
                q = c // atom.divisor
                rest = plus(plus(a, {(number,): 1}, c), dict(atom.z), -q)
                low, high = self.bounds(rest)
                lo, hi = max(lo, low), min(hi, high + q * (atom.divisor - 1))
            elif isinstance(atom, StepAtom):
                low, high = self._stepped(a, number, atom)
                lo, hi = max(lo, low), min(hi, high)
        for z, interval in self.known.items():
            first, unit = z[0]
            factor, remainder = divmod(a.get(first, 0), unit)
            if factor and not remainder and all(a.get(m) == factor * c for m, c in z):
                others = {m: c for m, c in a.items() if m not in dict(z)}
                low, high = self._naive(others)
                ends = sorted(factor * h for h in interval)
                lo, hi = max(lo, low + ends[0]), min(hi, high + ends[1])
        return lo, hi

    def _stepped(self, a: Poly, number: int, step: StepAtom) -> Range:
        """Bounds of q z + c [z >= b] + others, one case of the step after the other."""
        first, unit = step.z[0]
        q, remainder = divmod(a.get(first, 0), unit)
        if not q or remainder or any(a.get(m) != q * w for m, w in step.z):
            return self._naive(a)
        z = dict(step.z)
        low, high = self._naive({m: w for m, w in a.items() if m not in z and m != (number,)})
        least, most = self._naive(z)
        cases = [(q * end, 0) for end in (least, step.bound - 1)]
        cases += [(q * end, a[number,]) for end in (step.bound, most)]
        values = [value + jump for value, jump in cases]
        return low + min(values), high + max(values)

    def _stairs(self, a: Poly, lone: set[int]) -> Range | None:
        """Bounds of a sum in which steps of one form are taken one after the other."""
        stairs: dict[tuple[tuple[Monomial, int], ...], list[tuple[int, int]]] = {}
        for number in lone:
            atom = self.atoms[number]
            if isinstance(atom, StepAtom):
                stairs.setdefault(atom.z, []).append((atom.bound, number))
        if all(len(steps) == 1 for steps in stairs.values()):
            return None
        lo = hi = 0
        taken: set[Monomial] = set()
        for steps in stairs.values():
            level = low = high = 0
            for _, number in sorted(steps):
                level += a[number,]
                low, high = min(low, level), max(high, level)
                taken.add((number,))
            lo, hi = lo + low, hi + high
        low, high = self._naive({m: c for m, c in a.items() if m not in taken})
        return lo + low, hi + high

    # Steps and floors

    def _coarse(self, a: Poly, multiple: int) -> tuple[Poly, int]:
        """A form and g with floor(a / m) == floor(form / (m / g)) for a multiple m of `multiple`.

        Terms that are no multiples of g, and stay below g, do not matter.
        """
        offset, g = a.get((), 0), multiple
        terms = {m: c for m, c in a.items() if m}
        while g > 1:
            small = {m: c for m, c in terms.items() if c % g}
            if len(small) < len(terms):
                lo, hi = self._naive(small)
                if lo + offset % g >= 0 and hi + offset % g < g:
                    quotient = {m: c // g for m, c in terms.items() if m not in small}
                    return plus(quotient, constant(offset // g)), g
            g //= 2 if g % 2 == 0 else g
        return a, 1

    def _canonical(
        self, a: Mapping[Monomial, int]
    ) -> tuple[tuple[tuple[Monomial, int], ...], int, int, int]:
        """a == sign * factor * z + offset."""
        items = sorted((m, c) for m, c in a.items() if m)
        factor = gcd(*(c for _, c in items)) or 1
        sign = 1 if not items or items[0][1] > 0 else -1
        return tuple((m, sign * c // factor) for m, c in items), sign, factor, a.get((), 0)

    def step(self, a: Poly, bound: int) -> Poly:
        """[a >= bound]."""
        lo, hi = self.bounds(a)
        if lo >= bound or hi < bound:
            return constant(int(lo >= bound))
        if (whole := self._unfloored(a)) is not None:
            return self.step(whole[0], whole[1] * bound)
        z, sign, factor, offset = self._canonical(a)
        # sign * factor * z >= bound - offset
        if sign > 0:
            return self._step(z, -((offset - bound) // factor))
        return plus(constant(1), self._step(z, (offset - bound) // factor + 1), -1)

    def _unfloored(self, a: Poly) -> tuple[Poly, int] | None:
        """m y + x and m, for a sum y + floor(x / m): it reaches b where m y + x reaches m b.

        A carry [x >= k] is such a floor, of x + m - k, where that is in [0, 2 m). A sum with
        several of them is left as it is.
        """
        carries = [m for m in a if any(isinstance(self.atoms[i], StepAtom | Floor) for i in m)]
        if len(carries) != 1 or len(carries[0]) != 1 or abs(a[carries[0]]) != 1 or len(a) < 2:
            return None
        atom, c = self.atoms[carries[0][0]], a[carries[0]]
        rest = {m: w for m, w in a.items() if m != carries[0]}
        if is_constant(rest):
            return None
        if isinstance(atom, Floor):
            if c < 0:
                return None
            return plus(scaled(rest, atom.divisor), dict(atom.z)), atom.divisor
        assert isinstance(atom, StepAtom)
        z, bound = dict(atom.z), atom.bound
        if c < 0:  # -[z >= b] == [-z >= 1 - b] - 1
            rest, z, bound = plus(rest, constant(1), -1), scaled(z, -1), 1 - bound
        least, most = self.bounds(z)
        m = max(bound - least, most - bound + 1)
        return plus(scaled(rest, m), plus(z, constant(m - bound))), m

    def _step(self, z: tuple[tuple[Monomial, int], ...], bound: int) -> Poly:
        lo, hi = self.bounds(dict(z))
        if lo >= bound or hi < bound:
            return constant(int(lo >= bound))
        whole = self._lexical(z, bound)
        if whole is not None:
            return self.step(*whole)
        numbers = sorted({i for m, _ in z for i in m})
        if len(numbers) <= 2 and all(self.boolean(i) for i in numbers):
            return self._expanded(dict(z), numbers, bound)
        return self.atom(StepAtom(z, bound), (0, 1))

    def _lexical(self, z: tuple[tuple[Monomial, int], ...], bound: int) -> tuple[Poly, int] | None:
        """Three steps that compare h first, and l where h decides nothing, as one comparison.

        The steps are [h >= b], [h >= b + 1] and [l >= k]. If the sum reaches its bound for all
        h > b, for no h < b, and for h = b where l >= k, then that is M (h - b) + l - k >= 0, with
        M as large as -M <= l - k < M asks for; and so with each order the other way round.
        """
        atoms = [(self.atoms[m[0]], c) for m, c in z if len(m) == 1]
        steps = [(atom, c) for atom, c in atoms if isinstance(atom, StepAtom)]
        if len(z) != 3 or len(steps) != 3:
            return None
        for (one, c), (two, d), (low, e) in permutations(steps):
            if one.z != two.z or two.bound != one.bound + 1:
                continue
            reached = [[total + e * least >= bound for least in (0, 1)] for total in (0, c, c + d)]
            (below, below_too), middle, (above, above_too) = reached
            if below != below_too or above != above_too or below == above or middle[0] == middle[1]:
                continue
            h = plus(dict(one.z), constant(one.bound), -1)
            rest = plus(dict(low.z), constant(low.bound), -1)
            if below:
                h = scaled(h, -1)
            if middle[0]:
                rest = plus(constant(-1), rest, -1)
            least, most = self.bounds(rest)
            size = 1 << max(-least - 1, most).bit_length()
            return plus(scaled(h, size), rest), 0
        return None

    def _expanded(self, z: Poly, numbers: list[int], bound: int) -> Poly:
        """A step over few bits as a poly of them."""
        total: Poly = {}
        for chosen in range(1 << len(numbers)):
            ones = {n for i, n in enumerate(numbers) if chosen >> i & 1}
            value = int(sum(c for m, c in z.items() if ones.issuperset(m)) >= bound)
            for monomial, c in total.items():
                if ones.issuperset(monomial):
                    value -= c
            if value:
                total[tuple(sorted(ones))] = value
        return total

    def floor(self, a: Poly, divisor: int) -> Poly:
        """floor(a / divisor); multiples of the divisor come out of it."""
        a, g = self._coarse(a, divisor & -divisor)
        divisor //= g
        whole = {m: c // divisor for m, c in a.items() if m and c % divisor == 0}
        rest = {m: c for m, c in a.items() if m and c % divisor}
        offset = a.get((), 0)
        outer = plus(whole, constant(offset // divisor))
        # floor((g z + c) / (g m)) == floor((z + floor(c / g)) / m)
        factor = gcd(divisor, *rest.values())
        rest, divisor = {m: c // factor for m, c in rest.items()}, divisor // factor
        if left := offset // factor % divisor:
            rest[()] = left
        lo, hi = self.bounds(rest)
        if lo // divisor == hi // divisor:
            return plus(outer, constant(lo // divisor))
        return plus(outer, self.atom(Floor(frozen(rest), divisor), (lo // divisor, hi // divisor)))

    def substituted(self, a: Poly, memo: dict[int, Poly]) -> Poly:
        """The same under what is decided now, with steps and floors inside rebuilt."""
        self.spend(len(a))
        total: Poly = {}
        changed: list[tuple[Monomial, int]] = []
        for monomial, c in a.items():
            for i in monomial:
                if i not in memo:
                    memo[i] = self._remade(i, memo)
            if all(memo[i] is _SAME for i in monomial):
                total[monomial] = c
            else:
                changed.append((monomial, c))
        for monomial, c in changed:
            product: Poly = {(): c}
            for i in monomial:
                product = self.times(product, {(i,): 1} if memo[i] is _SAME else memo[i])
            for m, d in product.items():
                total[m] = total.get(m, 0) + d
        return {m: c for m, c in total.items() if c} if changed else total

    def _remade(self, number: int, memo: dict[int, Poly]) -> Poly:
        atom = self.atoms[number]
        if atom in self.decided:
            return constant(self.decided[atom])
        if isinstance(atom, Bit | Tab):
            return _SAME
        if isinstance(atom, Digit):
            return self.digit(*(self.substituted(dict(z), memo) for z in (atom.x, atom.d, atom.c)))
        z = self.substituted(dict(atom.z), memo)
        if isinstance(atom, Named):
            return _SAME if z == dict(atom.z) else self.named(z, self._ranges[number])
        if isinstance(atom, StepAtom):
            return self.step(z, atom.bound)
        return self.quotient(z, atom.divisor) if isinstance(atom, Floor) else self.square(z)

    def digit(self, x: Poly, d: Poly, c: Poly) -> Poly:
        """The digit of a quotient or a root."""
        if is_constant(x) and is_constant(d) and is_constant(c):
            return constant(digit(*(p.get((), 0) for p in (x, d, c))))
        return self.atom(Digit(frozen(x), frozen(d), frozen(c)), (0, 255))

    def named(self, a: Poly, reach: Range | None = None) -> Poly:
        """The same as one atom, which may be known to be in a range."""
        lo, hi = self.bounds(a)
        if reach is not None:
            lo, hi = max(lo, reach[0]), min(hi, reach[1])
        return constant(lo) if lo == hi else self.atom(Named(frozen(a)), (lo, hi))

    def opened(self, a: Poly) -> Poly:
        """The same with what its names stand for, outside of steps and floors."""
        total: Poly = {}
        for monomial, c in a.items():
            product: Poly = {(): c}
            for i in monomial:
                atom = self.atoms[i]
                factor: Poly = self.opened(dict(atom.z)) if isinstance(atom, Named) else {(i,): 1}
                product = self.times(product, factor)
            total = plus(total, product)
        return total

    def square(self, a: Poly) -> Poly:
        """relu(a) * a."""
        lo, hi = self.bounds(a)
        if lo == hi or hi <= 0:
            return constant(max(lo, 0) * lo)
        return self._squared_part(a) or self.atom(Square(frozen(a)), (0, hi * hi))

    def _squared_part(self, a: Poly) -> Poly | None:
        """relu(a) * a as a table, for a number that the bits of one part are."""
        bits = [self.atoms[m[0]] for m in a if len(m) == 1]
        if len(bits) != len(a) or not all(isinstance(bit, Bit) for bit in bits):
            return None
        by_index = {bit.index: c for bit, c in zip(bits, a.values(), strict=True)
                    if isinstance(bit, Bit)}  # fmt: skip
        parts = {(bit.source, bit.part) for bit in bits if isinstance(bit, Bit)}
        if len(parts) != 1 or sorted(by_index) != list(range(len(by_index))):
            return None
        values = [0]
        for i in range(len(by_index)):
            values += [value + by_index[i] for value in values]
        return self.table(*parts.pop(), tuple(max(v, 0) * v for v in values))

    def bend(self, z: Poly, corners: Iterable[tuple[int, int, int]]) -> Poly:
        """The sum of `weight * relu(sign * z + offset)` over corners (sign, offset, weight).

        Between corners it is linear in z. Where it is steep for one integer only, it is a step;
        equal steps at equal distances all along the range of z are a floor; what is steep for
        longer is a step times a linear form.
        """
        lo, hi = self.bounds(z)
        if lo == hi:
            return constant(sum(w * max(0, s * lo + o) for s, o, w in corners))
        level, slopes = 0, {lo: 0}  # at z == lo; changes of the slope
        for sign, offset, weight in corners:  # relu opens (or shuts) at z == -sign * offset
            at = -sign * offset
            level += weight * max(0, sign * lo + offset)
            if sign > 0 and at < hi:
                slopes[max(at, lo)] = slopes.get(max(at, lo), 0) + weight
            elif sign < 0 and at > lo:
                slopes[lo] -= weight
                if at < hi:
                    slopes[at] = slopes.get(at, 0) + weight
        places = sorted(c for c, s in slopes.items() if s or c == lo)
        segments, slope = [], 0
        for here, after in zip(places, [*places[1:], hi], strict=True):
            slope += slopes[here]
            segments.append((here, after, slope))
        longest = max(segments, key=lambda s: s[1] - s[0])
        usual = longest[2] if longest[1] - longest[0] > 1 else 0
        total = plus(scaled(z, usual), constant(level - usual * lo))
        return plus(total, self._bent(z, (lo, hi), [(a, b, s - usual) for a, b, s in segments]))

    def _bent(self, z: Poly, reach: Range, segments: list[tuple[int, int, int]]) -> Poly:
        """The sum over segments of slope * (z, clamped to the segment, minus its beginning)."""
        total: Poly = {}
        jumps: list[tuple[int, int]] = []
        for here, after, slope in segments:
            if slope and after == here + 1:
                jumps.append((after, slope))
            elif slope:
                linear = plus(z, constant(-here))
                total = plus(total, self.times(self.step(z, here + 1), linear), slope)
                if after < reach[1]:
                    past = plus(z, constant(-after))
                    total = plus(total, self.times(self.step(z, after + 1), past), -slope)
        return plus(total, self._jumps(z, reach, jumps))

    def _jumps(self, z: Poly, reach: Range, jumps: list[tuple[int, int]]) -> Poly:
        """The sum of height * [z >= place]."""
        if len(jumps) > 1 and len({height for _, height in jumps}) == 1:
            places = [place for place, _ in jumps]
            gaps = {b - a for a, b in zip(places, places[1:], strict=False)}
            if len(gaps) == 1:
                (m,) = gaps
                if reach[0] >= places[0] - m and reach[1] < places[-1] + m:
                    shifted = plus(z, constant(m - places[0]))
                    return scaled(self.floor(shifted, m), jumps[0][1])
        total: Poly = {}
        for place, height in jumps:
            total = plus(total, self._jump(z, reach, place), height)
        return total

    def _jump(self, z: Poly, reach: Range, place: int) -> Poly:
        """[z >= place]; of a remainder x - m floor(x / m) + .. it is a floor as well."""
        for monomial, c in z.items():
            if len(monomial) == 1 and isinstance(self.atoms[monomial[0]], Floor):
                m = -c
                if m > 1 and reach[0] >= place - m and reach[1] < place + m:
                    return self.floor(plus(z, constant(m - place)), m)
        return self.step(z, place)

    def quotient(self, a: Poly, divisor: int) -> Poly:
        """floor(a / divisor), written as `bend` writes it."""
        lo, hi = self.bounds(a)
        low, high = lo // divisor, hi // divisor
        if high - low == 1:
            return plus(constant(low), self.step(a, high * divisor))
        return self.floor(a, divisor)

    def nested(self, a: Poly) -> set[int]:
        """The numbers of all atoms in it, those inside steps and floors too."""
        numbers: set[int] = set()
        todo = {i for m in a for i in m}
        while todo:
            number = todo.pop()
            numbers.add(number)
            atom = self.atoms[number]
            if isinstance(atom, StepAtom | Floor | Square | Named):
                todo |= {i for m, _ in atom.z for i in m} - numbers
            elif isinstance(atom, Digit):
                forms = (atom.x, atom.d, atom.c)
                todo |= {i for z in forms for m, _ in z for i in m} - numbers
        return numbers
