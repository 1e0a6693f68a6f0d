"""Check the rows of a certificate: for all tokens, the weights decode what the formulas say."""

import signal
from itertools import product
from math import inf

from algebra import Algebra, Atoms, TooManyTermsError, linear, number, plus, scaled
from formulas import Claims, UnknownFormulaError, UnknownShiftError, number_of
from network import OWN
from points import TooLargeError

BASE = 256


class NotProvedError(Exception):
    """Weights and formula are not shown to be equal."""


class Row:
    """One row: what is fixed, its tree of conditions, and the functions that the tensors give."""

    def __init__(self, network, certificate, entry, names, open=False):
        self.network, self.certificate, self.names = network, certificate, names
        self.tree, self.table = entry["tree"], Atoms(names, open)
        self.fixed = {(source, part): value for source, part, value in entry["fixed"]}
        self.bits = certificate.decided(self.table, self.fixed)
        algebra = Algebra(self.table, self.bits)
        outputs, self.queries = network.evaluate(self.fixed, algebra)
        self.digits = [  # those of d = 1 and c = 0 are x, clamped to the part
            x if (d, c) == (number(1), {}) else algebra.digit(x, d, c) for x, d, c in outputs
        ]
        self.claims = Claims(certificate, algebra)

    def check(self):
        """Raise `NotProvedError` unless every leaf holds."""
        self._walk(self.tree, self.digits, self.bits)

    def _walk(self, tree, digits, decided):
        """Check a tree under what is decided."""
        algebra, memo = Algebra(self.table, decided), {}
        claims = Claims(self.certificate, algebra)
        if not self.names:
            digits = [algebra.under(digit, memo) for digit in digits]
        self._queries(tree[1], claims, memo)
        if len(tree) == 2:
            try:
                self._leaf(tree[0], digits, claims, memo)
            except UnknownShiftError as shift:
                if self.names:
                    raise
                for value in (0, 1):
                    self._walk(tree, digits, {**decided, shift.atom: value})
            return
        poly = algebra.filled((self.claims if self.names else claims).poly(tree[0]))
        atom = max(poly, default=())
        one = len(atom) == 1 and poly in ({atom: 1}, {atom: -1, (): 1})
        if not one or not algebra.boolean(*atom):
            raise NotProvedError("a condition is not an atom that is 0 or 1")
        for truth, branch in enumerate(tree[:1:-1]):
            self._walk(branch, digits, {**decided, atom[0]: int(truth == (poly[atom] == 1))})

    def _leaf(self, words, digits, claims, memo):
        sizes = self.network.model.sizes
        for group, (word, parts) in enumerate(zip(words, self.certificate.groups, strict=True)):
            forms = [digits[p] for p in parts]
            if not any(
                self._equal(word, version, [sizes[p] for p in parts], side)
                for version, side in self._versions(forms, claims, memo)
            ):
                raise NotProvedError(f"word {group} is not shown to be its formula")
        self._continues(digits, claims.algebra, memo)

    def _continues(self, digits, algebra, memo):
        """Raise unless a step that is not the last of its instruction leads to a row of it."""
        sizes = self.network.model.sizes

        def after(p):
            return algebra.under(algebra.opened(digits[p]), memo)

        if any(algebra.bounds(after(p))[0] > 0 for p in self.certificate.stops):
            return  # the run ends
        own = [p for source, p in self.certificate.controls if source == OWN]
        ranges = [range(max(0, a), min(b + 1, sizes[p])) for p in own
                  for a, b in [algebra.bounds(after(p))]]  # fmt: skip
        fetched = [(s, p, v) for (s, p), v in self.fixed.items() if s != OWN]
        for values in product(*ranges):
            if not any(values):
                continue  # another instruction begins
            row = [*fetched, *((OWN, p, v) for p, v in zip(own, values, strict=True))]
            if tuple(sorted(row)) not in self.certificate.chosen:
                raise NotProvedError(f"there is no row for what follows: {row}")
            for p in self.certificate.groups[self.certificate.place]:
                if after(p) != algebra.part(OWN, p, range(sizes[p])):
                    raise NotProvedError("the next step may be another instruction's")

    def _versions(self, forms, claims, memo):
        """Forms, and formulas to compare them with: with names, before and under decisions."""
        yield forms, self.claims if self.names else claims
        if self.names:
            algebra = claims.algebra
            yield [algebra.under(algebra.opened(form), memo) for form in forms], claims

    def _equal(self, word, forms, sizes, claims, clamped=True):
        """Whether the digits are those of a formula, wherever its guard is 1."""
        algebra, (expression, guard) = claims.algebra, word[:2]
        digits = [*zip(forms, sizes, strict=True)]
        if clamped and claims.same(
            expression, number_of([algebra.clamp(*d) for d in digits], BASE)
        ):
            return True
        if all(self._within(*d, guard, claims) for d in digits):
            return claims.same(expression, number_of(forms, BASE))
        while len(forms) > 1 and not forms[-1]:
            forms, sizes = forms[:-1], sizes[:-1]
        reach = BASE ** (len(forms) - 1) * sizes[-1]
        poly, modulus = without_carries(algebra, forms)
        if modulus is None:  # nothing leaves the last digit, which may be improper
            same = poly is not None and claims.same(expression, poly)
            return same and self._within(poly, reach, guard, claims)
        kind, parts, data = claims.nodes[expression]
        claim = algebra.opened(claims.poly(parts[0] if kind == "mod" else expression))
        difference = plus(claim, algebra.opened(poly), -1)
        if modulus > reach or any(c % modulus for c in difference.values()):
            return False
        low, high = algebra.bounds(claim)
        return data == [modulus] if kind == "mod" else low >= 0 and high < modulus

    def _within(self, form, size, guard, claims):
        """Whether a form is in [0, size), by its bounds or because a guard says so."""
        low, high = claims.algebra.bounds(form)
        for n, least, most in self._limits(guard):
            if (low < 0 or high >= size) and claims.same(n, form):
                low, high = max(low, least), min(high, most)
        return low >= 0 and high < size

    def _limits(self, guard):
        """What a guard says: (node, lowest value, highest value)."""
        nodes = self.certificate.nodes
        kind, parts, data = nodes[guard] if guard >= 0 else ("", [], [])
        if kind == "product":
            return [limit for part in parts for limit in self._limits(part)]
        if kind == "not" and nodes[parts[0]][0] == "ge":
            _, (n,), (bound,) = nodes[parts[0]]
            return [(n, -inf, bound - 1)]
        return [(parts[0], data[0], inf)] if kind == "ge" else []

    # Heads

    def _queries(self, queries, claims, memo):
        for query in queries:
            forms = self.queries[query[0]]
            if not self.names:
                forms = [claims.algebra.under(form, memo) for form in forms]
            problems = [self._query(*query, *version)
                        for version in self._versions(forms, claims, memo)]  # fmt: skip
            if all(problems):
                raise NotProvedError(f"head {query[0]}: {problems[0]}")

    def _query(self, h, tags, index, hits, falls, forms, claims):
        """Why a query is not shown to be as claimed; None if it is."""
        key, algebra = self.certificate.keys[h], claims.algebra
        digits = {p: divided(forms[row], 2 * key.scale) for p, row in key.digits.items()}
        for part, tag in zip(key.tags, tags, strict=True):
            if not claims.same(tag, digits[part]):
                return "a tag is not shown to be its formula"
        sizes = [self.network.model.sizes[p] for p in key.index]
        if not self._equal(index, [digits[p] for p in key.index], sizes, claims, False):
            return "the index is not shown to be its formula"
        if key.sentinel is None:
            return "it has no sentinel" if falls or not hits else None
        squares = [(key.scale, algebra.square(form)) for form in digits.values()]
        extra = forms[key.extra]  # what a sentinel scores
        slack = linear([*squares, (-1, extra)])
        loses = algebra.bounds(slack)[0] >= 0 or algebra.bounds(extra)[1] <= 0
        if hits and not loses or falls and slack:
            return "the sentinel may win or lose wrongly"
        return None


