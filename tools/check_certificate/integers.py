"""Formulas of a certificate as SMT-LIB over linear integer arithmetic.

Every sum is written as a sum of weighted atoms. A word is the sum of slices, cut wherever a field
or a mask begins or ends. Of a product of two slices nothing is known but bounds that are linear in
both; of operations that are not arithmetic, nothing but the range. What holds for all such numbers
holds for all tokens. That suits products: how their digits add up is linear.
"""

import itertools
import re

#: More than any formula is.
FAR = 1 << 200
BYTE = 256
NAME = re.compile(r"\b[ta]\d+\b")


class Sum:
    """A sum of weighted atoms, by name, and a constant; with its range."""

    def __init__(self, atoms, constant, low, high):
        self.atoms, self.constant, self.low, self.high = atoms, constant, low, high
        self.width = 0  # integers have none


class Integers:
    """Writes files, and formulas by node."""

    def __init__(self, tokens, fixed, known=None):
        """`known` are bits of parts, (first, count, value) by source and part."""
        self.nodes, self.fixed = tokens.nodes, fixed
        self.groups, self.sizes = tokens.groups, tokens.sizes
        self.definitions, self.names, self.ranges, self.memo = {}, {}, {}, {}
        self.cuts, self.gates, self.floors = {}, {}, {}
        for kind, parts, data in self.nodes:
            if kind == "field":
                self.cuts.setdefault(parts[0], set()).update((data[0], sum(data)))
            elif kind == "matches":
                for part, mask in zip(parts, data[::2], strict=True):
                    ends = mask ^ mask << 1
                    edges = (i for i in range(ends.bit_length()) if ends >> i & 1)
                    self.cuts.setdefault(part, set()).update(edges)
        self.known = {}
        for n, (kind, _, data) in enumerate(self.nodes):
            for i, part in enumerate(self.groups[data[1]]) if kind == "word" else ():
                if known and (data[0], part) in known:
                    first, count, value = known[data[0], part]
                    self.cuts.setdefault(n, set()).update((8 * i + first, 8 * i + first + count))
                    for k in range(count):
                        self.known[n, 8 * i + first + k] = value >> k & 1

    # Files

    def file(self, goal):
        needed, lines = {*NAME.findall(goal)}, [f"(assert {goal})", "(check-sat)"]
        for name, line in reversed(self.definitions.items()):
            if name in needed:
                needed.update(NAME.findall(line))
                lines.insert(0, line)
        if any("(digit " in line for line in lines):  # the same function on both sides
            lines.insert(0, "(declare-fun digit (Int Int Int) Int)")
        return "\n".join(["(set-logic QF_UFLIA)", *lines]) + "\n"

    def fit(self, term, width):
        """The text of a term."""
        atoms = sorted(term.atoms.items(), key=_place)
        parts = [name if w == 1 else f"(* {text(w)} {name})" for name, w in atoms]
        parts += [text(term.constant)] * (term.constant != 0 or not parts)
        return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0]

    def truth(self, term):
        return f"(= {self.fit(term, 0)} 1)"

    # Atoms and sums

    def number(self, n):
        return Sum({}, n, n, n)

    def atom(self, key, low, high, definition=None):
        """A number by what it is; without a definition nothing is known but its range."""
        if low == high:
            return self.number(low)
        if key not in self.names:
            name = self.names[key] = f"t{len(self.names)}"
            self.ranges[name] = low, high
            bounds = f"(assert (and (<= {text(low)} {name}) (<= {name} {text(high)})))"
            self.definitions[name] = f"(declare-const {name} Int)\n{bounds}"
            if definition is not None:
                self.definitions[name] = f"(define-fun {name} () Int {definition})"
        return Sum({self.names[key]: 1}, 0, low, high)

    def add(self, atom, fact):
        """Say more of an atom."""
        for name in atom.atoms:
            if fact not in self.definitions[name]:
                self.definitions[name] += f"\n(assert {fact})"

    def sum(self, terms):
        atoms, constant = {}, 0
        for w, t in terms:
            constant += w * t.constant
            for name, weight in t.atoms.items():
                atoms[name] = atoms.get(name, 0) + w * weight
        atoms = {name: weight for name, weight in atoms.items() if weight}
        ends = [[w * end for end in self.ranges[name]] for name, w in atoms.items()]
        low, high = (constant + sum(map(pick, ends)) for pick in (min, max))
        return Sum(atoms, constant, low, high)

    def made(self, kind, definition, low, high):
        return self.atom((kind, definition), low, high, definition)

    def gated(self, truth, inner):
        """A sum where something is true, else 0."""
        low, high = min(0, inner.low), max(0, inner.high)
        made = self.made("ite", f"(ite {truth} {self.fit(inner, 0)} 0)", low, high)
        self.gates.update(dict.fromkeys(made.atoms, (truth, inner)))
        return made

    def product(self, a, b):
        if a.low == a.high or b.low == b.high:
            (a, b) = (a, b) if a.low == a.high else (b, a)
            return self.sum([(a.low, b)])
        for x, y in ((a, b), (b, a)):
            if (x.low, x.high) == (0, 1):
                return self.gated(self.truth(x), y)
        terms = [(a.constant * b.constant, self.number(1))]
        for x, y in ((a, b), (b, a)):
            one = Sum(x.atoms, 0, x.low - x.constant, x.high - x.constant)
            terms.append((y.constant, one))
        for (one, v), (two, w) in itertools.product(a.atoms.items(), b.atoms.items()):
            (low, high), (lo, hi) = self.ranges[one], self.ranges[two]
            for x, y in ((one, two), (two, one)):
                if x in self.gates:
                    gate, inner = self.gates[x]
                    made = self.gated(gate, self.product(inner, Sum({y: 1}, 0, *self.ranges[y])))
                    break
                if self.ranges[x] == (0, 1):
                    made = self.gated(f"(= {x} 1)", Sum({y: 1}, 0, *self.ranges[y]))
                    break
            else:
                key = ("product", *sorted((one, two)))
                ends = [p * q for p in (low, high) for q in (lo, hi)]
                made = self.atom(key, min(ends), max(ends))
                (name,) = made.atoms
                corners = (">=", low, lo), (">=", high, hi), ("<=", low, hi), ("<=", high, lo)
                for sign, p, q in corners:  # (one - p) (two - q) has one sign
                    lines = f"(+ (* {text(p)} {two}) (* {text(q)} {one}) {text(-p * q)})"
                    self.add(made, f"({sign} {name} {lines})")
            terms.append((v * w, made))
        return self.sum(terms)

    def floor(self, term, by):
        """A quotient, byte by byte, so that carries are the same atoms wherever they are used."""
        step = BYTE if by > BYTE and by % BYTE == 0 else by
        low = {name: w for name, w in term.atoms.items() if w % step}
        carried = self.sum([(w, self.known_as(name)) for name, w in low.items()])
        carried.constant, rest = term.constant % step, term.constant // step
        high = [(w // step, self.known_as(n)) for n, w in term.atoms.items() if n not in low]
        carried.low += carried.constant
        carried.high += carried.constant
        whole = self.sum([(1, self._carry(carried, step)), (1, self.number(rest)), *high])
        return whole if step == by else self.floor(whole, by // step)

    def _carry(self, term, by):
        """The floor of a sum, or of what it is with another sign."""
        if not term.atoms:
            return self.number(term.constant // by)
        if min(term.atoms.items(), key=_place)[1] < 0:  # floor(x / m) is -floor((m - 1 - x) / m)
            minus = self.sum([(-1, term), (by - 1, self.number(1))])
            return self.sum([(-1, self._carry(minus, by))])
        low, high = term.low // by, term.high // by
        made = self.made("div", f"(div {self.fit(term, 0)} {by})", low, high)
        self.floors.update(dict.fromkeys(made.atoms, (term, by)))
        return made

    def known_as(self, name):
        """An atom as a sum."""
        return Sum({name: 1}, 0, *self.ranges[name])

    def rest(self, term, by):
        """Whether a sum is the rest of a division."""
        for name, weight in term.atoms.items():
            of, divisor = self.floors.get(name, (None, None))
            if divisor == by and abs(weight) == by:
                whole = self.sum([(1, term), (-weight, self.known_as(name))])
                if weight > 0:
                    whole = self.sum([(-1, whole), (by - 1, self.number(1))])
                if (whole.atoms, whole.constant) == (of.atoms, of.constant):
                    return True
        return False

    # Nodes

    def _field(self, word, first, count):
        """Bits of a node: of a word, the slices between its cuts."""
        kind, _, data = self.nodes[word]
        if kind != "word" or self.fixed_word(data) is not None:
            return self.atom(("field", word, first, count), 0, (1 << count) - 1)
        cuts = {first, first + count}
        cuts.update(c for c in self.cuts.get(word, ()) if first < c < first + count)
        return self.sum(
            [
                (1 << start - first, self._slice(word, start, end))
                for start, end in itertools.pairwise(sorted(cuts))
            ]
        )

    def _slice(self, word, start, end):
        """Bits between cuts: all of them are known, or none."""
        if (word, start) in self.known:
            return self.number(sum(self.known[word, i] << i - start for i in range(start, end)))
        return self.atom(("slice", word, start, end), 0, (1 << end - start) - 1)

    def fixed_word(self, data):
        """The number that a word of one part is, if that is fixed."""
        source, group = data
        parts = self.groups[group]
        return self.fixed.get((source, parts[0])) if len(parts) == 1 else None

    def term(self, n):
        if n not in self.memo:
            self.memo[n] = self._term(n)
        return self.memo[n]

    def _term(self, n):
        kind, parts, data = self.nodes[n]
        if kind == "num":
            return self.number(data[0])
        if kind == "word":
            source, group = data
            value, parts = self.fixed_word(data), self.groups[group]
            if value is not None:
                return self.number(value)
            size = self.sizes[parts[0]] if len(parts) == 1 else 256 ** len(parts)
            if size & size - 1:
                return self.atom(("word", source, group), 0, size - 1)
            return self._field(n, 0, size.bit_length() - 1)
        if kind == "field":
            inner, words, _ = self.nodes[parts[0]]
            if inner == "and" and data[1] == 1:
                return self.product(*(self._field(w, *data) for w in words))
            return self._field(parts[0], *data)
        if kind == "matches":
            tests = []
            for part, mask, value in zip(parts, data[::2], data[1::2], strict=True):
                cuts = sorted(c for c in self.cuts[part] if c <= mask.bit_length())
                for first, end in itertools.pairwise([0, *cuts]):
                    if end > first and mask >> first & 1:
                        field = self.fit(self._field(part, first, end - first), 0)
                        wanted = value >> first & (1 << end - first) - 1
                        tests.append(f"(= {field} {wanted})")
            return self.made("ite", f"(ite (and {' '.join(tests)} true) 1 0)", 0, 1)
        args = [self.term(p) for p in parts]
        if kind == "sum":
            return self.sum([(1, a) for a in args])
        if kind == "scale":
            return self.sum([(data[0], args[0])])
        if kind == "not":
            return self.sum([(1, self.number(1)), (-1, args[0])])
        if kind == "product":
            return self.product(*args)
        low, high = (args[0].low, args[0].high) if args else (0, 0)
        inner = self.fit(args[0], 0) if args else ""
        if kind in ("ge", "eq"):
            sign, sure = (
                (">=", (low >= data[0], high < data[0]))
                if kind == "ge"
                else ("=", (low == high == data[0], not low <= data[0] <= high))
            )
            if any(sure):
                return self.number(int(sure[0]))
            return self.made("ite", f"(ite ({sign} {inner} {text(data[0])}) 1 0)", 0, 1)
        if kind == "floor":
            return self.floor(args[0], data[0])
        if kind == "mod":
            rest = self.sum([(1, args[0]), (-data[0], self.floor(args[0], data[0]))])
            return Sum(rest.atoms, rest.constant, max(rest.low, 0), min(rest.high, data[0] - 1))
        if kind == "clamp":
            top = data[0] - 1
            if self.rest(args[0], data[0]):
                return Sum(args[0].atoms, args[0].constant, max(low, 0), min(high, top))
            if low >= 0 and high <= top:
                return args[0]
            clamped = f"(ite (< {inner} 0) 0 (ite (> {inner} {top}) {top} {inner}))"
            return self.made("clamp", clamped, max(0, min(low, top)), min(top, max(high, 0)))
        if kind == "choose" and low == high:
            return args[1 if low else 2]
        if kind == "choose":
            ends = [a.low for a in args[1:]], [a.high for a in args[1:]]
            sides = " ".join(self.fit(a, 0) for a in args[1:])
            chosen = f"(ite {self.truth(args[0])} {sides})"
            return self.made("choose", chosen, min(ends[0]), max(ends[1]))
        if kind == "digit":
            sides = " ".join(self.fit(a, 0) for a in args)
            result = self.atom((kind, sides), 0, 255)
            (name,), (x, d, c) = result.atoms, (self.fit(a, 0) for a in args)
            self.add(result, f"(= {name} (digit {sides}))")
            self.add(result, f"(=> (and (< {x} {d}) (<= 0 {d}) (<= 0 {c})) (= {name} 0))")
            return result
        return self.atom((kind, *parts, *data), -FAR, FAR)  # nothing is known of it


def _place(item):
    """Where an atom comes in a sum."""
    return int(item[0][1:])


def text(n):
    return str(n) if n >= 0 else f"(- {-n})"
