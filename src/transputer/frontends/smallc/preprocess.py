"""The C preprocessor: directives, macros, headers of the C library.

Every line of the source stays on its line. Where macros move text within a line, `Preprocessed`
remembers the column that each piece comes from, so that errors point into the source.
"""

import re
from collections.abc import Iterable
from dataclasses import field, replace

from pycparser import c_ast, c_parser

from transputer.errors import Place, SourceError
from transputer.frontends.smallc.headers import header
from transputer.frontends.smallc.tac import COMPARE, fold
from transputer.values import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<splice>\\[ \t]*\n)
    |(?P<newline>\n)
    |(?P<space>[ \t\r\f\v]+)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<string>"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*')
    |(?P<mark>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)""",
    re.DOTALL | re.VERBOSE,
)
#: Areas of memory whose size in words `#pragma transputer NAME N` sets.
_SIZES = ("stack", "heap", "input")
_BLANK = ("comment", "splice", "space")
#: Bits of the integers of `#if`.
_IF_BITS = 64


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A token: its kind and text, where it is, and the macros that must not replace it again."""

    kind: str
    text: str
    line: int
    column: int
    width: int
    space: bool = False  # whether white space comes before it
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro: its parameters, None if it takes no arguments, and its replacement."""

    params: tuple[str, ...] | None
    body: tuple[Lexeme, ...]
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """A source for the parser, and where the pieces of its lines come from."""

    text: str
    moved: dict[int, list[tuple[int, int, int]]]  # line: column here, column and width there
    sizes: dict[str, int] = field(default_factory=dict)  # of `#pragma transputer`

    def origin(self, line: int, column: int, width: int) -> tuple[int, int]:
        """The column and the width in the source of what stands at a place here."""
        for start, source, length in reversed(self.moved.get(line, ())):
            if column >= start:
                return (source, length) if length else (source + column - start, width)
        return column, width


def place(file: str, text: str, line: int, column: int, width: int = 1) -> Place:
    """A place in a source, with its line for the caret."""
    lines = text.splitlines()
    shown = lines[line - 1] if 0 < line <= len(lines) else ""
    return Place(file, line, column, text=shown, width=width)


def preprocess(text: str, file: str, bits: int) -> Preprocessed:
    """Preprocess a source for ints of `bits` bits; raises `SourceError` for a bad directive."""
    return _Preprocessor(text, file, bits).run()


def tokens(text: str, line: int = 1) -> list[Lexeme]:
    """Split a text into tokens; blanks are only remembered."""
    result, start, space = [], 0, False
    for match in _TOKEN.finditer(text):
        kind, piece = match.lastgroup or "", match.group()
        if kind not in _BLANK:
            clean = piece.replace("\\\n", "") if kind == "string" else piece
            column = match.start() - start + 1
            result.append(Lexeme(kind, clean, line, column, len(piece), space))
        space = kind in _BLANK
        if "\n" in piece:
            line += piece.count("\n")
            start = match.start() + piece.rindex("\n") + 1
    return result


def _spelled(body: Iterable[Lexeme]) -> str:
    return "".join(" " * t.space + t.text for t in body).strip()


@dataclass(slots=True)
class _Condition:
    """An `#if`: whether its text counts, whether an arm was taken, whether `#else` came."""

    directive: Lexeme
    active: bool
    taken: bool
    ended: bool = False


class _Preprocessor:
    def __init__(self, text: str, file: str, bits: int) -> None:
        self.text, self.file, self.bits = text, file, bits
        self.macros: dict[str, Macro] = {}
        self.included: set[str] = set()
        self.conditions: list[_Condition] = []
        self.output = _Output()
        self.sizes: dict[str, int] = {}

    def run(self) -> Preprocessed:
        self.lines(tokens(self.text))
        if self.conditions:
            raise self.error(self.conditions[-1].directive, "this has no #endif")
        return self.output.prepared(self.text.count("\n") + 1, self.sizes)

    def error(self, at: Lexeme, message: str) -> SourceError:
        return SourceError(message, place(self.file, self.text, at.line, at.column, at.width))

    @property
    def active(self) -> bool:
        return all(one.active for one in self.conditions)

    def lines(self, every: list[Lexeme]) -> None:
        """Process lines: text is collected until a directive, and expanded at once."""
        pending: list[Lexeme] = []
        line: list[Lexeme] = []
        for token in [*every, Lexeme("newline", "\n", 0, 0, 0)]:
            if token.kind != "newline":
                line.append(token)
                continue
            if line and line[0].text == "#":
                self.emit(pending)
                pending = []
                self.directive(line)
            elif self.active:
                pending += line
            line = []
        self.emit(pending)

    def emit(self, pending: list[Lexeme]) -> None:
        for token in self.expand(pending):
            self.output.put(token)

    # ---- directives

    def directive(self, line: list[Lexeme]) -> None:
        name = line[1] if len(line) > 1 else None
        if name is None:
            return
        conditional = getattr(self, f"_do_{name.text}", None)
        if name.text in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            assert conditional
            conditional(name, line[2:])
        elif self.active and name.text not in ("line", "warning"):
            if name.text not in ("include", "define", "undef", "error", "pragma"):
                raise self.error(line[0], f"unknown directive #{name.text}")
            assert conditional
            conditional(name, line[2:])

    def _do_pragma(self, at: Lexeme, rest: list[Lexeme]) -> None:
        """Take `#pragma transputer NAME N`; other pragmas change nothing."""
        words = [token.text for token in rest]
        if words[:1] != ["transputer"]:
            return
        if len(words) != 3 or words[1] not in _SIZES or not words[2].isdigit():
            names = ", ".join(_SIZES)
            raise self.error(at, f"#pragma transputer NAME WORDS sizes one of {names}")
        self.sizes[words[1]] = int(words[2])

    def _do_if(self, at: Lexeme, rest: list[Lexeme]) -> None:
        value = self.active and self.truth(at, rest)
        self.conditions.append(_Condition(at, value, value))

    def _do_ifdef(self, at: Lexeme, rest: list[Lexeme]) -> None:
        self._defined(at, rest, True)

    def _do_ifndef(self, at: Lexeme, rest: list[Lexeme]) -> None:
        self._defined(at, rest, False)

    def _defined(self, at: Lexeme, rest: list[Lexeme], wanted: bool) -> None:
        if not rest or rest[0].kind != "name":
            raise self.error(at, f"#{at.text} needs a name")
        value = (rest[0].text in self.macros) == wanted
        self.conditions.append(_Condition(at, value, value))

    def _innermost(self, at: Lexeme) -> _Condition:
        if not self.conditions or self.conditions[-1].ended and at.text != "endif":
            raise self.error(at, f"#{at.text} without #if")
        return self.conditions[-1]

    def _do_elif(self, at: Lexeme, rest: list[Lexeme]) -> None:
        one = self._innermost(at)
        one.active = True  # so that only the conditions outside decide
        one.active = not one.taken and self.active and self.truth(at, rest)
        one.taken |= one.active

    def _do_else(self, at: Lexeme, rest: list[Lexeme]) -> None:
        one = self._innermost(at)
        one.active, one.taken, one.ended = not one.taken, True, True

    def _do_endif(self, at: Lexeme, rest: list[Lexeme]) -> None:
        self._innermost(at)
        self.conditions.pop()

    def _do_include(self, at: Lexeme, rest: list[Lexeme]) -> None:
        spelled = "".join(t.text for t in rest)
        if not (spelled.startswith("<") and spelled.endswith(">")):
            raise self.error(at, "only headers of the C library can be included; use one file")
        name = spelled[1:-1]
        contents = header(name, self.bits)
        if contents is None:
            raise self.error(at, f"{name} is not available here")
        if name in self.included:
            return
        self.included.add(name)
        here = [
            replace(t, line=at.line, column=at.column, width=at.width) for t in tokens(contents)
        ]
        self.lines(here)

    def _do_define(self, at: Lexeme, rest: list[Lexeme]) -> None:
        if not rest or rest[0].kind != "name" or rest[0].text == "defined":
            raise self.error(at, "#define needs a name")
        name, body, params, variadic = rest[0], rest[1:], None, False
        if body and body[0].text == "(" and not body[0].space:
            params, variadic, body = self._parameters(name, body[1:])
        if any(body and body[i].text == "##" for i in (0, -1)):
            raise self.error(at, "## needs a token on both sides")
        self.macros[name.text] = Macro(params, tuple(body), variadic)

    def _parameters(
        self, name: Lexeme, rest: list[Lexeme]
    ) -> tuple[tuple[str, ...], bool, list[Lexeme]]:
        end = next((i for i, t in enumerate(rest) if t.text == ")"), None)
        if end is None:
            raise self.error(name, "the parameters of a macro end with )")
        names, commas = rest[:end:2], rest[1:end:2]
        good = all(t.kind == "name" or t.text == "..." for t in names)
        if not good or any(t.text != "," for t in commas) or end and len(names) == len(commas):
            raise self.error(name, "the parameters of a macro are names and commas")
        variadic = bool(names) and names[-1].text == "..."
        params = tuple("__VA_ARGS__" if t.text == "..." else t.text for t in names)
        return params, variadic, rest[end + 1 :]

    def _do_undef(self, at: Lexeme, rest: list[Lexeme]) -> None:
        if rest:
            self.macros.pop(rest[0].text, None)

    def _do_error(self, at: Lexeme, rest: list[Lexeme]) -> None:
        raise self.error(at, f"#error {_spelled(rest)}".strip())

    # ---- conditions

    def truth(self, at: Lexeme, rest: list[Lexeme]) -> bool:
        """Whether the expression of an `#if` is not zero."""
        plain: list[Lexeme] = []
        todo = list(rest)
        while todo:
            token = todo.pop(0)
            if token.text == "defined" and todo:
                bracket = todo[0].text == "("
                name = todo[1 if bracket and len(todo) > 1 else 0]
                del todo[: 3 if bracket else 1]
                known = name.text in self.macros
                token = replace(token, kind="number", text=str(int(known)))
            plain.append(token)
        text = " ".join(t.text for t in self.expand(plain))
        try:
            tree = c_parser.CParser().parse(f"int x = ({text}\n);")
            return self.number(tree.ext[0].init) != 0
        except (c_parser.ParseError, ValueError, KeyError, AssertionError):
            raise self.error(at, f"#{at.text} needs an integer constant expression") from None

    def number(self, node: c_ast.Node) -> int:
        """The value of an expression of `#if`; names that are no macros are 0."""
        match node:
            case c_ast.ID():
                return 0
            case c_ast.Constant() if node.value.startswith("'"):
                return ord(node.value[1:-1].encode().decode("unicode_escape"))
            case c_ast.Constant():
                return _integer(node.value)
            case c_ast.UnaryOp(op="-" | "+" | "~" | "!"):
                x = self.number(node.expr)
                return {"-": -x, "+": x, "~": ~x, "!": int(not x)}[node.op]
            case c_ast.TernaryOp():
                return self.number(node.iftrue if self.number(node.cond) else node.iffalse)
            case c_ast.BinaryOp(op="&&"):
                return int(bool(self.number(node.left) and self.number(node.right)))
            case c_ast.BinaryOp(op="||"):
                return int(bool(self.number(node.left) or self.number(node.right)))
            case c_ast.BinaryOp():
                return self._binary(node.op, self.number(node.left), self.number(node.right))
        raise ValueError

    def _binary(self, op: str, a: int, b: int) -> int:
        match op:
            case "<" | "<=":
                return int(COMPARE["lt" if op == "<" else "le"](_IF_BITS, a, b))
            case ">" | ">=":
                return int(COMPARE["lt" if op == ">" else "le"](_IF_BITS, b, a))
            case "==" | "!=":
                return int((a == b) == (op == "=="))
        value = fold(_IF_BITS, _ARITHMETIC[op], a, b)
        if value is None:
            raise ValueError
        return value

    # ---- macros

    def expand(self, todo: list[Lexeme]) -> list[Lexeme]:
        """Replace all macros; a macro is not replaced within its own replacement."""
        result: list[Lexeme] = []
        todo = todo[::-1]
        while todo:
            token = todo.pop()
            if token.text == "__LINE__":
                token = replace(token, kind="number", text=str(token.line))
            if token.text == "__FILE__":
                token = replace(token, kind="string", text=f'"{self.file}"')
            macro = self.macros.get(token.text) if token.kind == "name" else None
            if macro is None or token.text in token.hidden:
                result.append(token)
                continue
            hidden = token.hidden | {token.text}
            arguments: list[list[Lexeme]] = []
            if macro.params is not None:
                if not todo or todo[-1].text != "(":
                    result.append(token)
                    continue
                arguments, closing = self._arguments(token, todo, macro)
                hidden = (token.hidden & closing.hidden) | {token.text}
            body = self._substituted(token, macro, arguments)
            todo += [
                replace(t, line=token.line, column=token.column, width=token.width,
                        hidden=t.hidden | hidden, space=t.space or i == 0 and token.space)
                for i, t in enumerate(body)
            ][::-1]  # fmt: skip
        return result

    def _arguments(
        self, name: Lexeme, todo: list[Lexeme], macro: Macro
    ) -> tuple[list[list[Lexeme]], Lexeme]:
        """Take the arguments of a macro off the tokens to come."""
        assert macro.params is not None
        todo.pop()
        arguments: list[list[Lexeme]] = [[]]
        depth = 1
        while todo:
            token = todo.pop()
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0:
                break
            rest = macro.variadic and len(arguments) == len(macro.params)
            if token.text == "," and depth == 1 and not rest:
                arguments.append([])
            else:
                arguments[-1].append(token)
        else:
            raise self.error(name, f"the call of macro {name.text} has no )")
        if arguments == [[]] and not macro.params:
            arguments = []
        if macro.variadic and len(arguments) == len(macro.params) - 1:
            arguments.append([])
        if len(arguments) != len(macro.params):
            count = len(macro.params)
            noun = "argument" if count == 1 else "arguments"
            raise self.error(name, f"{name.text} takes {count} {noun}, not {len(arguments)}")
        return arguments, token

    def _substituted(
        self, name: Lexeme, macro: Macro, arguments: list[list[Lexeme]]
    ) -> list[Lexeme]:
        """The replacement of a macro, with its arguments in it."""
        known = dict(zip(macro.params or (), arguments, strict=True))
        result: list[Lexeme] = []
        body = list(macro.body)
        i = 0
        while i < len(body):
            token = body[i]
            after = body[i + 1] if i + 1 < len(body) else None
            pasting = i > 0 and body[i - 1].text == "##"
            if token.text == "##":
                pass
            elif token.text == "#" and macro.params is not None and after and after.text in known:
                spelled = _spelled(known[after.text]).replace("\\", "\\\\").replace('"', '\\"')
                result.append(replace(token, kind="string", text=f'"{spelled}"'))
                i += 1
            elif token.text in known:
                pasted = pasting or after is not None and after.text == "##"
                argument = known[token.text]
                piece = list(argument) if pasted else self.expand(argument)
                piece = [replace(t, space=t.space or k == 0 and token.space)
                         for k, t in enumerate(piece)]  # fmt: skip
                if pasting and not piece and token.text == "__VA_ARGS__" and result:
                    if result[-1].text == ",":  # `, ## __VA_ARGS__` without arguments
                        result.pop()
                elif pasting and result and result[-1].text != ",":
                    result = self._pasted(name, result, piece)
                else:
                    result += piece
            elif pasting and result:
                result = self._pasted(name, result, [token])
            else:
                result.append(token)
            i += 1
        return result

    def _pasted(self, name: Lexeme, left: list[Lexeme], right: list[Lexeme]) -> list[Lexeme]:
        if not right:
            return left
        joined = tokens(left[-1].text + right[0].text)
        if len(joined) != 1:
            pieces = f"{left[-1].text!r} and {right[0].text!r}"
            raise self.error(name, f"{pieces} do not make one token")
        last = replace(left[-1], kind=joined[0].kind, text=joined[0].text)
        return [*left[:-1], last, *right[1:]]


_ARITHMETIC = {
    **{"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&": "and", "|": "or"},
    **{"^": "xor", "<<": "shl", ">>": "shr"},
}


def _integer(spelled: str) -> int:
    digits = spelled.rstrip("uUlL")
    if digits.isdigit() and len(digits) > 1 and digits[0] == "0":
        return int(digits, 8)
    return int(digits, 0)


@dataclass(slots=True)
class _Output:
    """Lines of output, with their pieces at the columns of the source where there is room."""

    lines: dict[int, list[str]] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    moved: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)

    def put(self, token: Lexeme) -> None:
        end = self.ends.get(token.line, 1)
        column = max(end, token.column)
        if column == end > 1 and (column != token.column or token.space):
            column += 1  # two tokens must not become one
        pieces = self.lines.setdefault(token.line, [])
        pieces.append(" " * (column - end) + token.text)
        self.ends[token.line] = column + len(token.text)
        if column != token.column or len(token.text) != token.width:
            entry = (column, token.column, token.width)
            self.moved.setdefault(token.line, []).append(entry)
        elif token.line in self.moved:
            self.moved[token.line].append((column, token.column, 0))

    def prepared(self, count: int, sizes: dict[str, int]) -> Preprocessed:
        text = "\n".join("".join(self.lines.get(i, ())) for i in range(1, count + 1))
        return Preprocessed(text, self.moved, sizes)
