"""Rows of a certificate as SMT-LIB obligations over bit-vectors.

    python tools/check_certificate/obligations.py MODEL CERTIFICATE FOLDER [--rows A:B]

One obligation for each word of the next token and each formula that a row has for it: "some token
makes the word differ from the formula, in the leaves that claim it". If all are `unsat`, the words
of the row are proved. The neurons are written as they are, relu(gate) * value, except that neurons
with the same value whose gates differ by a constant or a sign are one function of an integer (see
`Writer.bend`). Integers have as many bits as their intervals need. A digit of a quotient (logits
with several forms) is an uninterpreted function of these forms on both sides. Nothing here uses the
polynomials of the checker.
"""

import argparse
import itertools
import json
import lzma
import re
from pathlib import Path

from certificate import Certificate
from formulas import SHIFTS
from network import OWN, Model, Network

NAME = re.compile(r"\b(?:t\d+|p\d+_\d+)\b")
DIGITS = 16  # of a number whose products are those of its digits
QUOTIENT_BITS = 160  # of the forms of a digit of a quotient


class Term:
    """An integer: its SMT-LIB name, in two's complement with `width` bits, and its interval.

    It is weight * base + constant as well, with another term as its base or with itself. `bits` are
    those that are known, by place.
    """

    def __init__(self, text, width, low, high, weight=1, base=None, constant=0):
        self.text, self.width, self.low, self.high = text, width, low, high
        self.weight, self.base, self.constant = weight, base or self, constant
        self.bits = {}
        self.parts = [(1, self)], 0  # weighted terms and a constant, of which it is the sum


def width_of(low, high):
    return max(low.bit_length() if low >= 0 else (-low - 1).bit_length(), high.bit_length()) + 1


