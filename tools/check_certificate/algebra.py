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
MOST_BITS = 80  # of a conjunction


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


def number(n):
    return {(): n} if n else {}


def is_number(a):
    return not a or (len(a) == 1 and () in a)


def frozen(a):
    return tuple(sorted(a.items()))


class Atoms:
    """The atoms of a row, their ranges and, in rows with names, their points."""

    def __init__(self, names=False):
        self.atoms, self.numbers, self.ranges, self.work = [], {}, [], 0
        self.conjunctions = {}  # [all of these bits are as they have to be], by bits and signs
        self.names, self.points, self.by_value, self.results = names, [], {}, {}

    def get(self, atom, low, high):
        i = self.numbers.get(atom)
        if i is None:
            i = self.numbers[atom] = len(self.atoms)
            self.atoms.append(atom)
            self.ranges.append((low, high))
            if self.names:
                self.points.append(self._point(*atom))
                if atom[0] != "name":
                    self.by_value[self.points[i][0]] = i
        return i

    def _point(self, kind, *data):
        if kind in ("bit", "table"):
            return self.result((kind, *data))
        points = [self.at(dict(z)) for z in data if isinstance(z, tuple)]
        if kind == "name":
            return points[0]
        if kind == "step":
            return self.step(points[0], data[1])
        numbers = [n for n in data if not isinstance(n, tuple)]
        return self.result((kind, *(p[0] for p in points), *numbers))

    def at(self, poly):
        """The point of a poly."""
        terms = []
        for monomial, c in poly.items():
            product = constant(1)
            for i in monomial:
                product = multiplied(product, self.points[i])
            terms.append((c, product))
        return total(terms)

    def result(self, key, results=()):
        """The point of the function with this key: as simplified before, or a new variable."""
        if key in results:
            return results[key]
        if key not in self.results:
            self.results[key] = variable()
        return self.results[key]

    def step(self, point, bound, results=()):
        key, turned = step_key(point, bound)
        value = self.result(key, results)
        return opposite(value) if turned else value


