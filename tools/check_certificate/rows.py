"""Check the rows of a certificate: for all tokens, the weights decode what the formulas say."""

import signal
from itertools import product
from math import gcd

from algebra import Algebra, Atoms, TooManyTermsError, is_number, linear, number, plus, scaled
from formulas import Claims, UnknownFormulaError
from network import OWN
from points import TooLargeError

BASE = 256


class NotProvedError(Exception):
    """Weights and formula are not shown to be equal."""


class Row:
    """One row: what is fixed, its tree of conditions, and the functions that the tensors give."""

    def __init__(self, network, certificate, entry, names, open=False):
        self.network, self.certificate, self.formulas = network, certificate, certificate.formulas
        self.fixed = {(source, part): value for source, part, value in entry["fixed"]}
        self.tree, self.table = entry["tree"], Atoms(names, open)
        algebra = Algebra(self.table)
        for source in certificate.order:  # forms are written from the first atom on
            for part, size in enumerate(network.model.sizes):
                for i in range((size - 1).bit_length()):
                    algebra.bit(source, part, i)
        outputs, self.queries = network.evaluate(self.fixed, algebra)
        sizes = network.model.sizes
        self.digits = [self._digit(algebra, *o) for o in zip(outputs, sizes, strict=True)]
        self.names, self.claims = names, Claims(self.formulas, algebra)

    @staticmethod
    def _digit(algebra, forms, size):
        x, d, c = forms
        if d == number(1) and not c:
            return x  # clamped to the part
        if size != BASE:
            raise NotProvedError("a digit of a quotient is not a byte")
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
        claims = self.claims if self.names else Claims(self.formulas, algebra)
        poly = algebra.filled(claims.poly(condition))
        self._queries(queries, algebra)
        if is_number(poly):
            self._walk(yes if poly.get((), 0) else no, digits, decided)
            return
        (atom, *others), *more = [m for m in poly if m]
        # the condition is an atom that is 0 or 1, or 1 - the atom
        if more or others or poly not in ({(atom,): 1}, {(atom,): -1, (): 1}):
            raise NotProvedError("a condition is not one atom")
        if not algebra.boolean(atom):
            raise NotProvedError("a condition is not 0 or 1")
        truth = int(poly[atom,] == 1)
        self._walk(yes, digits, {**decided, atom: truth})
        self._walk(no, digits, {**decided, atom: 1 - truth})

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
            claims = Claims(self.formulas, here)
            for group, word in enumerate(words):
                self._word(group, word, forms, claims, memo)
        self._queries(queries, algebra)
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

    def _word(self, group, word, digits, claims, memo):
        parts = self.certificate.groups[group]
        sizes = [self.network.model.sizes[p] for p in parts]
        try:
            for forms, side in self._versions([digits[p] for p in parts], claims, memo):
                if self._equal(word, forms, sizes, side):
                    return
        except UnknownFormulaError as problem:
            raise NotProvedError(f"word {group}: {problem}") from None
        raise NotProvedError(f"word {group} is not shown to be its formula")

    def _versions(self, forms, claims, memo):
        """Forms, and formulas to compare them with: with names, before and under decisions."""
        yield forms, self.claims if self.names else claims
        if self.names:
            algebra = claims.algebra
            yield [algebra.under(algebra.opened(form), memo) for form in forms], claims

    def _equal(self, word, forms, sizes, claims):
        """Whether the digits are those of a formula, wherever its guard is 1."""
        nodes, algebra = self.formulas.nodes, claims.algebra
        clamped = self._clamped(word[0], len(forms))
        if clamped is not None:
            return all(
                nodes[n][2] == [size] and claims.same(nodes[n][1][0], form)
                for n, form, size in zip(clamped, forms, sizes, strict=True)
            )
        total = digit_sum(algebra, forms, sizes)
        if total is None:
            return False
        poly, modulus, reach, proper = total
        if modulus is None:
            limits = {(word[0], "at least", 0), (word[0], "below", reach)}
            return claims.same(word[0], poly) and (proper or limits <= {*self._limits(word[1])})
        kind, parts, data = nodes[word[0]]
        claim = algebra.opened(claims.poly(parts[0] if kind == "mod" else word[0]))
        poly = algebra.opened(poly)
        if any(c % modulus for c in plus(claim, poly, -1).values()):
            return False
        low, high = algebra.bounds(claim)
        return data == [modulus] if kind == "mod" else low >= 0 and high < modulus

    def _limits(self, guard):
        """What a guard says: (node, "at least", bound) or (node, "below", bound)."""
        nodes = self.formulas.nodes
        kind, parts, data = nodes[guard] if guard >= 0 else ("", [], [])
        if kind == "product":
            return [limit for part in parts for limit in self._limits(part)]
        if kind == "not" and nodes[parts[0]][0] == "ge":
            _, (n,), (bound,) = nodes[parts[0]]
            return [(n, "below", bound)]
        return [(parts[0], "at least", data[0])] if kind == "ge" else []

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

    def _queries(self, queries, algebra):
        claims, memo = Claims(self.formulas, algebra), {}
        for query in queries:
            forms = self.queries[query[0]]
            if not self.names:
                forms = [algebra.under(form, memo) for form in forms]
            problems = [self._query(*query, *version)
                        for version in self._versions(forms, claims, memo)]  # fmt: skip
            if all(problems):
                raise NotProvedError(f"head {query[0]}: {problems[0]}")

    def _query(self, h, tags, index, hits, falls, forms, claims):
        """Why a query is not shown to be as claimed; None if it is."""
        key, algebra = self.certificate.keys[h], claims.algebra
        digits = {p: divided(forms[row], 2 * key.scale) for p, (row, _) in key.digits.items()}
        for (part, _), tag in zip(key.tags, tags, strict=True):
            if not claims.same(tag, digits[part]):
                return "a tag is not shown to be its formula"
        asked = [digits[p] for p in key.index]
        sizes = [self.network.model.sizes[p] for p in key.index]
        if not self._equal(index, asked, sizes, claims) and not self._guarded(index, asked, claims):
            return "the index is not shown to be its formula"
        if key.sentinel is None:
            return "it has no sentinel" if falls or not hits else None
        squares = [(key.scale, algebra.square(form)) for form in digits.values()]
        slack = linear([*squares, (-1, forms[key.extra])])
        if hits and algebra.bounds(slack)[0] < 0 or falls and slack:
            return "the sentinel may win or lose wrongly"
        return None

    def _guarded(self, index, asked, claims):
        """Whether an index is a sum of digits that its guard holds in their ranges."""
        limits = self._limits(index[1])
        for digit in asked:
            low, high = claims.algebra.bounds(digit)
            ends = (("at least", 0, low >= 0), ("below", BASE, high < BASE))
            for what, bound, holds in ends:
                said = [n for n, *limit in limits if limit == [what, bound]]
                if not holds and not any(claims.same(n, digit) for n in said):
                    return False
        return claims.same(index[0], number_of(asked))


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
    return linear((BASE**d, digit) for d, digit in enumerate(digits))


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


def out_of_time(*_):
    raise NotProvedError("out of time")


def check_row(network, certificate, entry, seconds=60):
    """How a row was proved: "formulas" or "points"; raises `NotProvedError`.

    Each attempt may take `seconds` of CPU time.
    """
    signal.signal(signal.SIGVTALRM, out_of_time)
    problems, nodes = [], certificate.formulas.nodes
    by_digits = any(
        not lifted and nodes[expr][0] == "sum" for words in leaves(entry["tree"])
        for expr, _, lifted in words
    )  # fmt: skip
    plain, named = [(False, False)], [(True, False), (True, True)]
    for how in named + plain if by_digits else plain + named:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
            Row(network, certificate, entry, *how).check()
        except (NotProvedError, TooManyTermsError, TooLargeError) as problem:
            problems.append(str(problem))
        else:
            return "points" if how[0] else "formulas"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    raise NotProvedError("; ".join(problems))
