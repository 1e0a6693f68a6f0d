"""A session in lifted code: arrays of what was written, and code for the next steps."""

import ctypes
import mmap
import sys
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.code import load
from transputer.engines.lifted.decoder.emit import UNKNOWN, BlockEmitter, shared_arrays
from transputer.engines.lifted.decoder.expr import Variable, WordExpr
from transputer.engines.lifted.decoder.lifting import Lifting
from transputer.engines.lifted.decoder.program import (
    NOWHERE,
    LiftedArray,
    LiftedProgram,
    Node,
    Want,
    array_of,
    place,
)
from transputer.engines.lifted.decoder.rows import Key, Query, RowLeaf
from transputer.errors import Unsupported
from transputer.model import Token

#: Tokens to be seen that the code hands over at once.
ROOM = 1 << 12
#: How often code is generated for states that were not foreseen.
PATIENCE = 16
#: If C refuses one step in this many or more, another engine takes over.
PATIENT = 2000
MAX_GROUPS = 64
#: Of mmap: pages that are never touched cost nothing.
_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
Words = list[int]


class LiftedCodeStopped(Exception):
    """Lifted code does not cover the next step."""


class _State(ctypes.Structure):
    """`State` of the C code; the words follow."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("left", "extra", "rows", "room", "next", "from_")),
        *((name, ctypes.c_void_p) for name in ("seen", "tape", "arrays")),
        ("word", ctypes.c_uint64 * MAX_GROUPS),
    )


class Live:
    """The state of a session in lifted code. `steps`, `tally` and `seen` grow as it runs."""

    def __init__(self, lifting: Lifting, want: Want) -> None:
        self.lifting, self.frame, self.want = lifting, lifting.frame, want
        if len(self.frame.groups) > MAX_GROUPS:
            raise Unsupported(f"lifted: {len(self.frame.groups)} words; {MAX_GROUPS} is the most")
        self.host: list[Token] = []
        self.words: Words = []
        self.steps = self.tally = 0
        self.seen: list[Token] = []
        self.program: LiftedProgram | None = None
        self._code: dict[bool, tuple[BlockEmitter, ctypes.CDLL]] = {}
        self._entries: set[Node] = set()
        self._arrays: dict[LiftedArray, NDArray[np.uint64]] = {}
        self._shared: dict[LiftedArray, LiftedArray] = {}
        self._extra: set[Node] = set()
        self._patience = PATIENCE
        self._slow = 0

    # Tokens of the host

    def append(self, token: Token) -> None:
        """Append a token of the host to the arrays; drop code that relied on its absence."""
        self.host.append(token)
        self.words = self.frame.words(token)
        if self.program is not None:
            keys = [(key, *place(self.frame, key, token)) for key in self.frame.keys.values()]
            folded = {key for emitter, _ in self._code.values() for key in emitter.folded}
            if (
                self.program.outdated_by(token)
                or any(key in folded for key in keys)
                or any(self._too_far(*pair) for pair in self._shared.items())
            ):
                self.program = None
            else:
                self.program.prompt.note(token)
        self._write(self.words)

    def _too_far(self, array: LiftedArray, same: LiftedArray) -> bool:
        """Whether the token just appended tells two arrays apart that were one."""
        index = self.words[array.index]
        return array != same and self._belongs(same, self.words) and index >= 256**same.digits

    def _belongs(self, array: LiftedArray, words: Words) -> bool:
        """Whether a token with these words goes to an array."""
        values = (table[words[self.frame.place[p][0]]] for p, table in array.tags)
        return tuple(values) == array.wanted

    def token(self) -> Token:
        """The last token."""
        values = [0] * len(self.frame.sizes)
        for word, parts in zip(self.words, self.frame.groups, strict=True):
            for d, p in enumerate(parts):
                values[p] = word >> 8 * d & 255 if len(parts) > 1 else word
        return tuple(values)

    # Code

    def _prepare(self, record: bool) -> tuple[BlockEmitter, ctypes.CDLL]:
        """Code for the program that does or does not record all tokens."""
        if self.program is None:
            self._make()
        assert self.program is not None
        if record not in self._code:
            emitter = BlockEmitter(self.program, [*self._entries, *self._extra], single=record)
            self._code[record] = emitter, load(emitter.text)
        return self._code[record]

    def _make(self) -> None:
        self._entries = {self._node()}
        try:
            program = LiftedProgram(
                self.frame,
                self.host,
                self.want,
                self.lifting.row,
                [*self._entries, *self._extra],
            )
            arrays = program.arrays()
            shared = shared_arrays(program, arrays)
        except Unsupported as error:
            raise LiftedCodeStopped(str(error)) from None
        self._code = {}
        before, self._arrays, self._shared = self._arrays, {}, {}
        for array, number in zip(arrays, shared, strict=True):
            same = arrays[number]
            self._shared[array] = same
            if same not in self._arrays:
                self._arrays[same] = before[same] if same in before else self._array(same)
        self.program = program

    def _array(self, array: LiftedArray) -> NDArray[np.uint64]:
        """A new array with what the host has appended; too late if steps may have written to it."""
        if self.steps:
            raise LiftedCodeStopped("an array is needed that was not kept")
        size = 16 * 256**array.digits
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
        try:
            memory = mmap.mmap(-1, size, flags=flags)
        except (OSError, ValueError) as error:
            raise LiftedCodeStopped(f"no room for an array: {error}") from None
        cells: NDArray[np.uint64] = np.frombuffer(memory, dtype=np.uint64).reshape(-1, 2)
        mask = 256**array.digits - 1
        for token in self.host:
            if array.holds(token):
                words = self.frame.words(token)
                cells[words[array.index] & mask] = words[array.group], 1
        return cells

    def _node(self) -> Node:
        return tuple(self.words[g] for g in self.frame.setting.static)

    # Running

    def advance(
        self, limit: int, tape: NDArray[np.uint64] | None = None, exact: bool = True
    ) -> bool:
        """Take up to `limit` steps; return whether the last one was one that stops.

        With a tape, the words of every token go to its rows. Unless `exact`, it may end a few
        steps early. Raises `LiftedCodeStopped` if lifted code cannot go on; the steps before count.
        """
        goal, first = self.steps + limit, self.steps
        while self.steps < goal:
            emitter, _ = self._prepare(tape is not None)
            node, before = self._node(), self.steps
            need = emitter.need(node)
            if need is not None and need <= goal - self.steps:
                rest = None if tape is None else tape[self.steps - first :]
                if self._call(goal, rest) == UNKNOWN:
                    self._learn(tape is not None)
                if self.steps > before:
                    continue
                self._slow += 1
            elif need is not None and not exact and self.steps > first:
                return False  # fewer steps are left than a block has
            elif node not in self._known().steps:
                self._learn(tape is not None)
                continue
            stopped = self._slow_step()
            if tape is not None:
                tape[self.steps - 1 - first] = self.words
            if stopped:
                return True
            if self._slow > PATIENT and self._slow * PATIENT > self.steps:
                raise LiftedCodeStopped("too many steps that are not as foreseen")
        return False

    def _known(self) -> LiftedProgram:
        assert self.program is not None
        return self.program

    def _learn(self, record: bool) -> None:
        """Generate code for the current state, if there is none."""
        node = self._node()
        if self._prepare(record)[0].need(node) is not None:
            return
        self._patience -= 1
        if self._patience < 0 or node in self._extra:
            raise LiftedCodeStopped("too many states that were not foreseen")
        self._extra.add(node)
        self.program = None

    def _call(self, goal: int, tape: NDArray[np.uint64] | None) -> int:
        """Run C until it returns; return the reason."""
        emitter, library = self._prepare(tape is not None)
        groups = len(self.frame.groups)
        pointers = (ctypes.c_void_p * (len(emitter.arrays) + 1))()
        for i, array in enumerate(emitter.arrays):
            pointers[i] = self._arrays[self._shared[array]].ctypes.data
        seen = np.empty((ROOM, groups), dtype=np.uint64)
        state = _State(goal - self.steps, 0, 0, ROOM, 0, 0)
        state.seen, state.arrays = seen.ctypes.data, ctypes.addressof(pointers)
        state.tape = None if tape is None else tape.ctypes.data
        for g, word in enumerate(self.words):
            state.word[g] = word
        reason = int(library.lifted_run(ctypes.byref(state), emitter.numbers[self._node()]))
        done = goal - self.steps - state.left
        self.steps, self.tally = self.steps + done, self.tally + done - state.extra
        words = list(state.word[:groups])
        for g, value in emitter.tokens[state.from_].items():
            words[g] = value
        if state.next >= 0:
            node = emitter.nodes[state.next]
            for g, value in zip(self.frame.setting.static, node, strict=True):
                words[g] = value
        for row in seen[: state.rows].tolist():
            self.words = row
            self.seen.append(self.token())
        self.words = words
        return reason

    # One step in Python

    def _slow_step(self) -> bool:
        """Take one step by evaluating its formulas; return whether it stops."""
        program = self.program
        assert program is not None
        node = self._node()
        step = program.steps.get(node)
        if step is None or step.tree is NOWHERE:
            raise LiftedCodeStopped("a step that was not lifted")
        known = {**step.known, **{(OWN, g): w for g, w in enumerate(self.words)}}
        tree = step.tree
        while not isinstance(tree, RowLeaf):
            self._need(tree.condition, tree.queries, known)
            tree = tree.yes if tree.condition.value(known) else tree.no
        words = []
        for word in tree.words:
            for expr in (word.guard, word.expr):
                if expr is not None:
                    self._need(expr, tree.queries, known)
            if word.guard is not None and not word.guard.value(known):
                raise LiftedCodeStopped("a word is out of range")
            value = word.expr.value(known)
            assert value is not None
            words.append(value)
        self._write(words)
        self.words = words
        self.steps, self.tally = self.steps + 1, self.tally + step.weight
        token = self.token()
        if any(token[p] in chosen for p, chosen in self.want.watch):
            self.seen.append(token)
        return any(token[p] for p in self.want.stops)

    def _need(
        self, expr: WordExpr, queries: Mapping[int, Query], known: dict[Variable, int]
    ) -> None:
        for head, group in expr.variables:
            if (head, group) not in known:
                known[head, group] = self._read(head, group, queries[head], queries, known)

    def _read(
        self,
        head: int,
        group: int,
        query: Query,
        queries: Mapping[int, Query],
        known: dict[Variable, int],
    ) -> int:
        guard = query.index.guard
        for expr in (*query.tags, query.index.expr, *([] if guard is None else [guard])):
            self._need(expr, queries, known)
        if not query.hits or (guard is not None and not guard.value(known)):
            raise LiftedCodeStopped("a head whose answer is not proved")
        key = self.frame.keys[head]
        tags = tuple(v for t in query.tags if (v := t.value(known)) is not None)
        index = query.index.expr.value(known)
        assert self.program is not None and index is not None
        word = self._held(key, tags, index, group)
        if word is None and query.falls_back:
            special = self.program.prompt.special(key)
            word = None if special is None else self.frame.words(special)[group]
        if word is None:
            raise LiftedCodeStopped("a key that was never written")
        return word

    def _held(self, key: Key, tags: tuple[int, ...], index: int, group: int) -> int | None:
        """The word that the latest token with a key has."""
        assert self.program is not None
        if tags not in self.program.written_tags(key):
            token = self.program.prompt.find(key, tags, index)
            return None if token is None else self.frame.words(token)[group]
        same = self._shared.get(array_of(key, tags, group))
        if same is None:
            raise LiftedCodeStopped("a word is needed that was not kept")
        word, held = self._arrays[same][index].tolist()
        return word if held else None

    def _write(self, words: Words) -> None:
        for array, memory in self._arrays.items():
            if self._belongs(array, words):
                index = words[array.index] & (256**array.digits - 1)
                memory[index] = words[array.group], 1

    def latest(self, token: Token, group: int) -> int | None:
        """The word of a group in the latest token that has the key of this one."""
        if self.program is None:
            self._make()
        key = self.frame.longest
        tags, index = place(self.frame, key, token)
        return self._held(key, tags, index, group)
