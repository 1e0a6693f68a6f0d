"""Expressions made simple, and their C: equal to what they stand for."""

import ctypes
import random
from types import SimpleNamespace
from typing import Any

import pytest

from transputer.engines.lifted.decoder.bytecode import Assembler, interpreter
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.code import load
from transputer.engines.lifted.decoder.cprint import HEAD, Printer
from transputer.engines.lifted.decoder.expr import WordExpr, num, word
from transputer.engines.lifted.decoder.rowcode import OUT, STATE, RowPrinter
from transputer.engines.lifted.decoder.rowrun import _State
from transputer.engines.lifted.decoder.rows import RowLeaf, RowSplit, RowWord
from transputer.engines.lifted.decoder.terms import Terms
from transputer.errors import Unsupported

#: The widths of the words of a token that expressions are made of here.
WIDTHS = (64, 24, 8, 64)
Variables = dict[tuple[int, int], int]


def made(rng: random.Random, depth: int) -> WordExpr:
    """A random expression on words, as rows have them."""
    if depth == 0 or rng.random() < 0.15:
        return word(OWN, rng.randrange(4)) if rng.random() < 0.8 else num(rng.randint(-9, 300))

    def inner() -> WordExpr:
        return made(rng, depth - 1)

    def small() -> WordExpr:
        return WordExpr("mod", (inner(),), (2 ** rng.choice((32, 64)),))

    kind = rng.choice(
        ("sum", "scale", "ge", "eq", "not", "matches", "mod", "field", "clamp", "floor", "and",
         "or", "xor", "shl", "shr", "sar", "rotl", "rotr", "ones", "signed", "table", "digit")
    )  # fmt: skip
    if kind == "sum":
        return WordExpr("sum", tuple(inner() for _ in range(rng.randint(2, 3))))
    if kind == "not":
        return WordExpr("not", (WordExpr("ge", (inner(),), (rng.randint(-5, 300),)),))
    if kind == "matches":
        mask = rng.choice((255, 0xFFFF, 2**32 - 1, 2**64 - 1, 6))
        return WordExpr("matches", (small(),), (mask, rng.randint(0, 300) & mask))
    if kind == "field":
        at = rng.randrange(60)
        return WordExpr("field", (small(),), (at, rng.randint(1, 64 - at)))
    if kind == "signed":
        width = rng.choice((32, 64))
        return WordExpr("signed", (WordExpr("mod", (inner(),), (2**width,)),), (width,))
    if kind == "digit":
        parts = (WordExpr("mod", (inner(),), (2**40,)) for _ in range(2))
        some = WordExpr("mod", (inner(),), (2**20,))
        return WordExpr("digit", (*parts, some if rng.random() < 0.5 else num(0)))
    if kind == "table":
        return WordExpr("table", (WordExpr("field", (small(),), (0, 2)),), (3, -1, 4, 1))
    if kind in ("shl", "shr", "sar", "rotl", "rotr"):
        width = rng.choice((32, 64))
        moved = WordExpr("mod", (inner(),), (2**width,))
        return WordExpr(kind, (moved, small()), (width,))
    if kind in ("and", "or", "xor"):
        return WordExpr(kind, (small(), small()))
    if kind == "ones":
        return WordExpr(kind, (small(),))
    data = {"scale": (-3, 2, 256), "mod": (256, 2**24, 2**32, 2**64, 240)}.get(kind, (2, 7, 256))
    return WordExpr(kind, (inner(),), (rng.choice(data),))


def compared(rng: random.Random) -> WordExpr:
    """Two words with a sign, compared as rows say it: all bits but the last, less that."""
    width = rng.choice((32, 64))
    one, two = (_with_sign(word(OWN, rng.choice((0, 3))), width) for _ in range(2))
    difference = WordExpr("sum", (*one, *(WordExpr("scale", (t,), (-1,)) for t in two)))
    return WordExpr("ge", (difference,), (rng.randint(-1, 1),))


def multiplied(rng: random.Random) -> WordExpr:
    """A product of words modulo 2^64, as rows say it: byte by byte; sometimes with a wrong byte."""
    one, two = word(OWN, 0), rng.choice((word(OWN, 0), word(OWN, 3), num(rng.getrandbits(64))))
    terms = []
    for i in range(8):
        for j in range(8 - i):
            bytes_ = (WordExpr("field", (w,), (8 * k, 8)) for w, k in ((one, i), (two, j)))
            weight = 256 ** (i + j) * rng.choice((1,) * 200 + (3,))
            terms.append(WordExpr("scale", (WordExpr("product", tuple(bytes_)),), (weight,)))
    return WordExpr("mod", (WordExpr("sum", tuple(terms)),), (2**64,))


