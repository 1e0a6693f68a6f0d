"""Compiled plans: what wasmtime and the weights answer is what the plan means."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
import wasmtime
from hypothesis import example, given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer import api
from transputer.errors import StepLimitError, Trap
from transputer.frontends.words import text
from transputer.frontends.words.compile import ENTRY, compile_plan, runtime
from transputer.frontends.words.evaluate import TooLong, Undefined, evaluate
from transputer.frontends.words.kinds import NumberKind
from transputer.frontends.words.plan import Plan, PlanError, Slot, apply, parse
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program

from .test_grammar import token_sequences

FUEL = wasmtime.Config()
FUEL.consume_fuel = True
FUELED = wasmtime.Engine(FUEL)
SAME = {
    Trap.INTEGER_OVERFLOW: wasmtime.TrapCode.INTEGER_OVERFLOW,
    Trap.DIVIDE_BY_ZERO: wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO,
    Trap.UNREACHABLE: wasmtime.TrapCode.UNREACHABLE,
}
FILTERS = "EVENS ODDS MULTIPLES ABOVE BELOW PRIMES SQUARES".split()


def in_wasmtime(compiled, fuel=20_000_000):
    """The value, or the message of the trap; None where it runs too long."""
    store = wasmtime.Store(FUELED)
    store.set_fuel(fuel)
    module = wasmtime.Module(FUELED, compiled.wasm)
    answer = wasmtime.Instance(store, module, []).exports(store)[ENTRY]
    try:
        results = answer(store)
    except wasmtime.Trap as trap:
        if trap.trap_code is wasmtime.TrapCode.OUT_OF_FUEL:
            return None
        return trap.trap_code
    except wasmtime.WasmtimeError as problem:
        assert "fuel" in str(problem)
        return None
    return compiled.value(results if isinstance(results, list) else [results])


def program(source, *numbers):
    plan = source if isinstance(source, Plan) else text.read(source)
    compiled = compile_plan(plan, [Fraction(n) for n in numbers])
    return compiled, TraceProgram("plan", module=compiled.module, binary=compiled.wasm)


def answer(source, *numbers, engine="native", **how):
    """What the weights answer, which must be what wasmtime does; or the trap."""
    compiled, made = program(source, *numbers)
    result = run_program(made, ENTRY, engine=engine, keep=False, **how)
    under = in_wasmtime(compiled)
    if result.trap is not None:
        assert under == SAME[result.trap]
        return result.trap
    value = compiled.value(result.results)
    assert under == value
    return value


@pytest.mark.slow
@random_cases(300)
@given(
    token_sequences(slots=4, names=2, budget=24),
    st.lists(
        st.one_of(
            st.integers(-30, 30),
            st.integers(-(2**40), 2**40),
            st.fractions(-20, 20, max_denominator=12),
        ),
        min_size=4,
        max_size=4,
    ),
)
def test_programs_mean_what_plans_mean(tokens, numbers):
    plan, numbers = parse(tokens), [Fraction(n) for n in numbers]
    try:
        compiled = compile_plan(plan, numbers)
    except PlanError as problem:
        assert "median" in str(problem)
        return
    got = in_wasmtime(compiled)
    if got is None:
        return  # too long for a test
    if got == wasmtime.TrapCode.INTEGER_OVERFLOW:
        return  # the tests of single operations say exactly when
    try:
        value = evaluate(plan, numbers)
    except TooLong:
        return
    except Undefined:
        assert isinstance(got, wasmtime.TrapCode) or "SQRT" in tokens
        return
    if "SQRT" in tokens:
        return  # rounded: compared exactly between wasmtime and the weights, not with this
    assert not isinstance(got, wasmtime.TrapCode) and got == value


small = st.integers(-(2**63), 2**63 - 1) | st.integers(-100, 100)


@random_cases(200)
@given(st.sampled_from("ADD SUB MUL IDIV MOD DIV GCD LCM".split()), small, small)
def test_an_operation_overflows_exactly_when_its_result_does_not_fit(token, a, b):
    plan = Plan(apply(token, Slot(0), Slot(1)))
    numbers = [Fraction(a), Fraction(b)]
    got = in_wasmtime(compile_plan(plan, numbers))
    try:
        value = evaluate(plan, numbers)
    except Undefined:
        assert got == wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO
        return
    if -(2**63) in (a, b) and token in ("DIV", "GCD", "LCM"):
        assert got in (value, wasmtime.TrapCode.INTEGER_OVERFLOW)  # its negative does not fit
    elif -(2**63) <= value.numerator < 2**63:
        assert got == value
    else:
        assert got == wasmtime.TrapCode.INTEGER_OVERFLOW


rationals = st.fractions(-(10**6), 10**6, max_denominator=10**4)


@random_cases(200)
@given(
    st.sampled_from("ADD SUB MUL DIV IDIV MOD PCT LT LE GT GE EQ NE".split()), rationals, rationals
)
@example("MUL", Fraction(3037000499, 3038), Fraction(3037000501, 3038))
def test_rationals_are_exact(token, a, b):
    plan = Plan(apply(token, Slot(0), Slot(1)))
    got = in_wasmtime(compile_plan(plan, [a, b]))
    try:
        value = evaluate(plan, [a, b])
    except Undefined:
        assert got == wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO
        return
    fits = isinstance(value, bool) or -(2**63) <= value.numerator < 2**63
    assert got == (value if fits else wasmtime.TrapCode.INTEGER_OVERFLOW)


@random_cases(100)
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
    """Ranges of known bounds run in 32 bits and in strides; both must be what they mean."""
    start = apply("ADD", Slot(0), Slot(4)) if computed else Slot(0)
    node = apply("RANGE", start, Slot(1), Slot(2))
    for token in steps:
        binary = token in ("MULTIPLES", "ABOVE", "BELOW")
        node = apply(token, *([Slot(3)] if binary else []), node)
    plan = Plan(apply(aggregate, node))
    numbers = [Fraction(n) for n in (first, last, step, number, 0)]
    got = in_wasmtime(compile_plan(plan, numbers))
    try:
        value = evaluate(plan, numbers)
    except Undefined:
        assert isinstance(got, wasmtime.TrapCode)
        return
    fits = -(2**63) <= value.numerator < 2**63
    assert got == value if fits else got == wasmtime.TrapCode.INTEGER_OVERFLOW


@pytest.mark.parametrize(
    "source, numbers, expected",
    [
        ("(N0 - N1)", (50, 15), 35),
        ("((N0 / N1) * N1)", (7, 2), 7),
        ("factorial(N0)", (20,), 2432902008176640000),
        ("factorial(N0)", (21,), Trap.INTEGER_OVERFLOW),
        ("fibonacci(N0)", (92,), 7540113804746346429),
        ("fibonacci(N0)", (93,), Trap.INTEGER_OVERFLOW),
        ("factorial(N0)", (-1,), Trap.UNREACHABLE),
        ("factorial(N0)", ("1/2",), Trap.UNREACHABLE),
        ("(N0 / N1)", (1, 0), Trap.DIVIDE_BY_ZERO),
        ("(N0 ^ N1)", (2, 62), 2**62),
        ("(N0 ^ N1)", (2, 63), Trap.INTEGER_OVERFLOW),
        ("(N0 ^ N1)", (-2, 63), -(2**63)),
        ("(N0 ^ N1)", ("2/3", -3), Fraction(27, 8)),
        ("sum(squares(range(N0, N1, 1)))", (1, 100), 338350),
        ("max([N0, N1, N2])", (4, 9, 2), 9),
        ("median([N0, N1, N2, N3])", (9, 2, "4.5", 7), Fraction(23, 4)),
        ("average([N0, N1, N2])", (1, 2, 4), Fraction(7, 3)),
        ("gcd(N0, N1)", (48, 36), 12),
        ("sqrt(N0)", (2,), 2**0.5),
        ("round((sqrt(N0) * N1))", (2, 100), 141),
        ("((N0 > N1) and prime(N1))", (15, 11), True),
        ("v0 = (N0 + N1); if((v0 > N2), v0, (v0 / N2))", (3, 4, 10), Fraction(7, 10)),
        ("min(evens([N0]))", (3,), Trap.UNREACHABLE),
    ],
)
def test_the_weights_answer_what_wasmtime_does(source, numbers, expected):
    assert answer(source, *numbers) == expected


@pytest.mark.slow
def test_a_long_sum_is_a_loop_with_few_steps_for_each_member():
    compiled, made = program("sum(range(N0, N1, 1))", 1, 1_000_000)
    assert in_wasmtime(compiled) == 500000500000
    result = run_program(made, ENTRY, engine="native", keep=False)
    assert result.results == [500000500000]
    assert 1_000_000 < result.steps < 5_000_000


@pytest.mark.slow
def test_a_plan_of_ten_thousand_operations():
    node = Slot(0)
    for index in range(1, 10_001):
        node = apply("SUB" if index % 3 else "ADD", node, Slot(index % 20))
    plan = Plan(node)
    assert plan.operations == 10_000
    numbers = [Fraction(n * n - 70) for n in range(20)]
    compiled = compile_plan(plan, numbers)
    made = TraceProgram("plan", module=compiled.module, binary=compiled.wasm)
    result = run_program(made, ENTRY, engine="native", keep=False)
    assert compiled.value(result.results) == evaluate(plan, numbers) == in_wasmtime(compiled)


def test_right_nested_plans_need_no_recursion():
    node = Slot(0)
    for _ in range(2_000):
        node = apply("SUB", Slot(1), node)
    assert answer(Plan(node), 3, 5) == 3


def test_a_huge_loop_stops_on_fuel():
    _, made = program("sum(range(N0, N1, 1))", 1, 10**15)
    with pytest.raises(StepLimitError) as stopped:
        run_program(made, ENTRY, engine="native", keep=False, max_steps=100_000)
    assert stopped.value.exit_code == 3


def test_plans_of_one_shape_share_their_function():
    compiled, _ = program("(max([N0, N1]) - max([N1, N2, N0]))", 1, 2, 3)
    assert compiled.wat.count("(func $max_array_integer") == 1
    assert compiled.kind is NumberKind.INTEGER


def test_numbers_that_do_not_fit_or_are_missing_are_refused():
    with pytest.raises(PlanError, match="does not fit in 64 bits"):
        program("(N0 + 1)", 2**63)
    with pytest.raises(PlanError, match="N1 is used, but the text has 1 numbers"):
        program("(N0 + N1)", 1)


def test_the_runtime_has_nothing_that_is_not_called():
    names = set(runtime())
    assert len(names) > 30
    package = Path(api.__file__).parent / "frontends" / "words"
    code = "\n".join(runtime().values()) + "".join(
        (package / name).read_text() for name in ("compile.py", "loops.py")
    )
    assert names == set(re.findall(r"call \$(\w+)", code))
