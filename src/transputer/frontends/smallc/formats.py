"""printf and scanf: the format is read at compile time, each piece becomes a call."""

import re
from collections.abc import Callable
from typing import TypeAlias

from transputer.errors import Trap
from transputer.frontends.smallc.memory import MemoryTranslator
from transputer.frontends.smallc.names import string
from transputer.frontends.smallc.scope import Node, TypedValue, line_of
from transputer.frontends.smallc.tac import (
    Addr,
    Reg,
    TacBlock,
    TacJump,
    TacTrap,
    Value,
    wrap,
)
from transputer.frontends.smallc.types import (
    CHAR_BITS,
    SHORT_BITS,
    IntType,
    PointerType,
    Type,
    VoidType,
)
from transputer.values import dataclass

_PIECE = re.compile(
    r"%(?P<flags>[-+ 0#]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?"
    r"(?P<length>hh|h|ll|l|z|j|t|L)?(?P<letter>[A-Za-z%\[])|(?P<text>[^%]+)",
    re.DOTALL,
)
_SCANNED = re.compile(
    r"%(?P<skip>\*?)(?P<width>\d+)?(?P<length>hh|h|ll|l|z|j|t|L)?(?P<letter>[A-Za-z%\[])"
    r"|(?P<space>\s+)|(?P<text>[^%\s])",
    re.DOTALL,
)
_LEFT, _ZERO, _PREFIX = 1, 2, 4
#: Texts up to this length are written character by character.
_SHORT = 4
_UPPER, _LOWER = ord("A") - 10, ord("a") - 10
_LENGTHS = {"hh": CHAR_BITS, "h": SHORT_BITS}
_FLOATS = "fFeEgGaA"
#: An argument: its expression and its value.
_Argument: TypeAlias = tuple[Node, TypedValue]


@dataclass(frozen=True, slots=True)
class _Field:
    """A conversion with its flags, width and precision; -1 where there is no precision."""

    letter: str
    length: str
    flags: int
    sign: int
    width: Value
    precision: Value

    @property
    def bare(self) -> bool:
        """Whether it is a letter alone."""
        return self.flags == 0 and self.sign == 0 and self.width == 0 and self.precision == -1


