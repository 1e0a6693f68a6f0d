"""From the text of a small C program to three-address code."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from pycparser import c_parser

from transputer.errors import Place, SourceError
from transputer.frontends.smallc.calls import BUILTINS, ROUTINE
from transputer.frontends.smallc.library import PLAIN, library
from transputer.frontends.smallc.names import parameters
from transputer.frontends.smallc.preprocess import Preprocessed, place, preprocess
from transputer.frontends.smallc.scope import FunctionName, Node, SmallCError, VariableName, line_of
from transputer.frontends.smallc.statements import StatementTranslator
from transputer.frontends.smallc.tac import (
    Addr,
    MemoryObject,
    Reg,
    TacFunction,
    TacJump,
    TacUnit,
    Value,
)
from transputer.frontends.smallc.types import (
    CHAR_BITS,
    IntType,
    PointerType,
    Signature,
    StructType,
    Type,
    VoidType,
    size,
)

_WHERE = re.compile(r"(?:[^:]*):(\d+):(\d+): (.*)", re.DOTALL)
_TEXT = PointerType(IntType(CHAR_BITS))
_UNPLACED = re.compile(r"[^:]*: ?(.*)", re.DOTALL)


def translate(
    text: str,
    file: str = "",
    bits: int = 8,
    short_pointers: bool = True,
    heap: int = 0,
    input_words: int = 0,
) -> TacUnit:
    """Translate a source; raises `SmallCError` with every error.

    With `short_pointers` every address is less than half of the range of a word, so that pointers
    compare like signed words. malloc has `heap` words. `input_words` is the most that the input may
    have where it lies in memory; 0 if the machine has an instruction that reads it.
    """
    try:
        prepared, tree = parse(text, file, bits)
        for normalise in (False, True):
            translator = Translator(text, file, bits)
            translator.prepared, translator.normalise = prepared, normalise
            translator.short_pointers = short_pointers
            translator.heap, translator.input_words = heap, input_words
            unit = translator.unit_of(tree)
            if not translator.mixed_signs:
                break
        return unit
    except RecursionError:
        raise _too_deep(file) from None


def _too_deep(file: str) -> SmallCError:
    problem = SourceError("expressions or blocks are nested too deeply", Place(file))
    return SmallCError([problem])


@lru_cache(maxsize=64)
def parse(text: str, file: str, bits: int) -> tuple[Preprocessed, Node]:
    """Parse a source with pycparser; raises `SmallCError` for a syntax error."""
    parser = c_parser.CParser()
    try:
        prepared = preprocess(text, file, bits)
    except SourceError as problem:
        raise SmallCError([problem]) from None
    try:
        return prepared, parser.parse(prepared.text, "source")
    except RecursionError:
        raise _too_deep(file) from None
    except c_parser.ParseError as problem:
        raise SmallCError([_syntax(str(problem), _next(parser), prepared, text, file)]) from None


def _next(parser: c_parser.CParser) -> Node:
    """The token at which the parser stopped, for messages without a place."""
    tokens = getattr(parser, "_tokens", None)
    return tokens.peek(1) if tokens else None


def _syntax(message: str, token: Node, prepared: Preprocessed, text: str, file: str) -> SourceError:
    def at(line: int, column: int, width: int) -> Place:
        return place(file, text, line, *prepared.origin(line, column, width))

    match = _WHERE.match(message)
    if not match and token:
        where = at(token.lineno, token.column, len(token.value))
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
    return SourceError(what, at(line, column, width))


def every_node(node: Node) -> Iterator[Node]:
    """A node and all that are under it."""
    todo = [node]
    while todo:
        one = todo.pop()
        yield one
        todo += [child for _, child in one.children()]


class Translator(StatementTranslator):
    """Translates a file: functions are known before their bodies, in any order."""

    def unit_of(self, tree: Node) -> TacUnit:
        """Translate a tree; raises `SmallCError` with every error."""
        self._survey(tree)
        defined = {n.decl.name for n in tree.ext if type(n).__name__ == "FuncDef"}
        self._meant = (BUILTINS.keys() | PLAIN) - defined  # declaring one of these changes nothing
        for node in tree.ext:
            self._announce(node)
        for node in tree.ext:
            self._external(node)
        self._main(tree)
        self.check_void_pointers()
        self.raise_problems()
        self._translate_library()
        self.finish_dispatchers()
        return self.unit

    def _survey(self, tree: Node) -> None:
        """Note the names to which `&` is applied, and those that are called."""
        addressed, called = set(), set()
        for node in every_node(tree):
            name = type(node).__name__
            if name == "UnaryOp" and node.op == "&" and type(node.expr).__name__ == "ID":
                addressed.add(node.expr.name)
            if name == "FuncCall" and type(node.name).__name__ == "ID":
                called.add(node.name.name)
        self.addressed, self.called = frozenset(addressed), frozenset(called)

    def _translate_library(self) -> None:
        """Translate the functions of the library that the program calls, and those they call."""
        self.in_library, self.addressed = True, frozenset()
        nodes = library(self.bits, self.heap, self.input_words)
        while self.wanted:
            name = self.wanted.pop()
            known = self.scopes.levels[0][name]
            assert isinstance(known, FunctionName)
            for variable in _variables(nodes, nodes[name]):
                if variable not in self.scopes.levels[0]:
                    self.declare_global(nodes[variable])
            self._define(nodes[name], known.signature)
            without_lines(self.unit.functions[name])
        self.raise_problems()

    def _announce(self, node: Node) -> None:
        """Declare functions, types and enumerations before the rest."""
        name = type(node).__name__
        try:
            if name == "FuncDef":
                self._function(node.decl)
            elif name == "Decl" and type(node.type).__name__ == "FuncDecl":
                if node.name not in self._meant:
                    self._function(node)
            elif name == "Decl":
                try:
                    self.declare_global(node)
                finally:
                    self.declared_anyway(node)
            elif name == "Typedef":
                self.declare_type(node)
            elif name == "StaticAssert":
                self._do_StaticAssert(node)
            elif name != "Pragma":
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
        self.scopes.put(node.name, FunctionName(signature, node.name))

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
        returns = not isinstance(signature.result, VoidType | StructType)
        self.function = TacFunction(name, [], returns, line=line_of(node))
        self.unit.functions[name] = self.function
        self.scopes.enter()
        self.enter(self.new_block("entry"))
        if isinstance(signature.result, StructType):
            self.complete(node, signature.result)
            self.function.params.append(Reg("returned", name))
        if name == "main" and signature.params:
            self._command_line(node)
        else:
            for one, kind in zip(_named(node), signature.params, strict=True):
                self._parameter(one, kind)
        self.function_body(node, signature.result, name == "main")
        self.scopes.leave()
        self.function = None

    def _parameter(self, node: Node, kind: Type) -> None:
        """A parameter is a register; a struct, or one whose address is taken, is an object."""
        assert self.function
        name = getattr(node, "name", None)
        if name is None:
            raise self.error(node, "every parameter needs a name")
        if name in self.scopes.levels[-1]:
            self.problems.append(self.error(node, f"duplicate parameter {name!r}", len(name)))
        reg = Reg(name, self.function.name)
        self.function.params.append(reg)
        if name not in self.addressed and not isinstance(kind, StructType):
            self.scopes.put(name, VariableName(kind, reg))
            return
        variable = MemoryObject(name, size(self.complete(node, kind)), self.function.name)
        self.function.objects.append(variable)
        self.scopes.put(name, VariableName(kind, variable))
        if isinstance(kind, StructType):
            self.copy(node, Addr(variable), reg, kind)
        else:
            self.effect(node, "store", Addr(variable), reg)

    def _command_line(self, node: Node) -> None:
        """The parameters of main: there are no arguments beside the program's name."""
        text = tuple((*b"program", 0))
        vector = MemoryObject("argv", 2, initial=(Addr(self.text_object(text)), 0))
        self.unit.objects.append(vector)
        values: tuple[Value, ...] = (1, Addr(vector))
        for one, value in zip(_named(node), values, strict=False):
            kind = self.parameter(one)
            if one.name in self.addressed:
                raise self.error(one, "the address of a parameter of main cannot be taken here")
            reg = self.fresh(one.name)
            self.emit(node, "mov", value, dst=reg)
            self.scopes.put(one.name, VariableName(kind, reg))

    def _main(self, tree: Node) -> None:
        main = self.scopes.levels[0].get("main")
        if not isinstance(main, FunctionName) or "main" not in self.unit.functions:
            if not self.problems:
                message = "there is no main; write int main(void)"
                self.problems.append(SourceError(message, place(self.file, self.text, 1, 1)))
            return
        known = main.signature.params in ((), (self.int, PointerType(_TEXT)))
        if not known or not isinstance(main.signature.result, IntType | VoidType):
            node = next(n for n in tree.ext if getattr(getattr(n, "decl", n), "name", "") == "main")
            self.problems.append(self.error(node, "main must be int main(void)", 4))
        for function in list(self.unit.functions.values()):
            self._defined(tree, function)

    def _defined(self, tree: Node, function: TacFunction) -> None:
        for block in function.blocks:
            for one in block.instrs:
                missing = one.callee not in self.unit.functions and one.callee not in self.wanted
                if one.op == "call" and missing:
                    at = place(self.file, self.text, one.line, 1)
                    problem = f"function {one.callee!r} is declared but not defined"
                    self.problems.append(SourceError(problem, at))


def _variables(nodes: dict[str, Node], function: Node) -> list[str]:
    """The globals of the library that one of its functions names."""
    names = {node.name for node in every_node(function) if type(node).__name__ == "ID"}
    return sorted(n for n in names if n in nodes and type(nodes[n]).__name__ == "Decl")


def without_lines(function: TacFunction) -> None:
    """Forget the lines of a function that is not in the source."""
    function.line = 0
    for block in function.blocks:
        block.instrs = [replace(one, line=0) for one in block.instrs]
        if not isinstance(block.term, TacJump):
            block.term = replace(block.term, line=0)


def _named(node: Node) -> list[Node]:
    return parameters(node.decl.type)
