"""Check the rows of a certificate: for all tokens, the weights decode what the formulas say."""

from itertools import product
from math import gcd

from algebra import Algebra, Atoms, TooManyTermsError, is_number, number, plus, scaled
from formulas import UnknownFormulaError
from network import OWN

BASE = 256
MOST_NAMED = 4  # a lane of more terms gets a name, in rows that need too many


class NotProvedError(Exception):
    """Weights and formula are not shown to be equal."""


class Row:
    """One row: what is fixed, its tree of conditions, and the functions that the tensors give."""

    def __init__(self, network, certificate, entry, names):
        self.network, self.certificate, self.formulas = network, certificate, certificate.formulas
        self.fixed = {(source, part): value for source, part, value in entry["fixed"]}
        self.tree, self.table = entry["tree"], Atoms()
        algebra = Algebra(self.table)
        outputs, self.queries, self.cases = network.evaluate(
            self.fixed, algebra, MOST_NAMED if names else None
        )
        self.digits = [self._digit(algebra, forms) for forms in outputs]
        self.names, self.words, self.heads = names, 0, set()

    @staticmethod
    def _digit(algebra, forms):
        x, d, c = forms
        if d == number(1) and not c:
            return x  # clamped to the part
        if algebra.bounds(d)[0] < 0 or algebra.bounds(c)[0] < 0:
            raise NotProvedError("logits need not be concave")
        return algebra.digit(x, d, c)

    def check(self):
        """Raise `NotProvedError` unless every leaf holds."""
        self._walk(self.tree, self.digits, {})

    def _walk(self, tree, digits, decided):
        algebra, memo = Algebra(self.table, decided), {}
        if not self.names:
            digits = [algebra.under(digit, memo) for digit in digits]
        if len(tree) == 2:
            self._leaf(tree, digits, decided, algebra)
            return
        condition, queries, yes, no = tree
        poly = self.formulas.poly(condition, algebra, {})
        self._queries(queries, algebra, decided)
        if is_number(poly):
            self._walk(yes if poly.get((), 0) else no, digits, decided)
            return
        atoms = [m for m in poly if m]
        if len(atoms) != 1 or len(atoms[0]) != 1 or abs(poly[atoms[0]]) != 1:
            raise NotProvedError("a condition is not one atom")
        # the condition is 0 or 1: the atom itself, or 1 - the atom
        if poly not in ({atoms[0]: 1}, {atoms[0]: -1, (): 1}):
            raise NotProvedError("a condition is not 0 or 1")
        truth = int(poly[atoms[0]] == 1)
        self._walk(yes, digits, {**decided, atoms[0][0]: truth})
        self._walk(no, digits, {**decided, atoms[0][0]: 1 - truth})

    def _leaf(self, leaf, digits, decided, algebra):
        words, queries = leaf
        amounts = set().union(*(self.formulas.shifts(word[0]) for word in words))
        free = [
            place for place in sorted(amounts) if algebra.bit(*place) == {(self._bit(place),): 1}
        ]
        for chosen in range(1 << len(free)):
            case = dict(decided)
            for k, place in enumerate(free):
                case[self._bit(place)] = chosen >> k & 1
            here, memo = (Algebra(self.table, case), {}) if free else (algebra, {})
            forms = [here.under(d, memo) for d in digits] if free else digits
            for group, word in enumerate(words):
                self._word(group, word, forms, here)
                self.words += 1
        self._queries(queries, algebra, decided)
        self._continues(digits, algebra)

    def _continues(self, digits, algebra):
        """Raise unless a step that is not the last of its instruction leads to a row of it."""
        model, memo = self.network.model, {}

        def after(p):
            form = algebra.filled(algebra.opened(digits[p])) if self.names else digits[p]
            return algebra.under(form, memo)

        if any(algebra.bounds(after(p))[0] > 0 for p in self.certificate.stops):
            return  # the run ends
        own = [p for source, p in self.certificate.controls if source == OWN]
        ranges = [range(max(0, a), min(b + 1, model.sizes[p])) for p in own
                  for a, b in [algebra.bounds(after(p))]]  # fmt: skip
        fetched = [(s, p, v) for (s, p), v in self.fixed.items() if s != OWN]
        for values in product(*ranges):
            if not any(values):
                continue  # another instruction begins
            row = [*fetched, *((OWN, p, v) for p, v in zip(own, values, strict=True))]
            if tuple(sorted(row)) not in self.certificate.chosen:
                raise NotProvedError(f"there is no row for what follows: {row}")
            for p in self.certificate.groups[self.certificate.place]:
                if after(p) != algebra.part(OWN, p, range(model.sizes[p])):
                    raise NotProvedError("the next step may be another instruction's")

    def _bit(self, place):
        return self.table.get(("bit", *place), 0, 1)

    def _word(self, group, word, digits, algebra):
        parts = self.certificate.groups[group]
        forms = [digits[p] for p in parts]
        sizes = [self.network.model.sizes[p] for p in parts]
        try:
            if self._equal(word, forms, sizes, algebra):
                return
            if self.names:
                free = Algebra(self.table)
                memo = {}
                opened = [algebra.filled(algebra.opened(form)) for form in forms]
                under = [algebra.under(form, memo) for form in forms]
                for candidate in (forms, opened, under):
                    if self._equal(word, candidate, sizes, free):
                        return
                    if self._equal(word, candidate, sizes, algebra):
                        return
        except UnknownFormulaError as problem:
            raise NotProvedError(f"word {group}: {problem}") from None
        raise NotProvedError(f"word {group} is not shown to be its formula")

    def _equal(self, word, forms, sizes, algebra):
        """Whether the digits are those of a formula, wherever its guard is 1."""
        nodes, memo = self.formulas.nodes, {}
        clamped = self._clamped(word[0], len(forms))
        if clamped is not None:
            claims = [nodes[n] for n in clamped]
            return all(
                claim[2] == [size]
                and self._same(self.formulas.poly(claim[1][0], algebra, memo), form, algebra)
                for claim, form, size in zip(claims, forms, sizes, strict=True)
            )
        total = digit_sum(algebra, forms, sizes)
        if total is None:
            return False
        poly, modulus, reach, proper = total
        kind, parts, data = nodes[word[0]]
        if modulus is not None and kind == "mod":
            claim = self.formulas.poly(parts[0], algebra, memo)
            return data == [modulus] and all(
                c % modulus == 0 for c in plus(claim, poly, -1).values()
            )
        claim = self.formulas.poly(word[0], algebra, memo)
        if modulus is not None:
            low, high = algebra.bounds(claim)
            same = all(c % modulus == 0 for c in plus(claim, poly, -1).values())
            return same and low >= 0 and high < modulus
        return self._same(claim, poly, algebra) and (proper or self._guards(word, reach))

    def _same(self, one, two, algebra):
        """Whether two polys are equal, by what their names stand for where there are names."""
        if one == two or not self.names:
            return one == two
        return algebra.opened(one) == algebra.opened(two)

    def _guards(self, word, reach):
        """Whether the guard of a word says that its formula is in [0, reach)."""
        nodes = self.formulas.nodes
        if word[1] < 0 or nodes[word[1]][0] != "product":
            return False
        low, high = (nodes[n] for n in nodes[word[1]][1])
        if low != ["ge", [word[0]], [0]] or high[0] != "not":
            return False
        return nodes[high[1][0]] == ["ge", [word[0]], [reach]]

    def _clamped(self, n, count):
        """The clamps in a sum of clamped digits, or None."""
        nodes = self.formulas.nodes
        if count == 1:
            return [n] if nodes[n][0] == "clamp" else None
        kind, parts, _ = nodes[n]
        if kind != "sum" or len(parts) != count:
            return None
        clamps = []
        for d, part in enumerate(parts):
            if d and nodes[part][0] == "scale" and nodes[part][2] == [BASE**d]:
                part = nodes[part][1][0]
            if nodes[part][0] != "clamp":
                return None
            clamps.append(part)
        return clamps

    # Heads

    def _queries(self, queries, algebra, decided):
        for h, tags, index, hits, falls in queries:
            self.heads.add(h)
            key, forms = self.certificate.keys[h], self.queries[h]
            memo = {}
            if not self.names:
                forms = [algebra.under(form, memo) for form in forms]
            digits = {p: divided(forms[row], 2 * key.scale) for p, (row, _) in key.digits.items()}
            plain = Algebra(self.table) if self.names else algebra
            for (part, _), tag in zip(key.tags, tags, strict=True):
                if not self._same(self.formulas.poly(tag, plain, {}), digits[part], algebra):
                    raise NotProvedError(f"head {h}: a tag is not shown to be its formula")
            asked = [digits[p] for p in key.index]
            sizes = [self.network.model.sizes[p] for p in key.index]
            if not self._equal(index, asked, sizes, plain) and not self._guarded(
                index, asked, plain
            ):
                raise NotProvedError(f"head {h}: the index is not shown to be its formula")
            if key.sentinel is None:
                if falls or not hits:
                    raise NotProvedError(f"head {h} has no sentinel")
                continue
            squares = {}
            for form in digits.values():
                squares = plus(squares, algebra.square(form))
            slack = plus(scaled(squares, key.scale), forms[key.extra], -1)
            if hits and algebra.bounds(slack)[0] < 0 or falls and slack:
                raise NotProvedError(f"head {h}: the sentinel may win or lose wrongly")

    def _guarded(self, index, asked, algebra):
        """Whether an index is a sum of digits that its guard holds in their ranges."""
        nodes, memo, total, limits = self.formulas.nodes, {}, {}, []
        todo = [index[1]] if index[1] >= 0 else []
        while todo:
            kind, parts, data = nodes[todo.pop()]
            if kind == "product":
                todo += parts
            elif kind == "ge":
                limits.append(("low", data[0], parts[0]))
            elif kind == "not" and nodes[parts[0]][0] == "ge":
                limits.append(("high", nodes[parts[0]][2][0], nodes[parts[0]][1][0]))
        for d, digit in enumerate(asked):
            total = plus(total, digit, BASE**d)
            low, high = algebra.bounds(digit)
            for end, bound, holds in (("low", 0, low >= 0), ("high", BASE, high < BASE)):
                claims = (self.formulas.poly(n, algebra, memo) for e, k, n in limits
                          if (e, k) == (end, bound))  # fmt: skip
                if not holds and not any(self._same(claim, digit, algebra) for claim in claims):
                    return False
        return self._same(self.formulas.poly(index[0], algebra, memo), total, algebra)


