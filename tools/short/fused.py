"""Fused instructions: all their steps as one operation of IEEE 754, where a guard holds.

    python -m tools.short.fused make [NAME ...]    what has to be proved, in build/fused
    python tools/short/solve.py build/fused/files.zip build/fused/verdicts.jsonl
    python -m tools.short.fused write              those that are proved go into the package's file

What is claimed of an instruction: where the checks of its first step and the guard hold, its steps
take one of the paths with as many steps, the token after them has the words that are said here, and
of these the result is the exact one, rounded to nearest, ties to even. The exact result is a number
of 113 significant bits (the format of 128 bits), made of integers; `to_fp` of SMT-LIB rounds it.
"""

import hashlib
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File

from tools.short.__main__ import RECORD, command, named, shipped
from tools.short.chains import STATUS, Chain, Path, Texts, filled
from tools.short.floats import AT, VALUE, Float, any_of
from tools.short.forms import F, both, head, own
from tools.short.rows import size
from transputer.circuit.floats import F32, F64, FloatFormat
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import WordExpr, word
from transputer.engines.lifted.decoder.fused import Fused, fused_rows, write_fused
from transputer.engines.lifted.decoder.proved import FOLDER, ProvedRows
from transputer.engines.lifted.decoder.rows import (
    Query,
    RowLeaf,
    RowSplit,
    RowWord,
    Tree,
    expressions,
    leaves,
)
from transputer.machines.trace.floats import ALIGN, INFINITE, NORM, PACK, SUM
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.universal import model as trace_model
from transputer.model import digest

BUILD = File("build/fused")
#: Sources of words that stand for a product: 64 bits of it, and those above.
PRODUCT = 50, 51
#: What the exponent of the format of 128 bits adds to that of the lowest of 113 bits.
LOWEST = 16383 + 112
#: What steps before the last ones leave: X and the frame.
STATE = own(VALUE).expr, own(AT).expr


@dataclass(frozen=True)
class Part:
    """Paths of some number of steps: where they are taken, and the files that say so."""

    condition: WordExpr | None
    paths: list[Path]
    files: list[str]


@dataclass(frozen=True)
class Fusion:
    """An instruction: its format, what must hold of operands, and the result.

    Where `early` holds, it ends before the other steps.
    """

    name: str
    format: FloatFormat
    phases: frozenset[int]
    guard: F
    result: F
    early: F | None = None
    #: Another instruction, which it is if the sign of the second operand is turned.
    like: "Fusion | None" = None

    def chain(self, proved: ProvedRows) -> Chain:
        """The rows of the instruction."""
        fetched, own_part = proved.frame.setting.controls
        rows = {
            fixed[own_part]: number
            for number, fixed in enumerate(proved.chosen)
            if fixed[fetched] == OPCODES[self.name]
        }
        return Chain(proved, rows, self.phases)


def operands(f: FloatFormat) -> tuple[Float, Float]:
    """The two operands on the stack."""
    return Float(head(3, VALUE), f), Float(head(4, VALUE), f)


def usual(x: Float) -> F:
    """A normal number or a zero."""
    return any_of(both(x.normal, ~x.special), x.zero)


def fusions() -> Iterator[Fusion]:
    """The instructions that are fused."""
    for name, f in (("f64", F64), ("f32", F32)):
        a, b = operands(f)
        finite = both(~a.special, ~b.special)
        sums = frozenset((0, SUM, NORM, PACK, INFINITE))
        minus = b.word ^ (1 << f.bits - 1)
        add = Fusion(f"{name}.add", f, sums, finite, arithmetic("fadd", f, a.word, b.word))
        difference = arithmetic("fadd", f, a.word, minus)
        yield add
        yield Fusion(f"{name}.sub", f, sums, finite, difference, like=add)
        product = arithmetic("fmul", f, a.word, b.word)
        tail = frozenset((0, NORM, ALIGN, PACK, INFINITE))
        zero = any_of(a.zero, b.zero)
        yield Fusion(f"{name}.mul", f, tail, both(usual(a), usual(b)), product, zero)


