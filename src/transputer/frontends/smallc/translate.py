"""Translate the text of a small C program to three-address code."""

import re
from functools import lru_cache

from pycparser import c_parser

from transputer.errors import Place, SourceError
from transputer.frontends.smallc.calls import BUILTINS, ROUTINE
from transputer.frontends.smallc.names import parameters
from transputer.frontends.smallc.prepare import place, prepared
from transputer.frontends.smallc.scope import FunctionName, Node, SmallCError, VariableName, line_of
from transputer.frontends.smallc.statements import StatementTranslator
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, TacFunction, TacInstr, TacUnit
from transputer.frontends.smallc.types import IntType, Signature, Type, VoidType

_WHERE = re.compile(r"(?:[^:]*):(\d+):(\d+): (.*)", re.DOTALL)
_UNPLACED = re.compile(r"[^:]*: ?(.*)", re.DOTALL)


def translate(
    text: str,
    file: str = "",
    bits: int = 8,
    short_pointers: bool = True,
    lacking: frozenset[str] = frozenset(),
) -> TacUnit:
    """Translate a source; raises `SmallCError` with every error.

    With `short_pointers` every address is less than half of the range of a word, so that pointers
    compare like signed words. `lacking` are the built-in functions that the machine lacks.
    """
    translator = Translator(text, file, bits)
    translator.short_pointers, translator.lacking = short_pointers, lacking
    try:
        return translator.unit_of(parse(text, file))
    except RecursionError:
        problem = SourceError("expressions or blocks are nested too deeply", Place(file))
        raise SmallCError([problem]) from None


@lru_cache(maxsize=64)
def parse(text: str, file: str) -> Node:
    """Parse a source with pycparser; raises `SmallCError` for a syntax error."""
    parser = c_parser.CParser()
    try:
        return parser.parse(prepared(text, file), "source")
    except c_parser.ParseError as problem:
        raise SmallCError([_syntax(str(problem), _next(parser), text, file)]) from None
    except SourceError as problem:
        raise SmallCError([problem]) from None


def _next(parser: c_parser.CParser) -> Node:
    """The token at which the parser stopped, for messages without a place."""
    tokens = getattr(parser, "_tokens", None)
    return tokens.peek(1) if tokens else None


def _syntax(message: str, token: Node, text: str, file: str) -> SourceError:
    match = _WHERE.match(message)
    if not match and token:
        where = place(file, text, token.lineno, token.column, len(token.value))
        return SourceError(f"syntax error before {token.value!r}", where)
    if not match:
        plain = _UNPLACED.match(message)
        last = text.rstrip().count("\n") + 1
        what = (plain[1] if plain else message).lower().strip(": ")
        return SourceError(f"syntax error: {what}", place(file, text, last, 1))
    line, column, what = int(match[1]), int(match[2]), match[3]
    width = 1
    if what.startswith("before: "):
        what = what.removeprefix("before: ")
        width, what = len(what), f"syntax error before {what!r}"
    else:
        what = f"syntax error: {what.lower()}"
    return SourceError(what, place(file, text, line, column, width))


def addressed(node: Node) -> set[str]:
    """Names to which `&` is applied anywhere under a node."""
    names = set()
    for _, child in node.children():
        names |= addressed(child)
    if type(node).__name__ == "UnaryOp" and node.op == "&":
        inner = node.expr
        if type(inner).__name__ == "ID":
            names.add(inner.name)
    return names


