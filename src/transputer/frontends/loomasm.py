"""The assembler of the loom machine: text with labels and named slots, to a loom `LoomProgram`.

    .bits 8              ; bits of a word: 8, 16 or 32; 32 where the source does not say
    .word n 9            ; a named slot, or several, with first words; slot 0 is `output`
    .space table 10      ; named slots that are 0
    loop:
        SUBLEQ one, n, done
        JMP loop
    done:
        HALT

Operands are slots (names, `name+2`, numbers) and places (labels, or `@` and a number). What the
program leaves in a slot named `result` is its result.
"""

import re
from collections.abc import Iterator
from dataclasses import field

from transputer.errors import Place, SourceError
from transputer.ir.loom import DEFAULT_BITS, OUTPUT, WIDTHS, LoomInstr, LoomProgram, Symbol, instr
from transputer.isa.loom import LOOM
from transputer.values import dataclass

_TOKEN = re.compile(r";.*|[A-Za-z_.][\w.]*:|[^\s,;]+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SLOT = re.compile(r"([A-Za-z_]\w*)(?:\+(\d+))?")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9A-Fa-f]+|\d+)")
#: No program has more slots than the widest word counts columns for.
_MOST = 1 << 22


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    place: Place


@dataclass(slots=True)
class _Source:
    bits: int
    memory: list[int] = field(default_factory=lambda: [0])
    symbols: dict[str, Symbol] = field(default_factory=lambda: {"output": Symbol("output", OUTPUT)})
    labels: dict[str, int] = field(default_factory=dict)
    code: list[list[_Token]] = field(default_factory=list)


def assemble_loom(text: str, file: str = "", bits: int = DEFAULT_BITS) -> LoomProgram:
    """Assemble a source; `bits` is the width of a word where the source has no `.bits`.

    Raises `SourceError` at the first mistake.
    """
    source = _Source(bits)
    for line in _lines(text, file):
        _read(source, line)
    code = tuple(_instruction(source, tokens) for tokens in source.code)
    return LoomProgram(code, tuple(source.memory), tuple(source.symbols.values()), source.bits)


def _lines(text: str, file: str) -> Iterator[list[_Token]]:
    for number, line in enumerate(text.splitlines(), start=1):
        yield [
            _Token(m[0], Place(file, number, m.start() + 1, text=line, width=len(m[0])))
            for m in _TOKEN.finditer(line)
            if m[0][0] != ";"
        ]


def _read(source: _Source, line: list[_Token]) -> None:
    while line and line[0].text.endswith(":"):
        name = line[0].text[:-1]
        if name in source.labels:
            raise SourceError(f"label {name} is there already", line[0].place)
        source.labels[name] = len(source.code)
        line = line[1:]
    if line and line[0].text in _DIRECTIVES:
        _DIRECTIVES[line[0].text](source, line)
    elif line:
        source.code.append(line)


def _bits(source: _Source, line: list[_Token]) -> None:
    source.bits = _number(line[1]) if len(line) == 2 else 0
    if source.bits not in WIDTHS:
        raise SourceError(f".bits takes one of {', '.join(map(str, WIDTHS))}", line[0].place)


def _words(source: _Source, line: list[_Token]) -> None:
    _name(source, line, [_number(token) for token in line[2:]] or [0])


def _space(source: _Source, line: list[_Token]) -> None:
    count = _number(line[2]) if len(line) == 3 else 0
    if not 1 <= count <= _MOST:
        raise SourceError(".space takes a name and how many slots", line[0].place)
    _name(source, line, [0] * count)


def _name(source: _Source, line: list[_Token], words: list[int]) -> None:
    if len(line) < 2 or not _NAME.fullmatch(line[1].text):
        raise SourceError(f"{line[0].text} takes a name first", line[-1].place)
    if line[1].text in source.symbols:
        raise SourceError(f"{line[1].text} is there already", line[1].place)
    source.symbols[line[1].text] = Symbol(line[1].text, len(source.memory), len(words))
    source.memory += words


_DIRECTIVES = {".bits": _bits, ".word": _words, ".space": _space}


def _instruction(source: _Source, tokens: list[_Token]) -> LoomInstr:
    first, *rest = tokens
    name = first.text.upper()
    if name not in LOOM:
        raise SourceError(f"no operation {first.text}", first.place)
    kinds = LOOM[name].imm
    if len(rest) != len(kinds):
        raise SourceError(f"{name} takes {len(kinds)} operands, not {len(rest)}", first.place)
    operands = [
        _place(source, token) if kind == "pc" else _slot(source, token)
        for kind, token in zip(kinds, rest, strict=True)
    ]
    return instr(name, *operands, line=first.place.line)


def _place(source: _Source, token: _Token) -> int:
    if token.text in source.labels:
        return source.labels[token.text]
    if not token.text.startswith("@"):
        raise SourceError(f"no label {token.text}", token.place)
    return _number(_Token(token.text[1:], token.place))


def _slot(source: _Source, token: _Token) -> int:
    match = _SLOT.fullmatch(token.text)
    if not match:
        return _number(token)
    if match[1] not in source.symbols:
        raise SourceError(f"no slot {match[1]}; name it with .word or .space", token.place)
    symbol, offset = source.symbols[match[1]], int(match[2] or 0)
    if offset >= symbol.count:
        raise SourceError(f"{symbol.name} has {symbol.count} slots", token.place)
    return symbol.slot + offset


def _number(token: _Token) -> int:
    if not _NUMBER.fullmatch(token.text):
        raise SourceError(f"{token.text} is not a number", token.place)
    return int(token.text, 0) if "x" in token.text.lower() else int(token.text)
