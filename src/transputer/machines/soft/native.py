"""The hard path in C: its source, the structures it takes, and machines in some state.

`machine.h` is the one meaning of the machine in C. Whoever may compile it (learning, the front
door) gives the library.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import Unsupported
from transputer.isa.op import Registry
from transputer.isa.soft import SOFT, Shape, meaning, operands, shape
from transputer.isa.words import Templates
from transputer.machines.soft.config import Config
from transputer.machines.soft.hardstate import HardState, word_type

_HERE = Path(__file__).parent
#: Words of input or output.
Words = NDArray[np.unsignedinteger[Any]]
_Word, _Pointer = ctypes.c_uint32, ctypes.c_void_p
#: What the library is compiled with.
FLAGS = (
    *("-std=c11", "-O3", "-fPIC", "-shared", "-fwrapv", "-ffreestanding", "-fno-stack-protector"),
    *(() if sys.platform == "darwin" else ("-nostdlib",)),  # there a library must have libSystem
)
#: Steps between two words about progress.
SLICE = 1 << 24


class MachineSizes(ctypes.Structure):
    """The sizes of the machine."""

    _fields_ = [(name, _Word) for name in ("width", "registers", "length", "memory", "limit")]


class _State(ctypes.Structure):
    _fields_ = [("r", _Pointer), ("mem", _Pointer), ("flags", _Word), ("pc", _Word)]


class _Tapes(ctypes.Structure):
    _fields_ = [
        ("inputs", _Pointer),
        *((name, _Word) for name in ("given", "read", "waits_for_input")),
        ("outputs", _Pointer),
        *((name, _Word) for name in ("room", "wrote", "waits_for_room")),
    ]


#: Words and conditions as C expressions, in the names of `machine.h`.
TEXT = Templates(
    number="(extended({0}u) & mask)",
    add="(({0} + {1}) & mask)",
    sub="(({0} - {1}) & mask)",
    mul="(({0} * {1}) & mask)",
    and_="({0} & {1})",
    or_="({0} | {1})",
    xor="({0} ^ {1})",
    shl="(({0} << ({1} & (m->width - 1))) & mask)",
    shr="({0} >> ({1} & (m->width - 1)))",
    sra="((word_t)(as_signed({0}, spare) >> ({1} & (m->width - 1))) & mask)",
    equal="({0} == {1})",
    less="(as_signed({0}, spare) < as_signed({1}, spare))",
    below="({0} < {1})",
    negative="({0} >> (m->width - 1) & 1)",
    not_="(!{0})",
    differ="({0} != {1})",
    choose="({0} ? {1} : {2})",
)
#: The flags of `machine.h`, from the lowest bit of the packed form.
_FLAG_NAMES = ("zero", "negative", "carry", "overflow", "less")
_OPERANDS = {"d": "r[i->d]", "a": "a", "b": "b", "n": "n", "flags": _FLAG_NAMES}
_GO = "pc = place(n, within, length);"
#: What each row without a function does, as C statements.
statements: Registry[str] = Registry(SOFT)


def _statements(name: str) -> str:
    """What a row does, as C statements; `Unsupported` where nothing says so."""
    kind = shape(name)
    if kind is Shape.OTHER:
        if name not in statements.rules:
            raise Unsupported(f"the hard path in C lacks a meaning for {name}")
        return statements.rules[name]
    result = meaning(name)(TEXT, *(_OPERANDS[take] for take in operands(name)))
    if kind is Shape.FLAGS:
        news = ", ".join(f"f{k} = {condition}" for k, condition in enumerate(result))
        copies = " ".join(f"{flag} = f{k};" for k, flag in enumerate(_FLAG_NAMES))
        return f"{{ const uint32_t {news}; {copies} }}"
    if kind is Shape.BRANCH:
        return f"if ({result}) {_GO}"
    go = f" if (r[i->d]) {_GO}" if kind is Shape.COUNT else ""
    return f"r[i->d] = {result};{go}"


_BYTE = "at = (a + n) & (m->memory * bytes - 1);"
for _name, _does in {
    "HALT": "pc = length;",
    "JMP": _GO,
    "CALL": f"r[i->d] = pc; {_GO}",
    "RET": "pc = place(a, within, length);",
    "LD": "r[i->d] = mem[(a + n) & cells];",
    "ST": "mem[(a + n) & cells] = b;",
    "LDP": "at = mem[a & cells]; r[i->a] = (a + 1) & mask; r[i->d] = at;",
    "STP": "mem[a & cells] = b; r[i->a] = (a + 1) & mask;",
    "LDB": f"{_BYTE} r[i->d] = mem[at / bytes] >> at % bytes * 8 & 0xFF;",
    "STB": f"{_BYTE} mem[at / bytes] &= ~((word_t)0xFF << at % bytes * 8); "
    "mem[at / bytes] |= (b & 0xFF) << at % bytes * 8;",
    "IN": "if (t && t->read < t->given) r[i->d] = t->inputs[t->read++]; "
    "else if (t && t->waits_for_input) { pc--; goto waiting; } else r[i->d] = mask;",
    "OUT": "if (t && t->wrote < t->room) t->outputs[t->wrote++] = a; "
    "else if (t && t->waits_for_room) { pc--; goto waiting; }",
}.items():
    statements.on(_name)(_does)


def word_bits(width: int) -> int:
    """The bits of the C type that holds words of a width: what the library is compiled for."""
    return 64 if width > 32 else 32


def words_in_c(bits: int) -> str:
    """The C text that defines words of so many bits."""
    return f"#define WORD_BITS {bits}\n" + (_HERE / "word.h").read_text()


def source(*files: Path, bits: int = 32) -> str:
    """One C text: a case for every row of the table, the machine, and what is built on it."""
    cases = " \\\n".join(f"case {op.code}: {_statements(op.name)} break;" for op in SOFT)
    texts = [path.read_text() for path in (_HERE / "machine.h", *(files or (_HERE / "run.c",)))]
    return "\n".join((words_in_c(bits), f"#define CASES \\\n{cases}", *texts))


class Hard:
    """A machine in some state, in C.

    `library` is `source(bits=word_bits(config.width))` compiled with `FLAGS`.
    """

    def __init__(
        self, library: ctypes.CDLL, rows: NDArray[np.int64], state: HardState, config: Config
    ) -> None:
        self._advance = library.soft_advance
        self._advance.restype = ctypes.c_uint64
        self._advance.argtypes = (_Pointer,) * 4 + (ctypes.c_uint64,)
        self._state = state
        self._rows = np.ascontiguousarray(rows, np.uint32)
        self.registers, self.memory, self._inputs, self._outputs = (
            np.array(part, word_type(config.width)) for part in _words(state)
        )
        sizes = (config.width, config.registers, len(rows), config.memory, 0)
        self._machine = MachineSizes(*sizes)
        arrays = (self.registers.ctypes.data, self.memory.ctypes.data)
        self._now = _State(*arrays, int(state.flags), int(state.pc))
        given, room = len(self._inputs), len(self._outputs)
        self._tapes = _Tapes(
            *(self._inputs.ctypes.data, given, int(state.read), 0),
            *(self._outputs.ctypes.data, room, int(state.wrote), 0),
        )

    @property
    def ended(self) -> bool:
        """Whether the program has stopped."""
        return bool(self._now.pc >= self._machine.length)

    @property
    def pc(self) -> int:
        """The place of the next instruction."""
        return int(self._now.pc)

    @property
    def flags(self) -> int:
        """The flags, packed."""
        return int(self._now.flags)

    @property
    def state(self) -> HardState:
        """Where the machine is."""
        now, tapes = self._now, self._tapes
        return replace(
            self._state,
            registers=self.registers.copy(),
            memory=self.memory.copy(),
            outputs=self._outputs.copy(),
            flags=np.int32(now.flags),
            pc=np.int32(now.pc),
            read=np.int32(tapes.read),
            wrote=np.int32(tapes.wrote),
        )

    def advance(self, limit: int) -> int:
        """Make at most `limit` steps, fewer if the program ends or waits; return their number."""
        parts = (self._machine, self._rows, self._now, self._tapes)
        at = [p.ctypes.data if isinstance(p, np.ndarray) else ctypes.addressof(p) for p in parts]
        return int(self._advance(*at, limit))

    def serve(self, limit: int, read: Callable[[], Words]) -> Iterator[tuple[int, Words]]:
        """Yield steps and output, piece by piece, until the program ends or `limit` is reached.

        `read` returns the next words of input, none at its end. Each word of output is yielded
        once: the output tape is emptied on the way.
        """
        tapes = self._tapes
        tapes.waits_for_input = tapes.waits_for_room = 1
        tapes.given = tapes.read = 0
        while not self.ended and limit > 0:
            wanted = min(SLICE, limit)
            done = self.advance(wanted)
            limit -= done
            put = self.take()
            yield done, put
            if done < wanted and not self.ended and not len(put):
                fed = np.ascontiguousarray(read(), self.registers.dtype)
                tapes.inputs, tapes.given, tapes.read = fed.ctypes.data, len(fed), 0
                tapes.waits_for_input = len(fed) > 0

    def take(self) -> Words:
        """Return the words of output since the last call, and empty the tape."""
        words, self._tapes.wrote = self._outputs[: self._tapes.wrote].copy(), 0
        return words


def _words(state: HardState) -> tuple[object, ...]:
    return state.registers, state.memory, state.inputs, state.outputs
