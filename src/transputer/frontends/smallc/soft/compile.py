"""The soft back end: an image for the soft machine, with a stack of calls in memory."""

from transputer.frontends.smallc.middle import improve
from transputer.frontends.smallc.passes.inline import recursive
from transputer.frontends.smallc.soft.address import displace
from transputer.frontends.smallc.soft.allocate import allocate
from transputer.frontends.smallc.soft.code import (
    LINK,
    STACK,
    EntryPoint,
    MemorySize,
    Number,
    SoftLine,
)
from transputer.frontends.smallc.soft.select import HANDLERS, TARGET, select
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, TacBlock, TacUnit
from transputer.frontends.smallc.translate import translate
from transputer.ir.image import FAILURES, ZERO, Image, room
from transputer.ir.loom import Symbol
from transputer.ir.soft import Instruction
from transputer.isa.integers import mask

#: Bits of a word.
BITS = 32
#: Default size of the stack of recursive calls, and of the heap, in words.
STACK_WORDS = HEAP_WORDS = 4096
#: Failures that every image can end with: division by zero, stack overflow.
_COMMON = (1, 2)


def compile(text: str, file: str = "", stack: int = STACK_WORDS) -> Image:
    """Compile a small C source for words of 32 bits.

    `stack` is the number of words for recursive calls; a call that needs more traps.
    Raises `SmallCError` with every problem of the source.
    """
    unit = translate(text, file, BITS, heap=HEAP_WORDS)
    improve(unit, TARGET)
    statics = {reg: MemoryObject(reg.name, 1, initial=(reg.initial,)) for reg in unit.globals}
    again = recursive(unit)
    code, depth = _start(), 1
    for name, function in unit.functions.items():
        displace(function, unit)
        frame = allocate(function, unit)
        depth += frame.size
        code.append(EntryPoint(name))
        code += select(function, frame, statics, stack if name in again else None)
    wanted = {one.n for one in code if isinstance(one, SoftLine)}
    for number in sorted(FAILURES.keys() - _COMMON):
        if HANDLERS[number] in wanted:
            code += _handler(number)
    memory = _Memory([*statics.values(), *unit.objects], depth + (stack if again else 0))
    places, lines = _placed(code)
    return Image(
        tuple(_instruction(line, places, memory) for line in lines),
        tuple(memory.value(word) for word in memory.words),
        memory.room,
        tuple(line.line for line in lines),
        _symbols(unit, statics, memory),
    )


def _start() -> list[SoftLine | TacBlock | EntryPoint]:
    """What runs before main and after it, and after a common failure: see `ir.image`."""
    code: list[SoftLine | TacBlock | EntryPoint] = [
        SoftLine("SET", d=STACK, n=-1),
        SoftLine("CALL", d=LINK, n=EntryPoint("main")),
        SoftLine("HALT"),
    ]
    for number in _COMMON:
        code += _handler(number)
    return code


def _handler(number: int) -> list[SoftLine | TacBlock | EntryPoint]:
    """End the run with a failure."""
    return [HANDLERS[number], SoftLine("SET", d=ZERO, n=number), SoftLine("HALT")]


class _Memory:
    """Addresses of all objects that are not in frames, and the words they begin with.

    Objects that begin as zeros come last and need no words. `stack` more words are wanted.
    """

    def __init__(self, objects: list[MemoryObject], stack: int) -> None:
        self.room = room(1 + sum(one.size for one in objects) + stack)
        self.words: list[int | Addr] = [0]
        self.bases: dict[MemoryObject, int] = {}
        end = 1
        for one in sorted(objects, key=lambda one: not any(one.initial)):
            self.bases[one] = end
            end += one.size
            if any(one.initial):
                self.words += [*one.initial, *[0] * (one.size - len(one.initial))]

    def value(self, constant: int | Addr) -> int:
        """The word of a constant, unsigned."""
        if isinstance(constant, Addr):
            constant = self.bases[constant.object] + constant.offset
        return constant & mask(BITS)


_Places = dict[TacBlock | EntryPoint, int]


def _placed(code: list[SoftLine | TacBlock | EntryPoint]) -> tuple[_Places, list[SoftLine]]:
    """The instructions alone, and the places of what stands before some of them."""
    places: _Places = {}
    lines: list[SoftLine] = []
    for one in code:
        if isinstance(one, SoftLine):
            lines.append(one)
        else:
            places[one] = len(lines)
    return places, lines


def _instruction(line: SoftLine, places: _Places, memory: _Memory) -> Instruction:
    return Instruction(line.op, line.d, line.a, line.b, _number(line.n, places, memory))


def _number(n: Number, places: _Places, memory: _Memory) -> int:
    match n:
        case TacBlock() | EntryPoint():
            return places[n]
        case MemorySize():
            return memory.room
        case Addr() | int():
            return memory.value(n)


def _symbols(
    unit: TacUnit, statics: dict[Reg, MemoryObject], memory: _Memory
) -> tuple[Symbol, ...]:
    objects = [statics[reg] for reg in unit.globals if reg.visible]
    objects += [one for one in unit.objects if one.visible]
    return tuple(Symbol(one.name, memory.bases[one], one.size) for one in objects)
