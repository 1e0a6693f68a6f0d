"""Compiled plans: what wasmtime and the weights write is what the plan means."""

import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer import api
from transputer.errors import StepLimitError, Trap
from transputer.frontends.words import text
from transputer.frontends.words.compile import compile_plan, runtime
from transputer.frontends.words.evaluate import TooLong, Undefined, evaluate
from transputer.frontends.words.plan import Plan, PlanError, Slot, apply, parse
from transputer.oracle.command import run_command
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program

from .test_grammar import token_sequences

FILTERS = "EVENS ODDS MULTIPLES ABOVE BELOW PRIMES SQUARES".split()


def in_wasmtime(compiled, fuel=20_000_000):
    """The value, or the trap; None where it runs too long."""
    try:
        ran = run_command(compiled.wasm, fuel=fuel)
    except StepLimitError:
        return None
    return ran.trap or compiled.value(ran.stdout.decode())


def program(source, *numbers):
    plan = source if isinstance(source, Plan) else text.read(source)
    compiled = compile_plan(plan, [Fraction(n) for n in numbers])
    return compiled, TraceProgram("plan", module=compiled.module, binary=compiled.wasm)


def answer(source, *numbers, engine="native", **how):
    """What the weights answer, which must be what wasmtime does; or the trap."""
    compiled, commanded = program(source, *numbers)
    result = run_program(commanded, engine=engine, keep=False, **how)
    value = result.trap or compiled.value(result.stdout.decode())
    assert in_wasmtime(compiled) == value
    return value


def meaning(plan, numbers):
    """The plan's value, None where it takes too long, the trap where it has none."""
    try:
        return evaluate(plan, numbers, 10_000)
    except TooLong:
        return None
    except Undefined:
        return Trap.UNREACHABLE


@pytest.mark.slow
@random_cases(300)
@given(
    token_sequences(slots=4, names=2, budget=24),
    st.lists(
        st.one_of(
            st.integers(-30, 30),
            st.integers(-(2**80), 2**80),
            st.fractions(-20, 20, max_denominator=12),
        ),
        min_size=4,
        max_size=4,
    ),
)
def test_programs_mean_what_plans_mean(tokens, numbers):
    plan, numbers = parse(tokens), [Fraction(n) for n in numbers]
    value = meaning(plan, numbers)
    result = in_wasmtime(compile_plan(plan, numbers)) if value is not None else None
    if result is None:
        return  # too long for a test
    if isinstance(value, Trap) or isinstance(result, Trap):
        # ranges of large numbers and their primes trap, where Python would go on
        assert isinstance(result, Trap)
        assert isinstance(value, Trap) or {"RANGE", "PRIME", "PRIMES", "POW"} & set(tokens)
    else:
        assert result == value


