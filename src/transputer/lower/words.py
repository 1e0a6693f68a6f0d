"""Writes a function body in 32-bit words, with the operands that it can leave for later.

The operand stack is followed word by word. Words at its top that are constants or locals are not
pushed until something needs them on the stack: whoever uses them can then take them in the order
that suits, as often as needed. Words below those are really there.

Every instruction as written must be counted in exactly one step, before anything that may trap
or go elsewhere. Instructions that have been read and not yet been counted are *due*; each step
that is written takes one; where none is left to take one, a jump to the next place does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from transputer.errors import CapacityError
from transputer.ir.core import check_code
from transputer.ir.halves import flat, words
from transputer.ir.module import FuncType, Instr
from transputer.isa.core import MAX_SLOTS
from transputer.isa.op import ValType
from transputer.isa.wasm import WASM

#: An instruction that pushes a word without any effect, or None for a word on the stack.
Word = Instr | None
_JOINS = frozenset({"loop", "else", "end"})
_SHAPES = frozenset({"block", *_JOINS})
_LEAVES = frozenset({"br", "br_if", "br_table", "return", "if", "call", "call_indirect"})


@lru_cache(maxsize=1 << 14)
def instr(name: str, *args: Any) -> Instr:
    """An instruction by name."""
    return Instr(WASM[name], args)


def constant(value: int) -> Instr:
    """A word that is a constant."""
    return instr("i32.const", value & 0xFFFFFFFF)


def value_of(word: Word) -> int | None:
    """The value of a word that is a constant."""
    return None if word is None or word.name != "i32.const" else int(word.args[0])


@dataclass(slots=True)
class Block:
    """An open block: its kind and types as written, and what lies below it."""

    kind: str
    type: FuncType
    values: int
    words: int
    dead: bool = False


class Writer:
    """The body under construction. `types` are those of the operands, as written."""

    def __init__(self, type_: FuncType, local_types: Iterable[ValType]) -> None:
        self.body: list[Instr] = []
        self.places: list[int] = []
        self.counted: list[bool] = []
        self.types: list[ValType] = []
        self.words: list[Word] = []
        self.blocks = [Block("func", type_, 0, 0)]
        self.local_types = list(local_types)
        self.locals = [0]  # where the words of each local start
        for t in self.local_types:
            self.locals.append(self.locals[-1] + len(words(t)))
        self.twin = self.locals[-1]  # the local through which words are doubled
        self.scratch = 0  # locals in use by the current instruction
        self.most = 0  # locals ever in use
        self.place = 0
        self.due = 0

    # Steps

    def start(self, place: int, counts: bool) -> None:
        """Begin with an instruction as written."""
        self.place, self.scratch = place, 0
        self.due += counts

    def emit(self, name: str, *args: Any) -> None:
        """Write an instruction."""
        self.write(instr(name, *args))

    def write(self, item: Instr) -> None:
        """Write an instruction; all that is due is counted before control can go elsewhere."""
        name = item.name
        if name in _SHAPES:
            if name in _JOINS:
                self.settle()
            self._append(item, False)
            return
        if self.due > 1 and (item.op.traps or name in _LEAVES):
            self.settle(1)
        counts = self.due > 0
        self.due -= counts
        self._append(item, counts)

    def settle(self, left: int = 0) -> None:
        """Count what is due, but for so many."""
        while self.due > left:
            self.due -= 1
            self._append(instr("block", FuncType()), False)
            self._append(instr("br", 0), True)
            self._append(instr("end"), False)

    def _append(self, item: Instr, counted: bool) -> None:
        check_code(len(self.body))
        self.body.append(item)
        self.places.append(self.place)
        self.counted.append(counted)

    # Operands

    def flush(self) -> None:
        """Push all words that were left for later; `CapacityError` if no frame can hold them."""
        if len(self.words) > MAX_SLOTS:
            raise CapacityError(f"{len(self.words):,} words of operands, at most {MAX_SLOTS:,}")
        first = self._first()
        for at in range(first, len(self.words)):
            word = self.words[at]
            if word is not None:
                self.write(word)
                self.words[at] = None

    def _first(self) -> int:
        """Where the words that are left for later begin."""
        at = len(self.words)
        while at and self.words[at - 1] is not None:
            at -= 1
        return at

    def take(self, count: int) -> list[Word]:
        """Pop words; those below are really on the stack then."""
        taken = self.words[len(self.words) - count :]
        del self.words[len(self.words) - count :]
        self.flush()
        return taken

    def drop(self) -> None:
        """Pop one word and forget it."""
        if self.words.pop() is None:
            self.emit("drop")

    def push(self, *given: Word) -> None:
        """Push words: None for one that is on the stack, others for later."""
        self.words += given

    def hold(self, taken: list[Word], leave: int = 1) -> list[Word]:
        """Put words that are on the stack into locals, but for the lowest `leave` of them."""
        held = list(taken)
        for at in range(len(held) - 1, leave - 1, -1):
            if held[at] is None:
                place = self.local()
                self.emit("local.set", place)
                held[at] = instr("local.get", place)
        return held

    def use(self, *given: Word) -> None:
        """Push words; one that is on the stack must be where it is wanted."""
        for word in given:
            if word is not None:
                self.write(word)

    def kept(self, word: Word) -> Instr:
        """Push a word and keep it: how to push it again."""
        if word is not None:
            self.write(word)
            return word
        place = self.local()
        self.emit("local.tee", place)
        return instr("local.get", place)

    def double(self) -> None:
        """Push the topmost word again."""
        self.emit("local.tee", self.twin)
        self.emit("local.get", self.twin)

    def local(self) -> int:
        """A local of the current instruction."""
        self.scratch += 1
        self.most = max(self.most, self.scratch)
        return self.twin + self.scratch

    # Values

    def pop_types(self, count: int) -> list[ValType]:
        """Take types of operands away."""
        popped = self.types[len(self.types) - count :]
        del self.types[len(self.types) - count :]
        return popped

    def pushed(self, types: Iterable[ValType]) -> None:
        """Values that an instruction has left on the stack."""
        self.types += types
        self.words += [None] * len(flat(types))

    def popped(self, count: int) -> None:
        """Values that an instruction takes from the stack, where all words are."""
        gone = len(flat(self.pop_types(count)))
        del self.words[len(self.words) - gone :]

    # Blocks

    def enter(self, kind: str, type_: FuncType) -> None:
        """Open a block whose parameters are on the stack."""
        below = len(self.types) - len(type_.params)
        self.blocks.append(Block(kind, type_, below, len(self.words) - len(flat(type_.params))))

    def restart(self, block: Block, types: tuple[ValType, ...]) -> None:
        """Go on above a block's height with these values."""
        del self.types[block.values :]
        del self.words[block.words :]
        self.pushed(types)

    @property
    def dead(self) -> bool:
        """Whether what follows in the block is never reached."""
        return self.blocks[-1].dead

    def end_here(self) -> None:
        """What follows in the block is never reached."""
        self.blocks[-1].dead = True