def arithmetic(kind: str, f: FloatFormat, *words: F) -> F:
    """An operation on words that are floats."""
    return F(WordExpr(kind, tuple(w.expr for w in words), (f.bits,)))


# The fused row


def checks(tree: Tree) -> list[tuple[WordExpr, bool]]:
    """What a row checks first, to stop where it does not hold: that the stack is as it must be."""
    if isinstance(tree, RowLeaf):
        return []
    for truth, side, other in ((True, tree.yes, tree.no), (False, tree.no, tree.yes)):
        if all(stops(leaf) for leaf in leaves(other)):
            return [(tree.condition, truth), *checks(side)]
    return []


def stops(leaf: RowLeaf) -> bool:
    """Whether a leaf ends the run."""
    return leaf.words[STATUS].expr.value({}) != 0


def by_length(fusion: Fusion, proved: ProvedRows) -> tuple[list[Path], list[Path]]:
    """The longest paths of an instruction, and the others, if it may end early."""
    paths = fusion.chain(proved).paths()
    most = max(map(len, paths))
    early = [] if fusion.early is None else [p for p in paths if len(p) < most]
    return [p for p in paths if len(p) == most], early


def fused(fusion: Fusion, proved: ProvedRows) -> Fused:
    """The row of an instruction whose steps are taken at once."""
    chain = fusion.chain(proved)
    long, short = by_length(fusion, proved)
    lengths = {len(path) for path in short}
    if len(lengths) > 1:
        raise ValueError(f"{fusion.name}: paths of {sorted(lengths)} steps")
    words = tuple(
        RowWord(fusion.result.expr, fusion.guard.expr, True)
        if g == VALUE
        else RowWord(shortest(g, long), None, True)
        for g in range(len(proved.frame.groups))
    )
    first = proved.tree(chain.rows[0])
    queries = {h: q for h, (q, _) in long[0][0].queries.items()}
    wanted = {h for w in words for e in (w.expr, w.guard) if e is not None for h, _ in e.variables}
    leaf = RowLeaf(words, {h: q for h, q in queries.items() if h in wanted})
    lone = proved.frame.lone
    kept = {*proved.frame.setting.static} - {*lone}
    if any(step.words[g] is not own(g).expr for p in long for step in p[:-1] for g in kept):
        raise ValueError(f"{fusion.name}: a step fetches another instruction")
    between = tuple(
        tuple(sorted({tuple(p[at].words[g].data[0] for g in lone) for p in long}))
        for at in range(len(long[0]) - 1)
    )
    early = None
    if fusion.early is not None:
        early = fusion.early.expr, lengths.pop()
    return Fused(proved.chosen[chain.rows[0]], under(first, checks(first), leaf), between, early)


def shortest(group: int, paths: Sequence[Path]) -> WordExpr:
    """The shortest formula for a word after all paths; files say that it is one."""
    exprs = [p[-1].words[group] for p in paths]
    known = {v: 1 + 77 * v[1] for expr in exprs for v in expr.variables}
    stays = all(expr.value(known) == known.get((OWN, group)) for expr in exprs)
    return min([own(group).expr] * stays + exprs, key=size)


def under(tree: Tree, decisions: Sequence[tuple[WordExpr, bool]], leaf: RowLeaf) -> Tree:
    """A tree with a leaf where these decisions lead."""
    if not decisions:
        return leaf
    assert isinstance(tree, RowSplit)
    (condition, truth), *rest = decisions
    assert condition is tree.condition
    below = under(tree.yes if truth else tree.no, rest, leaf)
    return replace(tree, yes=below) if truth else replace(tree, no=below)


# What is claimed


