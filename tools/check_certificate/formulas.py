"""The formulas of a certificate, as polynomials over the same atoms as the network's."""

from itertools import zip_longest

from algebra import linear, number, plus, scaled

SHIFTS = {  # what bit i of a word weighs in the word shifted (or rotated) by k
    "shl": lambda width, i, k: 1 << i + k if i + k < width else 0,
    "shr": lambda width, i, k: 1 << i - k if i >= k else 0,
    "sar": lambda width, i, k: (
        (1 << i - k if i >= k else 0) + ((1 << k) - 1 << width - k) * (i == width - 1)
    ),
    "rotl": lambda width, i, k: 1 << (i + k) % width,
    "rotr": lambda width, i, k: 1 << (i - k) % width,
}
OF_FORMS = {
    "num": lambda algebra, forms, data: number(data[0]),
    "sum": lambda algebra, forms, data: linear((1, form) for form in forms),
    "scale": lambda algebra, forms, data: scaled(forms[0], data[0]),
    "not": lambda algebra, forms, data: plus(number(1), forms[0], -1),
    "product": lambda algebra, forms, data: algebra.product(*forms),
    "ge": lambda algebra, forms, data: algebra.step(forms[0], data[0]),
    "eq": lambda algebra, forms, data: plus(
        algebra.step(forms[0], data[0]), algebra.step(forms[0], data[0] + 1), -1
    ),
    "floor": lambda algebra, forms, data: algebra.floor(forms[0], data[0]),
    "mod": lambda algebra, forms, data: plus(forms[0], algebra.floor(forms[0], data[0]), -data[0]),
    "clamp": lambda algebra, forms, data: algebra.clamp(forms[0], data[0]),
    "square": lambda algebra, forms, data: algebra.square(forms[0]),
    "digit": lambda algebra, forms, data: algebra.digit(*forms),
}
BITWISE = {  # of two bits, by their sum and their product
    "and": lambda total, both: both,
    "or": lambda total, both: plus(total, both, -1),
    "xor": lambda total, both: plus(total, both, -2),
}


class UnknownFormulaError(ValueError):
    """A formula of a shape that this checker does not know."""


class UnknownShiftError(UnknownFormulaError):
    """A shift by an amount of which a bit, `atom`, is not decided."""

    def __init__(self, atom):
        super().__init__("a shift by an unknown amount")
        self.atom = atom


class Claims:
    """Numbered expressions [kind, parts, numbers] over words, as polys of an algebra."""

    def __init__(self, certificate, algebra):
        self.nodes, self.groups = certificate.nodes, certificate.groups
        self.sizes, self.algebra, self.memo = certificate.sizes, algebra, {}

    def poly(self, n):
        """Expression n as a poly."""
        if n not in self.memo:
            self.memo[n] = self.algebra.short(self._poly(n, *self.nodes[n]))
        return self.memo[n]

    def same(self, n, poly):
        """Whether expression n is a poly."""
        return self.algebra.table.same(self.poly(n), poly)

    def _poly(self, n, kind, parts, data):
        if kind in OF_FORMS:
            return OF_FORMS[kind](self.algebra, [self.poly(p) for p in parts], data)
        if kind == "table":
            return self._table(self.nodes[parts[0]], data)
        if kind == "matches":
            return self._matches(parts, data)
        if kind == "ones":
            return linear((1, bit) for bit in self._bits(parts[0]))
        if kind == "signed":
            bits = self._bits(parts[0])
            return plus(number_of(bits), bits[data[0] - 1], -(1 << data[0]))
        if kind in SHIFTS:
            return self._shifted(SHIFTS[kind], *parts, data[0])
        return number_of(self._bits(n))

    def _bits(self, n):
        """The bits of a word, of a field of one, or of two words combined bitwise."""
        kind, parts, data = self.nodes[n]
        if kind == "word":
            source, group = data
            return [
                bit
                for p in self.groups[group]
                for bit in self.algebra.bits(source, p, self.sizes[p])
            ]
        if kind == "field":
            return self._bits(parts[0])[data[0] : data[0] + data[1]]
        if kind not in BITWISE:
            raise UnknownFormulaError(f"bits of {kind}")
        pairs = zip_longest(*map(self._bits, parts), fillvalue={})
        return [BITWISE[kind](plus(a, b), self.algebra.times(a, b)) for a, b in pairs]

    def _table(self, field, values):
        kind, parts, (shift, count) = field
        word = self.nodes[parts[0]]
        if kind != "field" or word[0] != "word" or shift % 8:
            raise UnknownFormulaError("a table of something else than a part")
        source, group = word[2]
        part = self.groups[group][shift // 8]
        if len(values) != self.sizes[part] or count != (len(values) - 1).bit_length():
            raise UnknownFormulaError("a table of another size than its part")
        return self.algebra.part(source, part, values)

    def _matches(self, parts, data):
        """All words have given bits under masks: the sum of +-bits is as large as it can be."""
        terms, top = [], 0
        for part, mask, value in zip(parts, data[::2], data[1::2], strict=True):
            for i, bit in enumerate(self._bits(part)):
                if mask >> i & 1:
                    terms.append((1 if value >> i & 1 else -1, bit))
                    top += value >> i & 1
        return self.algebra.step(linear(terms), top)

    def _shifted(self, weight, word, amount, width):
        k = 0
        for i, bit in enumerate(self._bits(amount)[: (width - 1).bit_length()]):
            if max(bit, default=()):
                raise UnknownShiftError(max(bit)[0])
            k += bit.get((), 0) << i
        bits = self._bits(word)[:width]
        return linear((weight(width, i, k), bit) for i, bit in enumerate(bits))


def number_of(digits, base=2):
    """The number that digits are, the least significant first."""
    return linear((base**d, digit) for d, digit in enumerate(digits))
