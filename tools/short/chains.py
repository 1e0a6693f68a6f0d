"""What the steps of an instruction amount to: formulas on the token before its first step."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tools.short.prove import checker
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import VALUE, Variable, WordExpr, num
from transputer.engines.lifted.decoder.proved import Packer, ProvedRows
from transputer.engines.lifted.decoder.rows import Query, RowLeaf, Tree

#: Groups of the phase and of the status of a token.
PHASE, STATUS = 4, 10
Environment = Mapping[Variable, WordExpr]
Decision = tuple[WordExpr, bool]


def filled(expr: WordExpr, words: Environment, memo: dict[WordExpr, WordExpr]) -> WordExpr:
    """An expression with others instead of words."""
    result = memo.get(expr)
    if result is None:
        if expr.kind == "word":
            result = words.get((expr.data[0], expr.data[1]), expr)
        elif expr.kind == "num":
            result = expr
        else:
            result = _made(expr.kind, [filled(p, words, memo) for p in expr.parts], expr.data)
        memo[expr] = result
    return result


def _made(kind: str, parts: list[WordExpr], data: tuple[int, ...]) -> WordExpr:
    """An expression, or the number or the part that it is."""
    if all(part.kind == "num" for part in parts):
        return num(VALUE[kind]([part.data[0] for part in parts], data))
    if kind == "product":
        for one, other in (parts, parts[::-1]):
            if one.kind == "num" and one.data[0] in (0, 1):
                return other if one.data[0] else one
    if kind == "choose":
        if parts[0].kind == "num":
            return parts[1] if parts[0].data[0] else parts[2]
        if parts[1] is parts[2]:
            return parts[1]
    return WordExpr(kind, tuple(parts), data)


@dataclass(frozen=True)
class Step:
    """A step on a path: its phase, what it decides, what must hold, and the next token.

    `queries` are those of the heads that it reads, with their indices on the first token.
    """

    phase: int
    decisions: tuple[Decision, ...]
    guards: tuple[WordExpr, ...]
    words: tuple[WordExpr, ...]
    queries: Mapping[int, tuple[Query, WordExpr]]


Path = tuple[Step, ...]


@dataclass(frozen=True)
class Chain:
    """The rows of an instruction by phase, and the paths that steps take through them."""

    proved: ProvedRows
    rows: Mapping[int, int]
    phases: frozenset[int]

    def paths(self, phase: int = 0, known: Mapping[WordExpr, bool] | None = None) -> list[Path]:
        """The paths from a phase through these phases that end the instruction.

        `known` are conditions that are decided.
        """
        return [*self._from(phase, {}, dict(known or {}), ())]

    def _from(
        self, phase: int, words: Environment, decided: dict[WordExpr, bool], path: Path
    ) -> Iterator[Path]:
        if phase not in self.phases:
            return
        memo: dict[WordExpr, WordExpr] = {}
        for leaf, queries, decisions in self._leaves(
            self.proved.tree(self.rows[phase]), words, memo, decided, {}, ()
        ):
            after = tuple(filled(w.expr, words, memo) for w in leaf.words)
            guards = [w.guard for w in leaf.words if w.guard is not None]
            asked = {h: (q, filled(q.index.expr, words, memo)) for h, q in queries.items()}
            met = tuple(filled(guard, words, memo) for guard in guards)
            following, stops = after[PHASE], after[STATUS]
            if following.kind != "num" or stops.kind != "num" or stops.data[0]:
                continue
            further = (*path, Step(phase, decisions, met, after, asked))
            if following.data[0] == 0:
                yield further
            else:
                token = {(OWN, g): expr for g, expr in enumerate(after)}
                known = {**decided, **dict(decisions)}
                yield from self._from(following.data[0], token, known, further)

    def _leaves(
        self,
        tree: Tree,
        words: Environment,
        memo: dict[WordExpr, WordExpr],
        decided: Mapping[WordExpr, bool],
        queries: Mapping[int, Query],
        decisions: tuple[Decision, ...],
    ) -> Iterator[tuple[RowLeaf, Mapping[int, Query], tuple[Decision, ...]]]:
        queries = {**queries, **tree.queries}
        if isinstance(tree, RowLeaf):
            yield tree, queries, decisions
            return
        condition = filled(tree.condition, words, memo)
        known = {**decided, **dict(decisions)}
        truth = bool(condition.data[0]) if condition.kind == "num" else known.get(condition)
        for side, below in ((True, tree.yes), (False, tree.no)):
            if truth is None:
                more = (*decisions, (condition, side))
                yield from self._leaves(below, words, memo, decided, queries, more)
            elif truth == side:
                yield from self._leaves(below, words, memo, decided, queries, decisions)


class Texts:
    """Expressions as SMT-LIB terms over bit-vectors, and files with them."""

    def __init__(self, proved: ProvedRows, exprs: Sequence[WordExpr]) -> None:
        obligations: Any = (checker(), import_module("obligations"))[1]
        packer = Packer()
        self._numbers = {expr: packer.expr(expr) for expr in exprs}
        nodes = json.loads(json.dumps(packer.nodes))
        tokens = checker().Tokens(nodes, proved.frame.groups, proved.frame.sizes)
        self.writer = obligations.Writer()
        self._formulas = obligations.FormulaWriter(self.writer, tokens, tokens.sizes, {})

    def truth(self, expr: WordExpr, wanted: bool = True) -> str:
        """That a condition holds, or does not."""
        text: str = self.writer.truth(self._formulas.term(self._numbers[expr]))
        return text if wanted else f"(not {text})"

    def word(self, expr: WordExpr) -> str:
        """The low 64 bits of a number."""
        term = self._formulas.term(self._numbers[expr])
        return f"((_ extract 63 0) {self.writer.fit(term, max(65, term.width))})"

    def equal(self, one: WordExpr, two: WordExpr) -> str:
        """That two numbers are equal."""
        if one is two:
            return "true"
        first, second = (self._formulas.term(self._numbers[e]) for e in (one, two))
        width = max(first.width, second.width)
        return f"(= {self.writer.fit(first, width)} {self.writer.fit(second, width)})"

    def fits(self, expr: WordExpr, bits: int) -> str:
        """That a number has no more bits than these."""
        term = self._formulas.term(self._numbers[expr])
        if term.low >= 0 and term.high < 1 << bits:
            return "true"
        width = max(65, term.width)
        above = f"((_ extract {width - 1} {bits}) {self.writer.fit(term, width)})"
        return f"(= {above} (_ bv0 {width - bits}))"

    def file(self, goal: str, definitions: str = "", uses: Sequence[str] = ()) -> str:
        """A file that asks whether a goal can be true; `definitions` may name what it `uses`."""
        named = " ".join(f"(= {text} {text})" for text in uses)
        text: str = self.writer.file(f"(and {goal} {named} true)")
        start = text.rindex("(assert ")
        body = text[:start] + definitions + text[start:]
        return body[body.index("\n") :].replace("\n", "(set-logic ALL)\n", 1)