def files(fusion: Fusion, row: Fused, proved: ProvedRows) -> list[str]:
    """The files that prove a fused row: all have to be `unsat`."""
    if fusion.like is not None:
        other = fused(fusion.like, proved)
        return [turned(fusion, row, other, proved), *files(fusion.like, other, proved)]
    long, short = by_length(fusion, proved)
    leaf, common = last_leaf(row.tree), checks(row.tree)
    guard = leaf.words[VALUE].guard
    assert guard is not None
    result, known = list[str](), [*common, (guard, True)]
    words = {g: w.expr for g, w in enumerate(leaf.words) if g != VALUE}
    if row.early is not None:
        condition, count = row.early
        taken = [p for p in short if len(p) == count]
        claim = Claim(fusion, proved, [*known, (condition, True)], taken, words)
        result += zeros(claim)
        known.append((condition, False))
    if SUM not in fusion.phases:
        return result + products(Claim(fusion, proved, known, long, words))
    first = [path[:2] for path in long]
    if any(path != first[0] for path in first):
        raise ValueError(f"{fusion.name}: several ways to a sum")
    result += sums(Claim(fusion, proved, known, first[:1], {g: own(g).expr for g in range(4)}))
    tails = fusion.chain(proved).paths(NORM, dict(common))
    return result + nearest_of_tail(Claim(fusion, proved, common, tails, words))


class Claim:
    """That tokens for which conditions hold take one of some paths, and what is after it.

    `words` are some words of the token after it.
    """

    def __init__(
        self,
        fusion: Fusion,
        proved: ProvedRows,
        known: Sequence[tuple[WordExpr, bool]],
        paths: Sequence[Path],
        words: Mapping[int, WordExpr],
    ) -> None:
        self.fusion, self.known, self.paths, self.words = fusion, known, paths, words
        large = {e for p in paths for s in p for w in s.words for e in large_products(w)}
        low, high = (F(word(source, VALUE)) for source in PRODUCT)
        product = (low + high * (1 << 64)).expr
        self._named = {large.pop(): product} if len(large) == 1 else {}
        self._memo: dict[WordExpr, WordExpr] = {}
        exprs = [self._seen(e) for e in self._exprs()] + [c for c, _ in known]
        exprs += [*words.values(), *STATE]
        exprs += [word(source, VALUE) for source in (3, 4, *PRODUCT)]
        self.texts = Texts(proved, exprs)

    def _exprs(self) -> Iterator[WordExpr]:
        for path in self.paths:
            for step in path:
                yield from (c for c, _ in step.decisions)
                yield from step.guards
                yield from (index for _, index in step.queries.values())
            yield from path[-1].words

    def _seen(self, expr: WordExpr) -> WordExpr:
        """An expression with a name for the product in it."""
        return replaced(expr, self._named, self._memo)

    def operand(self, source: int) -> str:
        """The word of an operand, or half of the product."""
        return self.texts.word(word(source, VALUE))

    def after(self, group: int) -> str:
        """A word after the only path."""
        (path,) = self.paths
        return self.texts.word(path[-1].words[group])

    def file(self, reference: str, definitions: str) -> str:
        """The file for a reference: the text of a float that VALUE is, or of a condition."""
        texts = self.texts
        known = [texts.truth(c, truth) for c, truth in self.known]
        right = " ".join(f"(and {' '.join(self._right(p, reference))})" for p in self.paths)
        goal = f"(and {' '.join(known)} (not (or {right} false)))"
        uses = [self.operand(source) for source in (3, 4, *PRODUCT)]
        uses += [texts.word(e) for e in STATE]
        if len(self.paths) == 1:
            uses += [self.after(g) for g in (AT, VALUE)]
        return texts.file(goal, definitions, uses)

    def _right(self, path: Path, reference: str) -> Iterator[str]:
        """That a path is taken, and leaves what it must."""
        texts, f = self.texts, self.fusion.format
        for step in path:
            yield from (texts.truth(self._seen(c), truth) for c, truth in step.decisions)
            yield from (texts.truth(self._seen(guard)) for guard in step.guards)
        for g, expr in self.words.items():
            yield texts.equal(self._seen(path[-1].words[g]), expr)
        value = self._seen(path[-1].words[VALUE])
        if reference.startswith("(and"):
            yield texts.fits(value, 64)
            yield reference
        else:
            yield texts.fits(value, f.bits)
            yield f"(= {as_float(f, texts.word(value))} {reference})"
        first = {h: (self._asks(q), i) for h, (q, i) in path[0].queries.items()}
        for step in path[1:]:
            for h, (query, index) in step.queries.items():
                if h not in first or first[h][0] != self._asks(query):
                    raise ValueError(f"head {h} is read otherwise than in the first step")
                yield texts.equal(self._seen(index), self._seen(first[h][1]))

    @staticmethod
    def _asks(query: Query) -> tuple[object, ...]:
        return query.tags, query.hits, query.falls_back


