"""Tokens, trees and lines are one thing; the automaton lets through plans and nothing else."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.frontends.words import grammar, text
from transputer.frontends.words.operations import TRAINED
from transputer.frontends.words.plan import (
    Name,
    Plan,
    PlanConstant,
    PlanError,
    Slot,
    apply,
    parse,
)


@st.composite
def token_sequences(draw, slots=3, names=2, budget=40):
    """What a decoder writes that takes any legal token until the plan is complete."""
    state, tokens = grammar.start(slots, names), []
    while not state.complete:
        legal = sorted(state.legal(budget - len(tokens)))
        tokens.append(draw(st.sampled_from(legal)))
        state = state.after(tokens[-1])
    return tokens


@random_cases(100)
@given(token_sequences())
def test_what_the_automaton_writes_is_a_plan_and_comes_back(tokens):
    plan = parse(tokens)
    assert list(plan.tokens) == tokens
    assert text.read(text.line(plan)) == plan
    assert plan == parse(plan.tokens) and hash(plan) == hash(parse(plan.tokens))


@random_cases(100)
@given(token_sequences(), st.data())
def test_a_token_is_legal_exactly_when_it_is_taken(tokens, data):
    cut = data.draw(st.integers(0, len(tokens)))
    state = grammar.run(tokens[:cut], 3, 2)
    for token in grammar.vocabulary(5, 4):
        if token in state.legal():
            after = state.after(token)
            assert after.least <= state.least + 10
        else:
            with pytest.raises(PlanError):
                state.after(token)


@random_cases(100)
@given(token_sequences(), st.data())
def test_a_budget_is_kept_and_least_is_reached(tokens, data):
    """From any state the plan can be completed in `least` tokens, and not in fewer."""
    state = grammar.run(tokens[: data.draw(st.integers(0, len(tokens)))], 3, 2)
    taken = 0
    least = state.least
    while not state.complete:
        legal = state.legal(state.least)
        assert legal and not state.legal(state.least - 1)
        state = state.after(min(legal))
        taken += 1
    assert taken == least


@random_cases(100)
@given(st.lists(st.sampled_from(grammar.vocabulary(3, 2)), max_size=8))
@example(["C0", "LET", "C0"])
@example(["LET", "C0", "LET", "C0", "C0"])
def test_parser_and_automaton_agree_on_arbitrary_tokens(tokens):
    def automaton():
        return grammar.run(tokens, 3, 2).complete

    def parser():
        return grammar.run(parse(tokens).tokens, 3, 2).complete

    def verdict(f):
        try:
            return f()
        except PlanError:
            return False

    assert verdict(automaton) == verdict(parser)


def test_every_operation_can_be_written():
    start = grammar.start(1)
    reachable = {t for t in start.legal()} | {
        t for first in ("SUM", "NOT") for t in start.after(first).legal()
    }
    assert set(TRAINED) <= reachable
    assert len(set(grammar.vocabulary())) == len(grammar.vocabulary())


def test_only_the_texts_own_numbers_are_legal():
    legal = grammar.start(2).legal()
    assert {"N0", "N1"} <= legal and "N2" not in legal and "V0" not in legal
    assigned = grammar.run(["LET", "N0"], 2).legal()
    assert "V0" in assigned and "V1" not in assigned


def test_lines():
    plan = Plan(apply("SUB", Slot(0), Slot(1)))
    assert text.line(plan, [50, 15]) == "(50 - 15)"
    assert text.line(plan) == "(N0 - N1)"
    total = apply("SUM", apply("EVENS", apply("RANGE", Slot(0), Slot(1), PlanConstant(1))))
    assert text.line(Plan(total)) == "sum(evens(span(N0, N1, 1)))"
    largest = apply("MAX", apply("LIST", Slot(0), Slot(1), Slot(2)))
    plan = Plan(apply("IF", apply("GT", Name(0), PlanConstant(7)), Name(0), Slot(3)), (largest,))
    assert text.line(plan) == "v0 = max([N0, N1, N2]); (v0 if (v0 > 7) else N3)"
    assert plan.slots == {0, 1, 2, 3} and plan.operations == 4


def test_a_plan_of_many_operations_needs_no_recursion():
    node = Slot(0)
    for index in range(1, 20_000):
        node = apply("ADD", node, Slot(index))
    plan = Plan(node)
    assert plan.operations == 19_999
    assert parse(plan.tokens) == plan and text.line(plan).count("+") == 19_999
    assert hash(plan) == hash(parse(plan.tokens))
    assert grammar.run(plan.tokens, 20_000).complete


@pytest.mark.parametrize(
    "tokens, message",
    [
        ("", "0 tokens make 0 results"),
        ("N0 N1", "make 2 results"),
        ("ADD N0", "token 1 (ADD): an argument is missing"),
        ("ADD N0 GT N1 N2", "token 1 (ADD): ADD takes number number, not number boolean"),
        ("SUM LIST N0", "token 2 (LIST): END is missing"),
        ("SUM LIST END", "token 2 (LIST): LIST takes number ..., not nothing"),
        ("C11", "11 is not a declared constant"),
        ("N01", "'N01' is not a token"),
        ("FOO", "'FOO' is not a token"),
        ("LET N0", "token 1 (LET): no result follows"),
        ("LET V0 N0", "V0 is used before it is assigned"),
    ],
)
def test_what_is_not_a_plan_is_refused_with_its_place(tokens, message):
    with pytest.raises(PlanError) as problem:
        parse(tokens.split())
    assert message in str(problem.value)


@pytest.mark.parametrize(
    "source, message",
    [
        ("(N0 + )", "line 1, column 7"),
        ("(N0 N1)", "line 1, column 2"),
        ("(N0 + N1", "'(' was never closed"),
        ("foo(N0)", "there is no function 'foo'"),
        ("max([N0, N1)", "does not match"),
        ("v1 = N0; v1 + v0", "'v0' has no value here"),
        ("v0 = N0;", "no result"),
        ("(N0 + 77)", "77 is not a declared constant"),
        ("", "no result"),
    ],
)
def test_a_line_that_is_no_plan_says_where(source, message):
    with pytest.raises(PlanError) as problem:
        text.read(source)
    assert message in str(problem.value)
