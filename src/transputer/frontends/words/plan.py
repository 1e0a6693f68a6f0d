"""The plan: a typed program over the numbers of a text, declared constants and operations.

An operand is a slot (a number of the text, by index), a declared constant or a variable; nothing
else can be written. A plan is a tree with assignments and, where it needs them, functions of its
own. Everything here walks trees without recursion: a plan of 10,000 operations is ordinary.
"""

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from transputer.errors import SourceError
from transputer.frontends.words.operations import BY_TOKEN, CONSTANTS, Operation, PlanType
from transputer.values import dataclass

#: Ends the arguments of a variadic operation; assigns the number that follows to the next name.
END, LET = "END", "LET"


class PlanError(SourceError):
    """Tokens, text or a tree that is not a plan; the message says where."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The number of the text with this index, counted from 0."""

    index: int

    @property
    def token(self) -> str:
        """`N0` is the first number of the text."""
        return f"N{self.index}"


@dataclass(frozen=True, slots=True)
class PlanConstant:
    """A number that need not be in the text: one of `CONSTANTS`."""

    value: int

    def __post_init__(self) -> None:
        if self.value not in CONSTANTS:
            raise PlanError(f"{self.value} is not a declared constant")

    @property
    def token(self) -> str:
        """`C100` is the constant 100."""
        return f"C{self.value}"


@dataclass(frozen=True, slots=True)
class Name:
    """The value of the assignment with this index, counted from 0."""

    index: int

    @property
    def token(self) -> str:
        """`V0` is what the first LET assigned."""
        return f"V{self.index}"


@dataclass(frozen=True, slots=True)
class Literal:
    """An integer of the library, which may have any."""

    value: int

    @property
    def token(self) -> str:
        """Its digits."""
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter or a local variable of a function."""

    name: str
    type: PlanType

    @property
    def token(self) -> str:
        """Its name."""
        return self.name


@dataclass(frozen=True, slots=True)
class Comprehension:
    """`[value for name in items if test]`."""

    value: "Node"
    name: str
    items: "Node"
    test: "Node | None"

    @property
    def token(self) -> str:
        """A mark before its parts."""
        return "FOR"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Apply:
    """An operation on its arguments; their number and types are checked when it is made."""

    operation: Operation
    arguments: tuple["Node", ...]

    def __post_init__(self) -> None:
        row, given = self.operation, tuple(type_of(node) for node in self.arguments)
        wanted = row.arguments
        if row.variadic and given:
            wanted = wanted[:-1] + (wanted[-1],) * (len(given) - len(wanted) + 1)
        if given != wanted:
            raise PlanError(
                f"{row.token} takes {_names(row.arguments)}{' ...' if row.variadic else ''}, "
                f"not {_names(given)}"
            )

    @property
    def token(self) -> str:
        """The token of its operation."""
        return self.operation.token

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Apply) and prefix(self) == prefix(other)

    def __hash__(self) -> int:
        return hash(prefix(self))

    def __repr__(self) -> str:
        return f"<{' '.join(prefix(self))}>"


Node = Slot | PlanConstant | Literal | Name | Variable | Comprehension | Apply


def apply(token: str, *arguments: Node) -> Apply:
    """`apply("SUB", Slot(0), Slot(1))`; PlanError where number or types are wrong."""
    if token not in BY_TOKEN:
        raise PlanError(f"no operation is called {token!r}")
    return Apply(BY_TOKEN[token], arguments)


@dataclass(frozen=True, slots=True)
class PlanFunction:
    """A function: parameters with their types, statements, and whether it gives a list by `yield`.

    `integers` are the parameters that must be integers. `statements` are those of `language`.
    """

    operation: Operation
    parameters: tuple[Variable, ...]
    integers: frozenset[str]
    body: tuple[Any, ...]
    generator: bool
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Assignments in order, each able to use the earlier ones, the result, and own functions.

    `tokens` is the prefix form: `LET` and a number for every assignment, then the result.
    """

    result: Node
    lets: tuple[Node, ...] = ()
    functions: tuple["PlanFunction", ...] = ()
    tokens: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts: list[str] = []
        for index, value in enumerate(self.lets):
            if type_of(value) is not PlanType.NUMBER:
                raise PlanError(f"assignment {index} is a {type_of(value).value}, not a number")
            parts += [LET, *self._checked(value, index)]
        object.__setattr__(self, "tokens", (*parts, *self._checked(self.result, len(self.lets))))

    @staticmethod
    def _checked(node: Node, known: int) -> tuple[str, ...]:
        tokens = prefix(node)
        for token in tokens:
            if token[0] == "V" and token[1:].isdecimal() and int(token[1:]) >= known:
                raise PlanError(f"{token} is used before it is assigned")
        return tokens

    @property
    def type(self) -> PlanType:
        """The type of the answer."""
        return type_of(self.result)

    @property
    def slots(self) -> frozenset[int]:
        """The indices of the text's numbers that it uses."""
        every = [*self.tokens, *(token for one in self.functions for token in one.tokens)]
        return frozenset(int(token[1:]) for token in every if is_slot(token))

    @property
    def operations(self) -> int:
        """How many operations it has."""
        every = [*self.tokens, *(token for one in self.functions for token in one.tokens)]
        return sum(token in BY_TOKEN for token in every)