def large_products(expr: WordExpr) -> Iterator[WordExpr]:
    """The products of two sums in an expression."""
    seen, todo = set(), [expr]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += one.parts
            if one.kind == "product" and all(p.kind == "sum" for p in one.parts):
                yield one


def replaced(
    expr: WordExpr, names: Mapping[WordExpr, WordExpr], memo: dict[WordExpr, WordExpr]
) -> WordExpr:
    """An expression with names for some in it."""
    if expr in names:
        return names[expr]
    if expr not in memo:
        parts = tuple(replaced(p, names, memo) for p in expr.parts)
        memo[expr] = WordExpr(expr.kind, parts, expr.data) if parts else expr
    return memo[expr]


def last_leaf(tree: Tree) -> RowLeaf:
    """The leaf below the checks of a fused row."""
    while isinstance(tree, RowSplit):
        tree = tree.no if all(stops(leaf) for leaf in leaves(tree.yes)) else tree.yes
    return tree


def turned(fusion: Fusion, row: Fused, other: Fused, proved: ProvedRows) -> str:
    """The file that says that the first step leaves what that of `like` does, its operand turned.

    The steps after it are the same, and read no sign of the operand.
    """
    assert fusion.like is not None
    second, sign = (4, VALUE), 1 << fusion.format.bits - 1
    one, two = (f.chain(proved) for f in (fusion, fusion.like))
    for phase in sorted(fusion.phases - {0}):
        trees = [chain.proved.tree(chain.rows[phase]) for chain in (one, two)]
        if trees[0] != trees[1] or reads(trees[0], second) & sign:
            raise ValueError(f"{fusion.name}: other steps than {fusion.like.name}")
    mine, its = last_leaf(row.tree), last_leaf(other.tree)
    if row.between != other.between or any(
        a != b for g, (a, b) in enumerate(zip(mine.words, its.words, strict=True)) if g != VALUE
    ):
        raise ValueError(f"{fusion.name}: other words than {fusion.like.name}")
    ways = [by_length(f, proved)[0] for f in (fusion, fusion.like)]
    if any(path[0] != paths[0][0] for paths in ways for path in paths):
        raise ValueError(f"{fusion.name}: several first steps")
    minus = {second: (F(word(*second)) ^ sign).expr}
    first, like = (paths[0][0] for paths in ways)
    memo: dict[WordExpr, WordExpr] = {}
    guard, known = fusion.guard.expr, checks(proved.tree(one.rows[0]))
    decisions = [*first.decisions, *((filled(c, minus, memo), t) for c, t in like.decisions)]
    words = [(a, filled(b, minus, memo)) for a, b in zip(first.words, like.words, strict=True)]
    words += [(i, filled(like.queries[h][1], minus, memo)) for h, (_, i) in first.queries.items()]
    right = filled(fusion.like.guard.expr, minus, memo)
    exprs = [guard, right, *(c for c, _ in [*known, *decisions]), *(e for p in words for e in p)]
    texts = Texts(proved, exprs)
    parts = [texts.truth(right), *(texts.truth(c, t) for c, t in decisions)]
    parts += [texts.equal(a, b) for a, b in words]
    given = " ".join(texts.truth(c, t) for c, t in known)
    return texts.file(f"(and {given} {texts.truth(guard)} (not (and {' '.join(parts)})))")


