"""Statements of small C as blocks of three-address code."""

from dataclasses import dataclass, field

from transputer.errors import SourceError
from transputer.frontends.smallc.declarations import DeclarationTranslator
from transputer.frontends.smallc.formats import FormatTranslator
from transputer.frontends.smallc.scope import Node, line_of
from transputer.frontends.smallc.tac import TacBlock, TacJump, TacReturn
from transputer.frontends.smallc.types import IntType, StructType, Type, VoidType


@dataclass(slots=True)
class _Ways:
    """Targets of `break` and `continue`, and the cases of a switch."""

    leave: list[TacBlock] = field(default_factory=list)
    again: list[TacBlock] = field(default_factory=list)
    labels: dict[str, TacBlock] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)


class StatementTranslator(DeclarationTranslator, FormatTranslator):
    """Emits code for statements; after an error it continues with the next statement."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        super().__init__(text, file, bits)
        self.ways = _Ways()
        self.result: Type = VoidType()

    def statement(self, node: Node) -> None:
        """One statement, expressions and declarations included."""
        if node is None:
            return
        method = getattr(self, f"_do_{type(node).__name__}", None)
        try:
            if method:
                method(node)
            else:
                self.value(node)
        except SourceError as problem:
            self.problems.append(problem)

    def go(self, to: TacBlock) -> None:
        """End the block with a jump; code that follows it in the source is unreachable."""
        self.block.term = TacJump(to)

    def _do_EmptyStatement(self, node: Node) -> None:
        pass

    def _do_Compound(self, node: Node) -> None:
        self.scopes.enter()
        for one in node.block_items or []:
            self.statement(one)
        self.scopes.leave()

    def _do_DeclList(self, node: Node) -> None:
        for one in node.decls:
            self.statement(one)

    def _do_Decl(self, node: Node) -> None:
        try:
            self.declare_local(node)
        finally:
            self.declared_anyway(node)

    def _do_Typedef(self, node: Node) -> None:
        self.declare_type(node)

    def _do_If(self, node: Node) -> None:
        yes, no, end = (self.new_block(name) for name in ("then", "else", "end"))
        self.condition(node.cond, yes, no if node.iffalse else end)
        self.enter(yes)
        self.statement(node.iftrue)
        self.go(end)
        if node.iffalse:
            self.enter(no)
            self.statement(node.iffalse)
            self.go(end)
        self.enter(end)

    def _do_While(self, node: Node) -> None:
        self._loop(node.cond, node.stmt, None)

    def _do_For(self, node: Node) -> None:
        self.scopes.enter()
        self.statement(node.init)
        self._loop(node.cond, node.stmt, node.next)
        self.scopes.leave()

    def _loop(self, cond: Node, body: Node, after: Node) -> None:
        test, inside, step, end = (self.new_block(n) for n in ("test", "body", "step", "end"))
        self.go(test)
        self.enter(test)
        if cond is None:
            self.go(inside)
        else:
            self.condition(cond, inside, end)
        self.enter(inside)
        self._body(body, end, step)
        self.enter(step)
        self.statement(after)
        self.go(test)
        self.enter(end)

    def _do_DoWhile(self, node: Node) -> None:
        inside, test, end = (self.new_block(name) for name in ("body", "test", "end"))
        self.go(inside)
        self.enter(inside)
        self._body(node.stmt, end, test)
        self.enter(test)
        self.condition(node.cond, inside, end)
        self.enter(end)

    def _body(self, node: Node, leave: TacBlock, again: TacBlock) -> None:
        self.ways.leave.append(leave)
        self.ways.again.append(again)
        self.statement(node)
        self.go(again)
        self.ways.leave.pop()
        self.ways.again.pop()

    def _do_Break(self, node: Node) -> None:
        self._away(node, self.ways.leave, "break outside a loop or switch")

    def _do_Continue(self, node: Node) -> None:
        self._away(node, self.ways.again, "continue outside a loop")

    def _away(self, node: Node, ways: list[TacBlock], problem: str) -> None:
        if not ways:
            raise self.error(node, problem)
        self.go(ways[-1])
        self.enter(self.new_block("unreached"))

    def _do_Return(self, node: Node) -> None:
        value = None
        if isinstance(self.result, StructType) and node.expr is not None:
            returned = self.assigned(node.expr, self.scalar(node.expr), self.result)
            assert self.function
            self.copy(node, self.function.params[0], returned.value, self.result)
        elif node.expr is not None and not isinstance(self.result, VoidType):
            value = self.assigned(node.expr, self.scalar(node.expr), self.result).value
        elif node.expr is not None:
            raise self.error(node, "a void function returns no value")
        elif not isinstance(self.result, VoidType):
            raise self.error(node, f"this function must return {self.spelled(self.result)}")
        self.block.term = TacReturn(value, line_of(node))
        self.enter(self.new_block("unreached"))

    def _do_Switch(self, node: Node) -> None:
        selector = self.number(node.cond)
        end, other = self.new_block("end"), None
        cases: dict[int, TacBlock] = {}
        bodies: list[tuple[TacBlock, Node]] = []
        for one in node.stmt.block_items or []:
            block = self.new_block("case")
            bodies.append((block, one))
            for label in self._labels(one):
                if label is None:
                    other = block
                else:
                    self._case(label, cases, block)
        for value, block in sorted(cases.items(), key=lambda c: c[0]):
            after = self.new_block("test")
            self.branch(node, "eq", selector.value, value, block, after)
            self.enter(after)
        self.go(other or end)
        self.enter(self.new_block("unreached"))
        self._bodies(bodies, end)

    def _case(self, label: Node, cases: dict[int, TacBlock], block: TacBlock) -> None:
        value = self.constant(label)
        if not isinstance(value, int):
            raise self.error(label, "a case label must be an integer constant")
        if value in cases:
            raise self.error(label, f"duplicate case {value}")
        cases[value] = block

    def _labels(self, node: Node) -> list[Node | None]:
        """The case labels before a statement; None is `default`."""
        if type(node).__name__ not in ("Case", "Default"):
            return []
        own = [node.expr if type(node).__name__ == "Case" else None]
        return own + [label for one in node.stmts or [] for label in self._labels(one)]

    def _bodies(self, bodies: list[tuple[TacBlock, Node]], end: TacBlock) -> None:
        self.ways.leave.append(end)
        self.scopes.enter()
        for block, node in bodies:
            self.go(block)
            self.enter(block)
            self._case_body(node)
        self.scopes.leave()
        self.ways.leave.pop()
        self.go(end)
        self.enter(end)

    def _case_body(self, node: Node) -> None:
        if type(node).__name__ not in ("Case", "Default"):
            self.statement(node)
            return
        for one in node.stmts or []:
            self._case_body(one)

    def _do_Case(self, node: Node) -> None:
        raise self.error(node, "a case label must stand directly in the braces of its switch", 4)

    def _do_Default(self, node: Node) -> None:
        raise self.error(node, "default must stand directly in the braces of its switch", 7)

    def _do_Label(self, node: Node) -> None:
        block = self._label(node.name)
        self.ways.defined.add(node.name)
        self.go(block)
        self.enter(block)
        self.statement(node.stmt)

    def _do_Goto(self, node: Node) -> None:
        self.go(self._label(node.name))
        self.enter(self.new_block("unreached"))

    def _label(self, name: str) -> TacBlock:
        return self.ways.labels.setdefault(name, self.new_block(f"{name}_"))

    def _do_StaticAssert(self, node: Node) -> None:
        if not self.constant(node.cond):
            said = f": {node.message.value}" if node.message else ""
            raise self.error(node, f"the assertion is false{said}", len("_Static_assert"))

    def _do_Pragma(self, node: Node) -> None:
        pass

    def function_body(self, node: Node, result: Type, main: bool) -> None:
        """The code of a function, after that of its parameters."""
        self.ways, self.result = _Ways(), result
        self.statement(node.body)
        value = 0 if main and isinstance(result, IntType) else None
        self.block.term = TacReturn(value, line_of(node))
        for name in self.ways.labels.keys() - self.ways.defined:
            self.problems.append(self.error(node, f"this function has no label {name!r}"))
