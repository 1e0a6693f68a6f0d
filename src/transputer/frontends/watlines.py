"""Line and column of each instruction of a text module.

The parser returns only the binary, so this reads the text a second time, loosely: instructions in
the order in which they are encoded, folded ones after their operands. If that does not give exactly
the instructions of a function, their places are unknown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from transputer.errors import InvalidError, Place
from transputer.frontends.wat import place_in
from transputer.ir.module import Module
from transputer.isa.wasm import WASM
from transputer.values import dataclass

_TOKEN = re.compile(
    r'(?P<string>"(?:\\.|[^"\\])*")|(?P<line>;;[^\n]*)|(?P<open>\(;)|(?P<mark>[()])'
    r'|(?P<atom>[^\s()";]+)|(?P<space>\s+)|(?P<other>.)'
)
_INNER = re.compile(r"\(;|;\)")
#: Lists in a function that are not folded instructions.
_HEADS = frozenset({"export", "import", "type", "param", "result", "local"})
_BLOCKS = frozenset({"block", "loop", "try_table"})


#: Line and column, from 1.
Spot = tuple[int, int]


@dataclass(slots=True)
class _List:
    """A parenthesised list."""

    spot: Spot
    items: list["_List | _Atom"] = field(default_factory=list)
    last: Spot = (0, 0)  # of the closing parenthesis

    @property
    def head(self) -> str:
        """The first word."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, _Atom) else ""

    @property
    def opcode(self) -> Spot:
        """The place of the first word."""
        return self.items[0].spot if self.items else self.spot


@dataclass(frozen=True, slots=True)
class _Atom:
    text: str
    spot: Spot


def located(error: InvalidError, text: str, module: Module, file: str) -> InvalidError:
    """Return an error at an offset of the binary with its line and column in the text, if known.

    Where the instructions of a function are not known, it is the place of the function.
    """
    offset, parts = error.place.offset, list(_functions(_tree(text)))
    spots = spots_of(text, module)
    for number, function in enumerate(module.functions):
        starts = [instr.span.start for instr in function.body]
        if offset in starts and len(parts) == len(spots):
            spot = spots[number][starts.index(offset)] if spots[number] else parts[number].spot
            return InvalidError(error.message, place_in(text, file, *spot))
    return InvalidError(error.message, Place(file))


def spots_of(text: str, module: Module) -> tuple[tuple[Spot, ...], ...]:
    """Return the place of each instruction of each defined function; empty if unknown."""
    parsed = [_instructions(part) for part in _functions(_tree(text))]
    if len(parsed) != len(module.functions):
        return tuple(() for _ in module.functions)
    spots = []
    for function, pairs in zip(module.functions, parsed, strict=True):
        # a `select` with a type has a row of its own, `select_t`, but no name of its own in text
        names = [instr.name.removesuffix("_t") for instr in function.body]
        same = names == [name for name, _ in pairs]
        spots.append(tuple(spot for _, spot in pairs) if same else ())
    return tuple(spots)


def _tree(text: str) -> _List:
    """Parse the text to nested lists; unclosed lists end at the end of the text."""
    top = _List((1, 1))
    stack, at, line, start = [top], 0, 1, 0  # `start` is the offset of the line
    while at < len(text):
        token = _TOKEN.match(text, at)
        assert token is not None, "every character is part of a token"
        end = _comment(text, at) if token["open"] else token.end()
        spot = line, at - start + 1
        if token["mark"] == "(":
            stack.append(_List(spot))
            stack[-2].items.append(stack[-1])
        elif token["mark"] == ")" and len(stack) > 1:
            stack.pop().last = spot
        elif token["atom"]:
            stack[-1].items.append(_Atom(token["atom"], spot))
        line += text.count("\n", at, end)
        start = max(start, text.rfind("\n", at, end) + 1)
        at = end
    return top


def _comment(text: str, at: int) -> int:
    """Return the end of a block comment; block comments nest."""
    depth = 0
    for mark in _INNER.finditer(text, at):
        depth += 1 if mark[0] == "(;" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _functions(top: _List) -> Iterator[_List]:
    lists = [item for item in top.items if isinstance(item, _List)]
    if len(lists) == 1 and lists[0].head == "module":
        lists = [item for item in lists[0].items if isinstance(item, _List)]
    for part in lists:
        inner = [item.head for item in part.items if isinstance(item, _List)]
        if part.head == "func" and "import" not in inner:
            yield part


def _instructions(function: _List) -> list[tuple[str, Spot]]:
    """Return the instructions of a function and their places, including the final `end`."""
    return [*_emit(function.items[1:]), ("end", function.last)]


def _emit(items: Sequence[_List | _Atom]) -> Iterator[tuple[str, Spot]]:
    for item in items:
        if isinstance(item, _Atom):
            if item.text in WASM:
                yield item.text, item.spot
        elif item.head not in _HEADS:
            yield from _folded(item)


def _folded(part: _List) -> Iterator[tuple[str, Spot]]:
    head, rest = part.head, part.items[1:]
    if head in _BLOCKS:
        yield head, part.opcode
        yield from _emit(rest)
        yield "end", part.last
    elif head == "if":
        arms = [i for i in rest if isinstance(i, _List) and i.head in ("then", "else")]
        yield from _emit([i for i in rest if isinstance(i, _List) and i not in arms])
        yield head, part.opcode
        for arm in arms:
            if arm.head == "else":
                yield "else", arm.opcode
            yield from _emit(arm.items[1:])
        yield "end", part.last
    elif head in WASM:
        yield from _emit([i for i in rest if isinstance(i, _List)])
        yield head, part.opcode
