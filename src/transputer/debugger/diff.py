"""The first step in which two ways of running a program differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transputer.machines.trace.tape import Rows
from transputer.machines.trace.vocabulary import LAYOUT, WORD, Record, Space, record
from transputer.oracle.core_machine import CoreMachine


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two runs part: the step (counted from 1), the place in the code, and what differs.

    `step` is 0 where the runs agree step by step and only what came out differs.
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
    """The first difference between two runs, if any, and how many steps were compared."""

    difference: Difference | None
    steps: int
    instruction: str = ""
    line: str = ""


class Parted(Exception):
    """Raised inside a run that is compared, to end it where it differs."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


def of_tokens(first: Rows, second: Rows, host: Sequence[int]) -> Difference | None:
    """Between the tokens of two runs; `host` are positions of the host's tokens in the first."""
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
    shown = [", ".join(f"{n} {getattr(r, n)}" for n in names) for r in (one, other)]
    return Difference(step, pc, f"token {at}", *shown)


class Follower:
    """Follows an interpreter of core code along the tokens of a run: `watch` is its observer.

    Before every instruction, the state that the tokens say and all that they wrote must be what
    the interpreter holds. `memories` are the addresses of memories by the number of their space;
    `frame` is what the interpreter calls the frame: assembly code has one for its variables.
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
        self._at = 0  # how many decoded tokens were followed
        self._state: Record | None = None

    def watch(self, machine: CoreMachine) -> None:
        """The interpreter is about to make a step."""
        if machine.steps == 0:
            self._state = self._begin()
        else:
            self._follow(machine)
        assert self._state is not None
        for name, own in (("pc", "pc"), ("sp", "sp"), ("fp", self._frame)):
            said, held = getattr(self._state, name), getattr(machine, own)
            if said != held:
                self._part(name, said, held)

    def _begin(self) -> Record:
        """An invocation: the host's last token before the next decoded one."""
        return self._record(int(self._decoded[self._at]) - 1)

    def _record(self, position: int) -> Record:
        return record(tuple(self._tokens[position].tolist()))

    def _follow(self, machine: CoreMachine) -> None:
        """The tokens of the instruction that was made, up to a state that begins another."""
        for now in self._instruction():
            self._check(machine, now)
        assert self._state is not None
        if self._state.status:
            self._part("status", self._state.status, 0)

    def _instruction(self) -> Iterator[Record]:
        while True:
            if self._at == len(self._decoded):
                self._part("number of steps", self._at, "more")
            position = int(self._decoded[self._at])
            self._at += 1
            last = self._at == len(self._decoded)
            # what the host answers follows, up to the next decoded token
            end = len(self._tokens) if last else int(self._decoded[self._at])
            for place in range(position, end):
                self._state = self._record(place)
                yield self._state
            if self._state is not None and self._state.phase == 0:
                return

    def _check(self, machine: CoreMachine, now: Record) -> None:
        held = self._held(machine, now)
        if held is not None and held != now.value:
            name = "memory word" if now.space in self._memories else Space(now.space).name.lower()
            self._part(f"{name} {now.at}", now.value, held)

    def _held(self, machine: CoreMachine, now: Record) -> int | None:
        """What the interpreter holds where a token wrote; None where nothing can be compared."""
        store = machine.image.store
        if now.space == Space.SLOT:
            # what is above the stack pointer by now is the interpreter's own business
            return machine.slots[now.at] if now.at < machine.sp else None
        if now.space == Space.GLOBAL:
            return store.globals[now.at].value
        if now.space in self._memories:
            return store.memories[self._memories[now.space]].load(now.at * WORD, WORD)
        return None

    def _part(self, what: str, said: object, held: object) -> None:
        state = self._state
        pc = state.pc if state is not None else 0
        raise Parted(Difference(self._at, pc, what, str(said), str(held)))