class Writer:
    """Definitions by name; equal ones are written once."""

    def __init__(self, known=()):
        self.definitions, self.names = {}, {}
        self.known = dict(known)  # bits of parts that have a value: first, count, value

    def define(self, text, width, low, high, *known):
        if text not in self.names:
            name = self.names[text] = f"t{len(self.names)}"
            self.definitions[name] = f"(define-fun {name} () (_ BitVec {width}) {text})"
        return Term(self.names[text], width, low, high, *known)

    def file(self, goal):
        """A file that asks whether `goal` can be true, with the definitions that it needs."""
        needed, lines = {*NAME.findall(goal)}, [f"(assert {goal})", "(check-sat)"]
        for name, line in reversed(self.definitions.items()):
            if name in needed:
                needed.update(NAME.findall(line))
                lines.insert(0, line)
        logic = "QF_BV"
        if any("(digit " in line for line in lines):
            logic, sort = "QF_UFBV", " ".join([f"(_ BitVec {QUOTIENT_BITS})"] * 3)
            lines.insert(0, f"(declare-fun digit ({sort}) (_ BitVec 8))")
        return "\n".join([f"(set-logic {logic})", *lines]) + "\n"

    def number(self, n):
        width = width_of(n, n)
        return Term(f"(_ bv{n % 2**width} {width})", width, n, n)

    def fit(self, term, width):
        """The text of a term in `width` bits; the value must fit."""
        if term.low == term.high:
            return f"(_ bv{term.low % 2**width} {width})"
        if width == term.width:
            return term.text
        if width > term.width:
            return f"((_ sign_extend {width - term.width}) {term.text})"
        return f"((_ extract {width - 1} 0) {term.text})"

    def sum(self, terms):
        """The sum of (weight, term)."""
        constant = sum(w * (t.low if t.low == t.high else t.constant) for w, t in terms)
        weights = {}
        for w, t in terms:
            if t.low != t.high:
                before, _ = weights.get(t.base.text, (0, t))
                weights[t.base.text] = before + w * t.weight, t.base
        terms = [(w, t) for w, t in weights.values() if w]
        terms, constant = self._flat(terms, constant)
        low = constant + sum(min(w * t.low, w * t.high) for w, t in terms)
        high = constant + sum(max(w * t.low, w * t.high) for w, t in terms)
        if not terms:
            return self.number(constant)
        if len(terms) == 1 and terms[0][0] == 1 and not constant:
            return terms[0][1]
        known = (*terms[0], constant) if len(terms) == 1 else ()
        width = width_of(low, high)
        text = None if constant else self._concat(terms, width)
        if text:
            term = self.define(text, width, low, high, *known)
            for w, t in terms:
                term.bits |= {i + w.bit_length() - 1: bit for i, bit in t.bits.items()}
            term.parts = terms, 0
            return term
        texts = [f"(_ bv{constant % 2**width} {width})"] if constant else []
        for w, t in terms:
            text, factor = self.fit(t, width), f"(_ bv{w % 2**width} {width})"
            texts.append(text if w == 1 else f"(bvmul {factor} {text})")
        text = f"(bvadd {' '.join(texts)})" if len(texts) > 1 else texts[0]
        term = self.define(text, width, low, high, *known)
        term.parts = terms, constant
        return term

    def _flat(self, terms, constant):
        """The same sum with the terms of sums in it, if they are no more."""
        weights, total = {}, constant
        for w, t in terms:
            inner, more = t.parts
            total += w * more
            for weight, part in inner:
                before, _ = weights.get(part.text, (0, part))
                weights[part.text] = before + w * weight, part
        flat = [(w, t) for w, t in weights.values() if w]
        return (flat, total) if len(flat) <= len(terms) else (terms, constant)

    def _concat(self, terms, width):
        """A sum of terms that overlap in no bit, such as a word of bytes; None for another sum."""
        pieces, end = [], 0
        for w, t in sorted(terms, key=lambda term: term[0]):
            shift, bits = w.bit_length() - 1, t.high.bit_length()
            if w != 1 << shift or t.low < 0 or shift < end:
                return None
            pieces += [f"(_ bv0 {shift - end})"] if shift > end else []
            pieces.append(f"((_ extract {bits - 1} 0) {t.text})")
            end = shift + bits
        pieces += [f"(_ bv0 {width - end})"]
        return f"(concat {' '.join(pieces[::-1])})" if end < width else None

    def product(self, a, b):
        if a.low == a.high:
            return self.sum([(a.low, b)])
        if b.low == b.high:
            return self.sum([(b.low, a)])
        if (b.low, b.high) == (0, 1) != (a.low, a.high):
            a, b = b, a
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        width = width_of(min(ends), max(ends))
        if (a.low, a.high) == (0, 1):
            text = f"(ite {self.truth(a)} {self.fit(b, width)} (_ bv0 {width}))"
        else:
            text = f"(bvmul {' '.join(sorted(self.fit(x, width) for x in (a, b)))})"
        return self.define(text, width, min(ends), max(ends))

    def relu(self, a):
        if a.low >= 0 or a.high <= 0:
            return a if a.low >= 0 else self.number(0)
        text = f"(ite (bvsgt {a.text} (_ bv0 {a.width})) {a.text} (_ bv0 {a.width}))"
        return self.define(text, a.width, 0, a.high)

    def at_least(self, a, bound):
        """[a >= bound] as a term of one bit of value."""
        if a.low >= bound or a.high < bound:
            return self.number(int(a.low >= bound))
        text = f"(bvsge {a.text} (_ bv{bound % 2**a.width} {a.width}))"
        return self.define(f"(ite {text} (_ bv1 2) (_ bv0 2))", 2, 0, 1)

    def truth(self, a):
        return f"(= {a.text} (_ bv1 {a.width}))"

    def floor(self, a, m):
        """floor(a / m)."""
        low, high = a.low // m, a.high // m
        if low == high:
            return self.number(low)
        if m & m - 1:  # the sum of [a >= k m]
            steps = [(1, self.at_least(a, k * m)) for k in range(low + 1, high + 1)]
            return self.sum([(1, self.number(low)), *steps])
        width = width_of(low, high)  # an arithmetic shift
        shifted = f"(bvashr {a.text} (_ bv{m.bit_length() - 1} {a.width}))"
        wide = self.define(shifted, a.width, low, high)
        return self.define(self.fit(wide, width), width, low, high)

    def bend(self, z, corners):
        """The sum of weight * relu(sign * z + offset) over corners (sign, offset, weight).

        With the slope that it has at the least z and the changes of slope at later places k, it is
        level + sum of change * relu(z - k); relu(z - k) is [z > k] + relu(z - k - 1).
        """
        level, changes = 0, {}
        for sign, offset, weight in corners:
            level += weight * max(0, sign * z.low + offset)
            place = max(-sign * offset, z.low)
            if sign < 0 and place > z.low:  # relu(k - z) is k - z + relu(z - k)
                changes[z.low] = changes.get(z.low, 0) - weight
            if (sign > 0 or place > z.low) and place < z.high:
                changes[place] = changes.get(place, 0) + weight
        terms, steps = [(1, self.number(level))], []
        for k in sorted(changes):
            if k + 1 == z.high or changes.get(k + 1):
                steps.append((k + 1, changes[k]))
                if k + 1 < z.high:
                    changes[k + 1] += changes[k]
            else:
                terms.append((changes[k], self.relu(self.sum([(1, z), (-k, self.number(1))]))))
        steps = [(k, height) for k, height in steps if height]
        places, heights = [k for k, _ in steps], {height for _, height in steps}
        gaps = {b - a for a, b in itertools.pairwise(places)}
        if len(steps) > 2 and len(heights) == len(gaps) == 1:  # a staircase is a floor
            (height,), (m,), first, last = heights, gaps, places[0], places[-1]
            if z.low >= first - m and z.high < last + m:
                stairs = self.floor(self.sum([(1, z), (m - first, self.number(1))]), m)
                return self.sum([*terms, (height, stairs)])
        return self.sum([*terms, *((height, self.at_least(z, k)) for k, height in steps)])

    def part(self, source, part, size):
        """A part of a source."""
        bits = (size - 1).bit_length()
        name = f"p{source + 1}_{part}"
        lines = [f"(declare-const {name} (_ BitVec {bits}))"]
        if size & size - 1:
            lines.append(f"(assert (bvult {name} (_ bv{size} {bits})))")
        self.definitions.setdefault(name, "\n".join(lines))
        if (source, part) in self.known:
            first, count, value = self.known[source, part]
            pieces = [f"((_ extract {bits - 1} {first + count}) {name})"] * (first + count < bits)
            pieces.append(f"(_ bv{value} {count})")
            pieces += [f"((_ extract {first - 1} 0) {name})"] * (first > 0)
            name = f"(concat {' '.join(pieces)})" if len(pieces) > 1 else pieces[0]
            term = self.define(f"((_ zero_extend 1) {name})", bits + 1, 0, size - 1)
            term.bits = {first + i: value >> i & 1 for i in range(count)}
            return term
        return self.define(f"((_ zero_extend 1) {name})", bits + 1, 0, size - 1)

    def bit(self, term, i):
        if term.low == term.high:
            return self.number(term.low >> i & 1)
        if i >= term.width:
            return self.number(0)
        if i in term.bits:
            return self.number(term.bits[i])
        return self.define(f"((_ zero_extend 1) ((_ extract {i} {i}) {term.text}))", 2, 0, 1)

    def table(self, source, part, values):
        """values[v] of a part: a sum over bits, or a comparison with each value."""
        whole = self.part(source, part, len(values))
        slopes = [values[1 << i] - values[0] for i in range((len(values) - 1).bit_length())]
        sums = [values[0]]
        for slope in slopes:
            sums += [s + slope for s in sums]
        if sums[: len(values)] == list(values):
            terms = [(s, self.bit(whole, i)) for i, s in enumerate(slopes)]
            if slopes == [slopes[0] << i for i in range(len(slopes))]:
                terms = [(slopes[0], whole)]
            return self.sum([*terms, (1, self.number(values[0]))])
        width = width_of(min(values), max(values))
        text = f"(_ bv{values[0] % 2**width} {width})"
        for v, value in enumerate(values):
            if value != values[0]:
                is_v = f"(= {whole.text} (_ bv{v} {whole.width}))"
                text = f"(ite {is_v} (_ bv{value % 2**width} {width}) {text})"
        return self.define(text, width, min(values), max(values))


