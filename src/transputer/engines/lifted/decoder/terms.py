"""Simplified expressions, under what is known of their ranges.

Inside a block of steps all words are expressions on the words at its beginning (`word`) and on C
variables (`var`). Sums are linear forms, `lin`: weights of the parts, then a constant. Each form
exists once, so that equal indices are one object. Ranges come from the widths of words and from
conditions that were checked before; what they decide is not computed.
"""

from collections.abc import Callable, Mapping, Sequence
from math import gcd

from transputer.engines.lifted.decoder.expr import BITS, VALUE, Variable, WordExpr, num

Range = tuple[int, int]
#: All values of a C variable without a sign.
UNSIGNED = (0, 2**BITS - 1)
#: Kinds that are 0 or 1.
BOOLEAN = frozenset(("ge", "eq", "not", "matches"))
_SHIFTED = frozenset(("shl", "shr", "sar", "rotl", "rotr"))
#: Kinds whose value is a word; `data[0]` is its width in bits.
_WORDS = _SHIFTED | {"fadd", "fmul"}


def is_number(expr: WordExpr) -> bool:
    """Whether it is a number."""
    return expr.kind == "num"


class Terms:
    """Makes expressions; `ranges` is what is known, and changes on the way through a block."""

    def __init__(self, widths: Sequence[int]) -> None:
        self.widths = widths
        self.ranges: dict[WordExpr, Range] = {}
        self._lins: dict[tuple[frozenset[tuple[WordExpr, int]], int], WordExpr] = {}
        self._bounds: dict[WordExpr, Range] = {}

    # What is known

    def known(self) -> dict[WordExpr, Range]:
        """What is known, to come back to."""
        return dict(self.ranges)

    def forget(self, ranges: dict[WordExpr, Range]) -> None:
        """Back to what was known."""
        self.ranges, self._bounds = ranges, {}

    def narrow(self, expr: WordExpr, lo: int, hi: int) -> None:
        """An expression is known to be in a range."""
        low, high = self.bounds(expr)
        self.ranges[expr] = max(lo, low), min(hi, high)
        self._bounds = {}

    def bounds(self, expr: WordExpr) -> Range:
        """The lowest and the highest value it can have."""
        interval = self._bounds.get(expr)
        if interval is None:
            if expr.kind == "var" and expr in self.ranges:  # it may have a sign
                return self.ranges[expr]
            lo, hi = self._natural(expr)
            if expr in self.ranges:
                low, high = self.ranges[expr]
                lo, hi = max(lo, low), min(hi, high)
            interval = self._bounds[expr] = lo, hi
        return interval

    def _natural(self, expr: WordExpr) -> Range:
        kind, data = expr.kind, expr.data
        if kind == "num":
            return data[0], data[0]
        if kind == "word":
            return 0, (1 << self.widths[data[1]]) - 1
        if kind == "lin":
            return self._sum(expr)
        if kind in BOOLEAN:
            return 0, 1
        if kind in _WORDS:
            return 0, (1 << data[0]) - 1
        if kind in ("var", "across"):
            return UNSIGNED
        if kind in ("mod", "clamp"):
            return 0, data[0] - 1
        if kind == "digit":
            return 0, 255
        if kind == "field":
            return 0, (1 << data[1]) - 1
        if kind == "signed":
            return -(1 << data[0] - 1), (1 << data[0] - 1) - 1
        if kind == "table":
            return min(data), max(data)
        return self._combined(kind, data, [self.bounds(p) for p in expr.parts])

    def _combined(self, kind: str, data: tuple[int, ...], parts: list[Range]) -> Range:
        if kind == "sum":
            return sum(lo for lo, _ in parts), sum(hi for _, hi in parts)
        if kind == "scale":
            ends = [data[0] * end for end in parts[0]]
            return min(ends), max(ends)
        if kind == "ones":
            return 0, max(parts[0][1], 1).bit_length()
        if kind == "floor":
            return parts[0][0] // data[0], parts[0][1] // data[0]
        if kind == "square":
            return 0, max(parts[0][1], 0) ** 2
        if kind == "choose":
            return min(lo for lo, _ in parts[1:]), max(hi for _, hi in parts[1:])
        if kind == "zeros":
            return BITS - max(parts[0][1].bit_length(), 1), BITS - max(parts[0][0].bit_length(), 1)
        if kind == "product":
            ends = [a * b for a in parts[0] for b in parts[1]]
            return min(ends), max(ends)
        most = max(hi for _, hi in parts)
        return 0, min(hi for _, hi in parts) if kind == "and" else (1 << most.bit_length()) - 1

    def _sum(self, expr: WordExpr) -> Range:
        *weights, offset = expr.data
        lo = hi = offset
        for part, weight in zip(expr.parts, weights, strict=True):
            low, high = self.bounds(part)
            lo, hi = lo + min(weight * low, weight * high), hi + max(weight * low, weight * high)
        if offset:
            low, high = self.bounds(self.linear(dict(zip(expr.parts, weights, strict=True)), 0))
            lo, hi = max(lo, low + offset), min(hi, high + offset)
        return lo, hi

    def assume(self, condition: WordExpr, truth: bool = True) -> None:
        """A condition holds, or does not: what follows for ranges."""
        kind, parts, data = condition.kind, condition.parts, condition.data
        if kind == "not":
            self.assume(parts[0], not truth)
        elif kind == "product" and truth:
            self.assume(parts[0])
            self.assume(parts[1])
        elif kind == "ge":
            lo, hi = self.bounds(parts[0])
            self.narrow(parts[0], *((data[0], hi) if truth else (lo, data[0] - 1)))
        elif kind == "eq" and truth:
            self.narrow(parts[0], data[0], data[0])
        elif kind == "eq":
            lo, hi = self.bounds(parts[0])
            self.narrow(parts[0], lo + (lo == data[0]), hi - (hi == data[0]))
        elif kind == "matches" and len(parts) == 1:
            lo, hi = self.bounds(parts[0])
            if hi <= data[0] and data[0] & data[0] + 1 == 0:  # all bits are compared
                if truth:
                    self.narrow(parts[0], data[1], data[1])
                elif data[1] == lo:
                    self.narrow(parts[0], lo + 1, hi)
        elif kind not in ("num", "eq", "matches"):
            lo, hi = self.bounds(condition)
            if (lo, hi) == (0, 1):
                self.narrow(condition, int(truth), int(truth))

    # Making

    def split(self, expr: WordExpr) -> tuple[dict[WordExpr, int], int]:
        """A sum as weighted terms and a constant."""
        if expr.kind == "num":
            return {}, expr.data[0]
        if expr.kind == "lin":
            return dict(zip(expr.parts, expr.data[:-1], strict=True)), expr.data[-1]
        return {expr: 1}, 0

    def linear(self, terms: Mapping[WordExpr, int], offset: int) -> WordExpr:
        """A sum; no part of it is a sum."""
        weights = terms
        if not all(terms.values()):
            weights = {part: weight for part, weight in terms.items() if weight}
        if not weights:
            return num(offset)
        if len(weights) == 1:
            ((part, weight),) = weights.items()
            if (weight, offset) == (1, 0):
                return part
            if (weight, offset) == (-1, 1) and part.kind in BOOLEAN:
                return self.negated(part)
        key = frozenset(weights.items()), offset
        if key not in self._lins:
            self._lins[key] = WordExpr("lin", tuple(weights), (*weights.values(), offset))
        return self._lins[key]

    def plus(self, one: WordExpr, two: WordExpr, factor: int = 1) -> WordExpr:
        """one + factor * two."""
        terms, offset = self.split(one)
        more, extra = self.split(two)
        for part, weight in more.items():
            terms[part] = terms.get(part, 0) + factor * weight
        return self.linear(terms, offset + factor * extra)

    def reduced(self, expr: WordExpr) -> tuple[WordExpr, int]:
        """A sum divided by what its weights have in common, and that number.

        Its first term, in an order, weighs more than 0.
        """
        terms, offset = self.split(expr)
        if not terms:
            return expr, 1
        factor = gcd(*terms.values(), offset)
        if terms[min(terms, key=_rank)] < 0:
            factor = -factor
        return self.linear({p: w // factor for p, w in terms.items()}, offset // factor), factor

    def joined(self, expr: WordExpr) -> WordExpr:
        """A sum in which neighbouring bits of a word, with their weights, are one field."""
        terms, offset = self.split(expr)
        ends = {(p.parts[0], p.data[0]): p for p in terms if p.kind == "field"}
        for (word, at), part in sorted(ends.items(), key=lambda item: item[0][1], reverse=True):
            more = ends.get((word, at + part.data[1]))
            if more is not None and terms[more] == terms[part] << part.data[1]:
                weight = terms.pop(part)
                del terms[more]
                part = self.field(word, at, part.data[1] + more.data[1])
                terms[part] = terms.get(part, 0) + weight
                ends[word, at] = part
        return self.linear(terms, offset)

    def negated(self, condition: WordExpr) -> WordExpr:
        """1 - condition."""
        if condition.kind == "num":
            return num(1 - condition.data[0])
        return condition.parts[0] if condition.kind == "not" else WordExpr("not", (condition,))

    def at_least(self, expr: WordExpr, bound: int) -> WordExpr:
        """[expr >= bound]; the first term of what is compared, in an order, weighs more than 0."""
        lo, hi = self.bounds(expr)
        if lo >= bound or hi < bound:
            return num(int(lo >= bound))
        terms, offset = self.split(expr)
        factor = gcd(*terms.values())
        if terms[min(terms, key=_rank)] < 0:  # -z >= b is not z >= 1 - b
            inner = self.linear({p: -w // factor for p, w in terms.items()}, 0)
            return self.negated(self._at_least(inner, (offset - bound) // factor + 1))
        inner = self.linear({p: w // factor for p, w in terms.items()}, 0)
        return self._at_least(inner, -((offset - bound) // factor))

    def _at_least(self, inner: WordExpr, bound: int) -> WordExpr:
        lo, hi = self.bounds(inner)
        if lo >= bound or hi < bound:
            return num(int(lo >= bound))
        if inner.kind in BOOLEAN:
            return inner
        return WordExpr("ge", (inner,), (bound,))

    def equal(self, expr: WordExpr, number: int) -> WordExpr:
        """[expr == number]."""
        lo, hi = self.bounds(expr)
        if lo == hi or not lo <= number <= hi:
            return num(int(lo == hi == number))
        terms, offset = self.split(expr)
        sign = -1 if terms[min(terms, key=_rank)] < 0 else 1
        inner = self.linear({p: sign * w for p, w in terms.items()}, 0)
        return WordExpr("eq", (inner,), (sign * (number - offset),))

    def again(self, condition: WordExpr) -> WordExpr:
        """Simplify a condition again, with what is known now."""
        if condition.kind == "not":
            return self.negated(self.again(condition.parts[0]))
        if condition.kind in ("ge", "eq", "matches"):
            return self.made(condition.kind, [*condition.parts], condition.data)
        return condition

    def remainder(self, expr: WordExpr, modulus: int) -> WordExpr:
        """expr mod modulus."""
        lo, hi = self.bounds(expr)
        if lo // modulus == hi // modulus:
            return self.plus(expr, num(lo // modulus * modulus), -1)
        terms, offset = self.split(expr)
        near = {p: _near(w, modulus) for p, w in terms.items()}
        value = self.linear(near, _near(offset, modulus))
        if value is not expr:
            return self.remainder(value, modulus)
        return WordExpr("mod", (value,), (modulus,))

    def field(self, expr: WordExpr, at: int, count: int) -> WordExpr:
        """`count` bits from bit `at` on."""
        lo, hi = self.bounds(expr)
        if lo >= 0 and hi < 1 << at:
            return num(0)
        if not at and lo >= 0 and hi < 1 << count:
            return expr
        if expr.kind == "field":
            first, more = expr.data
            return self.field(expr.parts[0], first + at, min(count, more - at))
        return WordExpr("field", (expr,), (at, count))

    def product(self, one: WordExpr, two: WordExpr) -> WordExpr:
        """one * two."""
        for a, b in ((one, two), (two, one)):
            if a.kind == "num":
                terms, offset = self.split(b)
                factor = a.data[0]
                return self.linear({p: factor * w for p, w in terms.items()}, factor * offset)
        return one if one is two and one.kind in BOOLEAN else WordExpr("product", (one, two))

    def under(
        self, expr: WordExpr, env: Callable[[Variable], WordExpr], memo: dict[WordExpr, WordExpr]
    ) -> WordExpr:
        """An expression of a row with what its words are filled in."""
        result = memo.get(expr)
        if result is None:
            if expr.kind == "word":
                result = env((expr.data[0], expr.data[1]))
            elif expr.kind == "num":
                result = expr
            else:
                parts = [memo.get(p) or self.under(p, env, memo) for p in expr.parts]
                result = self.made(expr.kind, parts, expr.data)
            memo[expr] = result
        return result

    def made(self, kind: str, parts: list[WordExpr], data: tuple[int, ...]) -> WordExpr:
        """Simplify an expression whose parts are simple."""
        for part in parts:
            if part.kind != "num":
                simple = _SIMPLE.get(kind)
                return simple(self, parts, data) if simple else WordExpr(kind, tuple(parts), data)
        return num(VALUE[kind]([p.data[0] for p in parts], data))

    def _clamped(self, expr: WordExpr, size: int) -> WordExpr:
        lo, hi = self.bounds(expr)
        if lo >= 0 and hi < size:
            return expr
        if hi <= 0 or lo >= size - 1:
            return num(0 if hi <= 0 else size - 1)
        return WordExpr("clamp", (expr,), (size,))

    def _matched(self, parts: list[WordExpr], data: tuple[int, ...]) -> WordExpr:
        left: list[WordExpr] = []
        masks: list[int] = []
        for part, mask, value in zip(parts, data[::2], data[1::2], strict=True):
            lo, hi = self.bounds(part)
            if lo == hi:
                if lo & mask != value:
                    return num(0)
                continue
            if hi <= mask and mask & mask + 1 == 0 and not lo <= value <= hi:
                return num(0)
            left.append(part)
            masks += [mask, value]
        if not left:
            return num(1)
        if len(left) == 1 and left[0].kind in BOOLEAN and masks[0] & 1:
            return left[0] if masks[1] else self.negated(left[0])
        return WordExpr("matches", tuple(left), tuple(masks))

    def _summed(self, parts: list[WordExpr]) -> WordExpr:
        terms: dict[WordExpr, int] = {}
        offset = 0
        for part in parts:
            more, extra = self.split(part)
            offset += extra
            for p, w in more.items():
                terms[p] = terms.get(p, 0) + w
        return self.linear(terms, offset)

    def _shifted(self, kind: str, parts: list[WordExpr], width: int) -> WordExpr:
        """A word shifted, by a number that may be known."""
        word, amount = parts
        if amount.kind == "num" and width == BITS and kind in ("shl", "shr"):
            by = amount.data[0] % BITS
            if kind == "shr":
                return self.field(word, by, BITS - by)
            return self.remainder(self.product(num(1 << by), word), 1 << BITS)
        return WordExpr(kind, tuple(parts), (width,))

    def _chosen(self, condition: WordExpr, yes: WordExpr, no: WordExpr) -> WordExpr:
        """`yes` where a condition holds, else `no`."""
        lo, hi = self.bounds(condition)
        if lo == hi or yes is no:
            return yes if lo else no
        if condition.kind == "not":
            return self._chosen(condition.parts[0], no, yes)
        return WordExpr("choose", (condition, yes, no))

    def _floored(self, expr: WordExpr, divisor: int) -> WordExpr:
        lo, hi = self.bounds(expr)
        if lo // divisor == hi // divisor:
            return num(lo // divisor)
        return WordExpr("floor", (expr,), (divisor,))


def _rank(expr: WordExpr) -> tuple[object, ...]:
    """An order of terms that does not depend on when they were created."""
    return expr.kind, len(expr.parts), expr.data, tuple(_rank(p) for p in expr.parts)


def _near(weight: int, modulus: int) -> int:
    """The same modulo, nearest to 0."""
    rest = weight % modulus
    return rest - modulus if 2 * rest > modulus else rest


_Simple = Callable[[Terms, list[WordExpr], tuple[int, ...]], WordExpr]
_SIMPLE: dict[str, _Simple] = {
    "sum": lambda t, p, d: t._summed(p),
    "scale": lambda t, p, d: t.product(num(d[0]), p[0]),
    "product": lambda t, p, d: t.product(p[0], p[1]),
    "ge": lambda t, p, d: t.at_least(p[0], d[0]),
    "eq": lambda t, p, d: t.equal(p[0], d[0]),
    "not": lambda t, p, d: t.negated(p[0]),
    "mod": lambda t, p, d: t.remainder(p[0], d[0]),
    "field": lambda t, p, d: t.field(p[0], d[0], d[1]),
    "clamp": lambda t, p, d: t._clamped(p[0], d[0]),
    "matches": lambda t, p, d: t._matched(p, d),
    "floor": lambda t, p, d: t._floored(p[0], d[0]),
    "choose": lambda t, p, d: t._chosen(*p),
    "shl": lambda t, p, d: t._shifted("shl", p, d[0]),
    "shr": lambda t, p, d: t._shifted("shr", p, d[0]),
}
