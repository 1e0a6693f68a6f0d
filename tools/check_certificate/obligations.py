"""Write the rows of a certificate as SMT-LIB obligations over bit-vectors.

    python tools/check_certificate/obligations.py MODEL CERTIFICATE FOLDER [--rows A:B]

One file per row: "some token makes a word of the next token differ from its formula". `unsat`
proves the row. The encoding is that of the neurons themselves, relu(gate) * value, with every
integer in as many bits as its interval needs, and shares nothing with the polynomials of the
checker. A digit of a quotient (logits with several forms) is an uninterpreted function of these
forms on both sides.
"""

import argparse
import json
import lzma
import re
from pathlib import Path

from certificate import Certificate
from formulas import WEIGHTS
from network import OWN, Model, Network

CONSTANT = re.compile(r"\(_ bv(\d+) (\d+)\)")


class Term:
    """An integer: its SMT-LIB name, in two's complement with `width` bits, and its interval."""

    def __init__(self, text, width, low, high):
        self.text, self.width, self.low, self.high = text, width, low, high


def width_of(low, high):
    return max(low.bit_length() if low >= 0 else (-low - 1).bit_length(), high.bit_length()) + 1


class Writer:
    """The lines of a file; equal definitions are written once."""

    def __init__(self):
        self.lines, self.names, self.parts = [], {}, {}

    def define(self, text, width, low, high):
        if text not in self.names:
            self.names[text] = f"t{len(self.names)}"
            sort = f"(_ BitVec {width})" if width else "Bool"
            self.lines.append(f"(define-fun {self.names[text]} () {sort} {text})")
        return Term(self.names[text], width, low, high)

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
        terms = [(w, t) for w, t in terms if w and (t.low or t.high)]
        constant = sum(w * t.low for w, t in terms if t.low == t.high)
        terms = [(w, t) for w, t in terms if t.low != t.high]
        low = constant + sum(min(w * t.low, w * t.high) for w, t in terms)
        high = constant + sum(max(w * t.low, w * t.high) for w, t in terms)
        if not terms:
            return self.number(constant)
        if len(terms) == 1 and terms[0][0] == 1 and not constant:
            return terms[0][1]
        width = width_of(low, high)
        texts = []
        for w, t in terms:
            text = self.fit(t, width)
            texts.append(text if w == 1 else f"(bvmul (_ bv{w % 2**width} {width}) {text})")
        if constant:
            texts.append(f"(_ bv{constant % 2**width} {width})")
        text = texts[0]
        for other in texts[1:]:
            text = f"(bvadd {text} {other})"
        return self.define(text, width, low, high)

    def product(self, a, b):
        if a.low == a.high:
            return self.sum([(a.low, b)])
        if b.low == b.high:
            return self.sum([(b.low, a)])
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        width = width_of(min(ends), max(ends))
        if (a.low, a.high) == (0, 1):
            zero = f"(_ bv0 {width})"
            text = f"(ite {self.truth(self.at_least(a, 1))} {self.fit(b, width)} {zero})"
        elif (b.low, b.high) == (0, 1):
            return self.product(b, a)
        else:
            text = f"(bvmul {self.fit(a, width)} {self.fit(b, width)})"
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

    def part(self, source, part, size):
        """A part of a source, and its bits."""
        bits = (size - 1).bit_length()
        name = f"p{source + 1}_{part}"
        if (source, part) not in self.parts:
            self.parts[source, part] = name
            self.lines.append(f"(declare-const {name} (_ BitVec {bits}))")
            if size & size - 1:
                self.lines.append(f"(assert (bvult {name} (_ bv{size} {bits})))")
        return self.define(f"((_ zero_extend 1) {name})", bits + 1, 0, size - 1)

    def bit(self, term, i):
        if term.low == term.high:
            return self.number(term.low >> i & 1)
        if i >= term.width:
            return self.number(0)
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
        for n in neurons.tolist():
            gate = writer.relu(writer.sum([(w, now.get(lane, none)) for lane, w in gates[n]]))
            value = writer.sum([(w, now.get(lane, none)) for lane, w in values[n]])
            product = writer.product(gate, value)
            for lane, weight in outs[n]:
                added.setdefault(lane, []).append((weight, product))
        now = {lane: writer.sum(terms) for lane, terms in added.items()}
    return [
        [writer.sum([*((w, now.get(lane, none)) for lane, w in terms), (1, writer.number(offset))])
         for terms, offset in forms]
        for forms in network.outputs
    ]  # fmt: skip