def selected(rng: random.Random) -> WordExpr:
    """One of two numbers, the zeros above a number, and both."""
    words = [WordExpr("mod", (word(OWN, rng.randrange(4)),), (2**64,)) for _ in range(3)]
    zeros = WordExpr("zeros", (WordExpr("field", (words[0],), (rng.randrange(40), 24)),))
    below = WordExpr("sum", (words[1], WordExpr("scale", (words[2],), (-1,))))
    condition = WordExpr("ge", (below,), (rng.randint(-1, 1),))
    if rng.random() < 0.5:
        condition = WordExpr("not", (condition,))
    sides = rng.sample([*words, zeros, num(7), WordExpr("shr", (words[0], zeros), (64,))], 2)
    return WordExpr("choose", (condition, *sides))


def _with_sign(one: WordExpr, width: int) -> tuple[WordExpr, ...]:
    last = WordExpr("field", (one,), (width - 1, 1))
    return WordExpr("field", (one,), (0, width - 1)), WordExpr("scale", (last,), (-1 << width - 1,))


def values(rng: random.Random) -> Variables:
    edges = (0, 1, 2, 255, 256, 2**24 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)
    return {
        (OWN, g): (rng.choice(edges) if rng.random() < 0.5 else rng.getrandbits(64)) % 2**width
        for g, width in enumerate(WIDTHS)
    }


def itself(variable: tuple[int, int]) -> WordExpr:
    return word(*variable)


def test_simple_expressions_and_their_c_are_what_they_were_made_of() -> None:
    rng, terms = random.Random(4), Terms(WIDTHS)
    printer, cases, lines = Printer(terms), [], []
    while len(cases) < 380:
        special = (compared, multiplied, selected)[len(cases) % 3]
        expr = made(rng, 3) if len(cases) < 300 else special(rng)
        simple = terms.under(expr, itself, {})
        lo, hi = terms.bounds(simple)
        if lo > -(2**80) and hi < 2**80:  # what does not fit is never made: bounds are verified
            cases.append((expr, lo, hi))
            lines.append(f"out[{2 * len(cases) - 2}] = {printer.word(simple)};")
            lines.append(f"out[{2 * len(cases) - 1}] = ({printer.test(simple)}) ? 1 : 0;")
    words = "\n".join(f"uint64_t w{g} = in[{g}];" for g in range(4))
    tables = "\n".join(
        f"static const int64_t {name}[] = {{{', '.join(map(str, held))}}};"
        for held, name in printer.tables.items()
    )
    text = f"""#define GROUPS 4
{HEAD}
{tables}
int64_t lifted_run(void *both, int64_t unused) {{
uint64_t *in = both, *out = in + 4;
{words}
{chr(10).join(lines)}
return 0; }}
"""
    library = load(text, "terms")
    for _ in range(40):
        known = values(rng)
        held = (ctypes.c_uint64 * (4 + 2 * len(cases)))(*known.values())
        library.lifted_run(ctypes.byref(held), 0)
        for i, (expr, lo, hi) in enumerate(cases):
            value = expr.value(known)
            assert value is not None and lo <= value <= hi, expr.kind
            assert held[4 + 2 * i] == value % 2**64
            assert held[5 + 2 * i] == (value % 2**64 != 0)


def polynomial(rng: random.Random) -> WordExpr:
    """A sum of products that have factors in common: bits, words, bytes that follow each other."""
    pool = [WordExpr("field", (word(OWN, 1),), (8 * i, 8)) for i in range(3)]
    inner = WordExpr("sum", (*pool, WordExpr("scale", (word(OWN, 2),), (-256,))))
    bits = [WordExpr("ge", (inner,), (k,)) for k in (1, 300)]
    factors = [*bits, word(OWN, 2), inner]
    terms = []
    for factor in rng.sample(factors, 2):
        for one in (*pool, word(OWN, 2)):
            product = WordExpr("product", (one, factor))
            if rng.random() < 0.3:
                product = WordExpr("product", (rng.choice(bits), product))
            terms.append(WordExpr("scale", (product,), (rng.choice((-256, 1, 255, 65536)),)))
    bytes_ = (WordExpr("scale", (one,), (256**i,)) for i, one in enumerate(pool))
    return WordExpr("sum", (*terms, *bytes_, num(rng.randint(-9, 9))))


