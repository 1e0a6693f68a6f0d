"""The plan language: statements, functions, and their reader.

The language is a subset of Python: assignments, `if`, `for`, `while`, functions with recursion,
lists and comprehensions over exact numbers. Python's own parser reads the text; what is not in the
subset, has the wrong type or uses a number that is neither in the text nor declared is refused with
a `PlanError`.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from transputer.frontends.words.operations import (
    LIBRARY,
    OPERATIONS,
    Operation,
    PlanType,
    declared_row,
    declared_type,
)
from transputer.frontends.words.plan import (
    Apply,
    Comprehension,
    Literal,
    Name,
    Node,
    Plan,
    PlanConstant,
    PlanError,
    PlanFunction,
    Slot,
    Variable,
    apply,
    prefix,
    type_of,
)
from transputer.values import dataclass

#: Characters of a program, at most.
LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Assign:
    """`variable = value`."""

    variable: Variable
    value: Node


@dataclass(frozen=True, slots=True)
class StoreItem:
    """`variable[index] = value`."""

    variable: Variable
    index: Node
    value: Node


@dataclass(frozen=True, slots=True)
class Append:
    """`variable.append(value)`."""

    variable: Variable
    value: Node


@dataclass(frozen=True, slots=True)
class Check:
    """`assert test, message`: the program has no answer where it does not hold."""

    test: Node
    message: str


@dataclass(frozen=True, slots=True)
class IfElse:
    """`if test: then else: other`."""

    test: Node
    then: tuple["Statement", ...]
    other: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class While:
    """`while test: body`."""

    test: Node
    body: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class For:
    """`for variable in items: body`."""

    variable: Variable
    items: Node
    body: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Return:
    """`return value`."""

    value: Node


@dataclass(frozen=True, slots=True)
class Yield:
    """`yield value`: one more member of the list that a function gives."""

    value: Node


Statement = Assign | StoreItem | Append | Check | IfElse | While | For | Return | Yield


def nodes_of(statements: Sequence[Statement]) -> Iterator[Node]:
    """The expressions of statements and of the statements in them."""
    for one in statements:
        for part in (getattr(one, name) for name in one.__slots__):
            if isinstance(part, tuple):
                yield from nodes_of(part)
            elif not isinstance(part, str):
                yield part


def every_node(plan: Plan) -> Iterator[Node]:
    """Every part of a plan, those of its own functions included."""
    own = (node for one in plan.functions for node in nodes_of(one.body))
    stack: list[Node] = [*plan.lets, plan.result, *own]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Apply):
            stack += node.arguments
        elif isinstance(node, Comprehension):
            stack += [node.value, node.items, *([node.test] if node.test else [])]


_BINARY: dict[type, str] = {
    **{ast.Add: "ADD", ast.Sub: "SUB", ast.Mult: "MUL", ast.Div: "DIV", ast.FloorDiv: "IDIV"},
    **{ast.Mod: "MOD", ast.Pow: "POW"},
}
_COMPARE: dict[type, str] = {
    **{ast.Lt: "LT", ast.LtE: "LE", ast.Gt: "GT", ast.GtE: "GE", ast.Eq: "EQ", ast.NotEq: "NE"}
}
#: Names that Python has for functions of the library.
_PYTHON = {"sorted": "ordered", "reversed": "backwards", "mean": "average", "fib": "fibonacci"}
_SLOT = re.compile(r"N(0|[1-9][0-9]*)")
_NAME = re.compile(r"v(0|[1-9][0-9]*)")


class _Scope:
    """Reads expressions: which functions there are, which variables, and which numbers."""

    def __init__(self, functions: Mapping[str, Operation], fixed: bool, lets: int = 0) -> None:
        self.functions = functions
        self.fixed = fixed
        self.lets = lets
        self.variables: dict[str, PlanType] = {}

    def node(self, tree: ast.expr) -> Node:
        """The expression of a syntax tree."""
        match tree:
            case ast.Constant(value=bool(value)):
                return apply("EQ", self._integer(1), self._integer(int(value)))
            case ast.Constant(value=int(value)):
                return self._integer(value)
            case ast.Name(id=name):
                return self._named(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return apply(_BINARY[type(op)], self.node(left), self.node(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return apply("NEG", self.node(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return apply("NOT", self.node(operand))
            case ast.BoolOp(op=op, values=values):
                token = "AND" if isinstance(op, ast.And) else "OR"
                node = self.node(values[0])
                for value in values[1:]:
                    node = apply(token, node, self.node(value))
                return node
            case ast.Compare(left=left, ops=ops, comparators=right):
                return self._compared([left, *right], ops)
            case ast.IfExp(test=test, body=body, orelse=other):
                return apply("IF", self.node(test), self.node(body), self.node(other))
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return apply("LIST", *map(self.node, items)) if items else apply("EMPTY")
            case ast.Subscript(value=value, slice=index):
                return self._member(value, index)
            case (
                ast.ListComp(elt=value, generators=[one])
                | ast.GeneratorExp(elt=value, generators=[one])
            ):
                return self._comprehension(value, one)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._called(name, arguments)
        raise _problem(tree, f"{ast.unparse(tree)[:40]!r} is not part of the plan language")

    def _integer(self, value: int) -> Node:
        return Literal(value) if self.fixed else PlanConstant(value)

    def _named(self, name: str) -> Node:
        if name in self.variables:
            return Variable(name, self.variables[name])
        if match := _SLOT.fullmatch(name):
            return Slot(int(match[1]))
        if (match := _NAME.fullmatch(name)) and int(match[1]) < self.lets:
            return Name(int(match[1]))
        raise PlanError(f"{name!r} has no value here")

    def _compared(self, sides: list[ast.expr], ops: list[ast.cmpop]) -> Node:
        node: Node | None = None
        for left, op, right in zip(sides, ops, sides[1:], strict=False):
            if type(op) not in _COMPARE:
                raise _problem(left, "this comparison is not part of the plan language")
            one = apply(_COMPARE[type(op)], self.node(left), self.node(right))
            node = one if node is None else apply("AND", node, one)
        assert node is not None
        return node

    def _member(self, value: ast.expr, index: ast.expr) -> Node:
        members = self.node(value)
        match index:
            case ast.UnaryOp(op=ast.USub(), operand=back):
                place: Node = apply("SUB", apply("LEN", members), self.node(back))
            case _:
                place = self.node(index)
        return apply("AT", members, place)

    def _comprehension(self, value: ast.expr, one: ast.comprehension) -> Node:
        if not isinstance(one.target, ast.Name) or len(one.ifs) > 1 or one.is_async:
            raise _problem(value, "this comprehension is not part of the plan language")
        items, name = self.node(one.iter), one.target.id
        before = dict(self.variables)
        self.variables[name] = PlanType.NUMBER
        test = self.node(one.ifs[0]) if one.ifs else None
        node = Comprehension(self.node(value), name, items, test)
        self.variables = before
        if type_of(items) is not PlanType.LIST or type_of(node.value) is not PlanType.NUMBER:
            raise _problem(value, "a comprehension makes numbers of a list")
        return node

    def _called(self, name: str, arguments: list[ast.expr]) -> Node:
        name = _PYTHON.get(name, name) if name not in self.functions else name
        nodes = [self.node(argument) for argument in arguments]
        if name == "range" and 1 <= len(nodes) <= 3:
            return self._range(nodes)
        if name in ("min", "max") and len(nodes) > 1:
            nodes = [apply("LIST", *nodes)]
        if name in ("if", "neg") or name not in self.functions:
            raise PlanError(f"there is no function {name!r}")
        return Apply(self.functions[name], tuple(nodes))

    def _range(self, nodes: list[Node]) -> Node:
        """Python's `range`: without the end."""
        first = self._integer(0) if len(nodes) == 1 else nodes[0]
        step = nodes[2] if len(nodes) == 3 else self._integer(1)
        return apply("UP_TO", first, nodes[0] if len(nodes) == 1 else nodes[1], step)


