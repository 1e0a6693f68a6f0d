"""Play the corpus: sessions on an engine, recorded token by token."""

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from transputer.check.audit.corpus import CorpusProgram
from transputer.check.audit.stage import Scene
from transputer.engines.protocol import DecoderEngine
from transputer.errors import Trap
from transputer.frontends.asm import assemble
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.console import Console
from transputer.host.memory import LinearMemory
from transputer.host.observation import CallRecord, Observation, digest, observe
from transputer.host.outcome import CallOutcome
from transputer.host.store import Instance
from transputer.ir.asm import AsmProgram
from transputer.ir.core import CoreModule
from transputer.ir.core_verify import verify_core
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.lower.asm import MAIN, lower_asm
from transputer.lower.bulk import lower_bulk
from transputer.lower.pipeline import in_words
from transputer.machines.trace.addressing import DIGITS, Addressing
from transputer.machines.trace.session import TraceSession
from transputer.machines.trace.tape import field
from transputer.machines.trace.vocabulary import WORD, Record, record
from transputer.model import Token

#: Step limit of a program of the corpus.
STEPS = 20_000


@dataclass(frozen=True, slots=True)
class TokenRecording:
    """A session token by token; `decoded[t]` says that token t came out of the weights."""

    name: str
    tokens: tuple[Token, ...]
    decoded: tuple[bool, ...]

    def digest(self) -> str:
        """SHA-256 of the decoded tokens."""
        tokens = zip(self.tokens, self.decoded, strict=True)
        return hashlib.sha256(b"".join(bytes(t) for t, d in tokens if d)).hexdigest()

    @property
    def steps(self) -> int:
        """The number of decoded tokens."""
        return sum(self.decoded)


class TokenRecorder:
    """An engine that records all tokens, the host's and the decoded ones."""

    def __init__(self, engine: DecoderEngine) -> None:
        self.engine = engine
        self.tokens: list[Token] = []
        self.decoded: list[bool] = []

    def append(self, token: Token) -> None:
        """Append a token of the host."""
        self.engine.append(token)
        self._note(token, False)

    def step(self) -> Token:
        """Decode one token."""
        token = self.engine.step()
        self._note(token, True)
        return token

    def _note(self, token: Token, decoded: bool) -> None:
        self.tokens.append(tuple(token))
        self.decoded.append(decoded)

    def recording(self, name: str) -> TokenRecording:
        """Return the recording so far."""
        return TokenRecording(name, tuple(self.tokens), tuple(self.decoded))


@dataclass(slots=True)
class Screen:
    """The devices of one run: its input, its output and its exits."""

    stdin: bytes = b""
    written: bytearray = dataclasses.field(default_factory=bytearray)
    exits: list[int] = dataclasses.field(default_factory=list)
    _read: int = 0

    def read(self) -> int:
        """The next byte, or -1."""
        self._read += 1
        return self.stdin[self._read - 1] if self._read <= len(self.stdin) else -1

    @property
    def console(self) -> Console:
        """The console of the session."""
        return Console(self.read, self.written.append)

    def ended(self, outcome: CallOutcome) -> CallOutcome:
        """Record an exit; return it as a call that traps in the host."""
        if outcome.exit_code is None:
            return outcome
        self.exits.append(outcome.exit_code)
        return replace(outcome, results=(), trap=Trap.HOST)