#: Python's own arithmetic; ours is compared with nothing else here.
PYTHON = {
    "N0 + N1": lambda a, b: a + b,
    "N0 - N1": lambda a, b: a - b,
    "N0 * N1": lambda a, b: a * b,
    "N0 / N1": lambda a, b: a / b,
    "N0 // N1": lambda a, b: Fraction(a // b),
    "N0 % N1": lambda a, b: a % b,
    "N0 < N1": lambda a, b: a < b,
    "N0 == N1": lambda a, b: a == b,
    "gcd(numerator(N0), denominator(N1))": lambda a, b: math.gcd(a.numerator, b.denominator),
    "N0 - (N0 // N1) * N1": lambda a, b: a - a // b * b,
}
EDGES = [
    s * (2**e + d) for s in (1, -1) for e in (0, 31, 32, 61, 62, 63, 64, 96) for d in (-1, 0, 1)
]
large = st.integers(-(2**200), 2**200) | st.sampled_from(EDGES) | st.integers(-100, 100)
exact = st.builds(Fraction, large) | st.builds(Fraction, large, st.integers(1, 2**70))


@random_cases(40)
@given(st.sampled_from(sorted(PYTHON)), exact, exact)
@example("N0 // N1", Fraction(-(2**62)), Fraction(-1))
@example("N0 - N1", Fraction(-(2**62)), Fraction(1))
@example("N0 % N1", Fraction(2**96), Fraction(2**64 - 1))
def test_numbers_of_any_size_are_exact(source, a, b):
    result = in_wasmtime(compile_plan(text.read(source), [a, b]))
    try:
        expected = PYTHON[source](a, b)
    except ZeroDivisionError:
        expected = Trap.DIVIDE_BY_ZERO
    assert result == expected


@random_cases(30)
@given(
    st.sampled_from("SUM COUNT MIN MAX MEAN FIRST LAST PROD MEDIAN".split()),
    st.lists(st.sampled_from(FILTERS), max_size=3),
    st.integers(-60, 60),
    st.integers(-60, 60),
    st.integers(-9, 9),
    st.integers(-9, 40),
    st.booleans(),
)
def test_loops_over_ranges(aggregate, steps, first, last, step, number, computed):
    """Ranges of known and of computed bounds; both must be what they mean."""
    start = apply("MUL", apply("DIV", Slot(0), Slot(4)), Slot(4)) if computed else Slot(0)
    node = apply("RANGE", start, Slot(1), Slot(2))
    for token in steps:
        binary = token in ("MULTIPLES", "ABOVE", "BELOW")
        node = apply(token, *([Slot(3)] if binary else []), node)
    plan = Plan(apply(aggregate, node))
    numbers = [Fraction(n) for n in (first, last, step, number, 7)]
    result, value = in_wasmtime(compile_plan(plan, numbers)), meaning(plan, numbers)
    assert isinstance(result, Trap) if isinstance(value, Trap) else result == value


@pytest.mark.parametrize(
    "source, numbers, expected",
    [
        ("(N0 - N1)", (50, 15), 35),
        ("((N0 / N1) * N1)", (7, 2), 7),
        ("factorial(N0)", (100,), math.factorial(100)),
        ("factorial(N0)", (-1,), Trap.UNREACHABLE),
        ("factorial(N0)", ("1/2",), Trap.UNREACHABLE),
        ("(N0 / N1)", (1, 0), Trap.DIVIDE_BY_ZERO),
        ("(N0 ** N1)", (2, 100), 2**100),
        ("(N0 ** N1)", ("2/3", -3), Fraction(27, 8)),
        ("sum(squares(span(N0, N1, 1)))", (1, 100), 338350),
        ("max([N0, N1, N2])", (4, 9, 2), 9),
        ("median([N0, N1, N2, N3])", (9, 2, "4.5", 7), Fraction(23, 4)),
        ("average([N0, N1, N2])", (1, 2, 4), Fraction(7, 3)),
        ("gcd(N0, N1)", (48, 36), 12),
        ("sqrt(N0)", ("2.25",), Fraction(3, 2)),
        ("sqrt(N0)", (2,), Trap.UNREACHABLE),
        ("root(N0, N1)", (-27, 3), -3),
        ("((N0 > N1) and prime(N1))", (15, 11), True),
        ("v0 = (N0 + N1); (v0 if (v0 > N2) else (v0 / N2))", (3, 4, 10), Fraction(7, 10)),
        ("min(evens([N0]))", (3,), Trap.UNREACHABLE),
        ("ordered([N0, N1, N2])", (9, "-1/2", 4), [Fraction(-1, 2), 4, 9]),
        ("above(N0, [N1])", (9, 3), []),
        ("[x * x for x in range(N0) if x % 2 == 1]", (6,), [1, 9, 25]),
        ("calendar_date(day_number(N0, N1, N2) + N3)", (2023, 12, 31, 60), [2024, 2, 29]),
    ],
)
def test_the_weights_answer_what_wasmtime_does(source, numbers, expected):
    assert answer(source, *numbers) == expected


def test_the_weights_compute_the_thousandth_fibonacci_number():
    a, b = 0, 1
    for _ in range(1000):
        a, b = b, a + b
    assert answer("fibonacci(N0)", 1000) == a


PROGRAMS = {
    "recursion": "def f(n):\n  if n < 2:\n    return n\n  return f(n - 1) + f(n - 2)\nf(N0)",
    "while": "x = N0\nn = 0\nwhile x > 1:\n    x = x / 2\n    n += 1\nreturn n",
    "nested": "s = 0\nfor a in range(N0):\n    for b in range(a):\n        s = s + a * b\nreturn s",
    "lists": "xs = []\nfor a in range(N0):\n    xs.append(a * a)\nxs[0] = N0\nreturn reversed(xs)",
    "together": "a, b = 0, 1\nfor i in range(N0):\n    a, b = b, a + b\nreturn a",
    "boolean": "def odd(n) -> boolean:\n    return n % 2 == 1\nodd(N0)",
    "generator": "def up(n) -> list:\n  while n > 0:\n    yield n\n    n = n - 3\nsum(up(N0))",
    "chained": "1 < N0 <= 10",
    "growing": "s = 1\nfor i in range(N0):\n    s = s * 1000000\n    s = s + i\nreturn s",
    "last": "xs = sorted([N0, 3, 1])\nreturn xs[-1] - xs[0]",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("number", [0, 1, 10])
def test_own_programs_against_python(name, number):
    """CPython runs the same text, with exact division and with our names for its types."""
    source = PROGRAMS[name]
    names = {"N0": Fraction(number), "range": lambda n: map(Fraction, range(int(n)))}
    names |= {"boolean": bool, "reversed": lambda xs: list(reversed(xs))}
    *lines, last = source.split("\n")
    if not last.startswith((" ", "return")):
        last = f"return {last}"
    body = "\n    ".join([*lines, last])
    exec(f"def main():\n    {body}", names)
    compiled, _ = program(source, number)
    try:
        expected = names["main"]()
    except IndexError:
        expected = Trap.UNREACHABLE
    assert in_wasmtime(compiled) == expected
    if not isinstance(expected, Trap):
        assert evaluate(text.read(source), [Fraction(number)]) == expected


@pytest.mark.slow
def test_a_long_sum_is_a_loop_with_few_steps_for_each_member():
    compiled, commanded = program("sum(span(N0, N1, 1))", 1, 1_000_000)
    assert in_wasmtime(compiled) == 500000500000
    result = run_program(commanded, engine="native", keep=False)
    assert result.stdout == b"500000500000\n"
    assert 1_000_000 < result.steps < 12_000_000


@pytest.mark.slow
def test_a_plan_of_ten_thousand_operations():
    node = Slot(0)
    for index in range(1, 10_001):
        node = apply("SUB" if index % 3 else "ADD", node, Slot(index % 20))
    plan = Plan(node)
    assert plan.operations == 10_000
    numbers = [Fraction(n * n - 70) for n in range(20)]
    compiled = compile_plan(plan, numbers)
    commanded = TraceProgram("plan", module=compiled.module, binary=compiled.wasm)
    result = run_program(commanded, engine="native", keep=False)
    value = compiled.value(result.stdout.decode())
    assert value == evaluate(plan, numbers) == in_wasmtime(compiled)


def test_right_nested_plans_need_no_recursion():
    node = Slot(0)
    for _ in range(2_000):
        node = apply("SUB", Slot(1), node)
    assert answer(Plan(node), 3, 5) == 3


def test_a_huge_loop_stops_on_fuel():
    _, commanded = program("sum(span(N0, N1, 1))", 1, 10**15)
    with pytest.raises(StepLimitError) as stopped:
        run_program(commanded, engine="native", keep=False, max_steps=100_000)
    assert stopped.value.exit_code == 3


def test_small_numbers_are_added_without_a_check():
    compiled, _ = program("sum(squares(span(N0, N1, 1)))", 1, 100)
    assert "call $add" not in compiled.wat and "call $mul" not in compiled.wat
    compiled, _ = program("sum(squares(span(N0, N1, 1)))", 1, 10**12)
    assert "call $add" in compiled.wat


def test_numbers_that_are_missing_are_refused():
    with pytest.raises(PlanError, match="N1 is used, but the text has 1 numbers"):
        program("(N0 + N1)", 1)


def test_the_runtime_has_nothing_that_is_not_called():
    names = set(runtime())
    assert len(names) > 30
    package = Path(api.__file__).parent / "frontends" / "words"
    code = "\n".join(runtime().values()) + (package / "compile.py").read_text()
    called = set(re.findall(r"call \$(\w+)", code))
    named = re.findall(r'": "(\w+)"', code)
    assert names <= called | set(named) | {"write_number", "write_boolean", "write_list"}
