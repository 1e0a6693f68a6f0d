"""The formulas of a certificate, as polynomials over the same atoms as the network's."""

from itertools import zip_longest

from algebra import is_number, linear, number, plus, scaled

WEIGHTS = {  # what bit i of a word weighs in the word shifted (or rotated) by k
    "shl": lambda width, i, k: 1 << i + k if i + k < width else 0,
    "shr": lambda width, i, k: 1 << i - k if i >= k else 0,
    "sar": lambda width, i, k: (
        (1 << i - k if i >= k else 0) + ((1 << k) - 1 << width - k) * (i == width - 1)
    ),
    "rotl": lambda width, i, k: 1 << (i + k) % width,
    "rotr": lambda width, i, k: 1 << (i - k) % width,
}


COMBINED = {
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
    "square": lambda algebra, forms, data: algebra.square(forms[0]),
    "digit": lambda algebra, forms, data: algebra.digit(*forms),
}


class UnknownFormulaError(Exception):
    """A formula of a shape that this checker does not know."""


class Formulas:
    """Numbered expressions [kind, parts, numbers] over words (groups of parts of a source)."""

    def __init__(self, nodes, groups, sizes):
        self.nodes, self.groups, self.sizes = nodes, groups, sizes

    def bits(self, n, algebra):
        """The bits of a word, of a field of one, or of two words combined bitwise."""
        return self.bits_of(*self.nodes[n], algebra)

    def bits_of(self, kind, parts, data, algebra):
        if kind == "word":
            return [
                algebra.bit(data[0], p, i)
                for p in self.groups[data[1]]
                for i in range((self.sizes[p] - 1).bit_length())
            ]
        if kind == "field":
            return self.bits(parts[0], algebra)[data[0] : data[0] + data[1]]
        if kind not in ("and", "or", "xor"):
            raise UnknownFormulaError(f"bits of {kind}")
        both = []
        for a, b in zip_longest(*(self.bits(p, algebra) for p in parts), fillvalue={}):
            product = algebra.times(a, b)
            total = plus(a, b)
            both.append(
                product if kind == "and" else plus(total, product, -1 if kind == "or" else -2)
            )
        return both

    def poly(self, n, algebra, memo):
        """Expression n as a poly; `memo` is of this algebra."""
        if n not in memo:
            kind, parts, data = self.nodes[n]
            memo[n] = self.leaf(kind, parts, data, algebra)
            if memo[n] is None:
                if kind not in COMBINED:
                    raise UnknownFormulaError(kind)
                forms = [self.poly(p, algebra, memo) for p in parts]
                memo[n] = COMBINED[kind](algebra, forms, data)
            memo[n] = algebra.short(memo[n])
        return memo[n]

    def leaf(self, kind, parts, data, algebra):
        """An expression on bits, or None."""
        if kind == "num":
            return number(data[0])
        if kind in ("word", "field", "and", "or", "xor"):
            return weighted(self.bits_of(kind, parts, data, algebra), lambda i: 1 << i)
        if kind == "ones":
            return weighted(self.bits(parts[0], algebra), lambda i: 1)
        if kind == "signed":
            top = data[0] - 1
            return weighted(
                self.bits(parts[0], algebra), lambda i: -(1 << i) if i == top else 1 << i
            )
        if kind == "matches":
            return self._matches(parts, data, algebra)
        if kind == "table":
            return self._table(self.nodes[parts[0]], data, algebra)
        return self._shifted(kind, parts, data[0], algebra) if kind in WEIGHTS else None

    def _table(self, field, values, algebra):
        kind, parts, (shift, count) = field
        word = self.nodes[parts[0]]
        if kind != "field" or word[0] != "word" or shift % 8:
            raise UnknownFormulaError("a table of something else than a part")
        source, group = word[2]
        part = self.groups[group][shift // 8]
        if len(values) != self.sizes[part] or count != (len(values) - 1).bit_length():
            raise UnknownFormulaError("a table of another size than its part")
        return algebra.part(source, part, values)

    def _matches(self, parts, data, algebra):
        """All words have given bits under masks: the sum of +-bits is as large as it can be."""
        total, top = {}, 0
        for part, mask, value in zip(parts, data[::2], data[1::2], strict=True):
            for i, bit in enumerate(self.bits(part, algebra)):
                if mask >> i & 1:
                    total = plus(total, bit, 1 if value >> i & 1 else -1)
                    top += value >> i & 1
        return algebra.step(total, top)

    def _shifted(self, kind, parts, width, algebra):
        amount = self.bits(parts[1], algebra)[: (width - 1).bit_length()]
        if not all(map(is_number, amount)):
            raise UnknownFormulaError("a shift by an unknown amount")
        k = sum(bit.get((), 0) << i for i, bit in enumerate(amount))
        bits = self.bits(parts[0], algebra)[:width]
        return weighted(bits, lambda i: WEIGHTS[kind](width, i, k))

    def shifts(self, n, seen=None):
        """The bits that shifts inside an expression are by: (source, part, i)."""
        kind, parts, data = self.nodes[n]
        places = set()
        if kind in WEIGHTS:
            word = parts[1]
            while self.nodes[word][0] == "field":
                word = self.nodes[word][1][0]
            source, group = self.nodes[word][2]
            for i in range((data[0] - 1).bit_length()):
                places.add((source, self.groups[group][i // 8], i % 8))
        return places.union(*(self.shifts(p) for p in parts)) if parts and kind != "sum" else places


def weighted(bits, weight):
    return linear((weight(i), bit) for i, bit in enumerate(bits))


class Claims:
    """Formulas as polys under the decisions of an algebra."""

    def __init__(self, formulas, algebra):
        self.formulas, self.algebra, self.memo = formulas, algebra, {}

    def poly(self, n):
        return self.formulas.poly(n, self.algebra, self.memo)

    def same(self, n, poly):
        """Whether expression n is a poly."""
        return self.algebra.table.same(self.poly(n), poly)
