"""Sessions on the trace machine: what the host appends, and what it makes of what is decoded.

A session is one sequence of tokens that only grows: programs, data, invocations, input and the
results of host functions are appended by the host; everything else is decoded from the weights.
The host never computes what a program does. It notes what tokens say was written, so that it
can hand results, memories and globals out.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.protocol import DecoderEngine
from transputer.errors import CapacityError, StepLimitError, Trap, TrapError, Unsupported
from transputer.host.console import Console, devices_module
from transputer.host.outcome import DEFAULT_STEPS, CallOutcome, Pulse, quiet
from transputer.host.session import ModuleSession
from transputer.host.store import HostFunction, Instance, Store, check_arguments
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule, core
from transputer.ir.module import MAX_PAGES, PAGE, FuncType
from transputer.isa.core import MAX_FRAMES, MAX_SLOTS
from transputer.isa.op import Op
from transputer.machines.trace.addressing import DIGITS, Addressing
from transputer.machines.trace.encoded import CodeSite, EncodedCode, encoded, number_of
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.prompt import (
    HINT,
    Places,
    answer,
    descriptor,
    encode_rows,
    invocation,
)
from transputer.machines.trace.tape import SHOWN, SPACE, Rows, ShownWrites, Tape, field
from transputer.machines.trace.vocabulary import (
    SLOTS,
    WORD,
    Record,
    Space,
    Status,
    record,
    token_rows,
    written_rows,
)

if TYPE_CHECKING:  # most runs have no checkpoints
    from transputer.machines.trace.checkpoint import Stop

#: Words of a page.
WORDS = PAGE // WORD
#: Words of initial data that a session takes: each is a token, of some 250 bytes in all.
MAX_INITIAL = 1 << 22
#: Instructions, or bytes of initial data, that become tokens together.
CHUNK = 1 << 16
Watch = Callable[[Record, Record], None]


def _marks_of(implied: list[bool]) -> Callable[[], NDArray[np.uint8]]:
    """What tells, by pc, 1 for an instruction of the program as written.

    The engine keeps it. It does not refer to the session, so that a session that nobody needs is
    freed at once, with its arrays.
    """
    marks = np.zeros(0, dtype=np.uint8)

    def told() -> NDArray[np.uint8]:
        nonlocal marks
        if len(marks) != len(implied):
            marks = 1 - np.array(implied, dtype=np.uint8)
        return marks

    return told


class TraceExecutor:
    """Loads core code as tokens and lets the engine run it."""

    def __init__(
        self,
        store: Store,
        tape: Tape,
        console: Console,
        frames: int = MAX_FRAMES,
        addressing: Addressing = DIGITS,
    ) -> None:
        self.store = store
        self.reach = addressing.reach
        self.console = console
        self.tape = tape
        self.steps = self.instructions = self.shown = 0  # of the invocation; bytes of output
        self.earlier = 0  # steps of the invocations before
        self.seconds = 0.0  # of all invocations
        self.before = Record()  # the token before the last step, unless the engine sprints
        self.functions: dict[int, CoreFunction] = {}
        self.types: list[FuncType] = []
        self.implied: list[bool] = []  # by pc: lowering added it
        self._marks = _marks_of(self.implied)
        self._listed: list[CoreInstr] = []
        self._unlisted: list[Callable[[], Iterable[CoreInstr]]] = []  # what follows it
        self.spaces: dict[tuple[str, int], int] = {}
        #: By memory in which no instruction wrote yet: the word from which on all are zero.
        self.zero_from: dict[int, int] = {}
        self.initial = 0  # words of initial data
        self.watch: Watch | None = None
        self.untyped = False  # code of the assembly: its result is the whole stack
        self.tape.expect(self._marks)
        self._begin(frames)

    def _begin(self, frames: int) -> None:
        """Append what every session starts with: the sentinel and the stack limits."""
        self.tape.append(Record(space=Space.SENTINEL))
        slots = min(MAX_SLOTS, self.reach)
        limits = min(frames, self.reach) - 1 | slots // SLOTS << 16
        self.tape.append(Record(space=Space.SIZE, value=limits))

    # Loading

    def load(self, instance: Instance, module: CoreModule) -> None:
        """Append a module: sizes, globals, code, function descriptors, segments."""
        self._load_sizes(instance)
        imported = len(instance.functions) - len(module.functions)
        for address in instance.functions[:imported]:
            self._load_host(address)
        base = len(self.implied)
        for address, f in zip(instance.functions[imported:], module.functions, strict=True):
            self.functions[address] = CoreFunction(
                f.type, f.entry + base, f.locals, f.frame, f.name
            )
        code = self._load_code(instance, module, base)
        self._load_descriptors(instance)
        if self.tape.written.get(Space.FUNC, 0) is None and code.indirect:
            # what a null reference finds: no function, but a token of its own
            self.tape.append(Record(space=Space.FUNC))

    def _load_sizes(self, instance: Instance) -> None:
        for kind, addresses, sizes in (
            ("memory", instance.memories, [m.size >> 16 for m in self.store.memories]),
            ("table", instance.tables, [t.size for t in self.store.tables]),
        ):
            for address in addresses:
                if (kind, address) not in self.spaces:
                    self._check_reach(kind, sizes[address])
                    space = Space.FIRST + len(self.spaces)
                    if space > 255:
                        raise CapacityError("more than 240 memories and tables in one session")
                    self.spaces[kind, address] = space
                    self.zero_from[space] = 0
                    self.tape.append(Record(space=Space.SIZE, at=space, value=sizes[address]))
        for address in instance.globals:
            if self.tape.written.get(Space.GLOBAL, address) is None:
                value = self.store.globals[address].value
                self.tape.append(Record(space=Space.GLOBAL, at=address, value=value))

    def _kind(self, space: int) -> str:
        return next(kind for (kind, _), number in self.spaces.items() if number == space)

    def _check_reach(self, kind: str, size: int) -> None:
        """Everything that can be addressed must be within what scores can tell apart."""
        cells = size * WORDS if kind == "memory" else size
        if cells > self.reach:
            raise CapacityError(
                f"a {kind} of {cells:,} {'words' if kind == 'memory' else 'elements'}; "
                f"this model's addressing reaches {self.reach:,}"
            )

    def _places(self) -> Places:
        return Places(
            self.functions,
            {a: space for (kind, a), space in self.spaces.items() if kind == "memory"},
            {a: space for (kind, a), space in self.spaces.items() if kind == "table"},
            [MAX_PAGES if m is None else m for m in self.store.maxima],
            [t.limit for t in self.store.tables],
        )

    def _load_code(self, instance: Instance, module: CoreModule, base: int) -> EncodedCode:
        needed = base + len(module.code)
        if needed > self.reach:
            raise CapacityError(f"{needed:,} instructions; this model reaches {self.reach:,}")
        own = instance.functions, instance.tables, instance.memories, instance.globals
        site = CodeSite(base, *own, module.declarations.types, self.types, self._places())
        code = encoded(module, site)
        for first in range(0, len(code.rows), CHUNK):
            self.tape.extend(code.rows[first : first + CHUNK])
        self.untyped = code.untyped
        self.implied += map(bool, code.implied)
        self._unlisted.append(lambda: site.relocated(module.code))
        return code

    @property
    def listing(self) -> list[CoreInstr]:
        """The code by address, for people."""
        while self._unlisted:
            self._listed += self._unlisted.pop(0)()
        return self._listed

    def _load_host(self, address: int) -> None:
        """A function of the host is two instructions: ask the host, return."""
        host = self.store.functions[address]
        if not isinstance(host, HostFunction) or address in self.functions:
            return
        pc, params, results = len(self.implied), len(host.type.params), len(host.type.results)
        self.functions[address] = CoreFunction(host.type, pc, params, params + results, host.name)
        self.tape.append(Record(space=Space.CODE, at=pc, op=OPCODES["host"], value=address))
        back = (core("return", results, implied=True),)
        self.tape.extend(encode_rows(back, pc + 1, self._places()))
        self.implied += (True, True)
        ask = CoreInstr(Op("host", 0, ":", "Ask the host."), (), None, True)
        self._unlisted.append(lambda: (ask, *back))

    def _load_descriptors(self, instance: Instance) -> None:
        known = self.tape.written
        new = [a for a in instance.functions if known.get(Space.FUNC, a + 1) is None]
        records = []
        for address in dict.fromkeys(new):
            function = self.functions[address]
            number, parts = number_of(function.type, self.types), descriptor(function)
            records.append(Record(space=Space.FUNC, at=address + 1, depth=number, **parts))
        self.tape.extend(token_rows(records))

    def write_global(self, address: int, value: int) -> None:
        """Append a value of a global."""
        self.store.globals[address].value = value
        self.tape.append(Record(space=Space.GLOBAL, at=address, value=value))

    def write_table(self, address: int, start: int, references: list[int]) -> None:
        """Append elements of a table."""
        if start + len(references) > self.store.tables[address].size:
            raise TrapError(Trap.TABLE_OUT_OF_BOUNDS)
        space = self.spaces["table", address]
        for at, value in enumerate(references, start):
            self.tape.append(Record(space=space, at=at, value=value))

    def write_memory(self, address: int, start: int, data: bytes) -> None:
        """Append the words that data change; `CapacityError` for more than a session takes."""
        if start + len(data) > self.store.memories[address].size:
            raise TrapError(Trap.MEMORY_OUT_OF_BOUNDS)
        space = self.spaces["memory", address]
        inside = np.frombuffer(data, dtype=np.uint8)[-start % WORD :]
        whole = inside[: len(inside) // WORD * WORD].view("<u8")
        zero = space in self.zero_from and start >= WORD * self.zero_from[space]
        self._check_initial(int(np.count_nonzero(whole)) if zero else 0)
        for first in range(start // WORD * WORD, start + len(data), CHUNK):
            piece = range(max(first, start), min(first + CHUNK, start + len(data)))
            self._write_words(space, piece, data[piece.start - start : piece.stop - start])

    def read_memory(self, address: int, start: int, count: int) -> bytes:
        """Return bytes of a memory as the tokens so far have written it."""
        space = self.spaces["memory", address]
        words = range(start // WORD, -(-(start + count) // WORD))
        values = [self.tape.read(space, word) for word in words]
        return np.array(values, dtype="<u8").tobytes()[start % WORD :][:count]

    def _write_words(self, space: int, where: range, data: bytes) -> None:
        """Append the words that some bytes change."""
        words = range(where.start // WORD, -(-where.stop // WORD))
        zero_from = self.zero_from.get(space, words.stop)
        known = words[: max(0, zero_from - words.start)]  # those after them are zero
        old = np.zeros(len(words), dtype="<u8")
        old[: len(known)] = [self.tape.read(space, word) for word in known]
        after = bytearray(old.tobytes())
        at = where.start - WORD * words.start
        after[at : at + len(data)] = data
        new = np.frombuffer(bytes(after), dtype="<u8")
        changed = np.flatnonzero(new != old)
        self._check_initial(len(changed))
        self.initial += len(changed)
        self.tape.extend(written_rows(space, words.start + changed, new[changed]))
        if space in self.zero_from:
            self.zero_from[space] = max(zero_from, words.stop)

    def _check_initial(self, more: int) -> None:
        if self.initial + more > MAX_INITIAL:
            raise CapacityError(
                f"{self.initial + more:,} words of initial data that are not zero, "
                f"at most {MAX_INITIAL:,}; {HINT}"
            )

    # Running

    def invoke(
        self, address: int, args: list[int], limit: int, pulse: Pulse = quiet
    ) -> CallOutcome:
        """Append the invocation and decode until the program stops."""
        function = self.functions[address]
        check_arguments(function.type, args)
        if function.frame > min(MAX_SLOTS, self.reach):  # no frame at all is open yet
            return CallOutcome(trap=Trap.STACK_EXHAUSTED)
        self.zero_from.clear()
        for item in invocation(function, args):
            self.tape.append(item)
        return self._run(len(function.type.results), limit, pulse)

    def _run(self, results: int, limit: int, pulse: Pulse) -> CallOutcome:
        began = time.perf_counter()
        try:
            return self._decode(results, limit, pulse)
        finally:
            self.seconds += time.perf_counter() - began

    @property
    def all_steps(self) -> int:
        """The steps of all invocations so far."""
        return self.earlier + self.steps

    def _decode(self, results: int, limit: int, pulse: Pulse) -> CallOutcome:
        self.earlier = self.all_steps
        self.steps = self.instructions = 0
        while True:
            if self.steps >= limit:
                raise StepLimitError(limit)
            if self.tape.skipping:
                self._skip()
            else:
                self._advance(limit - self.steps)
            pulse(self.steps)
            now = self.tape.last
            if now.status:
                self.tape.note_stop(self.here)
                if not self._serve(now):
                    return self._outcome(now, results)

    def _advance(self, limit: int) -> None:
        before = self.tape.last
        if self.tape.sprinter is not None and self.watch is None:
            steps, instructions, seen, read = self.tape.sprint(limit, self.console.ahead())
            self.console.skip(read)
            self.steps += steps
            self.instructions += instructions
            self._show(seen)
            return
        rows = self.tape.advance(limit)
        self.before = record(tuple(rows[-2].tolist())) if len(rows) > 1 else before
        self.steps += len(rows)
        self.instructions += self._count(before, rows)
        self._show_rows(before, rows)

    def _skip(self) -> None:
        """What a checkpoint without a trace knows of the steps up to its next stop."""
        stop, output = self.tape.skip(self.console.read)
        self.steps, self.instructions = stop.steps, stop.instructions
        self.console.put_all(np.frombuffer(output[self.shown :], dtype="<u2"))
        self.shown = len(output)

    def here(self) -> "Stop":
        """Where the run is."""
        from transputer.machines.trace.checkpoint import Stop

        last = bytes(self.tape.last.token())
        done = self.steps, self.instructions, self.shown, len(self.tape.taken)
        return Stop(self.tape.length - 1, last, *done)

    def _count(self, before: Record, rows: Rows) -> int:
        """How many of these steps began an instruction of the program as written."""
        pcs = np.concatenate([[before.pc], field(rows, "pc")[:-1]])
        phases = np.concatenate([[before.phase], field(rows, "phase")[:-1]])
        return int(np.count_nonzero(self._marks()[pcs] & (phases == 0)))

    def _show(self, written: ShownWrites) -> None:
        """Output goes out, growth is checked."""
        if not len(written.space):
            return
        values = (written.value[written.space == Space.OUTPUT] & np.uint64(0x1FF)).astype("<u2")
        output = values.tobytes()
        self.tape.note_output(output)
        self.shown += len(output)
        self.console.put_all(values)
        for at, size in written.to(Space.SIZE):
            self._check_reach(self._kind(at), size)

    def _show_rows(self, before: Record, rows: Rows) -> None:
        """Show what rows write; watchers see each step."""
        self._show(ShownWrites.of(rows[np.isin(rows[:, SPACE], SHOWN)]))
        if self.watch is not None:
            for row in rows.tolist():
                now = record(tuple(row))
                self.watch(before, now)
                before = now

    def _serve(self, now: Record) -> bool:
        """Do what the program waits for; False if it has stopped."""
        if now.status == Status.INPUT:
            self.tape.append(replace(now, status=0, value=self.console.read() & 0xFFFFFFFF))
            return True
        if now.status != Status.HOST:
            return False
        for item in answer(now, self._call_host(now)):
            self.tape.append(item)
        return True

    def _call_host(self, now: Record) -> list[int]:
        host = self.store.functions[now.value]
        if not isinstance(host, HostFunction):
            raise TypeError("a function of the program was asked of the host")
        count = len(host.type.params)
        if count and self.tape.skipping:
            raise Unsupported(f"a checkpoint without a trace has no arguments for {host.name}")
        args = [self.tape.read(Space.SLOT, now.fp + i) for i in range(count)]
        values = host.call(*args)
        return [] if values is None else list(values) if isinstance(values, tuple) else [values]

    def _outcome(self, now: Record, results: int) -> CallOutcome:
        steps, instructions = self.steps, self.instructions
        self._note_sizes()
        if now.trap is not None:
            return CallOutcome(trap=now.trap, steps=steps, instructions=instructions)
        if now.status == Status.EXIT:
            return CallOutcome(exit_code=now.value, steps=steps, instructions=instructions)
        count = now.sp if self.untyped else results
        values = tuple(self.tape.read(Space.SLOT, i) for i in range(count))
        return CallOutcome(values, steps=steps, instructions=instructions)

    def _note_sizes(self) -> None:
        """Linking later modules and reading exports needs what the program has made of them."""
        for (kind, address), space in self.spaces.items():
            size = self.tape.read(Space.SIZE, space)
            if kind == "memory":
                self.store.memories[address].size = size << 16
            else:
                self.store.tables[address].size = size
        for address, cell in enumerate(self.store.globals):
            if self.tape.written.get(Space.GLOBAL, address) is not None:
                cell.value = self.tape.read(Space.GLOBAL, address)


class TraceSession(ModuleSession):
    """A session whose modules run on the trace machine; other options are those of `Tape`."""

    def __init__(
        self,
        engine: DecoderEngine,
        *,
        console: Console | None = None,
        max_steps: int = DEFAULT_STEPS,
        frames: int = MAX_FRAMES,
        addressing: Addressing = DIGITS,
        **tape: Any,
    ) -> None:
        screen = console or Console()
        super().__init__(
            lambda store: TraceExecutor(store, Tape(engine, **tape), screen, frames, addressing),
            console=screen,
            max_steps=max_steps,
        )
        self.target = self.trace
        self.register("transputer", self.load(devices_module())[0])

    @property
    def trace(self) -> TraceExecutor:
        """The executor, as what it is."""
        if not isinstance(self.executor, TraceExecutor):
            raise TypeError("not a trace session")
        return self.executor

    def load(self, module: CoreModule) -> tuple[Instance, CallOutcome]:
        """Instantiate a module of core code."""
        definitions = [(f.type, f) for f in module.functions]
        return self.instantiate(module.declarations, definitions, module)