def test_sums_with_brackets_are_what_they_were() -> None:
    rng, lines = random.Random(5), list[str]()
    cases: list[WordExpr] = []
    shelf: Any = SimpleNamespace(frame=SimpleNamespace(width=WIDTHS))
    while len(cases) < 60:
        printer = RowPrinter(shelf, {})
        expr = polynomial(rng)
        text = printer.printer.word(printer._name(printer._value(expr, {})))
        lines += ["{", *printer.lines, f"out[{len(cases)}] = {text};", "}"]
        cases.append(expr)
    words = "\n".join(f"uint64_t w{g} = in[{g}];" for g in range(4))
    body = "\n".join(lines)
    start = "int64_t lifted_run(void *both, int64_t unused) { uint64_t *in = both, *out = in + 4;"
    library = load(f"#define GROUPS 4\n{HEAD}{start}\n{words}\n{body}\nreturn 0; }}\n", "terms")
    for _ in range(40):
        known = values(rng)
        held = (ctypes.c_uint64 * (4 + len(cases)))(*known.values())
        library.lifted_run(ctypes.byref(held), 0)
        for i, expr in enumerate(cases):
            assert held[4 + i] == (expr.value(known) or 0) % 2**64


def test_blocks_are_interpreted_as_what_they_stand_for() -> None:
    """Expressions, and a split between two leaves, by the interpreter."""
    rng = random.Random(11)
    frame = SimpleNamespace(width=WIDTHS, groups=[()] * 4, place={})
    shelf: Any = SimpleNamespace(frame=frame, ends=lambda leaf: False)
    stubs = "static int note(State *s) { return 0; }\nstatic int is_bare(int64_t a, int64_t g) "
    run = "int64_t take(State *s, const int64_t *block) { return interpret(s, block); }"
    library = load(
        f"#define GROUPS 4\n{HEAD}{STATE}{stubs}{{ return 0; }}\n{interpreter(OUT)}{run}\n", "vm"
    )
    library.take.argtypes = ctypes.c_void_p, ctypes.c_void_p
    cases, left_out, words = 0, 0, _State.word.offset
    while cases < 150:
        exprs = [made(rng, rng.randint(1, 4)) for _ in range(7)] + [selected(rng)]
        condition = WordExpr("ge", (made(rng, 2),), (rng.randint(0, 300),))
        leaves = [
            RowLeaf(tuple(RowWord(WordExpr("mod", (e,), (2**64,)), None, True) for e in some), {})
            for some in (exprs[:4], exprs[4:])
        ]
        try:
            block = Assembler(shelf).block({}, RowSplit(condition, {}, *leaves))
        except Unsupported:  # a number that may take more than 128 bits
            left_out += 1
            assert left_out < 50
            continue
        cases += 1
        for _ in range(20):
            known, state = values(rng), (ctypes.c_char * ctypes.sizeof(_State))()
            held = (ctypes.c_uint64 * 4).from_buffer(state, words)
            held[:] = [*known.values()]
            assert library.take(ctypes.byref(state), block.ctypes.data) == 0
            chosen = exprs[:4] if condition.value(known) else exprs[4:]
            assert [*held] == [(e.value(known) or 0) % 2**64 for e in chosen]


def test_neighbouring_bits_are_one_field() -> None:
    terms = Terms(WIDTHS)
    bytes_ = [WordExpr("field", (word(OWN, 0),), (8 * i, 8)) for i in range(8)]
    joined = terms.joined(terms.linear({b: 3 * 256**i for i, b in enumerate(bytes_)}, 7))
    assert terms.split(joined) == ({word(OWN, 0): 3}, 7)
    apart = terms.linear({bytes_[0]: 1, bytes_[2]: 256}, 0)
    assert terms.joined(apart) is apart
    assert terms.reduced(terms.linear({bytes_[0]: -6, bytes_[1]: 9}, 3))[1] == -3


@pytest.mark.parametrize("seed", range(30))
def test_what_is_assumed_narrows_soundly(seed: int) -> None:
    rng, terms = random.Random(seed), Terms(WIDTHS)
    condition = terms.under(WordExpr("ge", (made(rng, 2),), (rng.randint(0, 300),)), itself, {})
    truth = rng.random() < 0.5
    exprs = [made(rng, 2) for _ in range(10)]
    terms.assume(condition, truth)
    bounds = [terms.bounds(terms.under(e, itself, {})) for e in exprs]
    for _ in range(200):
        known = values(rng)
        held = evaluated(condition, known)
        if bool(held) == truth:
            for expr, (lo, hi) in zip(exprs, bounds, strict=True):
                value = expr.value(known)
                assert value is not None and lo <= value <= hi


def evaluated(expr: WordExpr, known: Variables) -> int:
    """The value of a simple expression, sums included."""
    if expr.kind == "lin":
        *weights, offset = expr.data
        pairs = zip(expr.parts, weights, strict=True)
        return offset + sum(w * evaluated(p, known) for p, w in pairs)
    if expr.kind == "word":
        return known[expr.data[0], expr.data[1]]
    parts = [num(evaluated(p, known)) for p in expr.parts]
    value = WordExpr(expr.kind, tuple(parts), expr.data).value({})
    assert value is not None
    return value
