"""A session that takes steps by the code of rows, and of hot nodes, over arrays of tokens."""

import ctypes
import gc
import hashlib
import mmap
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import Variable, WordExpr
from transputer.engines.lifted.decoder.library import RowCode
from transputer.engines.lifted.decoder.program import HostTokens
from transputer.engines.lifted.decoder.region import Region
from transputer.engines.lifted.decoder.rowcode import (
    ARRAY,
    FULL,
    OUT,
    ROW,
    SEEN,
    STOPPED,
    UNPROVED,
    UNSAFE,
)
from transputer.engines.lifted.decoder.rows import Key, Query, RowLeaf
from transputer.engines.lifted.decoder.want import LiftedCodeStopped, number_in
from transputer.engines.protocol import Counted
from transputer.errors import EngineUnavailable, Unsupported, UsageError
from transputer.model import Token

#: Tokens to be seen that the code hands over at once.
ROOM = 1 << 12
#: How often it does so before the caller gets them.
PIECES = 1 << 8
MAX_GROUPS = 64
#: Words of an array that a snapshot has or has not; every array has a multiple of them.
CHUNK = 256
#: Pages of which the system is asked at a time.
PAGES = 1 << 17
#: Of mmap: pages that are never touched cost nothing.
_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
#: Bytes of address space that arrays of this process may take; sessions that nobody holds any more
#: are collected before that is reached.
MOST_RESERVED, COLLECT = 1 << 46, 1 << 43
_reserved, _collect_above = 0, COLLECT
Words = NDArray[np.uint64]
Tokens = NDArray[np.uint16]


class _State(ctypes.Structure):
    """`State` of the C code; the words follow."""

    _fields_ = (
        *((n, ctypes.c_int64) for n in ("left", "tally", "rows", "room", "slot", "marked")),
        *((n, ctypes.c_int64) for n in ("extra", "next", "from_", "enterable", "fed", "feeds")),
        *((n, ctypes.c_void_p) for n in ("seen", "tape", "arrays", "ready", "marks", "flags")),
        *(
            (n, ctypes.c_void_p)
            for n in ("fixed", "special", "visits", "used", "enter", "blocks", "feed")
        ),
        ("word", ctypes.c_uint64 * MAX_GROUPS),
    )


def _give_back(size: int) -> None:
    global _reserved
    _reserved -= size