def reads(tree: Tree, variable: tuple[int, int]) -> int:
    """The bits of a word that a tree reads."""
    total, seen, todo = 0, set[WordExpr](), [*expressions(tree)]
    while todo:
        expr = todo.pop()
        if expr not in seen:
            seen.add(expr)
            (inner,) = expr.parts if expr.kind == "field" else (None,)
            if expr.kind == "word" and expr.data == variable:
                total = -1
            elif inner is not None and inner.kind == "word" and inner.data == variable:
                total |= (1 << expr.data[1]) - 1 << expr.data[0]
            else:
                todo += expr.parts
    return total


# References


def sort(f: FloatFormat) -> str:
    """The bits of an exponent and of a significand."""
    return f"{f.bits - 1 - f.fraction} {f.fraction + 1}"


def as_float(f: FloatFormat, text: str) -> str:
    """A word as a float."""
    inner = text if f.bits == 64 else f"((_ extract {f.bits - 1} 0) {text})"
    return f"((_ to_fp {sort(f)}) {inner})"


def fields(f: FloatFormat, letter: str, text: str) -> str:
    """Definitions: sign, stored exponent, exponent as it counts, and significand of an operand."""
    size = f.bits - 1 - f.fraction
    return f"""
(define-fun s{letter} () (_ BitVec 1) ((_ extract {f.bits - 1} {f.bits - 1}) {text}))
(define-fun x{letter} () (_ BitVec {size}) ((_ extract {f.bits - 2} {f.fraction}) {text}))
(define-fun tiny{letter} () Bool (= x{letter} (_ bv0 {size})))
(define-fun n{letter} () (_ BitVec {size}) (ite tiny{letter} (_ bv1 {size}) x{letter}))
(define-fun e{letter} () (_ BitVec 15) ((_ zero_extend {15 - size}) n{letter}))
(define-fun f{letter} () (_ BitVec {f.fraction}) ((_ extract {f.fraction - 1} 0) {text}))
(define-fun i{letter} () (_ BitVec 1) (ite tiny{letter} #b0 #b1))
(define-fun m{letter} () (_ BitVec {f.fraction + 1}) (concat i{letter} f{letter}))"""


def rounded(f: FloatFormat, sign: str, magnitude: str, lowest: str) -> str:
    """Definition of `nearest`: what 113 bits are, rounded; `lowest` is the exponent of the last.

    `z` is the number of zeros above the highest 1; there must be one.
    """
    return f"""
(define-fun M () (_ BitVec 113) {magnitude})
(define-fun some () Bool (not (= M (_ bv0 113))))
(declare-const z (_ BitVec 7))
(define-fun moved () (_ BitVec 113) ((_ zero_extend 106) z))
(define-fun N () (_ BitVec 113) (bvshl M moved))
(assert (=> some (and (= (bvlshr N moved) M) (= ((_ extract 112 112) N) #b1))))
(define-fun power () (_ BitVec 15) (bvsub {lowest} ((_ zero_extend 8) z)))
(define-fun exact () (_ FloatingPoint 15 113) (fp {sign} power ((_ extract 111 0) N)))
(define-fun nearest () (_ FloatingPoint {sort(f)}) ((_ to_fp {sort(f)}) RNE exact))"""


def number(value: int) -> str:
    """A number of 15 bits."""
    return f"(_ bv{value} 15)"


def zero(f: FloatFormat, sign: str) -> str:
    """A zero."""
    return f"(fp {sign} (_ bv0 {f.bits - 1 - f.fraction}) (_ bv0 {f.fraction}))"


def products(claim: Claim) -> list[str]:
    """A product P of significands with their highest bits is exact."""
    f = claim.fusion.format
    bits = 2 * f.fraction + 2
    low, high = (claim.operand(source) for source in PRODUCT)
    whole = f"((_ extract {bits - 1} 0) (concat {high} {low}))"
    lowest = f"(bvadd ea eb {number(LOWEST - 2 * (f.bias + f.fraction))})"
    definitions = [fields(f, "a", claim.operand(3)), fields(f, "b", claim.operand(4))]
    definitions.append(f"""
(define-fun P () (_ BitVec 128) (concat {high} {low}))
(assert (and (bvuge P (_ bv{1 << bits - 2} 128)) (bvult P (_ bv{1 << bits} 128))))""")
    magnitude = f"((_ zero_extend {113 - bits}) {whole})"
    definitions.append(rounded(f, "(bvxor sa sb)", magnitude, lowest))
    return [claim.file("nearest", "".join(definitions))]