def is_slot(token: str) -> bool:
    """Whether a token is a slot and not an operation whose name begins with the same letter."""
    return token[0] == "N" and token[1:].isdecimal()


def type_of(node: Node) -> PlanType:
    """The type of a part of a plan."""
    if isinstance(node, Variable):
        return node.type
    if isinstance(node, Comprehension):
        return PlanType.LIST
    return node.operation.result if isinstance(node, Apply) else PlanType.NUMBER


def prefix(node: Node) -> tuple[str, ...]:
    """The tokens of a tree: every operation before its arguments."""
    tokens: list[str] = []
    stack: list[Node | None] = [node]
    while stack:
        top = stack.pop()
        if top is None:
            tokens.append(END)
            continue
        tokens.append(top.token)
        if isinstance(top, Apply):
            if top.operation.variadic:
                stack.append(None)
            stack.extend(reversed(top.arguments))
        elif isinstance(top, Comprehension):
            stack += [n for n in (top.test, top.items, top.value) if n is not None]
    return tuple(tokens)


def parse(tokens: Sequence[str]) -> Plan:
    """The plan that prefix tokens stand for; PlanError names the first token that is wrong.

    Reading backwards, the arguments of an operation are complete when its token comes.
    """
    stack: list[Node | None] = []
    lets: list[Node] = []
    result: list[Node] = []  # set aside by the last LET, which it follows
    for position in range(len(tokens) - 1, -1, -1):
        token = tokens[position]
        try:
            if token == END:
                stack.append(None)
            elif token == LET:
                lets.append(_operand(stack))
                if not stack and not result:
                    raise PlanError("no result follows")
                result = result or [_operand(stack)]
                if stack:
                    raise PlanError("an assignment inside a result")
            elif token in BY_TOKEN:
                stack.append(Apply(BY_TOKEN[token], tuple(_arguments(stack, BY_TOKEN[token]))))
            else:
                stack.append(leaf(token))
        except PlanError as problem:
            raise PlanError(f"token {position + 1} ({token}): {problem.message}") from None
    stack += result
    if len(stack) != 1 or stack[0] is None:
        raise PlanError(f"{len(tokens)} tokens make {len(stack)} results, not one")
    return Plan(stack[0], tuple(reversed(lets)))


def leaf(token: str) -> Node:
    """The operand a token stands for."""
    kind, digits = token[:1], token[1:]
    if kind in _LEAVES and digits.isascii() and digits.isdecimal() and str(int(digits)) == digits:
        return _LEAVES[kind](int(digits))
    raise PlanError(f"{token!r} is not a token of a plan")


_LEAVES: dict[str, type[Slot] | type[PlanConstant] | type[Name]] = {
    "N": Slot,
    "C": PlanConstant,
    "V": Name,
}


def _operand(stack: list[Node | None]) -> Node:
    node = stack.pop() if stack else None
    if node is None:
        raise PlanError("an argument is missing")
    return node


def _arguments(stack: list[Node | None], row: Operation) -> Iterable[Node]:
    if not row.variadic:
        yield from [_operand(stack) for _ in row.arguments]
        return
    while stack:
        node = stack.pop()
        if node is None:
            return
        yield node
    raise PlanError("END is missing")


def _names(types: Iterable[PlanType]) -> str:
    return " ".join(item.value for item in types) or "nothing"