def divided(a, divisor):
    if any(c % divisor for c in a.values()):
        raise NotProvedError("a query is not a multiple of the head's scale")
    return {m: c // divisor for m, c in a.items()}


def digit_sum(algebra, digits, sizes):
    """The number that digits are: a poly, a modulus or None, the reach, and whether it is proper.

    Either every digit is in its range, or digit d is y_d + c_(d-1) - 256 c_d with carries c_d (the
    lemma of proofs/bytes.v): then the carries cancel.
    """
    while len(digits) > 1 and not digits[-1]:
        digits, sizes = digits[:-1], sizes[:-1]
    reach = BASE ** (len(digits) - 1) * sizes[-1]
    if all(
        low >= 0 and high < size
        for (low, high), size in zip(map(algebra.bounds, digits), sizes, strict=True)
    ):
        return number_of(digits), None, reach, True
    plain, carries, incoming, atoms = [], [], {}, algebra.table.atoms
    for d, digit in enumerate(digits):
        before, last = plus(digit, incoming, -1), d == len(digits) - 1
        steps = {
            m: c for m, c in before.items() if any(atoms[i][0] in ("step", "floor") for i in m)
        }
        left = gcd(*steps.values()) if last else BASE
        rest = {m: -c for m, c in steps.items() if c % left == 0} if left else {}
        plain.append({m: c for m, c in before.items() if m not in rest})
        if last and not rest:
            break
        outgoing = {m: c // left for m, c in rest.items()}
        if not is_carry(algebra, plain, carries, outgoing, left):
            return None
        carries.append(outgoing)
        incoming = outgoing
    poly = number_of(plain)
    if len(carries) < len(digits):  # nothing leaves the last digit: it may be improper
        low, high = algebra.bounds(poly)
        return poly, None, reach, low >= 0 and high < reach
    modulus = BASE ** (len(digits) - 1) * left
    return (poly, modulus, reach, True) if modulus <= reach else None


def number_of(digits):
    total = {}
    for d, digit in enumerate(digits):
        total = plus(total, digit, BASE**d)
    return total


def is_carry(algebra, plain, carries, outgoing, left):
    """Whether `outgoing` is floor(sum / (256^k left)), for the digits from some digit on."""
    total, last = {}, len(plain) - 1
    for first in range(last, -1, -1):
        total = plus(plain[first], scaled(total, BASE))
        whole = plus(total, carries[first - 1]) if first else total
        divisor = BASE ** (last - first) * left
        low, high = algebra.bounds(whole)
        if low // divisor == high // divisor:
            if outgoing == number(low // divisor):
                return True
        elif outgoing in (algebra.quotient(whole, divisor), algebra.floor(whole, divisor)):
            return True
    return False


def leaves(tree):
    """The words of every leaf."""
    return [tree[0]] if len(tree) == 2 else leaves(tree[2]) + leaves(tree[3])


def check_row(network, certificate, entry):
    """How a row was proved: "formulas" or "named lanes"; raises `NotProvedError`."""
    problems, nodes = [], certificate.formulas.nodes
    by_digits = any(
        not lifted and nodes[expr][0] == "sum" for words in leaves(entry["tree"])
        for expr, _, lifted in words
    )  # fmt: skip
    for names in (True, False) if by_digits else (False, True):
        try:
            row = Row(network, certificate, entry, names)
            row.check()
        except (NotProvedError, TooManyTermsError) as problem:
            problems.append(str(problem))
            continue
        return ("named lanes" if names else "formulas"), row
    raise NotProvedError("; ".join(problems))


__all__ = ["OWN", "check_row"]
