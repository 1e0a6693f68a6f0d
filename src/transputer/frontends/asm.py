"""The assembler: text of the stack assembly, including structured forms, to `AsmProgram`.

The grammar is in `docs/assembly.md`. Structured forms expand to instructions of the table, which
has no unconditional jump: `br` is `PUSH 0` and `JZ`.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from difflib import get_close_matches
from types import MappingProxyType

from transputer.errors import Place, SourceError
from transputer.ir.asm import AsmInstr, AsmProgram
from transputer.isa.asm import ASM, ENDS, LOCALS
from transputer.isa.op import Op
from transputer.values import dataclass

_NAME = r"[A-Za-z_.][A-Za-z0-9_.]*"
_CHARACTER = r"'(?:\\x[0-9A-Fa-f]{2}|\\.|[^\\'])'"
_TOKEN = re.compile(rf"[;#].*|{_CHARACTER}|{_NAME}:|[^\s;#]+")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9A-Fa-f]+|[0-9]+)")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", "'": "'", '"': '"'}

#: Mnemonics of other assemblers and their equivalents here.
SYNONYMS = {
    "JMP": "BR",
    "JUMP": "BR",
    "GOTO": "BR",
    "DROP": "POP",
    "CONST": "PUSH",
    "I32.CONST": "PUSH",
    "UNREACHABLE": "TRAP",
}

#: Number of unknown labels that get a suggestion.
_SUGGESTIONS = 20


class AssemblyError(SourceError):
    """All errors in one source; `problems` lists them in source order.

    Message and place are those of the first.
    """

    def __init__(self, problems: Sequence[SourceError]) -> None:
        super().__init__(problems[0].message, problems[0].place)
        self.problems = tuple(problems)
        self.args = ("\n".join(map(str, problems)),)

    def in_file(self, file: str) -> "AssemblyError":
        """Return the error with the file name added where a problem has none."""
        return AssemblyError([problem.in_file(file) for problem in self.problems])


def assemble(text: str, file: str = "") -> AsmProgram:
    """Assemble a text; append HALT if control can fall off its end.

    Raises `AssemblyError`, a `SourceError`, with every problem in the text.
    """
    assembler = _Assembler()
    for line in _lines(text, file):
        assembler.line(line)
    return assembler.finish(file)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    place: Place

    @property
    def upper(self) -> str:
        return self.text.upper()

    @property
    def is_statement(self) -> bool:
        return self.upper in ASM or self.upper in _FORMS or self.text.endswith(":")


_Line = deque[_Token]


def _lines(text: str, file: str) -> Iterator[_Line]:
    """Yield the tokens of each line, without comments."""
    for number, line in enumerate(_NEWLINE.split(text), start=1):
        matches = (m for m in _TOKEN.finditer(line) if m[0][0] not in ";#")
        yield deque(
            _Token(m[0], Place(file, number, m.start() + 1, text=line, width=len(m[0])))
            for m in matches
        )


@dataclass(slots=True)
class _Spot:
    """An address in the code, None until known; `uses` are the tokens that refer to it."""

    pc: int | None = None
    uses: list[_Token] = field(default_factory=list)


@dataclass(slots=True)
class _Block:
    """An open structured form: its branch target, its end, and the start of its `else`."""

    opener: _Token
    name: str
    target: _Spot
    end: _Spot
    otherwise: _Spot | None = None


class _StatementError(Exception):
    """An error in the current statement; the assembler collects it."""

    def __init__(self, token: _Token, message: str) -> None:
        super().__init__(message)
        self.error = SourceError(message, token.place)


class _Assembler:
    """State of the assembler: code, labels, open blocks and problems so far."""

    def __init__(self) -> None:
        self.code: list[tuple[Op, tuple[int | _Spot, ...], Place]] = []
        self.labels: dict[str, _Spot] = {}
        self.spots: list[_Spot] = []  # absolute targets and ends of blocks
        self.blocks: list[_Block] = []
        self.problems: list[SourceError] = []

    def line(self, line: _Line) -> None:
        """Assemble one line and collect its problems."""
        previous: _Token | None = None
        while line:
            token = line.popleft()
            try:
                self._statement(token, line, previous)
            except _StatementError as problem:
                self.problems.append(problem.error)
                self.emit(token, "NOP")  # a placeholder, so that absolute targets stay valid
                while line and not line[0].is_statement:
                    line.popleft()
            previous = token

    def _statement(self, token: _Token, line: _Line, previous: _Token | None) -> None:
        if token.text.endswith(":"):
            self._define(token)
        elif form := _FORMS.get(token.upper):
            form(self, token, line)
        elif token.upper in ASM:
            op = ASM[token.upper]
            self.emit(token, op.name, *(_OPERANDS[kind](self, token, line) for kind in op.imm))
        else:
            raise _StatementError(token, _unknown(token, previous))

    def _define(self, token: _Token) -> None:
        name = token.text[:-1]
        if not re.fullmatch(_NAME, name):
            rule = "letters, digits, `_` and `.`, and does not begin with a digit"
            raise _StatementError(token, f"`{name}` cannot be a label; a label has {rule}")
        spot = self.labels.setdefault(name, _Spot())
        if spot.pc is not None:
            raise _StatementError(token, f"label `{name}` is defined twice")
        spot.pc = len(self.code)

    def emit(self, token: _Token, name: str, *args: int | _Spot) -> None:
        """Append one instruction."""
        self.code.append((ASM[name], args, token.place))

    def jump(self, token: _Token, spot: _Spot) -> None:
        """Append an unconditional jump."""
        self.emit(token, "PUSH", 0)
        self.emit(token, "JZ", spot)

    def finish(self, file: str) -> AsmProgram:
        """Return the program, or raise all problems."""
        spots = [*self.labels.values(), *self.spots]
        end = len(self.code)
        if not self.code or self.code[-1][0].name not in ENDS or any(s.pc == end for s in spots):
            self.code.append((ASM["HALT"], (), Place(file)))
        self._unfinished(spots)
        if self.problems:
            order = sorted(self.problems, key=lambda p: (p.place.line, p.place.column))
            raise AssemblyError(order)
        code = tuple(
            AsmInstr(op, tuple(map(_resolved, args)), place) for op, args, place in self.code
        )
        labels = {name: _resolved(spot) for name, spot in self.labels.items()}
        return AsmProgram(code, MappingProxyType(labels), file)

    def _unfinished(self, spots: list[_Spot]) -> None:
        """Report unclosed blocks and undefined targets."""
        last = len(self.code) - 1
        for block in self.blocks:
            self.note(block.opener, f"`{block.opener.text}` is never closed with `end`")
        for use in (use for spot in spots if (spot.pc or 0) > last for use in spot.uses):
            self.note(use, f"target {use.text} is outside the program (0 to {last})")
        missing = [use for spot in spots if spot.pc is None for use in spot.uses]
        defined = [name for name, spot in self.labels.items() if spot.pc is not None]
        for i, use in enumerate(
            missing
        ):  # searching for suggestions is slow, so their number is limited
            self.note(use, _no_label(use, defined if i < _SUGGESTIONS else []))

    def note(self, token: _Token, message: str) -> None:
        """Record a problem and continue."""
        self.problems.append(SourceError(message, token.place))


def _resolved(arg: int | _Spot) -> int:
    if isinstance(arg, int):
        return arg
    assert arg.pc is not None, "unresolved targets have already been reported"
    return arg.pc


def _unknown(token: _Token, previous: _Token | None) -> str:
    """Return the message for a token where an instruction is expected."""
    if _NUMBER.fullmatch(token.text) or token.text[0] in "$'":
        if previous is None:
            return f"expected an instruction, found `{token.text}`"
        return f"unexpected operand `{token.text}`"
    return f"unknown instruction `{token.text}`" + _suggestion(token.upper)


def _suggestion(word: str) -> str:
    names = [op.name for op in ASM] + list(_FORMS)
    bare = word.removeprefix("I32.")
    close = [SYNONYMS[word]] if word in SYNONYMS else [bare] if bare in names else None
    return _did_you_mean(close or get_close_matches(word, names))


def _did_you_mean(names: Sequence[str]) -> str:
    return f"; did you mean {' or '.join(names)}?" if names else ""


def _no_label(use: _Token, labels: list[str]) -> str:
    if use.is_statement:
        return f"expected a target, found the instruction `{use.text}`"
    return f"no label `{use.text}`" + _did_you_mean(get_close_matches(use.text, labels, n=1))


# Operands


def _take(token: _Token, line: _Line, wanted: str) -> _Token:
    """Return the next token of the line; if there is none, the instruction is incomplete."""
    if not line or line[0].text.endswith(":"):
        raise _StatementError(token, f"{token.text} needs {wanted}")
    return line.popleft()


def _value(token: _Token, low: int, high: int) -> int:
    """Return a number or character, which must lie between `low` and `high`."""
    text = token.text
    if re.fullmatch(_CHARACTER, text):
        value: int | None = _character(token)
    elif _NUMBER.fullmatch(text):
        value = _integer(text)
    else:
        raise _StatementError(token, f"expected a number, found `{text}`")
    if value is None or not low <= value <= high:
        raise _StatementError(token, f"{text} is out of range ({low} to {high})")
    return value


def _integer(text: str) -> int | None:
    """Return the number, or None if it has too many digits for any range here."""
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-").lower()
    base = 16 if digits.startswith("0x") else 10
    digits = digits.removeprefix("0x").lstrip("0") or "0"
    return sign * int(digits, base) if len(digits) <= 10 else None


def _character(token: _Token) -> int:
    body = token.text[1:-1]
    if body[0] != "\\":
        return ord(body)
    if body[1:2] == "x" and len(body) == 4:
        return int(body[2:], 16)
    if body[1:] not in _ESCAPES:
        raise _StatementError(
            token, f"unknown escape `{body}`; use one of {' '.join(_ESCAPES)} or xNN"
        )
    return ord(_ESCAPES[body[1:]])


def _number(token: _Token, line: _Line, wanted: str, low: int, high: int) -> int:
    """Return the numeric operand of an instruction."""
    if line and line[0].is_statement:
        raise _StatementError(token, f"{token.text} needs {wanted}")
    return _value(_take(token, line, wanted), low, high)


def _constant(assembler: _Assembler, token: _Token, line: _Line) -> int:
    return _number(token, line, "a number", -(1 << 31), (1 << 32) - 1) % (1 << 32)


def _variable(assembler: _Assembler, token: _Token, line: _Line) -> int:
    return _number(token, line, "the number of a local", 0, LOCALS - 1)


def _target(assembler: _Assembler, token: _Token, line: _Line) -> _Spot:
    return _place(assembler, _take(token, line, "a label or the number of an instruction"))


def _place(assembler: _Assembler, operand: _Token) -> _Spot:
    """Return the spot that a label or an absolute address refers to."""
    if re.fullmatch(_NAME, operand.text):
        spot = assembler.labels.setdefault(operand.text, _Spot())
    else:
        spot = _Spot(_value(operand, 0, (1 << 32) - 1))
        assembler.spots.append(spot)
    spot.uses.append(operand)
    return spot


_OPERANDS: dict[str, Callable[[_Assembler, _Token, _Line], int | _Spot]] = {
    "i32": _constant,
    "local": _variable,
    "pc": _target,
}


# Structured forms


def _open(assembler: _Assembler, token: _Token, line: _Line, *, back: bool = False) -> _Block:
    """Open a block; a branch to it goes to its end or, with `back`, to its start."""
    name = line.popleft().text if line and line[0].text.startswith("$") else ""
    end = _Spot()
    target = _Spot(len(assembler.code)) if back else end
    assembler.blocks.append(_Block(token, name, target, end))
    return assembler.blocks[-1]


def _block(assembler: _Assembler, token: _Token, line: _Line) -> None:
    _open(assembler, token, line)


def _loop(assembler: _Assembler, token: _Token, line: _Line) -> None:
    _open(assembler, token, line, back=True)


def _if(assembler: _Assembler, token: _Token, line: _Line) -> None:
    block = _open(assembler, token, line)
    block.otherwise = _Spot()
    assembler.emit(token, "JZ", block.otherwise)


def _else(assembler: _Assembler, token: _Token, line: _Line) -> None:
    block = _innermost(assembler, token, line)
    if block.otherwise is None or block.otherwise.pc is not None:
        raise _StatementError(token, "`else` without an open `if`")
    assembler.jump(token, block.end)
    block.otherwise.pc = len(assembler.code)


def _end(assembler: _Assembler, token: _Token, line: _Line) -> None:
    block = _innermost(assembler, token, line)
    assembler.blocks.pop()
    block.end.pc = len(assembler.code)
    assembler.spots.append(block.end)
    if block.otherwise is not None and block.otherwise.pc is None:
        block.otherwise.pc = block.end.pc


def _innermost(assembler: _Assembler, token: _Token, line: _Line) -> _Block:
    """Return the block that `else` or `end` belongs to; the statement may repeat its name."""
    name = line.popleft() if line and line[0].text.startswith("$") else None
    if not assembler.blocks:
        raise _StatementError(token, f"`{token.text}` without an open block, loop or if")
    block = assembler.blocks[-1]
    if name and name.text != block.name:
        opener = f"{block.opener.text} {block.name}".strip()
        assembler.note(name, f"`{token.text} {name.text}` does not match the open `{opener}`")
    return block


def _br(assembler: _Assembler, token: _Token, line: _Line) -> None:
    assembler.jump(token, _destination(assembler, token, line))


def _br_if(assembler: _Assembler, token: _Token, line: _Line) -> None:
    assembler.emit(token, "JNZ", _destination(assembler, token, line))


def _destination(assembler: _Assembler, token: _Token, line: _Line) -> _Spot:
    """Return the target of a branch: an enclosing block by depth or $name, or a label."""
    operand = _take(token, line, "a depth, the $name of a block, or a label")
    if operand.text.startswith("$"):
        return _named(assembler, operand).target
    if not _NUMBER.fullmatch(operand.text):
        return _place(assembler, operand)
    depth = _value(operand, 0, (1 << 32) - 1)
    if depth >= len(assembler.blocks):
        blocks = len(assembler.blocks)
        raise _StatementError(operand, f"depth {depth} is too large; open blocks here: {blocks}")
    return assembler.blocks[-1 - depth].target


def _named(assembler: _Assembler, operand: _Token) -> _Block:
    for block in reversed(assembler.blocks):
        if block.name == operand.text:
            return block
    close = get_close_matches(operand.text, [b.name for b in assembler.blocks], n=1)
    raise _StatementError(operand, f"no open block `{operand.text}`" + _did_you_mean(close))


_FORMS: dict[str, Callable[[_Assembler, _Token, _Line], None]] = {
    "BLOCK": _block,
    "LOOP": _loop,
    "IF": _if,
    "ELSE": _else,
    "END": _end,
    "BR": _br,
    "BR_IF": _br_if,
}
