"""The formulas of a certificate, as polynomials over the same atoms as the network's."""

from itertools import zip_longest

from algebra import frozen, is_number, number, plus, scaled

WEIGHTS = {  # what bit i of a word weighs in the word shifted (or rotated) by k
    "shl": lambda width, i, k: 1 << i + k if i + k < width else 0,
    "shr": lambda width, i, k: 1 << i - k if i >= k else 0,
    "sar": lambda width, i, k: (
        (1 << i - k if i >= k else 0) + ((1 << k) - 1 << width - k) * (i == width - 1)
    ),
    "rotl": lambda width, i, k: 1 << (i + k) % width,
    "rotr": lambda width, i, k: 1 << (i - k) % width,
}


MOST_PRODUCTS = 64  # terms of a product that is also tried without names
MAKERS = {
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
        """Expression n, with a name wherever the network has one for it."""
        return self._both(n, algebra, memo)[0]

    def _both(self, n, algebra, memo):
        """Expression n with names, and without a name for itself."""
        if n not in memo:
            named, plain = self._poly(n, algebra, memo)
            table = algebra.table
            for form in (plain, named):
                key = frozen(form)
                if key in table.constants:
                    named = number(table.constants[key])
                    break
                if ("name", key) in table.numbers:
                    named = {(table.numbers["name", key],): 1}
                    break
            memo[n] = named, plain
        return memo[n]

    def _poly(self, n, algebra, memo):
        kind, parts, data = self.nodes[n]
        simple = self._leaf(kind, parts, data, algebra)
        if simple is not None:
            return simple, simple
        args = [self._both(p, algebra, memo) for p in parts]
        if kind == "sum":
            totals = [{}, {}]
            for k in (0, 1):
                for a in args:
                    totals[k] = plus(totals[k], a[k])
            return totals
        if kind == "scale":
            return [scaled(a, data[0]) for a in args[0]]
        if kind == "not":
            return [plus(number(1), a, -1) for a in args[0]]
        if kind == "product":
            one, two = args
            named = algebra.times(one[0], two[0])
            small = len(one[1]) * len(two[1]) <= MOST_PRODUCTS
            return named, algebra.times(one[1], two[1]) if small else named
        if kind not in MAKERS:
            raise UnknownFormulaError(kind)
        options = [tuple(a[0] for a in args), tuple(a[1] for a in args)]
        form = first_known(algebra, lambda forms: MAKERS[kind](algebra, forms, data), options)
        return form, form

    def _leaf(self, kind, parts, data, algebra):
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
            _, (word,), (shift, _) = self.nodes[parts[0]]
            source, group = self.nodes[word][2]
            return algebra.part(source, self.groups[group][shift // 8], data)
        return self._shifted(kind, parts, data[0], algebra) if kind in WEIGHTS else None

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


def first_known(algebra, make, options):
    """What `make` makes of the first option for which it is made of atoms that exist."""
    table = algebra.table
    for option in options:
        count = len(table.atoms)
        form = make(option)
        if len(table.atoms) == count:
            return form
        table.forget(count)
    return make(options[0])


def weighted(bits, weight):
    total = {}
    for i, bit in enumerate(bits):
        total = plus(total, bit, weight(i))
    return total