@dataclass(frozen=True, slots=True)
class ProgramBehaviour:
    """The observable behaviour of a program."""

    observation: Observation
    output: bytes
    exits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A program on an engine: the recorded session, and its behaviour."""

    recording: TokenRecording
    behaviour: ProgramBehaviour


class MirroredSession(TraceSession):
    """A trace session that copies what tokens have written to the store, for observation."""

    def __init__(
        self,
        engine: DecoderEngine,
        screen: Screen,
        frames: int,
        max_steps: int = STEPS,
        addressing: Addressing = DIGITS,
    ) -> None:
        self.screen = screen
        self._mirrored = 0  # steps whose writes were copied
        super().__init__(
            engine,
            console=screen.console,
            max_steps=max_steps,
            frames=frames,
            addressing=addressing,
        )

    def load(self, module: CoreModule) -> tuple[Instance, CallOutcome]:
        """Instantiate a module of core code."""
        instance, outcome = super().load(module)
        self._mirror()
        return instance, outcome

    def invoke(self, instance: Instance, export: str, args: Sequence[int] = ()) -> CallOutcome:
        """Call an exported function."""
        outcome = super().invoke(instance, export, args)
        self._mirror()
        return self.screen.ended(outcome)

    def _mirror(self) -> None:
        spaces = {number: place for place, number in self.trace.spaces.items()}
        for (space, at), value in self._written():
            kind, address = spaces.get(space, ("", 0))
            if kind == "memory":
                self.store.memories[address].write(WORD * at, value.to_bytes(WORD, "little"))
            elif kind == "table":
                self.store.tables[address].write(at, [value])

    def _written(self) -> Iterable[tuple[tuple[int, int], int]]:
        """What was last written at each address; an engine that hands out few tokens is asked."""
        tape = self.trace.tape
        if tape.sprinter is None:
            return tape.written.items()
        places, spaces = {place for place, _ in tape.written.items()}, [*self.trace.spaces.values()]
        known, self._mirrored = self._mirrored, 0
        for decoded in tape.sprinter.replay():
            rows = decoded[max(0, known - self._mirrored) :].astype(np.uint8)
            self._mirrored += len(decoded)
            rows = rows[np.isin(field(rows, "space"), spaces)]
            places.update(
                zip(field(rows, "space").tolist(), field(rows, "at").tolist(), strict=True)
            )
        return [((space, at), tape.read(space, at)) for space, at in places if space in spaces]


def play(case: CorpusProgram, engine: DecoderEngine, max_steps: int = STEPS) -> Played:
    """Play a program of the corpus on an engine."""
    recorder, screen = TokenRecorder(engine), Screen(case.stdin)
    session = MirroredSession(recorder, screen, case.frames, max_steps)
    look = _observe_asm if case.language == "asm" else _observe
    observation = look(case, session)
    behaviour = ProgramBehaviour(observation, bytes(screen.written), tuple(screen.exits))
    return Played(recorder.recording(case.name), behaviour)


def _observe(case: CorpusProgram, session: MirroredSession) -> Observation:
    return observe(session, core_code(case), case.calls)


def _observe_asm(case: CorpusProgram, session: MirroredSession) -> Observation:
    instance, _ = session.load(core_code(case))
    ((export, args),) = case.calls
    outcome = session.invoke(instance, export, args)
    memory = session.store.memories[instance.memories[0]]
    return asm_observation(args, outcome.results, outcome.trap, memory)


def asm_observation(
    args: tuple[int, ...], results: tuple[int, ...], trap: Trap | None, memory: LinearMemory
) -> Observation:
    """Return the observation of an assembly program: its stack or trap, and its memory."""
    called = CallRecord(MAIN, args, results, trap)
    return Observation(calls=(called,), memories=(("memory", digest(memory)),))


@cache
def binary(case: CorpusProgram) -> bytes:
    """The module as written, in binary."""
    return to_wasm(case.text, case.name)


@cache
def verified(case: CorpusProgram) -> Verified:
    """The module as written, in our IR."""
    return verify(decode(binary(case)))


@cache
def assembled(case: CorpusProgram) -> AsmProgram:
    """The assembly as written."""
    return assemble(case.text, case.name)


@cache
def core_code(case: CorpusProgram) -> CoreModule:
    """Return the core code that the machine gets: flat, lowered, verified."""
    if case.language == "asm":
        code = lower_bulk(lower_asm(assembled(case), len(case.calls[0][1])))
    else:
        code = in_words(verified(case))
    verify_core(code)
    return code


def play_scene(scene: Scene, engine: DecoderEngine) -> TokenRecording:
    """Play a scene on an engine."""
    recorder = TokenRecorder(engine)
    for item in scene.items:
        if isinstance(item, Record):
            recorder.append(item.token())
        else:
            _run(recorder, item)
    return recorder.recording(scene.name)


def _run(recorder: TokenRecorder, steps: int) -> None:
    for _ in range(steps):
        now = record(recorder.step())
        if now.status or not now.phase:
            return