def reading(writer, read, i, source, fixed):
    terms = [(1, writer.number(int(read.constant[i])))]
    for p, values in read.by_row[i].items():
        value = fixed.get((source, p))
        known = None if value is None else writer.number(values[value])
        terms.append((1, known or writer.table(source, p, values)))
    return writer.sum(terms)


def step(writer, network, fixed):
    """The forms x, d, c of every output."""
    live, lanes, heads = network.live(fixed)
    now = {lane: reading(writer, network.own, lane, OWN, fixed) for lane in lanes.tolist()}
    none = writer.number(0)
    for layer, (neurons, erased, _) in zip(network.layers, live, strict=True):
        for h in layer.heads:
            head = network.heads[h]
            for i, lane in enumerate(head.lanes.tolist() if h in heads else []):
                read = reading(writer, head.reads, i, h, fixed)
                now[lane] = writer.sum([(1, now.get(lane, none)), (1, read)])
        gates, values, outs = (m.terms for m in (layer.gate, layer.value, layer.out))
        added = {lane: [(1, term)] for lane, term in now.items() if not erased[lane]}
        groups = {}  # neurons of one value whose gates are sign * z + offset
        for n in neurons.tolist():
            gate = [(w, now.get(lane, none)) for lane, w in gates[n]]
            value = writer.sum([(w, now.get(lane, none)) for lane, w in values[n]])
            offset = sum(w * t.low for w, t in gate if t.low == t.high)
            gate = [(w, t) for w, t in gate if t.low != t.high]
            sign = 1 if not gate or gate[0][0] > 0 else -1
            z = writer.sum([(sign * w, t) for w, t in gate])
            by_lane = groups.setdefault((z.text, value.text), (z, value, {}))[2]
            for lane, weight in outs[n]:
                by_lane.setdefault(lane, []).append((sign, offset, weight))
        for z, value, by_lane in groups.values():
            for lane, corners in by_lane.items():
                product = writer.product(writer.bend(z, corners), value)
                added.setdefault(lane, []).append((1, product))
        now = {lane: writer.sum(terms) for lane, terms in added.items()}
    return [
        [writer.sum([*((w, now.get(lane, none)) for lane, w in terms), (1, writer.number(offset))])
         for terms, offset in forms]
        for forms in network.outputs
    ]  # fmt: skip


