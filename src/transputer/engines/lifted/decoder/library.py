"""The code of a model's rows: interpreted as they are met, compiled once they are used often.

The cache keeps both, once per machine.
"""

import ctypes
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from transputer import cache
from transputer.engines.lifted.decoder.bytecode import (
    Assembler,
    Block,
    interpreter,
    packed,
    unpacked,
)
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.code import MORE, cached, load
from transputer.engines.lifted.decoder.families import with_shifts
from transputer.engines.lifted.decoder.lifting import Lifting
from transputer.engines.lifted.decoder.proved import Fixed, ProvedRows, uncollected
from transputer.engines.lifted.decoder.rowcode import (
    OUT,
    RowPrinter,
    SpreadPrinter,
    driver_source,
    numbered,
    row_count,
    row_source,
)
from transputer.engines.lifted.decoder.rows import Tree
from transputer.engines.lifted.decoder.shelf import KeyClass, Shelf
from transputer.engines.lifted.decoder.want import Want
from transputer.engines.native.compile import ending
from transputer.errors import EngineUnavailable, Unsupported

T = TypeVar("T")

#: Rows that are compiled together, so that those used most are ready first: of short and of long
#: ones.
FEW = 16, 3
#: Libraries of rows in the index; each is loaded when one of its rows is first needed.
MOST = 1024
#: CPU seconds that it takes, about, to make the first blocks of a model.
EFFORT = 0.3
#: Programs of which the cache has the nodes that run most.
PROGRAMS = 256


def while_alive(items: Iterable[T]) -> Iterator[T]:
    """The items, until the process ends: then `Unsupported`."""
    for item in items:
        if ending.is_set():
            raise Unsupported("the process ends")
        yield item


class LoadedRows:
    """What sessions of this process share that have the same rows: those compiled, and blocks."""

    open: "WeakSet[LoadedRows]" = WeakSet()  #: all that exist

    def __init__(self, code: "RowCode") -> None:
        text = partial(driver_source, code.shelf, interprets=True)
        key = code.key("driver", hashlib.sha256(interpreter(OUT).encode()).hexdigest())
        self.driver = load(text, "driver", key, level=MORE)
        self.driver.rows_run.restype = self.driver.rows_note.restype = ctypes.c_int64
        self.driver.rows_run.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self.driver.rows_note.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        self.table = np.zeros(row_count(code.shelf), dtype=np.uint64)
        self.blocks = np.zeros(len(self.table), dtype=np.uint64)
        self.libraries: list[ctypes.CDLL] = []
        self.trees: dict[tuple[int, bool], Tree] = {}
        self.lock = threading.Lock()
        self.index = cache.entry("lifted", "index", *code.key("index"))
        self.sets: list[list[int]] = self.index.get(json.loads) or []
        self.where = {number: numbers for numbers in self.sets for number in numbers}
        self._saved = cache.entry("lifted", "blocks", *code.key("blocks"))
        self._held: dict[int, Block] = self._saved.get(unpacked) or {}
        self._new = False
        for number in {*self._held} - {*self.where}:  # others are compiled
            self.hold(number)
        self.open.add(self)

    def hold(self, number: int, make: Callable[[], Block] | None = None) -> None:
        """Use the block of a row from now on; it is made if there is none."""
        if number not in self._held and make is not None:
            self._held[number], self._new = make(), True
        self.blocks[number] = self._held[number].ctypes.data

    def save(self) -> None:
        """Let the next process have the blocks."""
        if self._new:
            self._new = False
            self._saved.write(packed(self._held))

    @property
    def empty(self) -> bool:
        """Whether there are no blocks yet."""
        return not self._held


_loading = threading.Lock()