class _Body(_Scope):
    """Reads the statements of one function."""

    def __init__(
        self, functions: Mapping[str, Operation], fixed: bool, parameters: Mapping[str, PlanType]
    ) -> None:
        super().__init__(functions, fixed)
        self.variables = dict(parameters)
        self.types = dict(parameters)
        self.generator = False

    def statements(self, trees: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        """The statements of syntax trees."""
        return tuple(one for tree in trees for one in self._statement(tree))

    def _statement(self, tree: ast.stmt) -> Iterator[Statement]:
        match tree:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                return
            case ast.Expr(value=ast.Yield(value=value)) if value is not None:
                self.generator = True
                yield Yield(self._number(value))
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(ast.Name(id=name), "append"), args=[value])
            ):
                yield Append(self._list(name, tree), self._number(value))
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                yield from self._together(targets, values, tree)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield Assign(self._assigned(name, node := self.node(value)), node)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if type(op) in _BINARY:
                node = apply(_BINARY[type(op)], self._named(name), self.node(value))
                yield Assign(self._assigned(name, node), node)
            case ast.Assign(targets=[ast.Subscript(ast.Name(id=name), index)], value=value):
                yield StoreItem(self._list(name, tree), self._number(index), self._number(value))
            case ast.Assert(test=test, msg=message):
                text = message.value if isinstance(message, ast.Constant) else ""
                yield Check(self._boolean(test), str(text))
            case ast.If(test=test, body=body, orelse=other):
                yield self._branches(self._boolean(test), body, other)
            case ast.While(test=test, body=body, orelse=[]):
                condition, before = self._boolean(test), dict(self.variables)
                yield While(condition, self.statements(body))
                self.variables = before
            case ast.For(target=ast.Name(id=name), iter=items, body=body, orelse=[]):
                members = self.node(items)
                if type_of(members) is not PlanType.LIST:
                    raise _problem(tree, "for goes over a list")
                before = dict(self.variables)
                loop = For(self._assigned(name, Literal(0)), members, self.statements(body))
                self.variables = before
                if isinstance(members, Variable) and members.name in _changed(loop.body):
                    raise _problem(tree, f"{members.name!r} changes while for goes over it")
                yield loop
            case ast.Return(value=value) if value is not None:
                yield Return(self.node(value))
            case _:
                line = ast.unparse(tree).splitlines()[0]
                raise _problem(tree, f"{line[:40]!r} is not part of the plan language")

    def _branches(
        self, test: Node, body: Sequence[ast.stmt], other: Sequence[ast.stmt]
    ) -> Statement:
        """Afterwards a variable has a value if it has one whichever way was taken."""
        before = dict(self.variables)
        then = self.statements(body)
        after_then, self.variables = self.variables, before
        otherwise = self.statements(other)
        if _ends(otherwise):
            self.variables = after_then
        elif not _ends(then):
            both = after_then.keys() & self.variables.keys()
            self.variables = {name: self.types[name] for name in both}
        return IfElse(test, then, otherwise)

    def _together(
        self, targets: list[ast.expr], values: list[ast.expr], tree: ast.stmt
    ) -> Iterator[Statement]:
        """`a, b = b, a + b`: all values first."""
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if len(names) != len(targets) or len(values) != len(targets):
            raise _problem(tree, "as many names as values")
        nodes = [self.node(value) for value in values]
        fresh = [
            self._assigned(f"{name}__new", node) for name, node in zip(names, nodes, strict=True)
        ]
        yield from (Assign(v, node) for v, node in zip(fresh, nodes, strict=True))
        for name, value in zip(names, fresh, strict=True):
            yield Assign(self._assigned(name, value), value)

    def _assigned(self, name: str, value: Node) -> Variable:
        kind = type_of(value)
        if _SLOT.fullmatch(name) or self.types.setdefault(name, kind) is not kind:
            raise PlanError(f"{name!r} cannot be assigned a {kind.value}")
        self.variables[name] = kind
        return Variable(name, kind)

    def _list(self, name: str, tree: ast.stmt) -> Variable:
        node = self._named(name)
        if not isinstance(node, Variable) or node.type is not PlanType.LIST:
            raise _problem(tree, f"{name!r} is not a list")
        return node

    def _number(self, tree: ast.expr) -> Node:
        return self._typed(tree, PlanType.NUMBER)

    def _boolean(self, tree: ast.expr) -> Node:
        return self._typed(tree, PlanType.BOOLEAN)

    def _typed(self, tree: ast.expr, kind: PlanType) -> Node:
        node = self.node(tree)
        if type_of(node) is not kind:
            raise _problem(tree, f"a {kind.value} is needed, not a {type_of(node).value}")
        return node


