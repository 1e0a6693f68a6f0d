"""Simple expressions in C.

`word` prints an expression modulo 2^32, as a `uint32_t`; `exact` prints it as an `int64_t`; `test`
prints a condition. Words of the block's beginning are `w0`, `w1`, ..; C variables `v0`, `v1`, ..
"""

from transputer.engines.lifted.decoder.expr import WordExpr
from transputer.engines.lifted.decoder.terms import BOOLEAN, UNSIGNED, Terms

_MASK = 2**32 - 1
_WORDS = {
    "and": "({0} & {1})",
    "or": "({0} | {1})",
    "xor": "({0} ^ {1})",
    "product": "({0} * {1})",
    "shl": "({0} << ({1} & 31))",
    "shr": "({0} >> ({1} & 31))",
    "sar": "((uint32_t)((int32_t){0} >> ({1} & 31)))",
    "rotl": "ROTL({0}, {1})",
    "rotr": "ROTL({0}, -{1})",
    "ones": "__builtin_popcount({0})",
}


class Printer:
    """Prints expressions. `used` are the words that occurred, `tables` those of the file."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.used: set[int] = set()
        self.wide: set[WordExpr] = set()  # C variables with a sign
        self.tables: dict[tuple[int, ...], str] = {}

    def fits(self, expr: WordExpr) -> bool:
        """Whether it is a number without a sign in 32 bits."""
        lo, hi = self.terms.bounds(expr)
        return lo >= 0 and hi <= UNSIGNED[1]

    def word(self, expr: WordExpr) -> str:
        """Modulo 2^32."""
        kind, data, parts = expr.kind, expr.data, expr.parts
        if kind == "num":
            return f"{data[0] & _MASK}u"
        if kind == "word":
            self.used.add(data[1])
            return f"w{data[1]}"
        if kind == "var":
            return f"(uint32_t)v{data[0]}" if expr in self.wide else f"v{data[0]}"
        if kind == "lin":
            return self._sum(expr)
        if kind in _WORDS:
            return _WORDS[kind].format(*map(self.word, parts))
        if kind == "mod" and data[0] & data[0] - 1 == 0:
            inner = self.word(parts[0])
            return inner if data[0] == 2**32 else f"({inner} & {data[0] - 1}u)"
        if kind == "field" and data[0] + data[1] <= 32:
            return self._field(self.word(parts[0]), *data)
        if kind in BOOLEAN:
            return f"({self.test(expr)})"
        if kind == "signed" and data[0] == 32:
            return self.word(parts[0])
        return f"(uint32_t){self.exact(expr)}"

    def _field(self, inner: str, at: int, count: int) -> str:
        moved = f"({inner} >> {at})" if at else inner
        return moved if at + count == 32 else f"({moved} & {(1 << count) - 1}u)"

    def _sum(self, expr: WordExpr) -> str:
        *weights, offset = expr.data
        text = ""
        pairs = sorted(zip(expr.parts, weights, strict=True), key=lambda pair: pair[1] < 0)
        for part, weight in pairs:
            size = "" if abs(weight) == 1 else f"{abs(weight) & _MASK}u * "
            text += f" {'-' if weight < 0 else '+'} {size}{self.word(part)}"
        if offset:
            text += f" {'-' if offset < 0 else '+'} {abs(offset) & _MASK}u"
        return f"({text[3:] if text.startswith(' +') else '0u' + text})"

    def exact(self, expr: WordExpr) -> str:
        """As it is."""
        kind, data, parts = expr.kind, expr.data, expr.parts
        if kind == "num":
            return number(data[0])
        if kind == "var" and expr in self.wide:
            return f"v{data[0]}"
        if kind == "floor":
            return f"floor_({self.exact(parts[0])}, {number(data[0])})"
        if kind == "clamp":
            return f"clamp_({self.exact(parts[0])}, {data[0] - 1})"
        if kind == "square":
            return f"square_({self.exact(parts[0])})"
        if kind == "table":
            name = self.tables.setdefault(data, f"T{len(self.tables)}")
            return f"{name}[{self.word(parts[0])}]"
        if kind == "mod" and data[0] & data[0] - 1:
            return f"mod_({self.exact(parts[0])}, {number(data[0])})"
        if kind == "signed":
            return (
                f"((int64_t)((uint64_t){self.word(parts[0])} << {64 - data[0]}) >> {64 - data[0]})"
            )
        if self.fits(expr):
            return f"(int64_t){self.word(expr)}"
        if kind == "lin":
            *weights, offset = data
            terms = [
                self.exact(p) if w == 1 else f"{number(w)} * {self.exact(p)}"
                for p, w in zip(parts, weights, strict=True)
            ]
            return f"({' + '.join([*terms, *([number(offset)] if offset else [])])})"
        if kind == "product":
            return f"({self.exact(parts[0])} * {self.exact(parts[1])})"
        raise AssertionError(f"no C for {kind}")

    def test(self, expr: WordExpr) -> str:
        """As a condition."""
        kind, data, parts = expr.kind, expr.data, expr.parts
        if kind == "not":
            if parts[0].kind == "ge":
                return self._compared(parts[0], ("<", "<="))
            if parts[0].kind == "eq":
                return self._compared(parts[0], ("!=", ""))
            return f"!({self.test(parts[0])})"
        if kind == "ge":
            return self._compared(expr, (">=", ">"))
        if kind == "eq":
            return self._compared(expr, ("==", ""))
        if kind == "matches":
            tests = []
            for part, mask, value in zip(parts, data[::2], data[1::2], strict=True):
                whole = self.fits(part) and self.terms.bounds(part)[1] <= mask
                whole = whole and mask & mask + 1 == 0
                text = self.word(part) if whole else f"({self.word(part)} & {mask}u)"
                tests.append(f"{text} == {value}u")
            return " && ".join(tests)
        if kind == "product" and self.terms.bounds(expr) == (0, 1):
            return f"({self.test(parts[0])}) && ({self.test(parts[1])})"
        return f"{self.word(expr)} != 0"

    def _compared(self, expr: WordExpr, signs: tuple[str, str]) -> str:
        """z compared with a bound; where it is a - b, a comparison of the two.

        The second sign compares a with b where the first compares a - b with 1.
        """
        (inner,), (bound,) = expr.parts, expr.data
        terms, _ = self.terms.split(inner)
        weights = sorted(terms.values())
        if weights == [-1, 1] and (bound == 0 or (bound == 1 and signs[1])):  # a - b >= 0, or > 0
            plus, minus = (next(p for p, w in terms.items() if w == s) for s in (1, -1))
            pair = self._same_sign(plus, minus)
            if pair is not None:
                return f"{pair[0]} {signs[bound]} {pair[1]}"
        if self.fits(inner) and 0 <= bound <= _MASK:
            return f"{self.word(inner)} {signs[0]} {bound}u"
        return f"{self.exact(inner)} {signs[0]} {number(bound)}"

    def _same_sign(self, one: WordExpr, two: WordExpr) -> tuple[str, str] | None:
        """Two operands that may be compared as words, or as words with a sign."""
        if self.fits(one) and self.fits(two):
            return self.word(one), self.word(two)
        if one.kind == two.kind == "signed" and one.data == two.data == (32,):
            first, second = (f"(int32_t){self.word(e.parts[0])}" for e in (one, two))
            return first, second
        return None


def number(value: int) -> str:
    """A number in C."""
    return str(value) if abs(value) < 2**31 else f"INT64_C({value})"