class RowRun:
    """The state of a session. `steps`, `tally` and `seen` grow as it runs.

    `visits` counts the steps that the code of rows has taken by address, `used` by row.
    """

    def __init__(self, code: RowCode) -> None:
        self.code, self.shelf, self.frame = code, code.shelf, code.shelf.frame
        self.want = code.shelf.want
        self.steps = self.tally = self.fed = 0
        self.waited = self.making = 0.0  # seconds and CPU seconds, for rows made or loaded
        self.seen: list[tuple[Words, ...]] = []  # numbers of tokens, as `want.shown` says
        self.visits = np.zeros(0, dtype=np.uint32)
        self.used = np.zeros(len(code.table), dtype=np.uint32)
        groups, slots = len(self.frame.groups), self.shelf.slots
        self._cells: dict[int, Words] = {}
        self._named: set[int] = set()  # slots that some instruction names
        self._dropped: set[int] = set()  # slots whose tokens were not kept for such a one
        self._pointers = np.zeros(slots * groups, dtype=np.uint64)
        self._ready = np.zeros(slots, dtype=np.uint8)
        self._flags = np.zeros(256, dtype=np.uint8)
        self._fixed = np.zeros((max(1, len(self.frame.fixed)), groups), dtype=np.uint64)
        self._leads: dict[int, int] = {}
        self._special = np.zeros(groups, dtype=np.uint64)
        self._seen = np.zeros((ROOM, groups), dtype=np.uint64)
        self._region: Region | None = None
        self._state = _State(room=ROOM)
        for name, array in (
            *(("seen", self._seen), ("arrays", self._pointers), ("ready", self._ready)),
            *(("flags", self._flags), ("fixed", self._fixed), ("special", self._special)),
            ("used", self.used),
        ):
            setattr(self._state, name, array.ctypes.data)
        for slot in range(slots):
            if not self.shelf.groups(slot):
                self._ready[slot] = 1
        for slot in self.shelf.certain:
            self._allocate(slot)

    # Tokens

    def words(self, tokens: Tokens) -> Words:
        """The words of tokens, a row each."""
        if len(tokens) == 1:  # an answer of the host, for which a run waits
            return np.array([self.frame.words(tokens[0].tolist())], dtype=np.uint64)
        rows = np.zeros((len(tokens), len(self.frame.groups)), dtype=np.uint64)
        for g, parts in enumerate(self.frame.groups):
            for d, p in enumerate(parts):
                rows[:, g] |= tokens[:, p].astype(np.uint64) << np.uint64(8 * d)
        return rows

    def tokens(self, words: Words) -> Tokens:
        """The tokens of words, a row each."""
        digits = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
        rows = np.take(digits.reshape(len(words), -1), self._digits, axis=1).astype(np.uint16)
        for p, size in enumerate(self.frame.sizes):
            if size > 256:  # a word of its own
                rows[:, p] = words[:, self.frame.place[p][0]]
        return rows

    @cached_property
    def _digits(self) -> NDArray[np.int64]:
        """Which byte of a token's words is the digit of each part."""
        places = (self.frame.place[p] for p in range(len(self.frame.sizes)))
        return np.array([8 * group + shift // 8 for group, shift in places])

    def token(self) -> Token:
        """The last token."""
        return self.frame.token(self._state.word[: len(self.frame.groups)])

    def append(self, tokens: Tokens, positions: NDArray[np.int64]) -> None:
        """Append tokens of the host, or those that another engine holds, in their order."""
        self._lead(tokens, positions)
        self._named |= self.shelf.named(self.code.instructions(tokens))
        if self._named & self._dropped:
            raise LiftedCodeStopped("an instruction reads what was not kept")
        self._note(self.words(tokens))

    def _note(self, rows: Words) -> None:
        """Write words to the arrays."""
        owner = self.shelf.longest
        index = rows[:, owner.group] & np.uint64(256**owner.digits - 1)
        if (index >= self._limits[self._number(rows, [owner.part])]).any():
            raise LiftedCodeStopped("an address has more digits than its tokens are found by")
        done = 0
        while done < len(rows):
            done += self.code.driver.rows_note(
                ctypes.byref(self._state), rows[done:].ctypes.data, len(rows) - done
            )
            if done < len(rows):
                self._allocate(int(self._state.slot))

    @cached_property
    def _limits(self) -> Words:
        """What the indices of tokens must be below, by the part that tells keys apart."""
        owner = self.shelf.longest
        limits = (self.shelf.reach(owner.slot_of(v)) for v in range(len(owner.table)))
        return np.array([limit or 1 << 62 for limit in limits], dtype=np.uint64)

    @cached_property
    def _scores(self) -> dict[int, dict[int, NDArray[np.int64]]]:
        """What parts add to the scores of heads with a constant query."""
        fixed = self.frame.fixed.items()
        return {h: {p: np.array(t) for p, t in score.tables.items()} for h, score in fixed}

    @cached_property
    def _extras(self) -> list[tuple[Key, int, NDArray[np.int64]]]:
        """The keys with a special token, and the values of the part that tells it."""
        keys = self.frame.keys.values()
        return [(key, key.extra[0], np.array(key.extra[1])) for key in keys if key.extra]

    def _lead(self, tokens: Tokens, positions: NDArray[np.int64]) -> None:
        """Note what heads with a constant query attend to, and the special token."""
        before = dict(self._leads)
        for place, (head, score) in enumerate(self.frame.fixed.items()):
            total = score.constant + score.position * positions
            for part, table in self._scores[head].items():
                total = total + table[tokens[:, part]]
            best = len(total) - 1 - int(np.argmax(total[::-1]))
            if head not in self._leads or total[best] >= self._leads[head]:
                self._leads[head] = int(total[best])
                self._fixed[place] = self.words(tokens[best : best + 1])[0]
        for key, part, table in self._extras:
            special = np.flatnonzero(table[tokens[:, part]])
            if len(special) and (positions[special] != 0).any():
                raise LiftedCodeStopped("a special token is not the first")
            for i in special:
                digits = self.frame.groups[key.group][: key.digits]
                if tokens[i, list(digits)].any() or any(t[tokens[i, p]] for p, t in key.tags):
                    raise LiftedCodeStopped("a special token has an address")
                self._special[:] = self.words(tokens[i : i + 1])[0]
                if self._special[[*self.shelf.zeros]].any():
                    raise LiftedCodeStopped("a special token is not 0")
        if self._leads != before or not before:
            self._flag()

    def _flag(self) -> None:
        """Set what is said of each value of the part that tells keys apart."""
        part, last = self.shelf.classes[-1].part, self.frame.context - 1
        self._flags[:] = 0
        for watched, values in self.want.watch:
            if watched != part:
                raise LiftedCodeStopped("tokens to be seen are told by another part")
            self._flags[[*values]] |= SEEN
        for head, score in self.frame.fixed.items():
            most = score.constant + max(0, score.position * last)
            most += sum(max(t) for p, t in score.tables.items() if p != part)
            table = np.array(score.tables.get(part, (0,) * 256))
            self._flags[: len(table)][table + most >= self._leads[head]] |= UNSAFE
        for key in self.frame.keys.values():
            if key.extra is not None:
                if key.extra[0] != part:
                    raise LiftedCodeStopped("special tokens are told by another part")
                self._flags[: len(key.extra[1])][np.array(key.extra[1]) != 0] |= UNSAFE

    def _allocate(self, slot: int) -> None:
        """Make the arrays of a slot."""
        if self._ready[slot]:
            return
        groups = len(self.frame.groups)
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
        for g in self.shelf.groups(slot):
            if self.shelf.optional(slot, g) and slot not in self._named:
                self._dropped.add(slot)
                continue
            width = 1 if self.shelf.bare(slot, g) else 2  # words, and whether they were written
            size = 8 * width * 256 ** self.shelf.digits(slot)
            self._reserve(size)
            try:
                memory = mmap.mmap(-1, size, flags=flags)
            except (OSError, ValueError) as error:
                raise LiftedCodeStopped(f"no room for an array: {error}") from None
            cells = np.frombuffer(memory, dtype=np.uint64).reshape(-1, width)
            self._cells[slot * groups + g] = cells
            self._pointers[slot * groups + g] = cells.ctypes.data
        self._ready[slot] = 1

    def _reserve(self, size: int) -> None:
        """Count address space, and give back what sessions that have ended still take."""
        global _reserved, _collect_above
        if _reserved + size > _collect_above:
            gc.collect()
            _collect_above = min(MOST_RESERVED, max(COLLECT, 2 * (_reserved + size)))
        if _reserved + size > MOST_RESERVED:
            raise LiftedCodeStopped("no address space left for arrays")
        _reserved += size
        weakref.finalize(self, _give_back, size)

    # Putting aside

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return the arrays, as far as they were touched, and the last token."""
        chunks = {number: _touched(cells) for number, cells in self._cells.items()}
        counts = [(number, len(places)) for number, places in chunks.items()]
        contents = [_chunked(self._cells[number])[places] for number, places in chunks.items()]
        return {
            "rows": np.frombuffer(self._identity, dtype=np.uint8),
            "arrays": np.array(counts, dtype=np.int64).reshape(-1, 2),
            "chunks": np.concatenate([np.zeros(0, dtype=np.int64), *chunks.values()]),
            "cells": np.concatenate([np.zeros((0, CHUNK), dtype=np.uint64), *contents]),
            "word": np.array(self._state.word[: len(self.frame.groups)], dtype=np.uint64),
            "dropped": np.array(sorted(self._dropped), dtype=np.int64),
        }

    def restore(
        self, held: Mapping[str, NDArray[Any]], host: Tokens, positions: NDArray[np.int64]
    ) -> None:
        """Go on from a snapshot; `host` are all tokens of the host, at `positions`."""
        groups = len(self.frame.groups)
        if held["rows"].tobytes() != self._identity:
            raise UsageError(
                "another version of lifted code made the checkpoint; run the program from the start"
            )
        self._dropped |= {*held["dropped"].tolist()}
        self.append(host, positions)
        begin = 0
        for number, count in held["arrays"].tolist():
            self._allocate(number // groups)
            places = held["chunks"][begin : begin + count]
            _chunked(self._cells[number])[places] = held["cells"][begin : begin + count]
            begin += count
        self._state.word[:groups] = held["word"].tolist()

    @cached_property
    def _identity(self) -> bytes:
        """What decides which arrays there are, and what they hold."""
        return hashlib.sha256(repr(self.code.key("arrays")).encode()).digest()

    # Running

    def advance(self, limit: int, tape: Words | None = None, feed: Words | None = None) -> bool:
        """Take up to `limit` steps; return whether the last one was one that stops.

        With a tape, the words of every token go to its rows. Numbers of `feed` are appended as
        `want.feed` says; `fed` is how many. Raises `LiftedCodeStopped` if lifted
        code cannot go on; the steps before count, unless no proof covers the last of them.
        """
        state = self._state
        if self.want.counted is not None:
            marks = self._marks(self.want.counted)
            state.marks, state.visits = marks.ctypes.data, self.visits.ctypes.data
            state.marked = len(marks)
        state.left = limit
        state.fed, state.feeds = 0, 0 if feed is None else len(feed)
        state.feed = None if feed is None else feed.ctypes.data
        state.tape = None if tape is None else tape.ctypes.data
        before = state.tally
        try:
            return self._advance()
        finally:
            self.fed = int(state.fed)
            self.steps += limit - state.left
            self.tally += state.tally - before

    def _marks(self, counted: Counted) -> NDArray[np.uint8]:
        """What marks addresses; `visits` has room for them."""
        marks = counted.marks()
        if len(self.visits) < len(marks):
            self.visits = np.pad(self.visits, (0, len(marks) - len(self.visits)))
        return marks

    def credit(self, host: Tokens, origins: Tokens, counts: NDArray[np.int64]) -> None:
        """Add steps of another engine to the counts: `counts[i]` steps from token `origins[i]`."""
        numbers, counted = self.code.met(host, origins), self.want.counted
        np.add.at(self.used, numbers[numbers >= 0], counts[numbers >= 0].astype(np.uint32))
        if counted is not None:
            marks, at = self._marks(counted), counted.addresses(origins)
            inside = at < len(marks)
            np.add.at(self.visits, at[inside], counts[inside].astype(np.uint32))

    def _advance(self) -> bool:
        state = self._state
        while True:
            state.rows = 0
            code = self.code.table.ctypes.data, self.code.blocks.ctypes.data
            reason = self.code.driver.rows_run(ctypes.byref(state), *code)
            if state.rows:
                self._see(self._seen[: state.rows])
            if reason == ROW:
                began, cpu = time.perf_counter(), time.thread_time()
                known = self.code.add(int(state.slot))
                self.waited += time.perf_counter() - began
                self.making += time.thread_time() - cpu
                if not known:
                    fixed = self.code.fixed(int(state.slot))
                    raise LiftedCodeStopped(f"a row that was not derived: {fixed}")
            elif reason == ARRAY:
                self._allocate(int(state.slot))
            elif reason == UNPROVED and not self._leads_now():
                if any(self.token()[p] for p in self.want.stops):
                    return True
            elif reason == UNPROVED:
                raise LiftedCodeStopped("a step that no proof covers")
            elif reason == OUT:
                self._by_formulas()
                if any(self.token()[p] for p in self.want.stops):
                    return True
            elif reason != FULL:
                return bool(reason == STOPPED)
            elif len(self.seen) >= PIECES and not state.tape:
                return False

    def _see(self, words: Words) -> None:
        """Note what is told of tokens to be seen."""
        self.seen.append(tuple(self._number(words, parts) for parts in self.want.shown))

    def _number(self, words: Words, parts: Sequence[int]) -> Words:
        """The number that parts of each token say."""
        group, shift = self.frame.place[parts[0]]
        at = shift // 8
        if tuple(parts) == self.frame.groups[group][at : at + len(parts)]:
            mask = (1 << 8 * len(parts)) - 1 if len(self.frame.groups[group]) > 1 else 0xFFFF
            return words[:, group] >> np.uint64(shift) & np.uint64(mask)
        return number_in(self.tokens(words), parts)

    # One step in Python

    def _by_formulas(self) -> None:
        """Take one step by evaluating its formulas."""
        state, groups = self._state, len(self.frame.groups)
        known = {(OWN, g): int(state.word[g]) for g in range(groups)} | self.constants
        fetch = self.frame.setting.fetch
        known |= {(fetch, g): self._entry(fetch, g, {fetch: self.frame.fetched}, known)
                  for g in range(groups)}  # fmt: skip
        fixed = {
            (source, part): known[source, self.frame.place[part][0]] >> self.frame.place[part][1]
            & 255
            for source, part in self.frame.setting.controls
        }
        try:
            tree = self.code.lifting.whole(fixed)
        except Unsupported as error:
            raise LiftedCodeStopped(str(error)) from None
        while not isinstance(tree, RowLeaf):
            value = self._evaluated(tree.condition, tree.queries, known)
            tree = tree.yes if value else tree.no
        words = []
        for row_word in tree.words:
            guard = row_word.guard
            if guard is not None and not self._evaluated(guard, tree.queries, known):
                raise LiftedCodeStopped("a word is out of range")
            words.append(self._evaluated(row_word.expr, tree.queries, known))
        counted = self.want.counted
        before = self.token()
        tokens = self.tokens(np.array([words], dtype=np.uint64))
        if self._may_lead(tuple(tokens[0].tolist())):
            raise LiftedCodeStopped("a step that no proof covers")
        self._note(np.array([words], dtype=np.uint64))
        state.left -= 1
        state.tally += 0 if counted is None else counted.of(dict(enumerate(before)))
        if state.tape:
            ctypes.memmove(state.tape, np.array(words, dtype=np.uint64).ctypes.data, 8 * groups)
            state.tape += 8 * groups
        if any(tokens[0, part] in values for part, values in self.want.watch):
            self._see(np.array([words], dtype=np.uint64))

    def _evaluated(
        self, expr: WordExpr, queries: Mapping[int, Query], known: dict[Variable, int]
    ) -> int:
        for head, group in expr.variables:
            if (head, group) not in known:
                known[head, group] = self._entry(head, group, queries, known)
        value = expr.value(known)
        assert value is not None
        return value

    def _entry(
        self, head: int, group: int, queries: Mapping[int, Query], known: dict[Variable, int]
    ) -> int:
        """What a head reads."""
        query, owner = queries[head], self.shelf.by_head[head]
        guard = query.index.guard
        if not query.hits or (guard is not None and not self._evaluated(guard, queries, known)):
            raise LiftedCodeStopped("a head whose answer is not proved")
        slot = owner.slot(self._evaluated(query.tags[0], queries, known))
        index = self._evaluated(query.index.expr, queries, known) % 256**owner.digits
        cells = None if slot is None else self._cells.get(slot * len(self.frame.groups) + group)
        word, held = (0, 0) if cells is None else _cell(cells, index)
        if not held and not query.falls_back:
            raise LiftedCodeStopped("a key that was never written")
        return int(word if held else self._special[group])

    def _leads_now(self) -> bool:
        """Whether the last token may be one that a head with a constant query attends to."""
        return self._may_lead(self.token())

    def _may_lead(self, token: Token) -> bool:
        special = (key.extra for key in self.frame.keys.values() if key.extra is not None)
        return any(table[token[part]] for part, table in special) or any(
            score.of(token, self.frame.context - 1) >= self._leads[head]
            for head, score in self.frame.fixed.items()
        )

    # Hot nodes

    @property
    def fixed(self) -> Words:
        """The tokens that heads with a constant query attend to, as words."""
        return self._fixed

    @property
    def special(self) -> Words:
        """The special token, as words."""
        return self._special

    @property
    def flags(self) -> NDArray[np.uint8]:
        """SEEN and UNSAFE by value of the part that tells keys apart."""
        return self._flags

    @property
    def constants(self) -> dict[Variable, int]:
        """What heads with a constant query read."""
        return {
            (head, g): int(word)
            for place, head in enumerate(self.frame.fixed)
            for g, word in enumerate(self._fixed[place])
        }

    def host(self, tokens: Tokens) -> HostTokens:
        """What tokens of the host say to those who make code for hot nodes."""
        special = self._special.tolist()
        return HostTokens(self.shelf, tokens, self.constants, special, self._leads)

    @property
    def has_region(self) -> bool:
        """Whether hot nodes have code."""
        return self._region is not None

    def install(self, region: Region) -> None:
        """Use the code of hot nodes from now on."""
        self._dropped |= {*region.dropped}
        for array in region.arrays:
            self._allocate(array // len(self.frame.groups))
        self._region = region
        self._state.enter = region.enter.ctypes.data
        self._state.enterable = len(region.enter)
        self._state.blocks = ctypes.cast(region.library.lifted_run, ctypes.c_void_p).value

    def latest(self, token: Token, group: int) -> int | None:
        """The word of a group in the latest token that has the key of this one.

        None if there is no such token; 0 if it is not known whether there is.
        """
        key, owner = self.frame.longest, self.shelf.longest
        slot = owner.slot_of(token[owner.part])
        digits = self.frame.groups[key.group][: key.digits]
        index = sum(token[p] << 8 * d for d, p in enumerate(digits))
        twin = self.shelf.twin(slot)
        if twin is not None:
            if index >= 256 ** self.shelf.digits(twin):
                return None
            slot = twin
        cells = self._cells.get(slot * len(self.frame.groups) + group)
        word, held = (0, 0) if cells is None else _cell(cells, index)
        return word if held else None


def _chunked(cells: Words) -> Words:
    return cells.reshape(-1, CHUNK)


def _touched(cells: Words) -> NDArray[np.int64]:
    """Return the chunks of an array in pages that were touched, as the system says."""
    first, count = cells.ctypes.data // mmap.PAGESIZE, -(-cells.nbytes // mmap.PAGESIZE)
    held, none = [np.zeros(0, dtype=np.int64)], bytes(8 * PAGES)
    try:
        with open("/proc/self/pagemap", "rb", buffering=0) as pages:
            pages.seek(8 * first)
            for begin in range(0, count, PAGES):
                flags = pages.read(8 * min(PAGES, count - begin))
                if flags != none:
                    in_use = np.frombuffer(flags, dtype=np.uint64) >> np.uint64(62)
                    held.append(begin + np.flatnonzero(in_use))
    except OSError as error:
        raise EngineUnavailable(
            f"lifted: this system does not tell which pages are in use ({error}); "
            "save checkpoints with --engine native"
        ) from None
    each = mmap.PAGESIZE // (8 * CHUNK)
    chunks = np.concatenate(held)[:, None] * each + np.arange(each)
    return chunks[chunks < len(_chunked(cells))]


def _cell(cells: Words, index: int) -> tuple[int, int]:
    """A word of an array, and whether it was written, as far as the array says."""
    word, *held = cells[index].tolist()
    return word, held[0] if held else 1
