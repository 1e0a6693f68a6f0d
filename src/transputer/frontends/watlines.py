"""Which line of a text module an instruction stands in.

The parser gives only the binary. So the text is read once more, loosely: instructions in the order
in which they are encoded, folded ones after their operands. Where that does not give exactly
the instructions of a function, nothing is known of its lines.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from transputer.ir.module import Module
from transputer.isa.wasm import WASM

_TOKEN = re.compile(
    r'(?P<string>"(?:\\.|[^"\\])*")|(?P<line>;;[^\n]*)|(?P<open>\(;)|(?P<mark>[()])'
    r'|(?P<atom>[^\s()";]+)|(?P<space>\s+)|(?P<other>.)'
)
_INNER = re.compile(r"\(;|;\)")
#: What stands in a function before its instructions, and among the immediates of one.
_HEADS = frozenset({"export", "import", "type", "param", "result", "local"})
_BLOCKS = frozenset({"block", "loop"})


@dataclass(slots=True)
class _List:
    """What stands between two parentheses."""

    line: int
    items: list["_List | _Atom"] = field(default_factory=list)
    last: int = 0  # the line of the closing one

    @property
    def head(self) -> str:
        """The first word."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, _Atom) else ""


@dataclass(frozen=True, slots=True)
class _Atom:
    text: str
    line: int


def lines_of(text: str, module: Module) -> tuple[tuple[int, ...], ...]:
    """For each function that the module defines, the line of each instruction; none: unknown."""
    found = [_named(part) for part in _functions(_tree(text))]
    if len(found) != len(module.functions):
        return tuple(() for _ in module.functions)
    made = []
    for function, read in zip(module.functions, found, strict=True):
        # a `select` with a type is a row of its own, `select_t`, that text does not name
        names = [instr.name.removesuffix("_t") for instr in function.body]
        same = names == [name for name, _ in read]
        made.append(tuple(line for _, line in read) if same else ())
    return tuple(made)


def _tree(text: str) -> _List:
    """The text as nested lists; what is not closed is closed at its end."""
    top = _List(1)
    stack, at, line = [top], 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None, "every character is some token"
        end = _comment(text, at) if found["open"] else found.end()
        if found["mark"] == "(":
            stack.append(_List(line))
            stack[-2].items.append(stack[-1])
        elif found["mark"] == ")" and len(stack) > 1:
            stack.pop().last = line
        elif found["atom"]:
            stack[-1].items.append(_Atom(found["atom"], line))
        line += text.count("\n", at, end)
        at = end
    return top


def _comment(text: str, at: int) -> int:
    """Where a comment of several lines ends; they nest."""
    depth = 0
    for found in _INNER.finditer(text, at):
        depth += 1 if found[0] == "(;" else -1
        if depth == 0:
            return found.end()
    return len(text)


def _functions(top: _List) -> Iterator[_List]:
    lists = [item for item in top.items if isinstance(item, _List)]
    if len(lists) == 1 and lists[0].head == "module":
        lists = [item for item in lists[0].items if isinstance(item, _List)]
    for part in lists:
        inner = [item.head for item in part.items if isinstance(item, _List)]
        if part.head == "func" and "import" not in inner:
            yield part


def _named(function: _List) -> list[tuple[str, int]]:
    """Its instructions and their lines, the `end` of the body included."""
    return [*_emit(function.items[1:]), ("end", function.last)]


def _emit(items: Sequence[_List | _Atom]) -> Iterator[tuple[str, int]]:
    for item in items:
        if isinstance(item, _Atom):
            if item.text in WASM:
                yield item.text, item.line
        elif item.head not in _HEADS:
            yield from _folded(item)


def _folded(part: _List) -> Iterator[tuple[str, int]]:
    head, rest = part.head, part.items[1:]
    if head in _BLOCKS:
        yield head, part.line
        yield from _emit(rest)
        yield "end", part.last
    elif head == "if":
        arms = [i for i in rest if isinstance(i, _List) and i.head in ("then", "else")]
        yield from _emit([i for i in rest if isinstance(i, _List) and i not in arms])
        yield head, part.line
        for arm in arms:
            if arm.head == "else":
                yield "else", arm.line
            yield from _emit(arm.items[1:])
        yield "end", part.last
    elif head in WASM:
        yield from _emit([i for i in rest if isinstance(i, _List)])
        yield head, part.line
