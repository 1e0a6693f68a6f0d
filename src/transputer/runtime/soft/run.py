"""Run programs of the soft machine: the hard path in C or JAX, or the soft path."""

import ctypes
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Protocol

import numpy as np

from transputer.engines.native.compile import compiled
from transputer.errors import EngineUnavailable, StepLimitError, UsageError
from transputer.host.outcome import DEFAULT_STEPS, Interrupted
from transputer.host.result import Result, check_invoke
from transputer.ir.soft import encode
from transputer.machines.soft.hardstate import HardState, blank, digest
from transputer.machines.soft.native import FLAGS, Hard, source
from transputer.registry import RunSettings
from transputer.registry.machine import require
from transputer.runtime.soft.program import CompiledSoft, words_of
from transputer.runtime.soft.streams import Words, input_words, printed, result_of

_log = logging.getLogger("transputer")


class Running(Protocol):
    """A machine in some state, on any engine."""

    @property
    def ended(self) -> bool:
        """Whether the program has stopped."""

    @property
    def state(self) -> HardState:
        """The machine's state."""

    def serve(self, limit: int, read: Callable[[], Words]) -> Iterator[tuple[int, Words]]:
        """Yield numbers of steps and their output until the program ends or reaches `limit`."""


def run(program: CompiledSoft, settings: RunSettings) -> Result:
    """Run a program; the hash of its last state is the same on every engine."""
    if settings.options.get("board"):
        require("jax", "jax", "a board")
        from transputer.runtime.soft.board import run_on_board

        return run_on_board(program, settings)
    check_invoke(program.name, not program.assembly, settings.invoke)
    name, machine = start(program, settings)
    output = bytearray()
    write, read = settings.stdout or output.append, _reader(program, settings.stdin)
    limit = settings.max_steps or DEFAULT_STEPS
    started = time.perf_counter()
    steps, interrupted = 0, False
    try:
        for count, words in machine.serve(limit, read):
            steps += count
            for byte in printed(program, words):
                write(byte)
            settings.pulse(steps)
        if not machine.ended:
            raise StepLimitError(limit)
    except Interrupted:
        interrupted = True
    seconds = time.perf_counter() - started
    result = result_of(program, settings.invoke, machine.state, interrupted)
    return replace(
        result,
        stdout=bytes(output),
        steps=steps,
        instructions=steps,
        engine=name,
        seconds=seconds,
        state_sha256=digest(machine.state),
    )


def _reader(program: CompiledSoft, stdin: bytes | Callable[[], int]) -> Callable[[], Words]:
    """Return a function that reads the next words: one byte of a callback, or all of the input."""
    if callable(stdin) and not program.assembly:
        return lambda: np.array([byte] if (byte := stdin()) >= 0 else [], np.uint32)
    contents = bytes(iter(stdin, -1)) if callable(stdin) else stdin
    remaining = iter((input_words(program, contents),))
    return lambda: next(remaining, np.zeros(0, np.uint32))


def start(program: CompiledSoft, settings: RunSettings) -> tuple[str, Running]:
    """Return a machine with a program in it, and the name of its engine.

    Raises `EngineUnavailable` for an engine that cannot run here.
    """
    config, engine = program.config, settings.engine
    rows, state = encode(program.image.code), initial(program, settings)
    if engine in ("auto", "native"):
        try:
            return "native", Hard(library(), rows, state, config)
        except EngineUnavailable as error:
            if engine == "native":
                raise
            _log.warning("%s; using hard, which is slower", error)
    from transputer.machines.soft.paths import Path as InJax

    return engine.replace("auto", "hard"), InJax(rows, state, config, engine == "soft")


def initial(program: CompiledSoft, settings: RunSettings) -> HardState:
    """Return the initial state of a program: its words, edits, and arguments in registers."""
    config, image = program.config, program.image
    state = blank(config)
    state.memory[: len(image.words)] = np.array(image.words, np.uint32)
    for address, word in settings.edits.items():
        if not 0 <= address < config.memory:
            raise UsageError(f"memory has words 0 to {config.memory - 1}, not {address}")
        state.memory[address] = words_of([word], config.width)[0]
    args = words_of(settings.args, config.width)
    if args and not program.assembly:
        raise UsageError(f"{program.name}: `main` takes no arguments on the soft machine")
    if len(args) > config.registers:
        raise UsageError(f"{len(args)} arguments; the machine has {config.registers} registers")
    state.registers[: len(args)] = args
    return state


@cache
def library() -> ctypes.CDLL:
    """Return the hard path in C, compiled on first use; raise `EngineUnavailable` on failure."""
    text = source()
    return compiled("soft", "machine", text, FLAGS, text.encode())