def _problem(tree: ast.AST, message: str) -> PlanError:
    line = getattr(tree, "lineno", 0)
    return PlanError(f"line {line}: {message}" if line else message)


def _function(
    tree: ast.FunctionDef, row: Operation, functions: Mapping[str, Operation], fixed: bool
) -> PlanFunction:
    """A function of its declaration and statements."""
    parameters = tuple(
        Variable(argument.arg, declared_type(argument.annotation)) for argument in tree.args.args
    )
    integers = frozenset(
        argument.arg
        for argument in tree.args.args
        if argument.annotation is not None and ast.unparse(argument.annotation) == "integer"
    )
    reader = _Body(functions, fixed, {one.name: one.type for one in parameters})
    body = reader.statements(tree.body)
    if not reader.generator and not _ends(body):
        raise _problem(tree, f"{tree.name!r} can end without a return")
    for one in _returned(body):
        if reader.generator or type_of(one) is not row.result:
            raise _problem(tree, f"{tree.name!r} returns a {type_of(one).value}")
    tokens = tuple(token for node in nodes_of(body) for token in prefix(node))
    return PlanFunction(row, parameters, integers, body, reader.generator, tokens)


def _ends(body: Sequence[Statement]) -> bool:
    """Whether a body always ends with a return."""
    match body[-1] if body else None:
        case Return():
            return True
        case IfElse(_, then, other):
            return _ends(then) and _ends(other)
    return False


