"""Exact integer functions of token bits, as polynomials over atoms.

A poly maps monomials (sorted tuples of atom numbers) to integer coefficients; () is the constant.
An atom is an integer function with a known range:

    ("bit", source, part, i)           bit i of a part of the token that a source stands for
    ("table", source, part, values)    values[v] where the part is v
    ("step", z, k)                     [z >= k]
    ("floor", z, m)                    floor(z / m)
    ("clamp", z, n)                    z, clamped to [0, n)
    ("digit", x, d, c)                 the largest v < 256 with x >= v d + v^2 c
    ("name", z)                        z itself

where z is a poly as a sorted tuple. Two polys that are equal are equal functions; the converse
need not hold, and then a row is not proved. Every rule below is an identity on integers; its reason
is in the comment. Nothing here is specific to a model.
"""

from collections import Counter
from itertools import combinations, pairwise, permutations
from math import gcd

from points import constant, multiplied, opposite, step_key, total, variable

MOST_TERMS = 500_000  # work per row
MOST_NAMED = 4  # a lane of more terms gets a name, in rows with names
MOST_BITS = 128  # of a conjunction


class TooManyTermsError(Exception):
    """A row needs more terms than it may."""


def plus(a, b, factor=1):
    total = dict(a)
    for m, c in b.items():
        value = total.get(m, 0) + factor * c
        if value:
            total[m] = value
        else:
            total.pop(m, None)
    return total


def scaled(a, factor):
    return {m: c * factor for m, c in a.items()} if factor else {}


def linear(terms):
    """The sum of weight * poly."""
    total = {}
    for weight, poly in terms:
        for m, c in poly.items():
            total[m] = total.get(m, 0) + weight * c
    return {m: c for m, c in total.items() if c}


def number(n):
    return {(): n} if n else {}


def is_number(a):
    return not a or (len(a) == 1 and () in a)


def multiple(a, z):
    """The q for which a poly has the terms of q z, or 0."""
    q, r = divmod(a.get(z[0][0], 0), z[0][1])
    return 0 if r or any(a.get(m) != q * c for m, c in z) else q


def subsets(atoms):
    return [c for size in range(len(atoms) + 1) for c in combinations(atoms, size)]


def frozen(a):
    return tuple(sorted(a.items()))


class Atoms:
    """The atoms of a row, their ranges and, in rows with names, their points."""

    def __init__(self, names=False, open=False):
        self.open = open  # whether the first atom of a form is looked for inside of names
        self.atoms, self.numbers, self.ranges, self.work = [], {}, [], 0
        self.conjunctions = {}  # [all of these bits are as they have to be], by bits and signs
        self.names, self.points, self.variables = names, [], {}

    def get(self, atom, low, high):
        i = self.numbers.get(atom)
        if i is None:
            i = self.numbers[atom] = len(self.atoms)
            self.atoms.append(atom)
            self.ranges.append((low, high))
            if self.names:
                self.points.append(self._point(*atom))
        return i

    def _point(self, kind, *data):
        if kind == "name":
            return self.at(dict(data[0]))
        if kind in ("bit", "table"):
            return self.variables.setdefault((kind, *data), variable())
        key, turned = self.key(kind, *(dict(z) if isinstance(z, tuple) else z for z in data))
        point = self.variables.setdefault(key, variable())
        return opposite(point) if turned else point

    def key(self, kind, *data):
        """A key of a function by the values of its forms, and whether it is that of 1 - it."""
        values = [self.at(z)[0] if isinstance(z, dict) else z for z in data]
        if kind != "step":
            return (kind, *values), False
        return step_key(*values)

    def at(self, poly):
        """The point of a poly."""
        terms = []
        for monomial, c in poly.items():
            product = constant(1)
            for i in monomial:
                product = multiplied(product, self.points[i])
            terms.append((c, product))
        return total(terms)

    def same(self, a, b):
        """Whether two polys are equal: as they are or, with names, at a random point."""
        return a == b or (self.names and self.at(a)[0] == self.at(b)[0])