def zeros(claim: Claim) -> list[str]:
    """A product of a zero and a number."""
    f = claim.fusion.format
    definitions = fields(f, "a", claim.operand(3)) + fields(f, "b", claim.operand(4))
    return [claim.file(zero(f, "(bvxor sa sb)"), definitions)]


def sums(claim: Claim) -> list[str]:
    """X and STICKY after two steps, by the distance of the exponents.

    Of the exact sum, |M| in units of the smaller operand's last bit, X is the part above a unit of
    its own, and STICKY says whether there is more; then X is large enough for `nearest_of_tail`. An
    exact 0 is negative if both operands are.
    """
    f = claim.fusion.format
    wide, more, most = "(_ BitVec 115)", 8 * f.low, 112 - f.fraction
    x, at, size = claim.after(VALUE), claim.after(AT), f.fraction + 1
    definitions = fields(f, "a", claim.operand(3)) + fields(f, "b", claim.operand(4))
    definitions += f"""
(define-fun X () (_ BitVec 64) {x})
(define-fun E () (_ BitVec 15) ((_ extract 14 0) {at}))
(define-fun sticky () Bool (= ((_ extract 16 16) {at}) #b1))
(define-fun minus () (_ BitVec 1) ((_ extract 17 17) {at}))
(define-fun first () Bool (bvuge ea eb))
(define-fun distance () (_ BitVec 15) (ite first (bvsub ea eb) (bvsub eb ea)))
(define-fun large () (_ BitVec {size}) (ite first ma mb))
(define-fun small () (_ BitVec {size}) (ite first mb ma))
(define-fun differ () Bool (not (= sa sb)))
(define-fun room () Bool (= E (bvadd (ite first ea eb) {number(f.room)})))
(define-fun enough () Bool (=> sticky (bvuge X (_ bv{1 << f.fraction + 2} 64))))"""
    near = f"""
(define-fun by () {wide} ((_ zero_extend 100) distance))
(define-fun wl () {wide} (bvshl ((_ zero_extend {115 - size}) large) by))
(define-fun ws () {wide} ((_ zero_extend {115 - size}) small))
(define-fun S () {wide} (ite differ (bvsub wl ws) (bvadd wl ws)))
(define-fun negative () (_ BitVec 1) ((_ extract 114 114) S))
(define-fun M () (_ BitVec 179) (concat (ite (= negative #b1) (bvneg S) S) (_ bv0 64)))
(define-fun far () (_ BitVec 179) ((_ zero_extend 164) distance))
(define-fun right () (_ BitVec 179) (bvlshr M (bvsub far (_ bv{more} 179))))
(define-fun left () (_ BitVec 179) (bvshl M (bvsub (_ bv{more} 179) far)))
(define-fun N () (_ BitVec 179) (ite (bvule distance {number(more)}) left right))
(define-fun whole () Bool (= ((_ extract 178 64) N) ((_ zero_extend 51) X)))
(define-fun rest () Bool (not (= ((_ extract 63 0) N) (_ bv0 64))))
(define-fun nil () (_ BitVec 1) (bvand sa sb))
(define-fun turned () (_ BitVec 1) (bvxor (ite first sa sb) negative))
(define-fun sign () (_ BitVec 1) (ite (= S (_ bv0 115)) nil turned))"""
    far = f"""
(define-fun whole () (_ BitVec 64) (concat (_ bv0 {64 - size - more}) large (_ bv0 {more})))
(define-fun some () Bool (not (= small (_ bv0 {size}))))
(define-fun left () (_ BitVec 64) (ite (and some differ) (bvsub whole (_ bv1 64)) whole))
(define-fun sign () (_ BitVec 1) (ite first sa sb))
(assert (bvugt distance {number(most)}))
"""
    result = [
        claim.file(
            "(and room enough (= minus sign) whole (= sticky rest))",
            f"{definitions}{near}\n(assert (= distance {number(distance)}))\n",
        )
        for distance in range(most + 1)
    ]
    beyond = "(and room enough (= minus sign) (= X left) (= sticky some))"
    return [*result, claim.file(beyond, definitions + far)]


