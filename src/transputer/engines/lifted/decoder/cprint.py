"""Simple expressions in C.

`word` prints an expression modulo 2^64, as a `uint64_t`; `exact` prints it as a number with a
sign, an `int64_t` or, where that may be too short, an `i128`; `test` prints a condition. Words of
the block's beginning are `w0`, `w1`, ..; C variables `v0`, `v1`, ..
"""

from collections.abc import Mapping

from transputer.engines.lifted.decoder.expr import BITS, WordExpr
from transputer.engines.lifted.decoder.terms import BOOLEAN, UNSIGNED, Terms

_MASK = 2**BITS - 1
_LONG = 2**63 - 1
_WORDS = {
    "and": "({0} & {1})",
    "or": "({0} | {1})",
    "xor": "({0} ^ {1})",
    "product": "({0} * {1})",
    "ones": "(uint64_t)__builtin_popcountll({0})",
    "across": "ACROSS({0}, {1}, {2})",
    "zeros": "(uint64_t)__builtin_clzll({0} | 1)",
}
#: Shifts and rotations of words of W bits by an amount modulo W.
_SHIFTS = {
    "shl": "(uint64_t)((uint{2}_t){0} << ({1} & {3}))",
    "shr": "(uint64_t)((uint{2}_t){0} >> ({1} & {3}))",
    "sar": "(uint64_t)(uint{2}_t)((int{2}_t){0} >> ({1} & {3}))",
    "rotl": "ROTL{2}((uint{2}_t){0}, {1})",
    "rotr": "ROTL{2}((uint{2}_t){0}, -{1})",
}

#: Operations on words that are floats.
FLOATING = {"fadd": "+", "fmul": "*"}
#: What a file of C with them has besides: they round to nearest as they are, whatever this thread
#: does otherwise. `ieee` sets that, and returns what was; `as_before` takes it.
FLOATS = """\
#pragma STDC FP_CONTRACT OFF
#define FLOATS(B, T) \\
    static inline T float##B(uint64_t x) \\
    { union { uint##B##_t w; T f; } u; u.w = (uint##B##_t)x; return u.f; } \\
    static inline uint64_t word##B(T x) \\
    { union { uint##B##_t w; T f; } u; u.f = x; return u.w; }
FLOATS(32, float)
FLOATS(64, double)
#if defined(__x86_64__)
static inline uint64_t ieee(void) {
    uint32_t before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    return before;
}
static inline void as_before(uint64_t x) { __builtin_ia32_ldmxcsr((uint32_t)x); }
#elif defined(__aarch64__)
static inline uint64_t ieee(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr\\n\\tmsr fpcr, xzr" : "=&r"(before) : : "memory");
    return before;
}
static inline void as_before(uint64_t x) { __asm__ volatile("msr fpcr, %0" : : "r"(x) : "memory"); }
#else
#error "floats of IEEE 754 are not known here"
#endif
"""

#: What every file of C begins with.
HEAD = """\
#include <stdint.h>
typedef __int128 i128;
#define ROTL32(x, k) (uint64_t)(uint32_t)(((x) << ((k) & 31)) | ((x) >> (-(k) & 31)))
#define ROTL64(x, k) (((x) << ((k) & 63)) | ((x) >> (-(k) & 63)))
#define ACROSS(x, y, k) (uint64_t)(((unsigned __int128)(y) << 64 | (x)) >> ((k) & 63))
#define OPERATIONS(T, S) \\
    static inline T floor##S(T z, T m) { return z / m - (z % m < 0); } \\
    static inline T mod##S(T z, T m) { return z - floor##S(z, m) * m; } \\
    static inline T clamp##S(T z, T top) { return z < 0 ? 0 : z > top ? top : z; } \\
    static inline T square##S(T z) { return z < 0 ? 0 : z * z; }
OPERATIONS(int64_t, _)
OPERATIONS(i128, 128_)
static inline int64_t digit_(int64_t x, int64_t d, int64_t c) {
    if (!c) return x < 0 ? 0 : d && x / d < 255 ? x / d : 255;
    int64_t low = 0, high = 255;
    while (low < high) {
        int64_t v = (low + high + 1) / 2;
        if (x >= v * d + v * v * c) low = v;
        else high = v - 1;
    }
    return low;
}
"""


