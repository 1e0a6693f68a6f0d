"""Terms of SyGuS files as terms of the solver."""

from collections.abc import Iterable, Mapping
from typing import Any

from cvc5 import Kind

from transputer.errors import UsageError
from transputer.learning.sygus_text import Sexp, SygusProblem, literal

_KINDS = {
    "not": Kind.NOT, "and": Kind.AND, "or": Kind.OR, "xor": Kind.XOR, "=>": Kind.IMPLIES,
    "=": Kind.EQUAL, "distinct": Kind.DISTINCT, "concat": Kind.BITVECTOR_CONCAT,
    "bvult": Kind.BITVECTOR_ULT, "bvule": Kind.BITVECTOR_ULE, "bvugt": Kind.BITVECTOR_UGT,
    "bvuge": Kind.BITVECTOR_UGE, "bvslt": Kind.BITVECTOR_SLT, "bvsle": Kind.BITVECTOR_SLE,
    "bvsgt": Kind.BITVECTOR_SGT, "bvsge": Kind.BITVECTOR_SGE, "bvadd": Kind.BITVECTOR_ADD,
    "bvsub": Kind.BITVECTOR_SUB, "bvmul": Kind.BITVECTOR_MULT, "bvand": Kind.BITVECTOR_AND,
    "bvor": Kind.BITVECTOR_OR, "bvxor": Kind.BITVECTOR_XOR, "bvxnor": Kind.BITVECTOR_XNOR,
    "bvnand": Kind.BITVECTOR_NAND, "bvnor": Kind.BITVECTOR_NOR, "bvnot": Kind.BITVECTOR_NOT,
    "bvneg": Kind.BITVECTOR_NEG, "bvshl": Kind.BITVECTOR_SHL, "bvlshr": Kind.BITVECTOR_LSHR,
    "bvashr": Kind.BITVECTOR_ASHR, "bvudiv": Kind.BITVECTOR_UDIV, "bvurem": Kind.BITVECTOR_UREM,
    "bvsdiv": Kind.BITVECTOR_SDIV, "bvsrem": Kind.BITVECTOR_SREM,
}  # fmt: skip
_INDEXED = {
    "extract": Kind.BITVECTOR_EXTRACT, "zero_extend": Kind.BITVECTOR_ZERO_EXTEND,
    "sign_extend": Kind.BITVECTOR_SIGN_EXTEND,
}  # fmt: skip


class SygusTerms:
    """Builds terms of a problem."""

    def __init__(self, problem: SygusProblem, solver: Any) -> None:
        self.problem, self.solver, self.terms = problem, solver, solver.terms

    def evaluate(self, sexp: Sexp, scope: Mapping[str, Any]) -> Any:
        """The solver's term of an expression."""
        number = literal(sexp)
        if number is not None:
            return self.terms.mkBitVector(number[1], number[0])
        if isinstance(sexp, str):
            if sexp in scope:
                return scope[sexp]
            if sexp in ("true", "false"):
                return self.terms.mkBoolean(sexp == "true")
            if sexp in self.problem.functions:
                return self.evaluate(self.problem.functions[sexp][1], {})
            raise UsageError(f"{self.problem.path}: {sexp} is not defined")
        head, *parts = sexp
        if head == "let":
            inner = {name: self.evaluate(term, scope) for name, term in parts[0]}
            return self.evaluate(parts[1], {**scope, **inner})
        values = [self.evaluate(part, scope) for part in parts]
        if head == "ite":
            return self.terms.mkTerm(Kind.ITE, *values)
        if isinstance(head, str) and callable(scope.get(head)):
            return scope[head](*values)
        if isinstance(head, str) and head in self.problem.functions:
            names, body = self.problem.functions[head]
            outer = {k: v for k, v in scope.items() if callable(v)}
            return self.evaluate(body, {**outer, **dict(zip(names, values, strict=True))})
        name, *numbers = head[1:] if isinstance(head, list) else [head]
        if name in _INDEXED:
            return self.terms.mkTerm(self.terms.mkOp(_INDEXED[name], *map(int, numbers)), *values)
        if name not in _KINDS:
            raise UsageError(f"{self.problem.path}: {name} is not supported")
        if len(values) == 1 and name in ("and", "or"):
            return values[0]
        return self.terms.mkTerm(_KINDS[name], *values)

    def every(self, conditions: Iterable[Any]) -> Any:
        """The conjunction."""
        listed = list(conditions)
        return listed[0] if len(listed) == 1 else self.terms.mkTerm(Kind.AND, *listed)

    def as_word(self, value: Any) -> Any:
        """A term as a word: a condition is 1 or 0."""
        if value.getSort().isBoolean():
            return self.solver.choose(value, self.solver.word(1), self.solver.word(0))
        return value