class Translator(StatementTranslator):
    """Translates a file; all functions are declared before any body, so their order is free."""

    def unit_of(self, tree: Node) -> TacUnit:
        """Translate a tree; raises `SmallCError` with every error."""
        self.addressed = frozenset(addressed(tree))
        defined = {n.decl.name for n in tree.ext if type(n).__name__ == "FuncDef"}
        self._builtins = BUILTINS.keys() - defined  # declaring one of these changes nothing
        for node in tree.ext:
            self._announce(node)
        for node in tree.ext:
            self._external(node)
        self._main(tree)
        self.raise_problems()
        return self.unit

    def _announce(self, node: Node) -> None:
        """Declare functions, types and enumerations before the rest."""
        name = type(node).__name__
        try:
            if name == "FuncDef":
                self._function(node.decl)
            elif name == "Decl" and type(node.type).__name__ == "FuncDecl":
                if node.name not in self._builtins:
                    self._function(node)
            elif name == "Decl":
                try:
                    self.declare_global(node)
                finally:
                    self.declare_placeholder(node)
            elif name == "Typedef":
                self.declare_type(node)
            else:
                raise self.unsupported(node)
        except SourceError as problem:
            self.problems.append(problem)

    def _function(self, node: Node) -> None:
        if node.name.startswith(ROUTINE) and self.file != ROUTINE:
            raise self.error(
                node, "names that begin with __ are reserved for the compiler", len(node.name)
            )
        signature = self.signature(node.type)
        known = self.scopes.levels[0].get(node.name)
        if isinstance(known, FunctionName) and known.signature != signature:
            raise self.error(node, f"conflicting declarations of {node.name!r}", len(node.name))
        if isinstance(known, VariableName):
            raise self.error(
                node, f"{node.name!r} is already declared as a variable", len(node.name)
            )
        self.scopes.put(node.name, FunctionName(signature))

    def _external(self, node: Node) -> None:
        if type(node).__name__ != "FuncDef":
            return
        known = self.scopes.levels[0].get(node.decl.name)
        if not isinstance(known, FunctionName):
            return
        try:
            self._define(node, known.signature)
        except SourceError as problem:
            self.problems.append(problem)

    def _define(self, node: Node, signature: Signature) -> None:
        name = node.decl.name
        if name in self.unit.functions:
            raise self.error(node, f"{name!r} is already defined", len(name))
        if node.param_decls:
            raise self.error(node, "write the types of parameters in the parentheses")
        self.function = TacFunction(
            name, [], not isinstance(signature.result, VoidType), line=line_of(node)
        )
        self.unit.functions[name] = self.function
        self.scopes.levels.append({})
        stores = [self._parameter(*p) for p in zip(_named(node), signature.params, strict=True)]
        self.function_body(node, signature.result, name == "main")
        self.function.blocks[0].instrs[:0] = [one for one in stores if one]
        self.scopes.levels.pop()
        self.function = None

    def _parameter(self, node: Node, kind: Type) -> TacInstr | None:
        """A parameter is a register; one whose address is taken is stored at the start."""
        assert self.function
        name = getattr(node, "name", None)
        if name is None:
            raise self.error(node, "every parameter needs a name")
        if name in self.scopes.levels[-1]:
            self.problems.append(self.error(node, f"duplicate parameter {name!r}", len(name)))
        reg = Reg(name, self.function.name)
        self.function.params.append(reg)
        if name not in self.addressed:
            self.scopes.put(name, VariableName(kind, reg))
            return None
        variable = MemoryObject(name, 1, self.function.name)
        self.function.objects.append(variable)
        self.scopes.put(name, VariableName(kind, variable))
        return TacInstr("store", None, (Addr(variable), reg), line_of(node))

    def _main(self, tree: Node) -> None:
        main = self.scopes.levels[0].get("main")
        if not isinstance(main, FunctionName) or "main" not in self.unit.functions:
            if not self.problems:
                message = "there is no main; write int main(void)"
                self.problems.append(SourceError(message, place(self.file, self.text, 1, 1)))
            return
        if main.signature.params or not isinstance(main.signature.result, IntType | VoidType):
            node = next(n for n in tree.ext if getattr(getattr(n, "decl", n), "name", "") == "main")
            self.problems.append(self.error(node, "main must be int main(void)", 4))
        for function in list(self.unit.functions.values()):
            self._defined(tree, function)

    def _defined(self, tree: Node, function: TacFunction) -> None:
        for block in function.blocks:
            for one in block.instrs:
                if one.op == "call" and one.callee not in self.unit.functions:
                    at = place(self.file, self.text, one.line, 1)
                    problem = f"function {one.callee!r} is declared but not defined"
                    self.problems.append(SourceError(problem, at))


def _named(node: Node) -> list[Node]:
    return parameters(node.decl.type)