def divided(a, divisor):
    if any(c % divisor for c in a.values()):
        raise NotProvedError("a query is not a multiple of the head's scale")
    return {m: c // divisor for m, c in a.items()}


def without_carries(algebra, digits):
    """The number that digits are, and the modulus (None if nothing leaves the last digit).

    Digit d has to be y_d + c_(d-1) - 256 c_d with carries c_d (the lemma of proofs/bytes.v): then
    the carries cancel. The number is None for other digits.
    """
    plain, carries, atoms = [], [{}], algebra.table.atoms
    for d, digit in enumerate(digits):
        before = plus(digit, carries[-1], -1)
        outgoing = {
            m: -c // BASE for m, c in before.items()
            if c % BASE == 0 and any(atoms[i][0] in ("step", "floor") for i in m)
        }  # fmt: skip
        plain.append(plus(before, outgoing, BASE))
        if not outgoing and d == len(digits) - 1:
            return number_of(plain, BASE), None
        if not is_carry(algebra, plain, carries, outgoing):
            return None, None
        carries.append(outgoing)
    return number_of(plain, BASE), BASE ** len(digits)


def is_carry(algebra, plain, carries, outgoing):
    """Whether `outgoing` is floor((digits + carry into them) / 256^k), for some last k digits."""
    total = {}
    for k, (digit, carry) in enumerate(zip(plain[::-1], carries[::-1], strict=True), 1):
        total = plus(digit, scaled(total, BASE))
        if outgoing in (f(plus(total, carry), BASE**k) for f in (algebra.quotient, algebra.floor)):
            return True
    return False


def leaves(tree):
    """The words of every leaf."""
    return [tree[0]] if len(tree) == 2 else leaves(tree[2]) + leaves(tree[3])


def out_of_time(*_):
    raise NotProvedError("out of time")


def check_row(network, certificate, entry, seconds=60):
    """How a row was proved: "formulas" or "points"; raises `NotProvedError`.

    Each attempt may take `seconds` of CPU time.
    """
    signal.signal(signal.SIGVTALRM, out_of_time)
    problems = []
    by_digits = not all(lifted for words in leaves(entry["tree"]) for *_, lifted in words)
    plain, named = [(False, False)], [(True, False), (True, True)]
    for how in named + plain if by_digits else plain + named:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
            Row(network, certificate, entry, *how).check()
        except (NotProvedError, UnknownFormulaError, TooManyTermsError, TooLargeError) as problem:
            problems.append(str(problem))
        else:
            return "points" if how[0] else "formulas"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    raise NotProvedError("; ".join(problems))