class FormatTranslator(MemoryTranslator):
    """Emits code for printf, scanf and their like."""

    def _special(self, node: Node, name: str, args: list[Node]) -> TypedValue | None:
        method = getattr(self, f"_call_{name}", None)
        if method is None or self.in_library:
            return super()._special(node, name, args)
        value: TypedValue = method(node, args)
        return value

    # ---- streams

    def _stream(self, node: Node, wanted: str) -> None:
        name = node.name if type(node).__name__ == "ID" else ""
        if name == "stderr":
            raise self.error(node, "stderr is not available here; write to stdout", len(name))
        if name != wanted:
            raise self.error(node, f"only {wanted} is available here", len(name) or 1)

    def _call_fputs(self, node: Node, args: list[Node]) -> TypedValue:
        self._count(node, "fputs", args, (2,))
        self._stream(args[1], "stdout")
        self.library(node, "__print", self._text_value(args[0], "fputs"))
        return TypedValue(1, self.int)

    def _call_putc(self, node: Node, args: list[Node]) -> TypedValue:
        self._count(node, "putc", args, (2,))
        self._stream(args[1], "stdout")
        return self._putchar(node, args)

    _call_fputc = _call_putc

    def _call_fgets(self, node: Node, args: list[Node]) -> TypedValue:
        self._count(node, "fgets", args, (3,))
        self._stream(args[2], "stdin")
        to, count = self._text_value(args[0], "fgets"), self.number(args[1]).value
        return TypedValue(self.library(node, "__fgets", to, count), PointerType(IntType(CHAR_BITS)))

    def _call_getc(self, node: Node, args: list[Node]) -> TypedValue:
        self._count(node, "getc", args, (1,))
        self._stream(args[0], "stdin")
        return self._getchar(node, [])

    _call_fgetc = _call_getc

    def _call_fflush(self, node: Node, args: list[Node]) -> TypedValue:
        self._count(node, "fflush", args, (1,))
        self._stream(args[0], "stdout")
        return TypedValue(0, self.int)

    # ---- printf

    def _call_printf(self, node: Node, args: list[Node]) -> TypedValue:
        if args and type(args[0]).__name__ == "TernaryOp":
            return self._either_format(node, args)
        if len(args) == 1 and type(args[0]).__name__ != "Constant":
            self.library(node, "__print_plain", self._text_value(args[0], "printf"))
        else:
            self._printed(node, "printf", args)
        return TypedValue(0, VoidType())

    def _either_format(self, node: Node, args: list[Node]) -> TypedValue:
        """`printf(x ? "a" : "b", ...)`: the condition decides which format is printed."""
        choice = args[0]
        yes, no, end = (self.new_block(name) for name in ("yes", "no", "end"))
        self.condition(choice.cond, yes, no)
        for block, text in ((yes, choice.iftrue), (no, choice.iffalse)):
            self.enter(block)
            self._call_printf(node, [text, *args[1:]])
            self.block.term = TacJump(end)
        self.enter(end)
        return TypedValue(0, VoidType())

    def _call_fprintf(self, node: Node, args: list[Node]) -> TypedValue:
        if args:
            self._stream(args[0], "stdout")
        self._printed(node, "fprintf", args[1:])
        return TypedValue(0, VoidType())

    def _call_sprintf(self, node: Node, args: list[Node]) -> TypedValue:
        return self._sunk(node, "sprintf", args[:1], None, args[1:])

    def _call_snprintf(self, node: Node, args: list[Node]) -> TypedValue:
        limit = args[1] if len(args) > 1 else None
        return self._sunk(node, "snprintf", args[:1], limit, args[2:])

    def _sunk(
        self, node: Node, name: str, to: list[Node], limit: Node, args: list[Node]
    ) -> TypedValue:
        """Print to a string; return the length that the whole text has."""
        if not args:
            raise self.error(node, f"{name} needs a format")
        buffer = self._text_value(to[0], name)
        names = ("__sink", "__room", "__count")
        sink, room, count = (self.library_variable(one) for one in names)
        most: Value = -1
        if limit is not None:
            most = self.binary(node, "sub", self._positive(limit), 1)
        pieces = self._pieces(node, name, args)
        self.emit(node, "mov", buffer, dst=sink)
        self.emit(node, "mov", most, dst=room)
        self.emit(node, "mov", 0, dst=count)
        for piece in pieces:
            self._print_piece(node, *piece)
        self.effect(node, "store", sink, 0)
        self.emit(node, "mov", 0, dst=sink)
        return TypedValue(self.emit(node, "mov", count), self.int)

    def _positive(self, node: Node) -> Value:
        """The value of an expression that must not be zero; a trap if it is."""
        value = self.number(node).value
        if value == 0:
            raise self.error(node, "snprintf needs room for at least one character here")
        good, bad = self.new_block("good"), self.new_block("empty")
        self.branch(node, "eq", value, 0, bad, good)
        self.enter(bad)
        bad.term = TacTrap(line_of(node), Trap.UNREACHABLE)
        self.enter(good)
        return value

    def _format(self, node: Node, name: str, args: list[Node]) -> str:
        if not args or type(args[0]).__name__ != "Constant" or args[0].type != "string":
            where = args[0] if args else node
            raise self.error(where, f"the format of {name} must be a string constant here")
        return string(args[0].value).decode("latin-1")

    def _printed(self, node: Node, name: str, args: list[Node]) -> None:
        for piece in self._pieces(node, name, args):
            self._print_piece(node, *piece)

    def _pieces(
        self, node: Node, name: str, args: list[Node]
    ) -> list[tuple[str, _Field | None, TypedValue]]:
        """The texts and conversions of a format, with the values of all arguments."""
        text = self._format(node, name, args)
        rest = list(zip(args[1:], self.arguments(args[1:]), strict=True))
        pieces: list[tuple[str, _Field | None, TypedValue]] = []
        nothing, at = TypedValue(0, VoidType()), 0

        def following() -> _Argument:
            if not rest:
                raise self.error(args[0], f"{name} has fewer arguments than its format wants")
            return rest.pop(0)

        for match in _PIECE.finditer(text):
            if match.start() != at:
                break
            at = match.end()
            if match["text"] or match["letter"] == "%":
                pieces.append((match["text"] or "%", None, nothing))
                continue
            one = self._field(args[0], match, following)
            pieces.append(("", one, self._argument(one, *following())))
        if at != len(text):
            raise self.error(args[0], f"the format of {name} ends with an incomplete conversion")
        if rest:
            raise self.error(rest[0][0], f"{name} has more arguments than its format wants")
        return _joined(pieces)

    def _field(
        self, node: Node, match: re.Match[str], following: Callable[[], _Argument]
    ) -> _Field:
        letter, length = match["letter"], match["length"] or ""
        self._known(node, letter, length, "diuxXocs")
        flags = match["flags"]
        sign = ord("+") if "+" in flags else ord(" ") if " " in flags else 0
        bits = _LEFT * ("-" in flags) | _ZERO * ("0" in flags) | _PREFIX * ("#" in flags)
        if bits & _PREFIX and letter not in "xX":
            raise self.error(node, f"%#{letter} is not supported here")

        def number(text: str | None, absent: int) -> Value:
            if text is None:
                return absent
            if text != "*":
                return int(text or "0")
            arg, value = following()
            if not isinstance(value.kind, IntType):
                raise self.error(arg, f"* needs an integer, not {self.spelled(value.kind)}")
            return value.value

        width = number(match["width"], 0)
        precision = number(match["precision"], -1)
        return _Field(letter, length, bits, sign if letter in "di" else 0, width, precision)

    def _known(self, node: Node, letter: str, length: str, letters: str) -> None:
        """Refuse a conversion that is not one of some letters."""
        if letter in _FLOATS:
            raise self.error(node, f"%{letter} is for floating point, which is not supported here")
        if length in ("ll", "j", "t", "L"):
            raise self.error(node, f"%{length}{letter} is for 64 bits; int has {self.bits}")
        if letter == "p":
            raise self.error(node, "%p is not supported here: addresses differ on every machine")
        if letter not in letters:
            raise self.error(node, f"%{letter} is not supported here")

    def _argument(self, one: _Field, arg: Node, value: TypedValue) -> TypedValue:
        if one.letter == "s":
            if value.kind not in (_TEXT, PointerType(IntType(CHAR_BITS, False))):
                raise self.error(arg, f"%s needs a char *, not {self.spelled(value.kind)}")
            return value
        if not isinstance(value.kind, IntType):
            raise self.error(arg, f"%{one.letter} needs an integer, not {self.spelled(value.kind)}")
        signed = one.letter in "di"
        bits = min(_LENGTHS.get(one.length, self.bits), self.bits)
        return self.convert(arg, value, IntType(bits, signed)) if bits < self.bits else value

    def _print_piece(self, node: Node, text: str, one: _Field | None, value: TypedValue) -> None:
        if one is None:
            self._print_constant(node, text)
        elif one.bare:
            self._print_bare(node, one.letter, value.value)
        else:
            self._print_field(node, one, value.value)

    def _print_constant(self, node: Node, text: str) -> None:
        codes = text.encode("latin-1")
        if 0 in codes:
            raise self.error(node, "a format must not contain a zero character")
        if len(codes) <= _SHORT and not self.sinks:
            for code in codes:
                self.effect(node, "out", wrap(self.bits, code))
            return
        words = tuple(wrap(CHAR_BITS, c) for c in (*codes, 0))
        self.library(node, "__print", Addr(self.text_object(words)))

    def _print_bare(self, node: Node, letter: str, value: Value) -> None:
        match letter:
            case "d" | "i":
                self.library(node, "__print_int", value)
            case "u":
                self.library(node, "__print_unsigned", value)
            case "x" | "X":
                self.library(node, "__print_hex", value, _LOWER if letter == "x" else _UPPER)
            case "o":
                self.library(node, "__print_number", value, 8, 0, 0, 0, 0, -1)
            case "s":
                self.library(node, "__print", value)
            case "c" if self.sinks:
                self.library(node, "__sunk", value)
            case "c":
                self.effect(node, "out", value)

    def _print_field(self, node: Node, one: _Field, value: Value) -> None:
        flags, width, least = one.flags, one.width, one.precision
        match one.letter:
            case "d" | "i":
                self.library(node, "__print_signed", value, one.sign, flags, width, least)
            case "s":
                self.library(node, "__print_text", value, flags, width, least)
            case "c":
                self.library(node, "__print_character", value, flags, width)
            case letter:
                base = {"u": 10, "o": 8}.get(letter, 16)
                letters = _UPPER if letter == "X" else _LOWER
                self.library(node, "__print_number", value, base, letters, 0, flags, width, least)

    def _text_value(self, node: Node, name: str) -> Value:
        value = self.plain(node)
        kind = value.kind.to if isinstance(value.kind, PointerType) else None
        if isinstance(kind, IntType) and kind.bits == CHAR_BITS:
            return value.value
        raise self.error(node, f"{name} needs a char *, not {self.spelled(value.kind)}")

    # ---- scanf

    def _call_scanf(self, node: Node, args: list[Node]) -> TypedValue:
        """Read by a format; the value counts the arguments set, or is -1 at the end."""
        text, rest = self._format(node, "scanf", args), list(args[1:])
        total = self.emit(node, "mov", 0)
        end = self.new_block("scanned")
        at = 0
        for match in _SCANNED.finditer(text):
            if match.start() != at:
                break
            at = match.end()
            if match["space"]:
                self.library(node, "__skip")
                continue
            self._scan_piece(node, args[0], match, rest, total, end)
        if at != len(text):
            raise self.error(args[0], "the format of scanf ends with an incomplete conversion")
        if rest:
            raise self.error(rest[0], "scanf has more arguments than its format wants")
        self.block.term = TacJump(end)
        self.enter(end)
        return TypedValue(total, self.int)

    def _scan_piece(
        self,
        node: Node,
        where: Node,
        match: re.Match[str],
        rest: list[Node],
        total: Reg,
        end: TacBlock,
    ) -> None:
        letter = match["letter"] or ""
        setting = bool(letter) and letter != "%" and not match["skip"]
        if setting and not rest:
            raise self.error(where, "scanf has fewer arguments than its format wants")
        to = self.plain(rest.pop(0)) if setting else None
        status = self._scan(where, match, to)
        good, bad, first = (self.new_block(n) for n in ("good", "bad", "first"))
        self.branch(node, "lt", 0, status, good, bad)
        self.enter(bad)
        self.branch(node, "lt", status, 0, first, end)
        self.enter(first)
        none = self.new_block("none")
        self.branch(node, "eq", total, 0, none, end)
        self.enter(none)
        self.emit(node, "mov", -1, dst=total)
        none.term = TacJump(end)
        self.enter(good)
        if to is not None:
            if letter != "s":
                self._set(where, letter, match["length"] or "", to)
            self.emit(node, "add", total, 1, dst=total)

    def _scan(self, where: Node, match: re.Match[str], to: TypedValue | None) -> Value:
        """Read one piece; return 1, 0 for another text, -1 at the end of the input."""
        letter = match["letter"] or ""
        if match["text"]:
            return self.library(where, "__match", ord(match["text"]))
        if letter == "%":
            self.library(where, "__skip")
            return self.library(where, "__match", ord("%"))
        self._known(where, letter, match["length"] or "", "duxcs")
        if letter == "s":
            most = int(match["width"] or -1)
            if to is not None and to.kind != _TEXT:
                raise self.error(where, f"%s needs a char *, not {self.spelled(to.kind)}")
            return self.library(where, "__scan_word", to.value if to else 0, most)
        if match["width"]:
            raise self.error(where, f"a width before %{letter} is not supported here")
        if letter == "c":
            return self.library(where, "__scan_character")
        return self.library(where, "__scan_number", 16 if letter == "x" else 10)

    def _set(self, where: Node, letter: str, length: str, to: TypedValue) -> None:
        """Store the number or character that was read."""
        bits = CHAR_BITS if letter == "c" else min(_LENGTHS.get(length, self.bits), self.bits)
        kind = to.kind.to if isinstance(to.kind, PointerType) else None
        if not isinstance(kind, IntType) or kind.bits != bits:
            wanted: Type = PointerType(IntType(bits))
            spelled = f"{self.spelled(wanted)}, not {self.spelled(to.kind)}"
            raise self.error(where, f"%{length}{letter} needs a {spelled}")
        number = TypedValue(self.library_variable("__scanned"), self.int)
        self.effect(where, "store", to.value, self.convert(where, number, kind).value)


_TEXT = PointerType(IntType(CHAR_BITS))


def _joined(
    pieces: list[tuple[str, _Field | None, TypedValue]],
) -> list[tuple[str, _Field | None, TypedValue]]:
    """Join texts that follow one another."""
    result: list[tuple[str, _Field | None, TypedValue]] = []
    for text, one, value in pieces:
        if one is None and result and result[-1][1] is None:
            text = result.pop()[0] + text
        result.append((text, one, value))
    return result
