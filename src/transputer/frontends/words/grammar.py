"""Which token may come next: the automaton of the prefix form, and its finite vocabulary.

A decoder that only takes legal tokens, until there is no legal one, writes a plan that is
correct in arity and type and uses no number that is not in the text. JSON schema and GBNF
come from the same rows.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from transputer.frontends.words.operations import BY_TOKEN, CONSTANTS, TRAINED, Operation, PlanType
from transputer.frontends.words.plan import END, LET, PlanError
from transputer.values import dataclass

#: How many numbers of a text, and how many assignments, the finite vocabulary can name.
SLOTS, NAMES = 20, 8

CONSTANT_TOKENS = tuple(f"C{value}" for value in CONSTANTS)
#: The automaton writes what the models were trained on: expressions, not whole programs.
_ROWS = tuple(BY_TOKEN[token] for token in TRAINED)


def vocabulary(slots: int = SLOTS, names: int = NAMES) -> tuple[str, ...]:
    """Every token, always in the same order: operations, END, LET, constants, slots, names."""
    return (
        *TRAINED,
        *(END, LET),
        *CONSTANT_TOKENS,
        *(f"N{index}" for index in range(slots)),
        *(f"V{index}" for index in range(names)),
    )


class _Want:
    """What the automaton waits for besides a type: the whole plan, or more of a list."""

    def __init__(self, name: str) -> None:
        self.name = name


_PLAN, _MORE = _Want("a plan"), _Want("a number or END")
#: A stack as nested pairs, so that states share their tails.
_Stack = tuple[Any, Any] | None
_TOKENS = {row.token: row for row in _ROWS}


@dataclass(frozen=True, slots=True, eq=False)
class GrammarState:
    """Where a prefix of tokens has got to. Start with `start`, go on with `after`.

    `least` is the smallest number of tokens that completes the plan, 0 when it is complete.
    """

    slots: int
    names: int
    stack: _Stack
    assigned: int
    pending: bool
    least: int

    @property
    def complete(self) -> bool:
        """Whether the tokens so far are a whole plan."""
        return self.stack is None

    def legal(self, budget: int | None = None) -> frozenset[str]:
        """The tokens that may come next; with a budget, those that leave a plan within it."""
        tokens = frozenset(self._legal())
        if budget is None:
            return tokens
        return frozenset(t for t in tokens if 1 + self.after(t).least <= budget)

    def _legal(self) -> Iterator[str]:
        if self.stack is None:
            return
        top = self.stack[0]
        for kind in PlanType:
            if _fits(kind, top):
                yield from _rows(kind)
        if _fits(PlanType.NUMBER, top):
            yield from CONSTANT_TOKENS
            yield from (f"N{index}" for index in range(self.slots))
            yield from (f"V{index}" for index in range(self.assigned))
        if top is _MORE:
            yield END
        if top is _PLAN and self.assigned < self.names:
            yield LET

    def after(self, token: str) -> "GrammarState":
        """The state after one more token; PlanError where it may not come."""
        if self.stack is None:
            raise PlanError(f"{token} comes after the plan is complete")
        top, rest = self.stack
        if token == END and top is _MORE:
            return self._moved(rest, -1)
        if token == LET and top is _PLAN and self.assigned < self.names:
            return GrammarState(
                self.slots, self.names, (PlanType.NUMBER, self.stack), self.assigned, True, 2
            )
        if token in _TOKENS and _fits(_TOKENS[token].result, top):
            row = _TOKENS[token]
            if top is _MORE:
                return self._moved(_pushed(self.stack, row), _cost(row))
            return self._moved(_pushed(rest, row), _cost(row) - _least(_kind(top)))
        if _fits(PlanType.NUMBER, top) and self._is_operand(token):
            return self._moved(self.stack if top is _MORE else rest, 0 if top is _MORE else -1)
        raise PlanError(f"{token} may not come where {_name(top)} is expected")

    def _moved(self, stack: _Stack, change: int) -> "GrammarState":
        done = self.pending and stack is not None and stack[0] is _PLAN
        return GrammarState(
            self.slots,
            self.names,
            stack,
            self.assigned + done,
            self.pending and not done,
            self.least + change,
        )

    def _is_operand(self, token: str) -> bool:
        kind, digits = token[:1], token[1:]
        if token in _CONSTANTS:
            return True
        if not (digits.isascii() and digits.isdecimal() and str(int(digits)) == digits):
            return False
        return kind in "NV" and int(digits) < (self.slots if kind == "N" else self.assigned)


_CONSTANTS = frozenset(CONSTANT_TOKENS)


def start(slots: int = SLOTS, names: int = NAMES) -> GrammarState:
    """The state before the first token, for a text with that many numbers."""
    return GrammarState(slots, names, (_PLAN, None), 0, False, 1)


def run(tokens: Iterable[str], slots: int = SLOTS, names: int = NAMES) -> GrammarState:
    """The state after a prefix of tokens; PlanError where a token may not come."""
    state = start(slots, names)
    for token in tokens:
        state = state.after(token)
    return state


@cache
def _rows(result: PlanType) -> tuple[str, ...]:
    return tuple(row.token for row in _ROWS if row.result is result)


def _kind(top: object) -> PlanType:
    """What is at least wanted: a plan can be a number."""
    return top if isinstance(top, PlanType) else PlanType.NUMBER


def _fits(kind: PlanType, top: object) -> bool:
    if top is _PLAN:
        return kind is not PlanType.LIST
    return kind is (PlanType.NUMBER if top is _MORE else top)


@cache
def _least(kind: PlanType) -> int:
    """The smallest number of tokens of something of this type: an operand, or a cheapest row."""
    if kind is PlanType.NUMBER:
        return 1
    # every row of these types can be made of numbers alone, so the cheapest one is
    rows = [r for r in _ROWS if r.result is kind and set(r.arguments) == {PlanType.NUMBER}]
    return min(1 + len(row.arguments) + row.variadic for row in rows)


def _cost(row: Operation) -> int:
    """The smallest number of tokens that complete a row whose own token has come."""
    return sum(_least(kind) for kind in row.arguments) + row.variadic


def _pushed(stack: _Stack, row: Operation) -> _Stack:
    if row.variadic:
        stack = (_MORE, stack)
    for kind in reversed(row.arguments):
        stack = (kind, stack)
    return stack


def _name(top: object) -> str:
    return top.name if isinstance(top, _Want) else f"a {getattr(top, 'value', top)}"