class FormulaWriter:
    """Expressions of a certificate as terms."""

    def __init__(self, writer, certificate, sizes, fixed):
        self.writer, self.formulas, self.fixed = writer, certificate.formulas, fixed
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
        kind, parts, data = self.formulas.nodes[n]
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
            return w.product(*args)
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
        if kind in ("floor", "mod"):
            return self._divided(kind, args[0], data[0])
        if kind == "clamp":
            return clamped(w, args[0], data[0])
        if kind == "table":
            _, (word,), (shift, _) = self.formulas.nodes[parts[0]]
            source, group = self.formulas.nodes[word][2]
            return w.table(source, self.groups[group][shift // 8], data)
        if kind == "digit":
            return searched(w, args)
        assert kind in WEIGHTS, kind
        return self._shifted(kind, args, data[0])

    def _field(self, arg, first, count):
        w = self.writer
        if arg.low == arg.high:
            return w.number(arg.low >> first & (1 << count) - 1)
        last = first + count - 1
        text = w.fit(arg, last + 1) if last >= arg.width else arg.text
        text = f"((_ zero_extend 1) ((_ extract {last} {first}) {text}))"
        return w.define(text, count + 1, 0, (1 << count) - 1)

    def _divided(self, kind, arg, m):
        w = self.writer
        if arg.low // m == arg.high // m:
            quotient = w.number(arg.low // m)
        elif m & m - 1 == 0:  # floor is an arithmetic shift
            k, low, high = m.bit_length() - 1, arg.low // m, arg.high // m
            text = f"(bvashr {arg.text} (_ bv{k} {arg.width}))"
            wide = w.define(text, arg.width, low, high)
            width = width_of(low, high)
            quotient = w.define(w.fit(wide, width), width, low, high)
        else:  # the sum of [arg >= k m]
            low = arg.low // m
            steps = [(1, w.at_least(arg, k * m)) for k in range(low + 1, arg.high // m + 1)]
            quotient = w.sum([(1, w.number(low)), *steps])
        if kind == "floor":
            return quotient
        rest = w.sum([(1, arg), (-m, quotient)])
        width = width_of(0, m - 1)
        return w.define(w.fit(rest, width), width, 0, m - 1) if rest.low != rest.high else rest

    def _shifted(self, kind, args, width):
        value, amount = self._field(args[0], 0, width), args[1]
        w, bits = self.writer, (width - 1).bit_length()
        word = f"((_ extract {width - 1} 0) {value.text})"
        by = self._field(amount, 0, bits)
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
    sort = " ".join(["(_ BitVec 160)"] * 3)
    line = f"(declare-fun digit ({sort}) (_ BitVec 8))"
    if line not in w.lines:
        w.lines.append(line)
    if any(a.width > 160 for a in args):
        raise ValueError("a form of a quotient has more than 160 bits")
    text = " ".join(w.fit(a, 160) for a in args)
    return w.define(f"((_ zero_extend 1) (digit {text}))", 9, 0, 255)


def obligation(network, certificate, entry):
    """The SMT-LIB text of a row."""
    w = Writer()
    sizes = network.model.sizes
    fixed = {(source, part): value for source, part, value in entry["fixed"]}
    formulas = FormulaWriter(w, certificate, sizes, fixed)
    outputs = []
    for p, (x, d, c) in enumerate(step(w, network, fixed)):
        plain = d.low == d.high == 1 and c.low == c.high == 0
        outputs.append(clamped(w, x, sizes[p]) if plain else searched(w, [x, d, c]))
    wrong = []

    def walk(tree, path):
        if len(tree) == 4:
            condition = w.truth(formulas.term(tree[0]))
            walk(tree[2], [*path, condition])
            walk(tree[3], [*path, f"(not {condition})"])
            return
        for group, (expr, guard, _) in enumerate(tree[0]):
            word = w.sum([(256**d, outputs[p]) for d, p in enumerate(certificate.groups[group])])
            claim = formulas.term(expr)
            width = max(word.width, claim.width)
            differ = f"(not (= {w.fit(word, width)} {w.fit(claim, width)}))"
            guarded = [w.truth(formulas.term(guard))] if guard >= 0 else []
            wrong.append(f"(and {' '.join([*path, *guarded, differ, 'true'])})")

    walk(entry["tree"], [])
    lines = ["(set-logic QF_UFBV)", *w.lines, f"(assert (or {' '.join(wrong)} false))"]
    return "\n".join([*lines, "(check-sat)"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("certificate")
    parser.add_argument("folder")
    parser.add_argument("--rows", metavar="A:B", default=":")
    options = parser.parse_args()
    network = Network(Model(Path(options.model).read_bytes()))
    content = json.loads(lzma.decompress(Path(options.certificate).read_bytes()))
    certificate = Certificate(content, network)
    chosen = slice(*(int(n) if n else None for n in options.rows.split(":")))
    for number in range(len(certificate.rows))[chosen]:
        text = obligation(network, certificate, certificate.rows[number])
        (Path(options.folder) / f"row{number:04}.smt2").write_text(text)


if __name__ == "__main__":
    main()