class Printer:
    """Prints expressions. `used` are the words that occurred, `tables` those of the file."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.used: set[int] = set()
        self.wide: set[WordExpr] = set()  # C variables with a sign
        self.tables: dict[tuple[int, ...], str] = {}
        self.floats = False  # whether there were operations on them

    def fits(self, expr: WordExpr) -> bool:
        """Whether it is a number without a sign in 64 bits."""
        lo, hi = self.terms.bounds(expr)
        return lo >= 0 and hi <= UNSIGNED[1]

    def short(self, expr: WordExpr) -> bool:
        """Whether it is a number with a sign in 64 bits, and its terms are."""
        if expr.kind == "lin":
            *weights, offset = expr.data
            sizes = (abs(w) * self._size(p) for p, w in zip(expr.parts, weights, strict=True))
            return abs(offset) + sum(sizes) <= _LONG and all(map(self.short, expr.parts))
        if expr.kind == "product":
            one, two = expr.parts
            return (
                self._size(one) * self._size(two) <= _LONG and self.short(one) and self.short(two)
            )
        return self._size(expr) <= _LONG

    def _size(self, expr: WordExpr) -> int:
        lo, hi = self.terms.bounds(expr)
        return max(-lo, hi)

    def type_of(self, expr: WordExpr) -> str:
        """The type that `exact` prints."""
        return "int64_t" if self.short(expr) else "i128"

    def word(self, expr: WordExpr) -> str:
        """Modulo 2^64."""
        kind, data, parts = expr.kind, expr.data, expr.parts
        if kind == "num":
            return unsigned(data[0])
        if kind == "word":
            self.used.add(data[1])
            return f"w{data[1]}"
        if kind == "var":
            return f"(uint64_t)v{data[0]}" if expr in self.wide else f"v{data[0]}"
        if kind == "lin":
            return self._sum(expr)
        if kind in _WORDS:
            return _WORDS[kind].format(*map(self.word, parts))
        if kind in FLOATING:
            self.floats = True
            one, two = (f"float{data[0]}({self.word(part)})" for part in parts)
            return f"word{data[0]}({one} {FLOATING[kind]} {two})"
        if kind in _SHIFTS:
            return _SHIFTS[kind].format(*map(self.word, parts), data[0], data[0] - 1)
        if kind == "mod" and data[0] & data[0] - 1 == 0:
            inner = self.word(parts[0])
            return inner if data[0] == 2**BITS else f"({inner} & {unsigned(data[0] - 1)})"
        if kind == "field" and data[0] + data[1] <= BITS:
            return self._field(self.word(parts[0]), *data)
        if kind in BOOLEAN:
            return f"(uint64_t)({self.test(expr)})"
        if kind == "choose":
            return f"({self.test(parts[0])} ? {self.word(parts[1])} : {self.word(parts[2])})"
        if kind == "signed" and data[0] == BITS:
            return self.word(parts[0])
        return f"(uint64_t){self.exact(expr)}"

    def _field(self, inner: str, at: int, count: int) -> str:
        moved = f"({inner} >> {at})" if at else inner
        return moved if at + count == BITS else f"({moved} & {unsigned((1 << count) - 1)})"

    def _sum(self, expr: WordExpr) -> str:
        *weights, offset = expr.data
        text = ""
        terms = whole_words(dict(zip(expr.parts, weights, strict=True)))
        for part, weight in sorted(terms.items(), key=lambda pair: pair[1] < 0):
            size = "" if abs(weight) == 1 else f"{unsigned(abs(weight))} * "
            text += f" {'-' if weight < 0 else '+'} {size}{self.word(part)}"
        if offset:
            text += f" {'-' if offset < 0 else '+'} {unsigned(abs(offset))}"
        return f"({text[3:] if text.startswith(' +') else unsigned(0) + text})"

    def exact(self, expr: WordExpr) -> str:
        """As it is."""
        kind, data, parts = expr.kind, expr.data, expr.parts
        if kind == "num":
            return number(data[0])
        if kind == "var" and expr in self.wide:
            return f"v{data[0]}"
        if kind == "floor" and data[0] & data[0] - 1 == 0:  # a shift keeps the sign
            return f"({self.exact(parts[0])} >> {data[0].bit_length() - 1})"
        if kind in ("floor", "clamp", "square", "mod") and not (
            kind == "mod" and data[0] & data[0] - 1 == 0 and self.fits(expr)
        ):
            long = "" if self.short(parts[0]) and self.short(expr) else "128"
            more = {"clamp": [data[0] - 1], "square": []}.get(kind, [*data])
            inner = ", ".join([self.exact(parts[0]), *map(number, more)])
            return f"{kind}{long}_({inner})"
        if kind == "table":
            name = self.tables.setdefault(data, f"T{len(self.tables)}")
            return f"{name}[{self.word(parts[0])}]"
        if kind == "digit":
            return f"digit_({', '.join(map(self.exact, parts))})"
        if kind == "signed":
            return (
                f"((int64_t)((uint64_t){self.word(parts[0])} << {64 - data[0]}) >> {64 - data[0]})"
            )
        if self.fits(expr):
            return (
                f"({self.type_of(expr) if self._size(expr) <= _LONG else 'i128'}){self.word(expr)}"
            )
        cast = "" if self.short(expr) else "(i128)"
        if kind == "lin":
            *weights, offset = data
            pairs = signed_terms(dict(zip(parts, weights, strict=True)))
            terms = [
                f"{cast}{self.exact(p)}" if w == 1 else f"{cast}{number(w)} * {self.exact(p)}"
                for p, w in pairs.items()
            ]
            return f"({' + '.join([*terms, *([number(offset)] if offset else [])])})"
        if kind == "product":
            return f"({cast}{self.exact(parts[0])} * {self.exact(parts[1])})"
        if kind == "choose":
            sides = " : ".join(f"{cast}{self.exact(p)}" for p in parts[1:])
            return f"({self.test(parts[0])} ? {sides})"
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
                text = self.word(part) if whole else f"({self.word(part)} & {unsigned(mask)})"
                tests.append(f"{text} == {unsigned(value)}")
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
        terms = signed_terms(terms)
        weights = sorted(terms.values())
        if weights == [-1, 1] and (bound == 0 or (bound == 1 and signs[1])):  # a - b >= 0, or > 0
            plus, minus = (next(p for p, w in terms.items() if w == s) for s in (1, -1))
            pair = self._same_sign(plus, minus)
            if pair is not None:
                return f"{pair[0]} {signs[bound]} {pair[1]}"
        if self.fits(inner) and 0 <= bound <= _MASK:
            return f"{self.word(inner)} {signs[0]} {unsigned(bound)}"
        return f"{self.exact(inner)} {signs[0]} {number(bound)}"

    def _same_sign(self, one: WordExpr, two: WordExpr) -> tuple[str, str] | None:
        """Two operands that may be compared as words, or as words with a sign."""
        if self.fits(one) and self.fits(two):
            return self.word(one), self.word(two)
        if one.kind == two.kind == "signed" and one.data == two.data and one.data[0] in (32, 64):
            first, second = (f"(int{one.data[0]}_t){self.word(e.parts[0])}" for e in (one, two))
            return first, second
        return None


def signed_terms(terms: Mapping[WordExpr, int]) -> dict[WordExpr, int]:
    """A sum in which all bits of a word but the last, less the last, are the word with a sign."""
    result = dict(terms)
    for part, weight in terms.items():
        if part.kind != "field" or part.data[0] or part.data[1] + 1 not in (32, 64):
            continue
        bits = part.data[1]
        last = WordExpr("field", part.parts, (bits, 1))
        if result.get(last) == -weight << bits:
            del result[last], result[part]
            result[WordExpr("signed", part.parts, (bits + 1,))] = weight
    return result


def whole_words(terms: Mapping[WordExpr, int]) -> dict[WordExpr, int]:
    """A sum modulo 2^64, with words and products of words instead of those of all their bytes."""
    result = dict(terms)
    by_pair: dict[tuple[WordExpr, WordExpr], dict[tuple[int, int], WordExpr]] = {}
    by_word: dict[WordExpr, dict[int, WordExpr]] = {}
    for part in terms:
        fields = part.parts if part.kind == "product" else (part,)
        if any(f.kind != "field" or f.data[1] != 8 or f.data[0] % 8 for f in fields):
            continue
        places = [f.data[0] // 8 for f in fields]
        words = [f.parts[0] for f in fields]
        if len(fields) == 1:
            by_word.setdefault(words[0], {})[places[0]] = part
        elif (words[1], words[0]) in by_pair and words[0] is not words[1]:
            by_pair[words[1], words[0]][places[1], places[0]] = part
        else:
            by_pair.setdefault((words[0], words[1]), {})[places[0], places[1]] = part
    for word, places_of in by_word.items():
        first = terms.get(places_of.get(0, word), 0)
        if all(
            i in places_of and (terms[places_of[i]] - (first << 8 * i)) % 2**BITS == 0
            for i in range(BITS // 8)
        ):
            for part in places_of.values():
                del result[part]
            result[word] = result.get(word, 0) + first
    for (one, two), products in by_pair.items():
        weights: dict[tuple[int, int], int] = {}
        for (i, j), part in products.items():
            key = (min(i, j), max(i, j)) if one is two else (i, j)
            weights[key] = weights.get(key, 0) + terms[part]
        wanted = {
            (i, j): (1 + (one is two and i != j)) << 8 * (i + j)
            for i in range(BITS // 8)
            for j in range(BITS // 8 - i)
            if one is not two or i <= j
        }
        if all((weights.get(k, 0) - w) % 2**BITS == 0 for k, w in wanted.items()) and all(
            k in wanted or w % 2**BITS == 0 for k, w in weights.items()
        ):
            for part in products.values():
                del result[part]
            result[WordExpr("product", (one, two))] = 1
    return result


def unsigned(value: int) -> str:
    """A number modulo 2^64 in C."""
    return f"UINT64_C({value & _MASK})"


def number(value: int) -> str:
    """A number in C."""
    if abs(value) < 2**31:
        return str(value)
    if abs(value) <= _LONG:
        return f"INT64_C({value})"
    high, low = divmod(value, 2**63)
    return f"((i128)INT64_C({high}) * ((i128)1 << 63) + INT64_C({low}))"
