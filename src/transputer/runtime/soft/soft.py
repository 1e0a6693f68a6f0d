"""The soft machine: programs for it, the ways to run them, running."""

import ctypes
import logging
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np

from transputer.engines.native.compile import compiled
from transputer.errors import EngineUnavailable, SourceError, StepLimitError, UsageError
from transputer.frontends.smallc.soft.compile import compile as compile_small_c
from transputer.frontends.source import PathLike, read_bytes, read_text
from transputer.host.outcome import Pulse, quiet
from transputer.host.session import DEFAULT_STEPS
from transputer.ir.image import FAILURES, RESULT, ZERO, Image, from_bytes
from transputer.ir.soft import encode
from transputer.isa.integers import signed
from transputer.machines.soft.config import Config
from transputer.machines.soft.hardstate import HardState, blank, digest
from transputer.machines.soft.native import FLAGS, Hard, source
from transputer.runtime.trace.long import Interrupted
from transputer.runtime.trace.run import Result, Sink

_log = logging.getLogger("transputer")
#: Words of output that are kept until they are passed on.
_ROOM = 1 << 8
#: Ways to run a program: in C, in JAX, and in JAX with every choice a distribution.
SOFT_ENGINES = ("auto", "native", "hard", "soft")


class Running(Protocol):
    """A machine in some state, however it is computed."""

    @property
    def ended(self) -> bool:
        """Whether the program has stopped."""

    @property
    def state(self) -> HardState:
        """Where the machine is."""

    def serve(self, limit: int, read: Callable[[], bytes]) -> Iterator[tuple[int, bytes]]:
        """Steps and output, bit by bit, until the program ends or has made so many steps."""


def compile_soft(path: PathLike) -> Image:
    """A program of the soft machine from a small C source or an image.

    Raises `SourceError` with the place of the mistake, or `UsageError` for a file of no known
    kind.
    """
    name = str(path)
    match Path(name).suffix.lower():
        case ".c":
            try:
                return compile_small_c(read_text(name), name)
            except SourceError as error:
                raise error.in_file(name) from None
        case ".image":
            return from_bytes(read_bytes(name), name)
    raise UsageError(f"{name}: the soft machine runs .c and .image files")


def run_soft(
    program: PathLike | Image,
    *,
    engine: str = "auto",
    max_steps: int = DEFAULT_STEPS,
    stdin: bytes | Callable[[], int] = b"",
    stdout: Sink | None = None,
    pulse: Pulse = quiet,
) -> Result:
    """Run a program on the soft machine, as large as the program needs.

    What main returns is the result, and its low byte the exit code. `native` and `hard` are the
    hard path, in C and in JAX; `soft` is the soft path at temperature 0, for short programs. The
    hash of the last state is the same on all of them.
    """
    image = program if isinstance(program, Image) else compile_soft(program)
    if max_steps < 1:
        raise UsageError(f"max_steps must be at least 1, not {max_steps}")
    name, machine = start_soft(image, engine)
    output = bytearray()
    write, read = stdout or output.append, _pieces(stdin)
    started = time.perf_counter()
    steps, interrupted = 0, False
    try:
        for done, put in machine.serve(max_steps, read):
            steps += done
            for byte in put:
                write(byte)
            pulse(steps)
        if not machine.ended:
            raise StepLimitError(max_steps)
    except Interrupted:
        interrupted = True
    seconds = time.perf_counter() - started
    return _result(machine, name, bytes(output), steps, seconds, interrupted)


def _pieces(stdin: bytes | Callable[[], int]) -> Callable[[], bytes]:
    """What gives the next bytes of the input: one where it is read as it comes, else all."""
    if callable(stdin):
        return lambda: bytes((byte,)) if (byte := stdin()) >= 0 else b""
    remaining = iter((stdin,))
    return lambda: next(remaining, b"")


def start_soft(image: Image, engine: str = "auto") -> tuple[str, Running]:
    """A machine with a program in it, and the name of its engine.

    `EngineUnavailable` for an engine that cannot run here.
    """
    if engine not in SOFT_ENGINES:
        raise UsageError(f"no engine {engine!r} for soft; there is: {', '.join(SOFT_ENGINES)}")
    config = Config(length=max(1, len(image.code)), memory=image.memory, outputs=_ROOM)
    rows, state = encode(image.code), _loaded(image, config)
    if engine in ("auto", "native"):
        try:
            return "native", Hard(library(), rows, state, config)
        except EngineUnavailable as error:
            if engine == "native":
                raise
            _log.warning("%s; taking the next engine, which is slower", error)
    from transputer.machines.soft.paths import Path as InJax

    return engine.replace("auto", "hard"), InJax(rows, state, config, engine == "soft")


def _loaded(image: Image, config: Config) -> HardState:
    """The state in which a program begins."""
    state = blank(config)
    state.memory[: len(image.words)] = np.array(image.words, np.uint32)
    return state


@cache
def library() -> ctypes.CDLL:
    """The hard path in C, compiled if it was not yet; `EngineUnavailable` if it cannot be."""
    text = source()
    return compiled("soft", "machine", text, FLAGS, text.encode())


def _result(
    machine: Running, engine: str, output: bytes, steps: int, seconds: float, interrupted: bool
) -> Result:
    registers = machine.state.registers
    trap = FAILURES.get(int(registers[ZERO]))
    ended = trap is None and not interrupted
    value = signed(32, int(registers[RESULT]))
    return Result(
        results=[value] if ended else [],
        text=(str(value),) if ended else (),
        stdout=output,
        exit_code=value & 0xFF if ended else None,
        trap=trap,
        steps=steps,
        instructions=steps,
        machine="soft",
        engine=engine,
        seconds=seconds,
        state_sha256=digest(machine.state),
        interrupted=interrupted,
    )
