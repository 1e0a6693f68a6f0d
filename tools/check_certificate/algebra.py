"""Exact integer functions of token bits, as polynomials over atoms.

A poly maps monomials (sorted tuples of atom numbers) to integer coefficients; () is the constant.
An atom is an integer function with a known range:

    ("bit", source, part, i)           bit i of a part of the token that a source stands for
    ("table", source, part, values)    values[v] where the part is v
    ("step", z, k)                     [z >= k]
    ("floor", z, m)                    floor(z / m)
    ("square", z)                      relu(z) * z
    ("digit", x, d, c)                 the largest v < 256 with x >= v d + v^2 c
    ("name", z)                        z itself

where z is a poly as a sorted tuple. Two polys that are equal are equal functions; the converse
need not hold, and then a row is not proved. Every rule below is an identity on integers; its reason
is in the comment. Nothing here is specific to a model.
"""

from itertools import permutations
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
        if not z:
            return
        low, high = self.known.get(z) or self.naive(dict(z))
        # sign * factor * z + offset >= bound, or not
        if (sign > 0) == bool(value):
            edge = step[2] - offset if value else offset - step[2] + 1
            low = max(low, -(-edge // factor))
        else:
            edge = step[2] - 1 - offset if not value else offset - step[2]
            high = min(high, edge // factor)
        self.known[z] = low, high

    def decision(self, i):
        if i in self.decided or self.table.atoms[i][0] != "step":
            return self.decided.get(i)
        _, z, bound = self.table.atoms[i]
        low, high = self.known.get(z, (bound - 1, bound))
        return int(low >= bound) if low >= bound or high < bound else None

    def filled(self, a):
        """The same poly with atoms that are decided filled in, but not inside of others."""

        def value(i):
            known = self.decision(i)
            return {(i,): 1} if known is None else number(known)

        return self.replaced(a, value)

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

    def bit(self, source, part, i):
        return self.atom(("bit", source, part, i), 0, 1)

    def part(self, source, part, values):
        """values[v] of a part v: a weighted sum of its bits, or a table."""
        slopes = [values[1 << i] - values[0] for i in range((len(values) - 1).bit_length())]
        sums = [values[0]]
        for slope in slopes:
            sums += [s + slope for s in sums]
        if sums[: len(values)] != list(values):
            return self.atom(("table", source, part, tuple(values)), min(values), max(values))
        bits = [(slope, self.bit(source, part, i)) for i, slope in enumerate(slopes) if slope]
        return linear([(values[0], number(1)), *bits])

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
        owner, blocks = {}, {}
        for monomial in filter(None, a):
            joined = {owner[i] for i in monomial if i in owner}
            keep = min(joined, default=monomial[0])
            for other in joined - {keep}:
                blocks.setdefault(keep, []).extend(blocks.pop(other))
                owner |= {i: keep for i, o in owner.items() if o == other}
            blocks.setdefault(keep, []).append(monomial)
            owner |= dict.fromkeys(monomial, keep)
        low = high = a.get((), 0)
        for members in blocks.values():
            bits = sorted({i for m in members for i in m})
            part = {m: a[m] for m in members}
            least, most = self.naive(part)
            if len(bits) <= 4 and all(map(self.boolean, bits)):
                sums = [
                    sum(c for m, c in part.items() if all(v >> bits.index(i) & 1 for i in m))
                    for v in range(1 << len(bits))
                ]
                least, most = min(sums), max(sums)
            low, high = low + least, high + most
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
        if len(carries) != 1 or len(carries[0]) != 1 or a[carries[0]] != 1 or len(a) < 2:
            return None
        kind, z, k = atoms[carries[0][0]]
        rest = {m: w for m, w in a.items() if m != carries[0]}
        if is_number(rest):
            return None
        if kind == "floor":
            return plus(scaled(rest, k), dict(z)), k
        z = dict(z)
        low, high = self.bounds(z)
        m = max(k - low, high - k + 1)  # [z >= k] == floor((z + m - k) / m)
        return plus(scaled(rest, m), plus(z, number(m - k))), m

    def _step(self, z, bound):
        low, high = self.bounds(dict(z))
        if low >= bound or high < bound:
            return number(int(low >= bound))
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
                if key not in self.table.conjunctions:
                    atom = "step", z, bound + whole.get((), 0)
                    self.table.conjunctions[key] = self.table.get(atom, 0, 1), sign
                first, direction = self.table.conjunctions[key]
                value = number(self.decided[first]) if first in self.decided else {(first,): 1}
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
            if one[1] != two[1] or two[2] != one[2] + 1:
                continue
            below, middle, above = ([t + e * v >= bound for v in (0, 1)] for t in (0, c, c + d))
            if below[0] != below[1] or above[0] != above[1] or below[0] == above[0]:
                continue
            if middle[0] == middle[1]:
                continue
            h, rest = plus(dict(one[1]), number(-one[2])), plus(dict(low[1]), number(-low[2]))
            if below[0]:
                h = scaled(h, -1)
            if middle[0]:
                rest = plus(number(-1), rest, -1)
            least, most = self.bounds(rest)
            # with -M <= rest < M, M h + rest >= 0 where h > 0, or h == 0 and rest >= 0
            return plus(scaled(h, 1 << max(-least - 1, most).bit_length()), rest), 0
        return None

    def _expanded(self, z, bits, bound):
        """A step over at most two bits, by its values."""
        total = {}
        for chosen in range(1 << len(bits)):
            ones = {n for i, n in enumerate(bits) if chosen >> i & 1}
            value = int(sum(c for m, c in z.items() if ones.issuperset(m)) >= bound)
            value -= sum(c for m, c in total.items() if ones.issuperset(m))
            if value:
                total[tuple(sorted(ones))] = value
        return total

    def floor(self, a, m):
        """floor(a / m)."""
        return self._once(self._simple_floor, "floor", a, m)

    def _simple_floor(self, a, m):
        low, high = self.bounds(a)
        if low // m == high // m:
            return number(low // m)
        a, g = self._coarse(a, m & -m)
        m //= g
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

    def _coarse(self, a, multiple):
        """A form and g with floor(a / m) == floor(form / (m / g)): terms that stay below g go."""
        offset, g = a.get((), 0), multiple
        terms = {m: c for m, c in a.items() if m}
        while g > 1:
            small = {m: c for m, c in terms.items() if c % g}
            if len(small) < len(terms):
                low, high = self.naive(small)
                if low + offset % g >= 0 and high + offset % g < g:
                    rest = {m: c // g for m, c in terms.items() if m not in small}
                    return plus(rest, number(offset // g)), g
            g //= 2
        return a, 1

    def quotient(self, a, m):
        """floor(a / m); a step where it has two values."""
        low, high = (end // m for end in self.bounds(a))
        if high - low == 1:
            return plus(number(low), self.step(a, high * m))
        return self.floor(a, m)

    def square(self, a):
        """relu(a) * a."""
        return self._once(self._simple_square, "square", a)

    def _simple_square(self, a):
        low, high = self.bounds(a)
        if low == high or high <= 0:
            return number(max(low, 0) * low)
        atoms = [self.table.atoms[m[0]] for m in a if len(m) == 1]
        if len(atoms) == len(a) and all(x[0] == "bit" for x in atoms):
            weights = {x[3]: c for x, c in zip(atoms, a.values(), strict=True)}
            places = {x[1:3] for x in atoms}
            if len(places) == 1 and sorted(weights) == list(range(len(weights))):
                values = [0]
                for i in range(len(weights)):
                    values += [v + weights[i] for v in values]
                return self.part(*places.pop(), [max(v, 0) * v for v in values])
        return self.atom(("square", frozen(a)), 0, high * high)

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
        if low == high:
            return number(sum(w * max(0, s * low + o) for s, o, w in corners))
        level, slopes = 0, {low: 0}
        for sign, offset, weight in corners:
            at = -sign * offset
            level += weight * max(0, sign * low + offset)
            if sign > 0 and at < high:
                slopes[max(at, low)] = slopes.get(max(at, low), 0) + weight
            elif sign < 0 and at > low:
                slopes[low] -= weight
                if at < high:
                    slopes[at] = slopes.get(at, 0) + weight
        places = sorted(c for c, s in slopes.items() if s or c == low)
        segments, slope = [], 0
        for here, after in zip(places, [*places[1:], high], strict=True):
            slope += slopes[here]
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
            gaps = {b[0] - a[0] for a, b in zip(jumps, jumps[1:], strict=False)}
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
        if kind == "digit":
            return self.digit(*(self.under(dict(z), memo) for z in data))
        z = self.under(dict(data[0]), memo)
        if kind == "name":
            return {(i,): 1} if z == dict(data[0]) else self.named(z, self.table.ranges[i])
        if kind == "step":
            return self.step(z, data[1])
        return self.quotient(z, data[1]) if kind == "floor" else self.square(z)

    def opened(self, a):
        """The same with what names stand for, outside of other atoms."""
        if not self.table.names:
            return a

        def poly(i):
            kind, *data = self.table.atoms[i]
            return self.opened(dict(data[0])) if kind == "name" else {(i,): 1}

        return self.replaced(a, poly)
