"""Compare two runs of a program; find the first step at which they differ."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.recording import Recording
from transputer.machines.trace.tape import Rows
from transputer.machines.trace.vocabulary import LAYOUT, WORD, Record, Space, record
from transputer.oracle.core_machine import CoreMachine
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference of two runs: step (counted from 1), program counter, and what differs.

    `step` is 0 if all steps agree and only the results differ.
    """

    step: int
    pc: int
    what: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.what}: {self.first} against {self.second}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first difference between two runs, if any, and the number of steps compared."""

    difference: Difference | None
    steps: int
    instruction: str = ""
    line: str = ""


class RunsDiffer(Exception):
    """Raised inside a run to end it at the first difference."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


def of_tokens(first: Rows, second: Rows, host: Sequence[int]) -> Difference | None:
    """Return the first difference between the tokens of two runs, if any.

    `host` are the positions of the host's tokens in the first run.
    """
    count = min(len(first), len(second))
    differing = np.flatnonzero((first[:count] != second[:count]).any(axis=1))
    at = int(differing[0]) if len(differing) else count
    if at == count and len(first) == len(second):
        return None
    step = at + 1 - int(np.searchsorted(np.array(host), at, side="right"))
    pc = record(tuple(first[at - 1].tolist())).pc
    if at == count:
        return Difference(step, pc, "number of tokens", f"{len(first):,}", f"{len(second):,}")
    one, other = (record(tuple(rows[at].tolist())) for rows in (first, second))
    names = [name for name, _ in LAYOUT if getattr(one, name) != getattr(other, name)]
    parts = [", ".join(f"{n} {getattr(r, n)}" for n in names) for r in (one, other)]
    return Difference(step, pc, f"token {at}", *parts)


class Follower:
    """Compares an interpreter of core code with the tokens of a run; `watch` is its observer.

    Before every instruction, the state in the tokens and everything that they wrote must equal
    the interpreter's. `memories` maps the number of a space to the address of its memory; `frame`
    is the interpreter's name of the frame pointer (assembly code has one for its variables).
    """

    def __init__(
        self,
        tokens: Rows,
        decoded: NDArray[np.int64],
        memories: dict[int, int],
        frame: str = "fp",
    ) -> None:
        self._tokens = tokens
        self._frame = frame
        self._decoded = decoded
        self._memories = memories
        self._at = 0  # number of decoded tokens compared
        self._state: Record | None = None

    def watch(self, machine: CoreMachine) -> None:
        """Compare before the interpreter executes its next instruction."""
        if machine.steps == 0:
            self._state = self._begin()
        else:
            self._follow(machine)
        assert self._state is not None
        for name, own in (("pc", "pc"), ("sp", "sp"), ("fp", self._frame)):
            decoded, expected = getattr(self._state, name), getattr(machine, own)
            if decoded != expected:
                self._differ(name, decoded, expected)

    def _begin(self) -> Record:
        """Return the invocation: the host's last token before the next decoded one."""
        return self._record(int(self._decoded[self._at]) - 1)

    def _record(self, position: int) -> Record:
        return record(tuple(self._tokens[position].tolist()))

    def _follow(self, machine: CoreMachine) -> None:
        """Check the tokens of the last instruction, up to the state that begins the next."""
        for now in self._instruction():
            self._check(machine, now)
        assert self._state is not None
        if self._state.status:
            self._differ("status", self._state.status, 0)

    def _instruction(self) -> Iterator[Record]:
        while True:
            if self._at == len(self._decoded):
                self._differ("number of steps", self._at, "more")
            position = int(self._decoded[self._at])
            self._at += 1
            last = self._at == len(self._decoded)
            # the host's answers follow, up to the next decoded token
            end = len(self._tokens) if last else int(self._decoded[self._at])
            for place in range(position, end):
                self._state = self._record(place)
                yield self._state
            if self._state is not None and self._state.phase == 0:
                return

    def _check(self, machine: CoreMachine, now: Record) -> None:
        expected = self._expected(machine, now)
        if expected is not None and expected != now.value:
            name = "memory word" if now.space in self._memories else Space(now.space).name.lower()
            self._differ(f"{name} {now.at}", now.value, expected)

    def _expected(self, machine: CoreMachine, now: Record) -> int | None:
        """Return the interpreter's value where a token wrote; None if it has no comparable one."""
        store = machine.image.store
        if now.space == Space.SLOT:
            # slots above the stack pointer are dead: the interpreter may differ there
            return machine.slots[now.at] if now.at < machine.sp else None
        if now.space == Space.GLOBAL:
            return store.globals[now.at].value
        if now.space in self._memories:
            return store.memories[self._memories[now.space]].load(now.at * WORD, WORD)
        return None

    def _differ(self, what: str, decoded: object, expected: object) -> None:
        state = self._state
        pc = state.pc if state is not None else 0
        raise RunsDiffer(Difference(self._at, pc, what, str(decoded), str(expected)))


def first_difference(first: Recording, second: Recording) -> int | None:
    """Return the position of the first token in which two recordings differ, if any does."""
    at, end = 0, min(first.length, second.length)
    while at < end:
        windows = first.window(at), second.window(at)
        stop = min(end, *(window.end for window in windows))
        one, other = (w.segment[at - w.start : stop - w.start] for w in windows)
        differing = np.flatnonzero((one != other).any(axis=1))
        if len(differing):
            return at + int(differing[0])
        at = stop
    return None if first.length == second.length else end