class RowCode:
    """The code of rows by number: `table` has functions, `blocks` what is interpreted without one.

    With shipped rows, everything is known from them. Otherwise rows are derived when they are
    needed, and arrays hold all that rows may read.
    """

    def __init__(self, lifting: Lifting, want: Want) -> None:
        self.lifting, self.want = lifting, want
        self._emits = cache.code("transputer.engines.lifted.decoder.rowcode")
        self._emits += cache.code("transputer.engines.lifted.decoder.families")
        key = self.key("code", cache.folder())
        with _loading:
            if key not in lifting.loaded:
                lifting.loaded[key] = LoadedRows(self)
            self._shared: LoadedRows = lifting.loaded[key]
        self.driver, self.table = self._shared.driver, self._shared.table
        self.blocks = self._shared.blocks

    @cached_property
    def shelf(self) -> Shelf:
        """The arrays of a session."""
        proved = self.lifting.proved
        needs = None if proved is None else proved.needs
        return Shelf(self.lifting.frame, self.want, needs)

    def key(self, *inputs: object) -> tuple[object, ...]:
        """What decides the text of a file."""
        counted = self.want.counted
        places = None if counted is None else (counted.address, counted.zero)
        want = replace(self.want, counted=None, shown=()), places
        return (*inputs, self.lifting.identity, repr(want), self._emits)

    @property
    def effort(self) -> float:
        """About the CPU seconds that it takes to use rows for the first time."""
        return EFFORT if self._shared.empty else 0.0

    def add(self, number: int) -> bool:
        """Load the code of a row, or make its block; return whether it is there."""
        known = self._shared.where.pop(number, [])
        library = cached("rows", self.key(known)) if known else None
        if library is not None:
            self._use(library)
        if not self.table[number] and not self.blocks[number]:
            fixed = self.fixed(number)
            try:
                with uncollected():
                    tree = self._row(fixed)
            except Unsupported:
                return False
            try:
                with uncollected():
                    self._shared.hold(number, lambda: self._assembler.block(fixed, tree))
            except Unsupported:
                return self._compiled(number)
        return True

    def _compiled(self, number: int) -> bool:
        """Compile a row that cannot be interpreted; return whether it is there."""
        try:
            self._compile([number], often=False)
        except (Unsupported, EngineUnavailable):
            return False
        return True

    @cached_property
    def _assembler(self) -> Assembler:
        return Assembler(self.shelf)

    def _row(self, fixed: Fixed) -> Tree:
        """The tree of a row; `Unsupported` for one that no run of a program comes to."""
        proved = self.lifting.proved
        if proved is not None and fixed not in proved.chosen:
            raise Unsupported("a row that is not shipped")
        return self.lifting.whole(fixed)

    def save(self) -> None:
        """Let the next process have what was made."""
        self._shared.save()

    def hot_nodes(self, host: NDArray[np.uint16]) -> cache.Entry:
        """Where the cache has the nodes that run most of the program in tokens of the host."""
        program = hashlib.sha256(self.instructions(host).tobytes()).hexdigest()
        return cache.entry("lifted", "hot", *self.key("hot"), program, most=PROGRAMS)

    def instructions(self, host: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """The tokens of the host that are instructions."""
        code: NDArray[np.uint16] = host[self._is_code[host[:, self._owner.part]]]
        return code

    @cached_property
    def _owner(self) -> KeyClass:
        """The class of instructions."""
        return self.shelf.owner(self.shelf.code)

    @cached_property
    def _is_code(self) -> NDArray[np.bool_]:
        """Whether a token is an instruction, by the part that tells keys apart."""
        values = range(len(self._owner.table))
        return np.array([self._owner.slot_of(v) == self.shelf.code for v in values])

    def optimise(self, numbers: Iterable[int]) -> None:
        """Compile these rows; the first ones come first."""
        missing = [n for n in numbers if not self.table[n]]
        for often in (True, False):
            chosen, few = [n for n in missing if (n in self.large) == often], FEW[often]
            for start in range(0, len(chosen), few):
                self._compile(sorted(chosen[start : start + few]), often)

    def met(self, host: NDArray[np.uint16], tokens: NDArray[np.uint16]) -> NDArray[np.int64]:
        """The numbers of the rows of the steps from these tokens, with code of the host's.

        -1 for a token without an instruction there.
        """
        frame, owner = self.shelf.frame, self._owner
        code, numbers = self.instructions(host), np.full(len(tokens), -1)
        fetched = np.full(1 << 8 * owner.digits, -1, dtype=np.int32)
        fetched[self._number(code, frame.groups[owner.group][: owner.digits])] = np.arange(
            len(code)
        )
        index = frame.fetched.index.expr
        if index.kind != "word" or index.data[0] != OWN:
            return numbers
        places = fetched[self._number(tokens, frame.groups[index.data[1]][: owner.digits])]
        there = places >= 0
        tokens, places = tokens[there], places[there]
        which, stride = np.zeros(len(tokens), dtype=np.int64), 1
        for source, part in frame.setting.controls:
            which += stride * (tokens if source == OWN else code[places])[:, part].astype(np.int64)
            stride *= frame.sizes[part]
        numbers[there] = which
        return numbers

    def long_rows(self, host: NDArray[np.uint16], hot: NDArray[np.bool_]) -> int:
        """Count the rows that hot code contains for instructions of several steps.

        These are rows that are short in hot code alone, of unfused instructions at hot addresses.
        """
        frame, owner, code = self.shelf.frame, self._owner, self.instructions(host)
        chosen = [(s, part) for s, part in frame.setting.controls if s != OWN]
        counts = Counter(
            tuple(self.fixed(number)[control] for control in chosen)
            for number in self.large - self.long
        )
        for row in self.lifting.fused.rows:
            counts.pop(tuple(row.fixed[control] for control in chosen), None)
        at = self._number(code, frame.groups[owner.group][: owner.digits])
        code = code[(at < len(hot)) & hot[np.minimum(at, len(hot) - 1)]]
        return sum(counts[tuple(values)] for values in code[:, [p for _, p in chosen]].tolist())

    @staticmethod
    def _number(tokens: NDArray[np.uint16], parts: Sequence[int]) -> NDArray[np.int64]:
        """What parts of tokens say, as a number."""
        weights = np.array([256**d for d in range(len(parts))])
        numbers: NDArray[np.int64] = tokens[:, list(parts)].astype(np.int64) @ weights
        return numbers

    def row(self, fixed: Mapping[tuple[int, int], int]) -> Tree:
        """The tree of a row that is short; `Unsupported` for another."""
        if ending.is_set():
            raise Unsupported("the process ends")
        if numbered(self.shelf, fixed) in self.long:
            raise Unsupported("a row with long formulas")
        return self._tree(fixed, across=True)

    def _tree(self, fixed: Mapping[tuple[int, int], int], across: bool = False) -> Tree:
        """The tree of a row as it is compiled, by itself or `across` rows."""
        key = numbered(self.shelf, fixed), across
        if key not in self._shared.trees:
            tree = self.lifting.row(dict(fixed)) if across else self.lifting.whole(dict(fixed))
            self._shared.trees[key] = with_shifts(tree, across)
        return self._shared.trees[key]

    def _compile(self, numbers: list[int], often: bool) -> None:
        def text() -> str:
            chosen = ((n, self.fixed(n)) for n in while_alive(numbers))
            rows = {n: (fixed, self._tree(fixed)) for n, fixed in chosen}
            return row_source(self.shelf, rows, SpreadPrinter if often else RowPrinter)

        with self._shared.lock:
            self._use(load(text, "rows", self.key(numbers)))
            sets = [s for s in self._shared.sets if s != numbers]
            self._shared.sets = sets[1 - MOST :] + [numbers]
            self._shared.index.write(json.dumps(self._shared.sets).encode())

    def _use(self, library: ctypes.CDLL) -> None:
        """Enter the rows of a library."""
        library.rows_table(ctypes.c_void_p(self.table.ctypes.data))
        self._shared.libraries.append(library)

    @cached_property
    def long(self) -> set[int]:
        """Rows whose formulas are long: they stay out of hot nodes."""
        return self._where(lambda proved: proved.long)

    @cached_property
    def large(self) -> set[int]:
        """Rows whose own code is long: these, and those with short formulas in hot nodes alone."""
        return self.long | self._where(lambda proved: proved.partial)

    def _where(self, flags: Callable[[ProvedRows], list[bool]]) -> set[int]:
        """The numbers of the shipped rows with a flag."""
        proved = self.lifting.proved
        if proved is None:
            return set()
        pairs = zip(proved.chosen, flags(proved), strict=True)
        return {numbered(self.shelf, fixed) for fixed, flag in pairs if flag}

    def fixed(self, number: int) -> Fixed:
        """What chooses the row of a number."""
        fixed = {}
        for control in self.shelf.frame.setting.controls:
            number, fixed[control] = divmod(number, self.shelf.frame.sizes[control[1]])
        return fixed


def save_blocks() -> None:
    """Let the next process have the blocks that this one made."""
    for rows in [*LoadedRows.open]:
        rows.save()
