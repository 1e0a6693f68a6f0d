"""The formulas of a certificate, as polynomials over the same atoms as the network's."""

from algebra import is_number, number, plus, scaled

WEIGHTS = {  # what bit i of a word weighs in the word shifted (or rotated) by k
    "shl": lambda width, i, k: 1 << i + k if i + k < width else 0,
    "shr": lambda width, i, k: 1 << i - k if i >= k else 0,
    "sar": lambda width, i, k: (
        (1 << i - k if i >= k else 0) + ((1 << k) - 1 << width - k) * (i == width - 1)
    ),
    "rotl": lambda width, i, k: 1 << (i + k) % width,
    "rotr": lambda width, i, k: 1 << (i - k) % width,
}


class UnknownFormulaError(Exception):
    """A formula of a shape that this checker does not know."""


class Formulas:
    """Numbered expressions [kind, parts, numbers] over words (groups of parts of a source)."""

    def __init__(self, nodes, groups, sizes):
        self.nodes, self.groups, self.sizes = nodes, groups, sizes

    def bits(self, n, algebra):
        """The bits of a word, of a field of one, or of two words combined bitwise."""
        kind, parts, data = self.nodes[n]
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
        for a, b in zip(*(self.bits(p, algebra) for p in parts), strict=True):
            product = algebra.times(a, b)
            total = plus(a, b)
            both.append(
                product if kind == "and" else plus(total, product, -1 if kind == "or" else -2)
            )
        return both

    def poly(self, n, algebra, memo):
        """Expression n."""
        if n not in memo:
            poly = self._poly(n, algebra, memo)
            named = algebra.table.numbers.get(("name", tuple(sorted(poly.items()))))
            memo[n] = poly if named is None else {(named,): 1}
        return memo[n]

    def _poly(self, n, algebra, memo):
        kind, parts, data = self.nodes[n]
        if kind in ("word", "field", "and", "or", "xor"):
            return weighted(self.bits(n, algebra), lambda i: 1 << i)
        if kind == "ones":
            return weighted(self.bits(parts[0], algebra), lambda i: 1)
        if kind == "signed":
            top = data[0] - 1
            return weighted(self.bits(parts[0], algebra), lambda i: -(1 << i) if i == top else 1 << i)
        if kind == "matches":
            return self._matches(parts, data, algebra)
        if kind == "table":
            _, (word,), (shift, _) = self.nodes[parts[0]]
            source, group = self.nodes[word][2]
            return algebra.part(source, self.groups[group][shift // 8], data)
        if kind in WEIGHTS:
            return self._shifted(kind, parts, data[0], algebra)
        args = [self.poly(p, algebra, memo) for p in parts]
        if kind == "num":
            return number(data[0])
        if kind == "sum":
            total = {}
            for a in args:
                total = plus(total, a)
            return total
        if kind == "scale":
            return scaled(args[0], data[0])
        if kind == "product":
            return algebra.times(*args)
        if kind == "not":
            return plus(number(1), args[0], -1)
        if kind == "ge":
            return algebra.step(args[0], data[0])
        if kind == "eq":
            return plus(algebra.step(args[0], data[0]), algebra.step(args[0], data[0] + 1), -1)
        if kind == "floor":
            return algebra.floor(args[0], data[0])
        if kind == "mod":
            return plus(args[0], algebra.floor(args[0], data[0]), -data[0])
        if kind == "square":
            return algebra.square(args[0])
        if kind == "digit":
            return algebra.digit(*args)
        raise UnknownFormulaError(kind)

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
    total = {}
    for i, bit in enumerate(bits):
        total = plus(total, bit, weight(i))
    return total