class Algebra:
    """Arithmetic under assumptions: `decided` atoms, and the ranges of forms that follow."""

    def __init__(self, table, decided=()):
        self.table, self.decided, self.known = table, dict(decided), {}
        self.results = {}  # with names: what functions simplify to, by the values of their forms
        for i, value in self.decided.items():
            if table.atoms[i][0] == "step":
                self._assume(table.atoms[i], value)

    def _assume(self, step, value):
        z, sign, factor, offset = self.canonical(self.filled(dict(step[1])))
        low, high = self.known.get(z) or self.naive(dict(z))
        if sign > 0 and value:  # factor * z + offset >= bound
            self.known[z] = max(low, -((offset - step[2]) // factor)), high
        elif sign > 0:
            self.known[z] = low, min(high, (step[2] - 1 - offset) // factor)

    def filled(self, a):
        """The same poly with atoms that are decided filled in, but not inside of others."""
        return self.replaced(
            a, lambda i: number(self.decided[i]) if i in self.decided else {(i,): 1}
        )

    def replaced(self, a, poly_of):
        """A poly with others in the place of its atoms."""
        terms = []
        for monomial, c in a.items():
            product = {(): 1}
            for i in monomial:
                product = self.times(product, poly_of(i))
            terms.append((c, product))
        return linear(terms)

    def atom(self, atom, low, high):
        i = self.table.get(atom, low, high)
        return number(self.decided[i]) if i in self.decided else {(i,): 1}

    def bits(self, source, part, size):
        places = range((size - 1).bit_length())
        return [self.atom(("bit", source, part, i), 0, 1) for i in places]

    def part(self, source, part, values):
        """values[v] of a part v: a number, a weighted sum of its bits, or a table."""
        bits = self.bits(source, part, len(values))
        if all(map(is_number, bits)):
            return number(values[sum(bit.get((), 0) << i for i, bit in enumerate(bits))])
        slopes, sums = [values[1 << i] - values[0] for i in range(len(bits))], [values[0]]
        for slope in slopes:
            sums += [s + slope for s in sums]
        if sums[: len(values)] != list(values):
            return self.atom(("table", source, part, tuple(values)), min(values), max(values))
        return linear([(values[0], number(1)), *zip(slopes, bits, strict=True)])

    def boolean(self, i):
        return self.table.ranges[i] == (0, 1)

    def spend(self, terms):
        self.table.work += terms
        if self.table.work > MOST_TERMS:
            raise TooManyTermsError(f"more than {MOST_TERMS:,} terms")

    def times(self, a, b):
        if is_number(a):
            return scaled(b, a.get((), 0))
        if is_number(b):
            return scaled(a, b.get((), 0))
        self.spend(len(a) * len(b))
        total = {}
        for m, c in a.items():
            for n, d in b.items():  # a bit is its square
                both = tuple(sorted((*m, *(i for i in n if not (self.boolean(i) and i in m)))))
                total[both] = total.get(both, 0) + c * d
        return {m: c for m, c in total.items() if c}

    def short(self, a, reach=None):
        """The same function, under a name if it has many terms and the row has names."""
        return self.named(a, reach) if self.table.names and len(a) > MOST_NAMED else a

    def product(self, a, b):
        """The same as `times`; factors get names if the product has many terms."""
        if self.table.names and len(a) * len(b) > MOST_NAMED:
            a, b = (p if len(p) <= 1 else self.named(p) for p in (a, b))
        return self.times(a, b)

    # Bounds

    def naive(self, a):
        """Bounds of a sum from the bounds of its terms."""
        low = high = 0
        ranges = self.table.ranges
        for monomial, c in a.items():
            least = most = 1
            for i in monomial:
                ends = [x * y for x in (least, most) for y in ranges[i]]
                least, most = min(ends), max(ends)
            low += c * (least if c > 0 else most)
            high += c * (most if c > 0 else least)
        return low, high

    def _blocks(self, a):
        """Bounds of a sum: terms that share at most four bits are tried out together."""
        blocks, large = {}, set()
        for monomial in a:
            block = set(monomial).union(*(blocks.get(i, ()) for i in monomial))
            small = len(block) <= 4 and not block & large and all(map(self.boolean, block))
            large |= set() if small else block
            blocks |= dict.fromkeys(block, block if small else ())
        low, high = self.naive({m: c for m, c in a.items() if not m or m[0] in large})
        for bits in {tuple(sorted(block)) for block in blocks.values() if block}:
            sums = [sum(a.get(m, 0) for m in subsets(ones) if m) for ones in subsets(bits)]
            low, high = low + min(sums), high + max(sums)
        return low, high

    def bounds(self, a):
        """The lowest and the highest value, or a wider interval."""
        if is_number(a):
            return a.get((), 0), a.get((), 0)
        intervals = [self.naive(a)]
        if any(len(m) > 1 for m in a):
            intervals.append(self._blocks(a))
        for i in (m[0] for m in a if len(m) == 1 and self.table.atoms[m[0]][0] == "floor"):
            _, z, m = self.table.atoms[i]
            if a[i,] < 0 and a[i,] % m == 0:  # 0 <= x - m floor(x / m) < m
                q = -a[i,] // m
                low, high = self.bounds(plus(plus(a, {(i,): 1}, m * q), dict(z), -q))
                intervals.append((low, high + q * (m - 1)))
        intervals.append(self._stairs(a))
        for z, interval in self.known.items():
            if q := multiple(a, z):
                low, high = self.naive({m: c for m, c in a.items() if m not in dict(z)})
                ends = sorted(q * end for end in interval)
                intervals.append((low + ends[0], high + ends[1]))
        return max(low for low, _ in intervals), min(high for _, high in intervals)

    def _stairs(self, a):
        """Bounds of a sum in which q z and steps of z are a function of z, extreme at a step."""
        stairs, rest, atoms = {}, dict(a), self.table.atoms
        for m in a:
            if len(m) == 1 and atoms[m[0]][0] == "step":
                stairs.setdefault(atoms[m[0]][1], []).append((atoms[m[0]][2], rest.pop(m)))
        ends = []
        for z, steps in stairs.items():
            q = multiple(rest, z)
            if q:
                rest = {m: c for m, c in rest.items() if m not in dict(z)}
            least, most = self.naive(dict(z)) if q else (min(steps)[0] - 1, max(steps)[0])
            places = {p for k, _ in steps for p in (k - 1, k) if least <= p <= most} | {least, most}
            values = [q * p + sum(c for k, c in steps if p >= k) for p in places]
            ends.append((min(values), max(values)))
        low, high = map(sum, zip(self.naive(rest), *ends, strict=True))
        return low, high

    # Steps and floors

    def canonical(self, a):
        """z, sign, factor, offset with a == sign * factor * z + offset."""
        items = sorted((m, c) for m, c in a.items() if m)
        factor = gcd(*(c for _, c in items)) or 1
        sign = 1 if not items or items[0][1] > 0 else -1
        return tuple((m, sign * c // factor) for m, c in items), sign, factor, a.get((), 0)

    def _once(self, simplified, kind, *data):
        """A function as it was simplified first, in rows with names: known by values of forms."""
        if not self.table.names:
            return simplified(*data)
        key, turned = self.table.key(kind, *data)
        if key not in self.results:
            poly = simplified(*data)
            self.results[key] = plus(number(1), poly, -1) if turned else poly
        poly = self.results[key]
        return plus(number(1), poly, -1) if turned else poly

    def step(self, a, bound):
        """[a >= bound]."""
        return self._once(self._simple_step, "step", a, bound)

    def _simple_step(self, a, bound):
        low, high = self.bounds(a)
        if low >= bound or high < bound:
            return number(int(low >= bound))
        whole = self._unfloored(a)
        if whole:  # y + floor(x / m) >= b where m y + x >= m b
            return self.step(whole[0], whole[1] * bound)
        whole = self._unfloored(scaled(a, -1))
        if whole:  # a >= b is not -a >= 1 - b
            return plus(number(1), self.step(whole[0], whole[1] * (1 - bound)), -1)
        z, sign, factor, offset = self.canonical(a)
        if sign > 0:
            return self._step(z, -((offset - bound) // factor))
        return plus(number(1), self._step(z, (offset - bound) // factor + 1), -1)

    def _unfloored(self, a):
        """m y + x and m, if a == y + floor(x / m) with one floor, or with one step as a floor."""
        atoms = self.table.atoms
        carries = [m for m in a if any(atoms[i][0] in ("step", "floor") for i in m)]
        if len(carries) != 1 or len(carries[0]) != 1 or a[carries[0]] != 1:
            return None
        kind, z, k = atoms[carries[0][0]]
        rest = {m: w for m, w in a.items() if m != carries[0]}
        if kind == "floor":
            return plus(scaled(rest, k), dict(z)), k
        z = dict(z)
        low, high = self.bounds(z)
        m = max(k - low, high - k + 1)  # [z >= k] == floor((z + m - k) / m)
        return plus(scaled(rest, m), plus(z, number(m - k))), m

    def _step(self, z, bound):
        whole = self._lexical(z, bound)
        if whole:
            return self.step(*whole)
        bits = sorted({i for m, _ in z for i in m})
        if len(bits) <= 2 and all(map(self.boolean, bits)):
            return self._expanded(dict(z), bits, bound)
        return self._conjunction(z, bound) or self.atom(("step", z, bound), 0, 1)

    def _conjunction(self, z, bound):
        """One atom for each choice of bits, if only one reaches the top or stays at the bottom."""
        whole = self._bits(z)
        if whole is None:
            return None
        bound, weights = bound - whole.get((), 0), {m[0]: c for m, c in whole.items() if m}
        ends = (sum(max(c, 0) for c in weights.values()), 1), (
            sum(min(c, 0) for c in weights.values()) + 1, -1)  # fmt: skip
        for end, sign in ends:
            if end == bound:
                key = frozenset((i, sign * c > 0) for i, c in weights.items())
                step = "step", z, bound + whole.get((), 0)
                first, direction = self.table.conjunctions.setdefault(key, (step, sign))
                value = self.atom(first, 0, 1)
                return value if direction == sign else plus(number(1), value, -1)
        return None

    def _bits(self, z):
        """A sum of bits, with what names stand for; None if it is another function."""
        whole = {}
        for m, c in z:
            if len(m) > 1 or len(whole) > MOST_BITS:
                return None
            if m and self.table.atoms[m[0]][0] == "name":
                inner = self._bits(self.table.atoms[m[0]][1])
                if inner is None:
                    return None
                whole = plus(whole, inner, c)
            elif m and not self.boolean(m[0]):
                return None
            else:
                whole = plus(whole, {m: c})
        return whole

    def _lexical(self, z, bound):
        """Compare h, and l where h is b: c [h >= b] + d [h >= b + 1] + e [l >= k] as one form."""
        steps = [(self.table.atoms[m[0]], c) for m, c in z if len(m) == 1]
        if len(z) != 3 or len(steps) != 3 or any(atom[0] != "step" for atom, _ in steps):
            return None
        for (one, c), (two, d), (low, e) in permutations(steps):
            adjacent = one[1] == two[1] and two[2] == one[2] + 1
            cases = [total >= bound for total in (0, e, c, c + e, c + d, c + d + e)]
            if adjacent and cases == [False, False, False, True, True, True]:
                h, rest = plus(dict(one[1]), number(-one[2])), plus(dict(low[1]), number(-low[2]))
                least, most = self.bounds(rest)
                # with -M <= rest < M, M h + rest >= 0 where h > 0, or h == 0 and rest >= 0
                return plus(scaled(h, 1 << max(-least - 1, most).bit_length()), rest), 0
        return None

    def _expanded(self, z, bits, bound):
        """A step over at most two bits, by its values."""
        total = {}
        for ones in subsets(bits):
            value = int(sum(z.get(m, 0) for m in subsets(ones)) >= bound)
            value -= sum(total.get(m, 0) for m in subsets(ones))
            if value:
                total[ones] = value
        return total

    def floor(self, a, m):
        """floor(a / m)."""
        return self._once(self._simple_floor, "floor", a, m)

    def _simple_floor(self, a, m):
        low, high = (end // m for end in self.bounds(a))
        if low == high:
            return number(low)
        offset = a.get((), 0)
        outer = plus({k: c // m for k, c in a.items() if k and c % m == 0}, number(offset // m))
        rest = {k: c for k, c in a.items() if k and c % m}
        g = gcd(m, *rest.values())  # floor((g z + c) / (g m)) == floor((z + floor(c / g)) / m)
        rest, m = {k: c // g for k, c in rest.items()}, m // g
        if left := offset // g % m:
            rest[()] = left
        low, high = self.bounds(rest)
        if low // m == high // m:
            return plus(outer, number(low // m))
        return plus(outer, self.atom(("floor", frozen(rest), m), low // m, high // m))

    def quotient(self, a, m):
        """floor(a / m); a step where it has two values."""
        low, high = (end // m for end in self.bounds(a))
        if high - low == 1:
            return plus(number(low), self.step(a, high * m))
        return self.floor(a, m)

    def square(self, a):
        """relu(a) * a."""
        return self.product(self.bend(a, [(1, 0, 1)]), a)

    def clamp(self, a, size):
        """a, clamped to [0, size)."""
        return self._once(self._simple_clamp, "clamp", a, size)

    def _simple_clamp(self, a, size):
        ends = self.bounds(a)
        low, high = (min(max(end, 0), size - 1) for end in ends)
        if low == high:
            return number(low)
        return a if (low, high) == ends else self.atom(("clamp", frozen(a), size), low, high)

    def digit(self, x, d, c):
        if is_number(x) and is_number(d) and is_number(c):
            x, d, c = (p.get((), 0) for p in (x, d, c))
            return number(max(v for v in range(256) if v == 0 or x >= v * d + v * v * c))
        return self.atom(("digit", frozen(x), frozen(d), frozen(c)), 0, 255)

    def named(self, a, reach=None):
        """The same function under a name; `reach` is an interval that it is known to be in."""
        low, high = self.bounds(a)
        if reach is not None:
            low, high = max(low, reach[0]), min(high, reach[1])
        if low == high:
            return number(low)
        return self.atom(("name", frozen(a)), low, high)

    def bend(self, z, corners):
        """The sum of weight * relu(sign * z + offset) over corners (sign, offset, weight).

        It is linear between the integers where some relu opens. A segment of length 1 is a step,
        equal steps at equal distances are a floor, and a longer one is a step times a form.
        """
        low, high = self.bounds(z)
        level, slope, changes = 0, 0, Counter()
        for sign, offset, weight in corners:
            corner = -sign * offset
            level += weight * max(0, sign * low + offset)
            changes[corner] += weight
            if (sign > 0) == (corner <= low):  # open at the lowest z
                slope += sign * weight
        places = [low, *sorted(c for c, w in changes.items() if w and low < c < high), high]
        segments = []
        for here, after in pairwise(places):
            slope += changes[here] if here > low else 0
            segments.append((here, after, slope))
        longest = max(segments, key=lambda s: s[1] - s[0])
        usual = longest[2] if longest[1] - longest[0] > 1 else 0
        total, jumps = plus(scaled(z, usual), number(level - usual * low)), []
        for here, after, slope in ((a, b, s - usual) for a, b, s in segments):
            if slope and after == here + 1:
                jumps.append((after, slope))
            elif slope:  # slope * (z, clamped to the segment, minus its beginning)
                total = plus(
                    total, self.times(self.step(z, here + 1), plus(z, number(-here))), slope
                )
                if after < high:
                    past = self.times(self.step(z, after + 1), plus(z, number(-after)))
                    total = plus(total, past, -slope)
        return plus(total, self._jumps(z, low, high, jumps))

    def _jumps(self, z, low, high, jumps):
        """The sum of height * [z >= place]."""
        if len(jumps) > 1 and len({height for _, height in jumps}) == 1:
            gaps = {b[0] - a[0] for a, b in pairwise(jumps)}
            first, last, m = jumps[0][0], jumps[-1][0], min(gaps)
            if len(gaps) == 1 and low >= first - m and high < last + m:
                return scaled(self.floor(plus(z, number(m - first)), m), jumps[0][1])
        total = {}
        for place, height in jumps:
            total = plus(total, self._jump(z, low, high, place), height)
        return total

    def _jump(self, z, low, high, place):
        for monomial, c in z.items():
            lone = len(monomial) == 1 and self.table.atoms[monomial[0]][0] == "floor"
            if lone and c < -1 and low >= place + c and high < place - c:  # two values of a floor
                return self.floor(plus(z, number(-c - place)), -c)
        return self.step(z, place)

    # Under decisions

    def under(self, a, memo):
        """The same poly with what is decided filled in, inside of atoms as well."""
        self.spend(len(a))

        def poly(i):
            if i not in memo:
                memo[i] = self._under(i, memo)
            return memo[i]

        return self.replaced(a, poly)

    def _under(self, i, memo):
        if i in self.decided:
            return number(self.decided[i])
        kind, *data = self.table.atoms[i]
        if kind in ("bit", "table"):
            return {(i,): 1}
        data = [self.under(dict(z), memo) if isinstance(z, tuple) else z for z in data]
        if kind == "name":
            return self.named(*data, self.table.ranges[i])
        return self.quotient(*data) if kind == "floor" else getattr(self, kind)(*data)

    def opened(self, a):
        """The same with what names stand for, outside of other atoms."""
        if not self.table.names:
            return a

        def poly(i):
            kind, *data = self.table.atoms[i]
            return self.opened(dict(data[0])) if kind == "name" else {(i,): 1}

        return self.replaced(a, poly)