class Algebra:
    """Arithmetic under assumptions: `decided` atoms, and the ranges of forms that follow."""

    def __init__(self, table, decided=()):
        self.table, self.decided, self.known = table, dict(decided), {}
        self.results = {} if self.decided else table.results  # what functions simplify to
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
        total = {}
        for monomial, c in a.items():
            rest = []
            for i in monomial:
                value = self.decision(i)
                if value is None:
                    rest.append(i)
                else:
                    c *= value
            if c:
                total[tuple(rest)] = total.get(tuple(rest), 0) + c
        return {m: c for m, c in total.items() if c}

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
        total = number(values[0])
        for i, slope in enumerate(slopes):
            if slope:
                total = plus(total, self.bit(source, part, i), slope)
        return total

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
        lone = {m[0] for m in a if len(m) == 1}
        stairs = self._stairs(a, lone)
        if stairs:
            intervals.append(stairs)
        for i in lone:
            kind, *data = self.table.atoms[i]
            if kind == "floor" and a[i,] < 0 and a[i,] % data[1] == 0:
                # 0 <= x - m floor(x / m) < m
                q = -a[i,] // data[1]
                rest = {m: c for m, c in a.items() if m != (i,)}
                low, high = self.bounds(plus(rest, dict(data[0]), -q))
                intervals.append((low, high + q * (data[1] - 1)))
            elif kind == "step":
                intervals.append(self._beside(a, i, data))
        for z, interval in self.known.items():
            q, r = divmod(a.get(z[0][0], 0), z[0][1])
            if q and not r and all(a.get(m) == q * c for m, c in z):
                low, high = self.naive({m: c for m, c in a.items() if m not in dict(z)})
                ends = sorted(q * end for end in interval)
                intervals.append((low + ends[0], high + ends[1]))
        return max(low for low, _ in intervals), min(high for _, high in intervals)

    def _beside(self, a, i, data):
        """Bounds of q z + c [z >= k] + others: the two cases of the step."""
        z, bound = dict(data[0]), data[1]
        q, r = divmod(a.get(data[0][0][0], 0), data[0][0][1])
        if not q or r or any(a.get(m) != q * w for m, w in z.items()):
            return self.naive(a)
        low, high = self.naive({m: w for m, w in a.items() if m not in z and m != (i,)})
        least, most = self.naive(z)
        values = [q * least, q * (bound - 1), q * bound + a[i,], q * most + a[i,]]
        return low + min(values), high + max(values)

    def _stairs(self, a, lone):
        """Bounds of a sum in which steps of one form are taken one after the other."""
        stairs = {}
        for i in lone:
            if self.table.atoms[i][0] == "step":
                stairs.setdefault(self.table.atoms[i][1], []).append((self.table.atoms[i][2], i))
        if all(len(steps) == 1 for steps in stairs.values()):
            return None
        low, high = self.naive(
            {m: c for m, c in a.items() if m not in {(i,) for s in stairs.values() for _, i in s}}
        )
        for steps in stairs.values():
            levels = [0]
            for _, i in sorted(steps):
                levels.append(levels[-1] + a[i,])
            low, high = low + min(levels), high + max(levels)
        return low, high

    # Steps and floors

    def canonical(self, a):
        """z, sign, factor, offset with a == sign * factor * z + offset."""
        items = sorted((m, c) for m, c in a.items() if m)
        factor = gcd(*(c for _, c in items)) or 1
        sign = 1 if not items or items[0][1] > 0 else -1
        return tuple((m, sign * c // factor) for m, c in items), sign, factor, a.get((), 0)

    def _note(self, kind, forms, numbers, result):
        """Remember what a function was simplified to, for formulas that have it as it was."""
        if self.table.names:
            points, simple = [self.table.at(form) for form in forms], self.table.at(result)
            key, turned = (kind, *(p[0] for p in points), *numbers), False
            if kind == "step":
                key, turned = step_key(points[0], *numbers)
            self.results.setdefault(key, opposite(simple) if turned else simple)
        return result

    def step(self, a, bound):
        """[a >= bound]."""
        return self._note("step", [a], [bound], self._simple_step(a, bound))

    def _simple_step(self, a, bound):
        low, high = self.bounds(a)
        if low >= bound or high < bound:
            return number(int(low >= bound))
        whole = self._unfloored(a)
        if whole:  # y + floor(x / m) >= b where m y + x >= m b
            return self.step(whole[0], whole[1] * bound)
        z, sign, factor, offset = self.canonical(a)
        if sign > 0:
            return self._step(z, -((offset - bound) // factor))
        return plus(number(1), self._step(z, (offset - bound) // factor + 1), -1)

    def _unfloored(self, a):
        """m y + x and m, if a == y + floor(x / m) with one floor, or with one step as a floor."""
        atoms = self.table.atoms
        carries = [m for m in a if any(atoms[i][0] in ("step", "floor") for i in m)]
        if len(carries) != 1 or len(carries[0]) != 1 or abs(a[carries[0]]) != 1 or len(a) < 2:
            return None
        (kind, z, k), c = atoms[carries[0][0]], a[carries[0]]
        rest = {m: w for m, w in a.items() if m != carries[0]}
        if is_number(rest):
            return None
        if kind == "floor":
            return (plus(scaled(rest, k), dict(z)), k) if c > 0 else None
        z = dict(z)
        if c < 0:  # -[z >= k] == [-z >= 1 - k] - 1
            rest, z, k = plus(rest, number(-1)), scaled(z, -1), 1 - k
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
        return self._note("floor", [a], [m], self._simple_floor(a, m))

    def _simple_floor(self, a, m):
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
        return self._note("square", [a], [], self._simple_square(a))

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
        total = {}
        for monomial, c in a.items():
            product = {(): c}
            for i in monomial:
                if i not in memo:
                    memo[i] = self._under(i, memo)
                product = self.times(product, memo[i])
            for m, d in product.items():
                total[m] = total.get(m, 0) + d
        return {m: c for m, c in total.items() if c}

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
        total = {}
        for monomial, c in a.items():
            product = {(): c}
            for i in monomial:
                atom = self.table.atoms[i]
                product = self.times(
                    product, self.opened(dict(atom[1])) if atom[0] == "name" else {(i,): 1}
                )
            total = plus(total, product)
        return total
