"""Instructions of the soft machine before addresses are known."""

from typing import TypeAlias

from transputer.frontends.smallc.tac import Addr, TacBlock
from transputer.values import dataclass

#: Reserved registers: three temporaries, the link, the stack pointer; `ir.image` has the zero.
FIRST, SECOND, THIRD, LINK, STACK = 10, 11, 12, 14, 15


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """The entry of a function, or of a trap handler."""

    name: str


@dataclass(frozen=True, slots=True)
class MemorySize:
    """How many words of memory there are."""


#: What a number may still be: a block's place, a function's, an address, the size of memory.
Number: TypeAlias = int | TacBlock | EntryPoint | Addr | MemorySize


@dataclass(frozen=True, slots=True)
class SoftLine:
    """One instruction; `line` is the source line."""

    op: str
    d: int = 0
    a: int = 0
    b: int = 0
    n: Number = 0
    line: int = 0


def shuffled(moves: dict[int, int]) -> list[tuple[int, int]]:
    """Order parallel `moves` (to: from) into sequential copies (to, from)."""
    todo = {to: source for to, source in moves.items() if to != source}
    copies = []
    while todo:
        to = next((to for to in todo if to not in todo.values()), None)
        if to is None:  # only cycles are left: save the first one's old value
            to = next(iter(todo))
            copies.append((FIRST, to))
            todo = {k: FIRST if source == to else source for k, source in todo.items()}
        copies.append((to, todo.pop(to)))
    return copies