def _changed(body: Sequence[Statement]) -> Iterator[str]:
    for one in body:
        if isinstance(one, Assign | StoreItem | Append):
            yield one.variable.name
        for name in ("then", "other", "body"):
            yield from _changed(getattr(one, name, ()))


def _returned(body: Sequence[Statement]) -> Iterator[Node]:
    for one in body:
        if isinstance(one, Return):
            yield one.value
        for name in ("then", "other", "body"):
            yield from _returned(getattr(one, name, ()))


_ROWS = {row.name: row for row in OPERATIONS if row.separator == ", " and row.name}


@cache
def library() -> dict[str, PlanFunction]:
    """The functions of the library by their tokens."""
    rows = [declared_row(tree) for tree in LIBRARY]
    return {
        row.token: _function(tree, row, _ROWS, fixed=True)
        for tree, row in zip(LIBRARY, rows, strict=True)
    }


def read_program(text: str) -> Plan:
    """The plan of a program's text; `PlanError` says what is not part of the language."""
    if len(text) > LONGEST:
        raise PlanError(f"the program has {len(text):,} characters; at most {LONGEST:,}")
    try:
        trees = ast.parse(text).body
    except SyntaxError as problem:
        where = f"line {problem.lineno}, column {problem.offset}"
        raise PlanError(f"not a program: {problem.msg} ({where})") from None
    except (ValueError, RecursionError, MemoryError) as problem:
        raise PlanError(f"not a program: {problem}") from None
    try:
        return _program(trees)
    except RecursionError:
        raise PlanError("the program is nested too deeply") from None