class FormulaWriter:
    """Expressions of a certificate as terms."""

    def __init__(self, writer, certificate, sizes, fixed):
        self.writer, self.nodes, self.fixed = writer, certificate.nodes, fixed
        self.groups, self.sizes, self.memo = certificate.groups, sizes, {}

    def word(self, source, group):
        terms = []
        for d, p in enumerate(self.groups[group]):
            value = self.fixed.get((source, p))
            part = self.writer.part(source, p, self.sizes[p])
            terms.append((256**d, part if value is None else self.writer.number(value)))
        return self.writer.sum(terms)

    def term(self, n):
        if n not in self.memo:
            self.memo[n] = self._term(n)
        return self.memo[n]

    def _term(self, n):
        kind, parts, data = self.nodes[n]
        w = self.writer
        if kind == "num":
            return w.number(data[0])
        if kind == "word":
            return self.word(*data)
        args = [self.term(p) for p in parts]
        if kind == "sum":
            return w.sum([(1, a) for a in args])
        if kind == "scale":
            return w.sum([(data[0], args[0])])
        if kind == "product":
            return self._product(*args)
        if kind == "square":
            return w.product(w.relu(args[0]), args[0])
        if kind == "ge":
            return w.at_least(args[0], data[0])
        if kind == "eq":
            one, two = w.at_least(args[0], data[0]), w.at_least(args[0], data[0] + 1)
            return w.sum([(1, one), (-1, two)])
        if kind == "not":
            return w.sum([(1, w.number(1)), (-1, args[0])])
        if kind in ("and", "or", "xor"):
            width = max(a.width for a in args)
            texts = [w.fit(a, width) for a in args]
            high = (1 << width - 1) - 1
            return w.define(f"(bv{kind} {texts[0]} {texts[1]})", width, 0, high)
        if kind == "field":
            return self._field(args[0], *data)
        if kind == "signed":
            return w.sum([(1, args[0]), (-(1 << data[0]), w.bit(args[0], data[0] - 1))])
        if kind == "ones":
            return w.sum([(1, w.bit(args[0], i)) for i in range(args[0].width - 1)])
        if kind == "matches":
            result = w.number(1)
            for arg, mask, value in zip(args, data[::2], data[1::2], strict=True):
                for i in range(mask.bit_length()):
                    if mask >> i & 1:
                        bit = w.bit(arg, i)
                        same = bit if value >> i & 1 else w.sum([(1, w.number(1)), (-1, bit)])
                        result = w.product(result, same)
            return result
        if kind == "floor":
            return w.floor(args[0], data[0])
        if kind == "mod":
            return self._rest(args[0], data[0])
        if kind == "clamp":
            return clamped(w, args[0], data[0])
        if kind == "table":
            _, (word,), (shift, _) = self.nodes[parts[0]]
            source, group = self.nodes[word][2]
            part = self.groups[group][shift // 8]
            value = self.fixed.get((source, part))
            return w.table(source, part, data) if value is None else w.number(data[value])
        if kind == "digit":
            return searched(w, args)
        if kind == "choose":
            return self._chosen(*args)
        if kind == "zeros":
            return self._zeros(args[0])
        assert kind in SHIFTS, kind
        return self._shifted(kind, args, data[0])

    def _product(self, a, b):
        """A product of sums, as the sum of the products of what they are sums of."""
        if a.high <= 1 or b.high <= 1:
            return self.writer.product(a, b)
        one, two = expanded(self.writer, a), expanded(self.writer, b)
        pairs = itertools.product(one, two)
        return self.writer.sum([(v * w, self.writer.product(x, y)) for (v, x), (w, y) in pairs])

    def _chosen(self, condition, yes, no):
        w, low, high = self.writer, min(yes.low, no.low), max(yes.high, no.high)
        if condition.low == condition.high:
            return yes if condition.low else no
        width = width_of(low, high)
        text = f"(ite {w.truth(condition)} {w.fit(yes, width)} {w.fit(no, width)})"
        return w.define(text, width, low, high)

    def _zeros(self, arg):
        """The zeros above the highest 1 of 64 bits, 63 where there is none."""
        text = "(_ bv63 7)"
        for i in range(1, 64):
            text = f"(ite {self.writer.truth(self.writer.bit(arg, i))} (_ bv{63 - i} 7) {text})"
        return self.writer.define(text, 7, 0, 63)

    def _field(self, arg, first, count):
        w = self.writer
        if arg.low == arg.high:
            return w.number(arg.low >> first & (1 << count) - 1)
        if all(i in arg.bits for i in range(first, first + count)):
            return w.number(sum(arg.bits[first + i] << i for i in range(count)))
        last = first + count - 1
        text = w.fit(arg, last + 1) if last >= arg.width else arg.text
        text = f"((_ zero_extend 1) ((_ extract {last} {first}) {text}))"
        return w.define(text, count + 1, 0, (1 << count) - 1)

    def _rest(self, arg, m):
        w = self.writer
        rest, width = w.sum([(1, arg), (-m, w.floor(arg, m))]), width_of(0, m - 1)
        return rest if rest.low == rest.high else w.define(w.fit(rest, width), width, 0, m - 1)

    def _shifted(self, kind, args, width):
        value, amount = self._field(args[0], 0, width), args[1]
        w, bits = self.writer, (width - 1).bit_length()
        word = f"((_ extract {width - 1} 0) {value.text})"
        by = self._field(amount, 0, bits)
        if by.low == by.high and kind in ("shl", "shr"):
            return self._moved(value, by.low if kind == "shl" else -by.low, width)
        k = f"((_ zero_extend {width - bits}) ((_ extract {bits - 1} 0) {by.text}))"
        back = f"(bvsub (_ bv{width} {width}) {k})"  # k is 0: a shift by the width gives 0
        text = {
            "shl": f"(bvshl {word} {k})",
            "shr": f"(bvlshr {word} {k})",
            "sar": f"(bvashr {word} {k})",
            "rotl": f"(bvor (bvshl {word} {k}) (bvlshr {word} {back}))",
            "rotr": f"(bvor (bvlshr {word} {k}) (bvshl {word} {back}))",
        }[kind]
        return w.define(f"((_ zero_extend 1) {text})", width + 1, 0, (1 << width) - 1)

    def _moved(self, value, by, width):
        """A word moved left by a number of bits, or right where it is below 0."""
        if by == 0:
            return value
        kept = self._field(value, max(-by, 0), width - abs(by))
        return kept if by < 0 else self.writer.sum([(1 << by, kept)])


def expanded(w, term):
    """Weighted terms that are no sums; a few, or the term itself."""
    parts, constant = term.parts
    if parts[0][1] is term or len(parts) > DIGITS:
        return [(1, term)]
    inner = [(v * u, t) for v, part in parts for u, t in expanded(w, part)]
    return [*inner, (constant, w.number(1))] if constant else inner


def clamped(w, x, size):
    if x.low >= 0 and x.high < size:
        return x
    width = max(x.width, width_of(0, size - 1))
    text, top = w.fit(x, width), f"(_ bv{size - 1} {width})"
    zero = f"(_ bv0 {width})"
    text = f"(ite (bvslt {text} {zero}) {zero} (ite (bvsgt {text} {top}) {top} {text}))"
    return w.define(text, width, 0, size - 1)


def searched(w, args):
    """The digit of a quotient: an unknown function of three numbers, the same on both sides."""
    if any(a.width > QUOTIENT_BITS for a in args):
        raise ValueError(f"a form of a quotient has more than {QUOTIENT_BITS} bits")
    text = " ".join(w.fit(a, QUOTIENT_BITS) for a in args)
    return w.define(f"((_ zero_extend 1) (digit {text}))", 9, 0, 255)


def cases(tree, group):
    """The leaves of a tree for one word: (path, expression, guard); equal leaves are joined."""
    if len(tree) == 2:
        return [([], *tree[0][group][:2])]
    condition, _, *branches = tree
    yes, no = (cases(branch, group) for branch in branches)
    if yes == no and len(yes) == 1:
        return yes
    return [
        ([(condition, truth), *path], *claim)
        for truth, leaves in ((True, yes), (False, no)) for path, *claim in leaves
    ]  # fmt: skip


def obligations(network, certificate, entry):
    """The SMT-LIB files of a row; what is equal as it is written needs none."""
    w = Writer()
    sizes = network.model.sizes
    fixed = {(source, part): value for source, part, value in entry["fixed"]}
    formulas = FormulaWriter(w, certificate, sizes, fixed)
    outputs, files = [], []
    for p, (x, d, c) in enumerate(step(w, network, fixed)):
        plain = d.low == d.high == 1 and c.low == c.high == 0
        outputs.append(clamped(w, x, sizes[p]) if plain else searched(w, [x, d, c]))

    def decided(condition, truth):
        text = w.truth(formulas.term(condition))
        return text if truth else f"(not {text})"

    for group, parts in enumerate(certificate.groups):
        word = w.sum([(256**d, outputs[p]) for d, p in enumerate(parts)])
        claims = {}
        for path, *claim in cases(entry["tree"], group):
            claims.setdefault(tuple(claim), []).append(path)
        for (expr, guard), paths in claims.items():
            claim = formulas.term(expr)
            width = max(word.width, claim.width)
            if w.fit(word, width) == w.fit(claim, width):
                continue
            goal = [f"(not (= {w.fit(word, width)} {w.fit(claim, width)}))", "true"]
            if guard >= 0:
                goal.append(w.truth(formulas.term(guard)))
            if all(paths):
                either = (" ".join(decided(*at) for at in path) for path in paths)
                goal.append(f"(or {' '.join(f'(and {path} true)' for path in either)} false)")
            files.append(w.file(f"(and {' '.join(goal)})"))
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("certificate")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", metavar="A:B", default=":")
    options = parser.parse_args()
    network = Network(Model(Path(options.model).read_bytes()))
    content = json.loads(lzma.decompress(Path(options.certificate).read_bytes()))
    certificate = Certificate(content, network)
    chosen = slice(*(int(n) if n else None for n in options.rows.split(":")))
    for number in range(len(certificate.rows))[chosen]:
        files = obligations(network, certificate, certificate.rows[number])
        for k, text in enumerate(files):
            (options.folder / f"row{number:04}-{k:02}.smt2").write_text(text)


if __name__ == "__main__":
    main()