def nearest_of_tail(claim: Claim) -> list[str]:
    """What the other steps make of X, STICKY, SIGN and E: X, and a half where STICKY is, rounded.

    STICKY stands for less than a unit of X. No float, and no number halfway between two, is inside
    a unit of X where X has two bits more than a significand. So what is rounded is as well the
    exact number.
    """
    f = claim.fusion.format
    value, at = (claim.texts.word(e) for e in STATE)
    definitions = f"""
(define-fun X () (_ BitVec 64) {value})
(define-fun E () (_ BitVec 15) ((_ zero_extend 3) ((_ extract 11 0) {at})))
(define-fun sticky () (_ BitVec 1) ((_ extract 16 16) {at}))
(define-fun minus () (_ BitVec 1) ((_ extract 17 17) {at}))
(assert (=> (= sticky #b1) (bvuge X (_ bv{1 << f.fraction + 2} 64))))
(assert (and (bvuge E {number(f.room + 1)}) (bvule E {number(2 * f.bias + f.room)})))"""
    # X has the unit 2^(E - bias - 62), and a half of it is the lowest bit
    lowest = f"(bvadd E {number(LOWEST - f.bias - 63)})"
    magnitude = "(concat (_ bv0 48) X sticky)"
    reference = f"(ite (= M (_ bv0 113)) {zero(f, 'minus')} nearest)"
    return [claim.file(reference, definitions + rounded(f, "minus", magnitude, lowest))]


# Commands


def make(names: list[str]) -> int:
    """Write what has to be proved of instructions; of all, without names."""
    BUILD.mkdir(parents=True, exist_ok=True)
    proved, claims = shipped(), dict[str, list[str]]()
    for fusion in fusions():
        if not names or fusion.name in names:
            claims[fusion.name] = files(fusion, fused(fusion, proved), proved)
            print(f"{fusion.name}: {len(claims[fusion.name])} files", flush=True)
    texts = {named(text): text for each in claims.values() for text in each}
    with zipfile.ZipFile(BUILD / "files.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        chosen = [[None, [named(text) for text in each]] for each in claims.values()]
        archive.writestr("claims.json", json.dumps(chosen))
        for name, text in texts.items():
            archive.writestr(name, text)
    return 0


def write() -> int:
    """Ship the rows of which all files are proved, beside those that are shipped and not tried."""
    proved, model = shipped(), digest(trace_model())
    lines = map(json.loads, (BUILD / "verdicts.jsonl").read_text().splitlines())
    spent = {line["file"]: line["CPU s"] for line in lines if line["answer"] == "unsat"}
    content = json.loads(RECORD.read_text())
    before = {record["instruction"]: record for record in content.get("fused", ())}
    rows, records = list[Fused](), list[dict[str, object]]()
    kept = fused_rows(model)
    for fusion in fusions():
        row = fused(fusion, proved)
        texts = files(fusion, row, proved)
        digests = hashlib.sha256("".join(texts).encode()).hexdigest()
        if all(named(text) in spent for text in texts):
            rows.append(row)
            records.append({
                "instruction": fusion.name, "steps": len(row.between) + 1, "files": len(texts),
                "CPU s": round(sum(spent[named(t)] for t in texts), 1), "sha256": digests,
            })  # fmt: skip
        elif kept.row(row.fixed) == row and before[fusion.name]["sha256"] == digests:
            rows.append(row)
            records.append(before[fusion.name])
        else:
            print(f"{fusion.name}: not proved")
    path = write_fused(FOLDER, model, rows)
    RECORD.write_text(json.dumps({**content, "fused": records}, indent=1) + "\n")
    print(f"{path.name}: {path.stat().st_size:,} bytes, {len(rows)} fused rows")
    return 0


if __name__ == "__main__":
    sys.exit(command(__doc__, make, write))
