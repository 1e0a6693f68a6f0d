"""The code of a model's rows: compiled as they are met, once per machine, kept in the cache."""

import ctypes
import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from transputer import cache
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.code import NOT, SOME, cached, load
from transputer.engines.lifted.decoder.families import with_shifts
from transputer.engines.lifted.decoder.lifting import Lifting
from transputer.engines.lifted.decoder.proved import Fixed
from transputer.engines.lifted.decoder.rowcode import (
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
from transputer.errors import Unsupported

T = TypeVar("T")

#: Rows that are compiled together because they are of the same value of what is fetched.
MANY = 24
#: Those of them that are long, and come next.
NEXT = 4
#: Rows that are optimised together, so that those used most are ready first.
FEW = 8
#: Libraries of rows in the index; each is loaded when one of its rows is first needed.
MOST = 1024
#: CPU seconds to compile rows, about: in any case, for each, and for each that is long.
EFFORT = 0.05, 0.04, 0.11
#: Programs of which the cache has the nodes that run most.
PROGRAMS = 256


def while_alive(items: Iterable[T]) -> Iterator[T]:
    """The items, until the process ends: then `Unsupported`."""
    for item in items:
        if ending.is_set():
            raise Unsupported("the process ends")
        yield item


class LoadedRows:
    """What sessions of this process share that have the same rows: those compiled and loaded."""

    def __init__(self, code: "RowCode") -> None:
        self.driver = load(lambda: driver_source(code.shelf), "driver", code.key("driver"))
        self.driver.rows_run.restype = self.driver.rows_note.restype = ctypes.c_int64
        self.driver.rows_run.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        self.driver.rows_note.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        self.table = np.zeros(row_count(code.shelf), dtype=np.uint64)
        self.libraries: list[ctypes.CDLL] = []
        self.optimised: set[int] = set()  # rows whose code is optimised
        self.trees: dict[int, Tree] = {}
        self.lock = threading.Lock()
        self.index = cache.entry("lifted", "index", *code.key("index"))
        self.sets: list[list[int]] = self.index.get(json.loads) or []
        self.where = {number: numbers for numbers in self.sets for number in numbers}


_loading = threading.Lock()


class RowCode:
    """The code of rows: `table` has the functions by number, `driver` calls them.

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

    @cached_property
    def shelf(self) -> Shelf:
        """The arrays of a session."""
        proved = self.lifting.proved
        if proved is None:
            return Shelf(self.lifting.frame, self.want)
        entry = cache.entry("lifted", "shelf", *self.key("shelf"))
        needs = entry.get(Shelf.parsed)
        if needs is None:
            shelf = Shelf(self.lifting.frame, self.want)
            needs = shelf.needs(while_alive(proved.rows))
            entry.write(Shelf.printed(needs))
        return Shelf(self.lifting.frame, self.want, needs)

    def key(self, *inputs: object) -> tuple[object, ...]:
        """What decides the text of a file."""
        counted = self.want.counted
        places = None if counted is None else (counted.address, counted.zero)
        want = replace(self.want, counted=None, shown=()), places
        return (*inputs, self.lifting.identity, repr(want), self._emits)

    def effort(self, numbers: Iterable[int]) -> float:
        """About the CPU seconds that it takes to compile those of these rows that are not yet."""
        with self._shared.lock:
            missing = {*self._not_loaded(numbers)}
        seconds = EFFORT[0] + EFFORT[1] * len(missing - self.long)
        return seconds + EFFORT[2] * len(missing & self.long) if missing else 0.0

    def _not_loaded(self, numbers: Iterable[int]) -> list[int]:
        """Load libraries that the index knows for these rows; return the rows that it lacks."""
        missing = sorted({n for n in numbers if not self.table[n]})
        for number in missing:
            known = [] if self.table[number] else self._shared.where.pop(number, [])
            for optimised in (True, False) if known else ():
                library = cached("rows", self.key(known), level=SOME if optimised else NOT)
                if library is not None:
                    self._use(library, known, optimised)
                    break
        return [n for n in missing if not self.table[n]]

    def add(self, numbers: Iterable[int]) -> bool:
        """Compile the rows of these numbers; return whether all of them are there."""
        with self._shared.lock:
            missing = self._not_loaded(numbers)
            short = [n for n in missing if n not in self.long]
            for chosen, optimised in ((short, True), (sorted({*missing} - {*short}), False)):
                if chosen and not self._compile(chosen, optimised):
                    return False
        return True

    def add_program(self, host: NDArray[np.uint16]) -> None:
        """Compile all short rows of the instructions among tokens of the host."""
        proved, fetch = self.lifting.proved, self.shelf.frame.setting.fetch
        (part,) = (p for source, p in self.shelf.frame.setting.controls if source == fetch)
        values = {*self.instructions(host)[:, part].tolist()}
        chosen: dict[int, list[int]] = {}
        for fixed in () if proved is None else proved.chosen:
            if fixed[fetch, part] in values:
                chosen.setdefault(fixed[fetch, part], []).append(numbered(self.shelf, fixed))
        rows = {n for numbers in chosen.values() for n in numbers[:MANY]}
        self.add(rows - self.long)

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

    def add_like(self, number: int) -> bool:
        """Compile a row, with others of what is fetched; return whether it is there.

        These are the short ones, and the long ones that are next: not every run needs all digits.
        """
        if self.lifting.proved is None:
            return self.add([number])
        alike = self._alike.get(self._fetched(self.fixed(number)), [])
        if number not in alike:
            return False
        long = [n for n in alike[alike.index(number) :] if n in self.long]
        return self.add([number, *long[:NEXT], *(n for n in alike[:MANY] if n not in self.long)])

    @cached_property
    def _alike(self) -> dict[tuple[int, ...], list[int]]:
        """The numbers of the shipped rows by what is fetched."""
        alike: dict[tuple[int, ...], list[int]] = {}
        for fixed in [] if self.lifting.proved is None else self.lifting.proved.chosen:
            alike.setdefault(self._fetched(fixed), []).append(numbered(self.shelf, fixed))
        return alike

    def _fetched(self, fixed: Fixed) -> tuple[int, ...]:
        fetch = self.shelf.frame.setting.fetch
        return tuple(value for (source, _), value in fixed.items() if source == fetch)

    def optimise(self, numbers: Iterable[int]) -> None:
        """Compile the long ones of these rows once more, with a compiler that optimises.

        The first ones come first.
        """
        chosen = [n for n in numbers if n in self.long and n not in self._shared.optimised]
        for start in range(0, len(chosen), FEW):
            self._compile(sorted(chosen[start : start + FEW]), True)

    def met(self, host: NDArray[np.uint16], tokens: NDArray[np.uint16]) -> list[int]:
        """The numbers of the rows of the steps from these tokens, with code of the host's."""
        frame, owner = self.shelf.frame, self._owner
        code = self.instructions(host)
        fetched = np.full(1 << 8 * owner.digits, -1, dtype=np.int32)
        fetched[self._number(code, frame.groups[owner.group][: owner.digits])] = np.arange(
            len(code)
        )
        index = frame.fetched.index.expr
        if index.kind != "word" or index.data[0] != OWN:
            return []
        places = fetched[self._number(tokens, frame.groups[index.data[1]][: owner.digits])]
        tokens, places = tokens[places >= 0], places[places >= 0]
        which, stride = np.zeros(len(tokens), dtype=np.int64), 1
        for source, part in frame.setting.controls:
            which += stride * (tokens if source == OWN else code[places])[:, part].astype(np.int64)
            stride *= frame.sizes[part]
        return [*map(int, np.unique(which))]

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
        return self._tree(fixed)

    def _tree(self, fixed: Mapping[tuple[int, int], int]) -> Tree:
        """The tree of a row as it is compiled."""
        number = numbered(self.shelf, fixed)
        if number not in self._shared.trees:
            self._shared.trees[number] = with_shifts(self.lifting.row(dict(fixed)))
        return self._shared.trees[number]

    def _compile(self, numbers: list[int], optimised: bool) -> bool:
        def text() -> str:
            chosen = ((n, self.fixed(n)) for n in while_alive(numbers))
            rows = {n: (fixed, self._tree(fixed)) for n, fixed in chosen}
            often = optimised and self.long.issuperset(numbers)
            return row_source(self.shelf, rows, SpreadPrinter if often else RowPrinter)

        try:
            library = load(text, "rows", self.key(numbers), level=SOME if optimised else NOT)
        except Unsupported:
            return False
        self._use(library, numbers, optimised)
        self._shared.sets = [s for s in self._shared.sets if s != numbers][1 - MOST :] + [numbers]
        self._shared.index.write(json.dumps(self._shared.sets).encode())
        return True

    def _use(self, library: ctypes.CDLL, numbers: Iterable[int], optimised: bool) -> None:
        """Enter the rows of a library, but not instead of those that are optimised."""
        better = [] if optimised else [n for n in numbers if n in self._shared.optimised]
        places = self.table[better].copy()
        library.rows_table(ctypes.c_void_p(self.table.ctypes.data))
        self.table[better] = places
        if optimised:
            self._shared.optimised.update(numbers)
        self._shared.libraries.append(library)

    @cached_property
    def long(self) -> set[int]:
        """Rows whose formulas are long: they take a compiler that optimises long."""
        proved = self.lifting.proved
        if proved is None:
            return set()
        pairs = zip(proved.chosen, proved.long, strict=True)
        return {numbered(self.shelf, fixed) for fixed, long in pairs if long}

    def fixed(self, number: int) -> Fixed:
        """What chooses the row of a number."""
        fixed = {}
        for control in self.shelf.frame.setting.controls:
            number, fixed[control] = divmod(number, self.shelf.frame.sizes[control[1]])
        return fixed
