"""Replies of language models: what is read from them, and the grammar that constrains them."""

import re

import pytest

from transputer.frontends.words import text
from transputer.frontends.words.language import read_program
from transputer.frontends.words.operations import OPERATIONS
from transputer.frontends.words.plan import PlanError
from transputer.frontends.words.planner import Abstained
from transputer.frontends.words.replies import EXAMPLES, gbnf, instructions, read_reply

HIDDEN = {"if", "neg", "not", "at", "empty"}


@pytest.mark.parametrize(
    "reply",
    [
        "N0 - N1",
        "return N0 - N1",
        '{"program": "N0 - N1"}',
        '```json\n{"program": "N0 - N1"}\n```',
        "```python\nN0 - N1\n```",
        '<think>Is it {N0}? {"program": "N1"}</think>\n{"program": "N0 - N1"}',
        "half a thought</think> N0 - N1",
        'First I note {this}. So the answer is {"program": "N0 - N1"}. I hope it helps!',
        'Draft: {"program": "N0 + N1"} but better: {"program": "N0 - N1"}',
        "answer = N0 - N1",
    ],
)
def test_the_program_of_a_reply(reply):
    plan = read_reply(reply, 2)
    assert plan.slots == {0, 1} and "N0 - N1" in text.program(plan)


@pytest.mark.parametrize(
    "reply",
    ["cannot_answer", '{"cannot_answer": "no age"}', "`cannot_answer`", "cannot_answer: no age"],
)
def test_no_answer(reply):
    with pytest.raises(Abstained, match="no answer"):
        read_reply(reply, 2)


@pytest.mark.parametrize("reply", ["", "{" * 5000, "I do not know", "N2", "```\n```", "[1]" * 9])
def test_what_is_no_program_is_refused(reply):
    with pytest.raises(PlanError):
        read_reply(reply, 2)


def test_the_examples_are_programs():
    assert all(read_program(line) for _, line in EXAMPLES if line)


def test_the_instructions_name_every_function():
    names = {row.name for row in OPERATIONS if row.separator == ", "} - HIDDEN - {""}
    assert all(f"\n{name}(" in instructions(True) for name in names)


def _parse(rules, rule, line):
    """The ends of all prefixes of a line that a rule of the grammar admits."""

    def options(tokens):
        ends, depth, part = [], 0, []
        for token in tokens:
            depth += (token == "(") - token.startswith(")")
            if token == "|" and depth == 0:
                ends.append(part)
                part = []
            else:
                part.append(token)
        return [*ends, part]

    def sequence(tokens, at):
        if not tokens:
            yield at
            return
        if tokens[0] == "(":
            depth, close = 1, 0
            while depth:
                close += 1
                depth += (tokens[close] == "(") - tokens[close].startswith(")")
            inner, mark, rest = tokens[1:close], tokens[close][1:], tokens[close + 1 :]
            once = {end for one in options(inner) for end in sequence(one, at)}
            if mark == "*":
                todo, once = set(once), {at, *once}
                while todo:
                    start = todo.pop()
                    more = {e for one in options(inner) for e in sequence(one, start)} - once
                    once |= more
                    todo |= more
            elif mark == "?":
                once = {at, *once}
            for end in once:
                yield from sequence(rest, end)
            return
        head, *rest = tokens
        if head.startswith('"'):
            literal = head[1:-1].replace("\\n", "\n")
            if line.startswith(literal, at):
                yield from sequence(rest, at + len(literal))
        else:
            for end in memo(head, at):
                yield from sequence(rest, end)

    known = {}

    def memo(name, at):
        if (name, at) not in known:
            known[name, at] = set()
            known[name, at] = {e for one in options(rules[name]) for e in sequence(one, at)}
        return known[name, at]

    return memo(rule, 0)


def _rules(grammar):
    pattern = re.compile(r'"(?:[^"])*"|\)[*?]?|\(|\||\w+')
    return {
        name: pattern.findall(body)
        for name, body in (line.split(" ::= ", 1) for line in grammar.strip().split("\n"))
    }


@pytest.mark.parametrize(
    "program",
    [
        "(N0 - N1)",
        "sum(evens(span(N0, N1, 1)))",
        "x = N0\nn = 0\nwhile (x >= N1):\n    x = (x / 2)\n    n = (n + 1)\nreturn n",
        "s = 0\nfor x in span(1, N0, 1):\n    if ((x % 3) == 0):\n        s = (s + x)\nreturn s",
        "[(x * x) for x in [N0, N1] if (x > 2)]",
        "cannot_answer",
    ],
)
def test_the_grammar_admits_programs(program):
    assert len(program) in _parse(_rules(gbnf(2)), "root", program)
    if program != "cannot_answer":
        assert read_program(program)


@pytest.mark.parametrize("program", ["N2", "import os", "(N0 - 17)", "open(N0)", "x.y", "1.5"])
def test_the_grammar_admits_nothing_else(program):
    assert len(program) not in _parse(_rules(gbnf(2)), "root", program)
