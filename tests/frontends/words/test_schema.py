"""JSON schema and GBNF say what the grammar says."""

import json
import re

import pytest
from hypothesis import given

from tests.sampling import random_cases
from transputer.frontends.words import text
from transputer.frontends.words.operations import OPERATIONS
from transputer.frontends.words.plan import PlanError, parse
from transputer.frontends.words.schema import from_json, gbnf, json_schema, to_json

from .test_grammar import token_sequences


def admits(schema, root, value):
    """Whether a schema of the few kinds that ours uses admits a value."""
    if "$ref" in schema:
        return admits(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, value)
    if "anyOf" in schema:
        return any(admits(option, root, value) for option in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if schema["type"] == "array":
        inside = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        return inside and all(admits(schema["items"], root, item) for item in value)
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    return (
        isinstance(value, dict)
        and set(value) == set(schema["required"]) == set(schema["properties"])
        and all(admits(part, root, value[key]) for key, part in schema["properties"].items())
    )


@random_cases(100)
@given(token_sequences())
def test_the_schema_admits_every_plan_and_it_comes_back(tokens):
    plan = parse(tokens)
    held = json.loads(json.dumps(to_json(plan)))
    schema = json_schema(3, 2)
    assert admits(schema, schema, held)
    assert from_json(held) == plan


@pytest.mark.parametrize(
    "held",
    [
        {"lets": [], "result": "N3"},
        {"lets": [], "result": "C11"},
        {"lets": [], "result": {"op": "ADD", "a": "N0"}},
        {"lets": [], "result": {"op": "ADD", "a": "N0", "b": {"op": "GT", "a": "N0", "b": "N1"}}},
        {"lets": [], "result": {"op": "RANGE", "a": "N0", "b": "N1", "c": "C1"}},
        {"lets": [], "result": {"op": "SUM", "a": {"op": "LIST", "items": []}}},
        {"lets": []},
    ],
)
def test_the_schema_admits_nothing_else(held):
    schema = json_schema(3, 2)
    assert not admits(schema, schema, held)


@pytest.mark.parametrize(
    "held",
    [
        *(None, 3, [], "N0", {}, {"result": None}, {"result": 7}, {"result": {"op": "EXEC"}}),
        {"result": {"op": "ADD", "a": "N0"}},
        {"result": "V0"},
        {"result": "N0", "lets": "N1"},
        {"result": {"op": "LIST", "items": ["N0"]}},
        {"result": {"op": ["ADD"], "a": "N0", "b": "N1"}},
    ],
)
def test_what_is_no_plan_is_refused_whatever_a_server_lets_through(held):
    with pytest.raises(PlanError):
        from_json(held)


def test_deep_json_is_refused():
    held = "N0"
    for _ in range(500):
        held = {"op": "NEG", "a": held}
    with pytest.raises(PlanError, match="nested too deeply"):
        from_json({"result": held})


class Matcher:
    """Recognises texts by the rules of a GBNF grammar, all ways at once."""

    def __init__(self, source):
        self.rules = {}
        for line in source.strip().splitlines():
            name, _, body = line.partition(" ::= ")
            self.words = re.findall(r'"[^"]*"|\(|\)\*|\)|\||[a-z]+', body)
            self.rules[name] = self.options()
            assert not self.words
        self.text = ""
        self.known = {}

    def options(self):
        found = [[]]
        while self.words and self.words[0] not in (")", ")*"):
            word = self.words.pop(0)
            if word == "|":
                found.append([])
            elif word == "(":
                inner = self.options()
                found[-1].append(("many" if self.words.pop(0) == ")*" else "one", inner))
            else:
                found[-1].append(("text", word[1:-1]) if word[0] == '"' else ("rule", word))
        return found

    def matches(self, text):
        self.text, self.known = text, {}
        return len(text) in self.ends(self.rules["root"], 0)

    def ends(self, options, at):
        return {end for option in options for end in self.after(option, at)}

    def after(self, parts, at):
        places = {at}
        for kind, what in parts:
            places = {end for place in places for end in self.part(kind, what, place)}
        return places

    def part(self, kind, what, at):
        if kind == "text":
            return {at + len(what)} if self.text.startswith(what, at) else set()
        if kind == "rule":
            if (what, at) not in self.known:
                self.known[what, at] = self.ends(self.rules[what], at)
            return self.known[what, at]
        if kind == "one":
            return self.ends(what, at)
        found, new = {at}, {at}
        while new:
            new = {end for place in new for end in self.ends(what, place)} - found
            found |= new
        return found


@random_cases(100)
@given(token_sequences(budget=20))
def test_the_gbnf_grammar_matches_every_line(tokens):
    assert Matcher(gbnf(3, 2)).matches(text.line(parse(tokens)))


@pytest.mark.parametrize("line", ["N3", "(N0 + )", "exec(N0)", "[N0]", "(N0 > N1) + N2", "11"])
def test_the_gbnf_grammar_matches_nothing_else(line):
    assert not Matcher(gbnf(3, 2)).matches(line)


def test_every_operation_is_in_both():
    grammar, schema = gbnf(1), json.dumps(json_schema(1))
    for row in OPERATIONS:
        assert row.begin in grammar and f'"{row.token}"' in schema
