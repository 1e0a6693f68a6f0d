"""Shorter expressions for the same numbers: a word times a factor instead of bits times it."""

from dataclasses import replace
from functools import reduce

from transputer.engines.lifted.decoder.expr import WordExpr, WordForms
from transputer.engines.lifted.decoder.rows import Query, RowLeaf, RowWord, Tree

#: A word, and what is multiplied with its bits.
_Place = tuple[WordExpr, tuple[WordExpr, ...]]


class Compactor:
    """Rewrites trees. Each expression is rewritten once, and shared parts stay shared."""

    def __init__(self, words: WordForms) -> None:
        self.words = words
        self._memo: dict[WordExpr, WordExpr] = {}

    def tree(self, tree: Tree) -> Tree:
        """The same tree with shorter expressions."""
        queries = {h: self._query(q) for h, q in tree.queries.items()}
        if isinstance(tree, RowLeaf):
            return RowLeaf(tuple(self._word(w) for w in tree.words), queries)
        sides = {"yes": self.tree(tree.yes), "no": self.tree(tree.no)}
        return replace(tree, condition=self.expr(tree.condition), queries=queries, **sides)

    def _word(self, word: RowWord) -> RowWord:
        guard = None if word.guard is None else self.expr(word.guard)
        return RowWord(self.expr(word.expr), guard, word.lifted)

    def _query(self, query: Query) -> Query:
        tags = tuple(map(self.expr, query.tags))
        return Query(tags, self._word(query.index), query.hits, query.falls_back)

    def expr(self, expr: WordExpr) -> WordExpr:
        """The same number, shorter."""
        if not expr.parts:
            return expr
        if expr not in self._memo:
            parts = tuple(map(self.expr, expr.parts))
            if expr.kind == "sum":
                parts = tuple(self._summed(parts))
            whole = parts[0] if expr.kind == "sum" and len(parts) == 1 else None
            self._memo[expr] = whole or WordExpr(expr.kind, parts, expr.data)
        return self._memo[expr]

    def _summed(self, parts: tuple[WordExpr, ...]) -> list[WordExpr]:
        """The terms of a sum, with those together that multiply bits of a word with the same."""
        groups: dict[_Place, dict[int, int]] = {}
        members: dict[_Place, list[WordExpr]] = {}
        rest: list[WordExpr] = []
        for part in parts:
            weight, factors = _factors(part)
            bits = [f for f in factors if _is_bit(f)]
            if len(bits) != 1 or len(factors) < 2:
                rest.append(part)
                continue
            others = tuple(f for f in factors if f is not bits[0])
            place = bits[0].parts[0], others
            weights = groups.setdefault(place, {})
            weights[bits[0].data[0]] = weights.get(bits[0].data[0], 0) + weight
            members.setdefault(place, []).append(part)
        for (word, others), weights in groups.items():
            if len(weights) == 1:
                rest += members[word, others]
                continue
            terms = self.words.linear(word, weights)
            total = terms[0] if len(terms) == 1 else WordExpr("sum", tuple(terms))
            rest.append(reduce(lambda a, b: WordExpr("product", (a, b)), others, total))
        return rest


def _is_bit(expr: WordExpr) -> bool:
    return expr.kind == "field" and expr.data[1] == 1 and expr.parts[0].kind == "word"


def _factors(expr: WordExpr) -> tuple[int, list[WordExpr]]:
    """An expression as a number times factors."""
    if expr.kind == "scale":
        weight, factors = _factors(expr.parts[0])
        return expr.data[0] * weight, factors
    if expr.kind == "product":
        (a, left), (b, right) = map(_factors, expr.parts)
        return a * b, left + right
    return 1, [expr]