def read_with_numbers(text: str) -> tuple[Plan, list[Fraction]]:
    """The plan of a program that has its numbers in it, and these numbers: `2**100 + 1.5`."""
    if len(text) > LONGEST:
        raise PlanError(f"the program has {len(text):,} characters; at most {LONGEST:,}")
    values: list[Fraction] = []
    parts: list[str] = []
    end = (1, 0)
    lines = [*text.splitlines(keepends=True), ""]
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type != tokenize.NUMBER:
                if token.type == tokenize.NAME and _SLOT.fullmatch(token.string):
                    raise PlanError(f"{token.string!r} has no value here")
                continue
            parts += [_between(lines, end, token.start), f"N{len(values)}"]
            values.append(_numeral(token.string))
            end = token.end
    except (tokenize.TokenError, SyntaxError) as problem:
        raise PlanError(f"not a program: {problem}") from None
    return read_program("".join([*parts, _between(lines, end, (len(lines), 0))])), values


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = "".join(lines[start[0] : end[0] - 1])
    return lines[start[0] - 1][start[1] :] + middle + lines[end[0] - 1][: end[1]]


def _numeral(text: str) -> Fraction:
    if len(text) > 1000 or not re.fullmatch(r"[0-9_.]+(?:[eE][+-]?[0-9]{1,3})?", text):
        raise PlanError(f"{text[:20]!r} is not a decimal number")
    return Fraction(text.replace("_", ""))


def _program(trees: list[ast.stmt]) -> Plan:
    definitions = [tree for tree in trees if isinstance(tree, ast.FunctionDef)]
    rest = [tree for tree in trees if not isinstance(tree, ast.FunctionDef)]
    rows = dict(_ROWS)
    for tree in definitions:
        rows[tree.name] = _declared(tree, rows)
    functions = [_function(tree, rows[tree.name], rows, fixed=False) for tree in definitions]
    lets: list[Node] = []
    while rest and (value := _let(rest[0], len(lets))) is not None:
        lets.append(_Scope(rows, False, len(lets)).node(value))
        rest.pop(0)
    match rest:
        case [ast.Expr(value=value)] | [ast.Return(value=value)] if value is not None:
            return Plan(_Scope(rows, False, len(lets)).node(value), tuple(lets), tuple(functions))
    if lets or not rest:
        raise PlanError("the program has no result")
    return _statements(rest, rows, functions)


def _statements(
    trees: list[ast.stmt], rows: Mapping[str, Operation], functions: list[PlanFunction]
) -> Plan:
    """The plan of statements that end with an expression, `return` or `answer = …`."""
    *body, last = trees
    match last:
        case ast.Expr(value=value) if not isinstance(value, ast.Yield):
            last = ast.Return(value)
        case ast.Assign(targets=[ast.Name(id=name)]):
            body, last = trees, ast.Return(ast.Name(name, ast.Load()))
    reader = _Body(rows, False, {})
    statements = reader.statements([*body, last])
    values = list(_returned(statements))
    if not values or not _ends(statements) or reader.generator:
        raise PlanError("the program has no result")
    row = Operation("main", type_of(values[0]), (), "main(", ", ", ")", "")
    if any(type_of(value) is not row.result for value in values):
        raise PlanError("the program's results have different types")
    tokens = tuple(token for node in nodes_of(statements) for token in prefix(node))
    main = PlanFunction(row, (), frozenset(), statements, False, tokens)
    return Plan(Apply(row, ()), (), (*functions, main))


def _let(tree: ast.stmt, index: int) -> ast.expr | None:
    match tree:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == f"v{index}":
            return value
    return None


def _declared(tree: ast.FunctionDef, rows: Mapping[str, Operation]) -> Operation:
    arguments: Any = tree.args
    plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)
    if not plain or tree.decorator_list or tree.name in rows or _SLOT.fullmatch(tree.name):
        raise _problem(tree, f"the function {tree.name!r} is not part of the plan language")
    try:
        return declared_row(tree, token=tree.name)
    except KeyError as problem:
        raise _problem(tree, f"there is no type {problem}") from None
