"""Run programs of the loom machine on engines of looped models, or on the interpreter."""

import hashlib
import logging
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from transputer.engines.protocol import LoopedEngine, looped_engines
from transputer.errors import EngineUnavailable, StepLimitError
from transputer.exporters.onnx_looped import step_graph_looped
from transputer.host.outcome import DEFAULT_STEPS, Interrupted, Pulse, Sink
from transputer.host.result import INTERRUPTED, Result, check_invoke, main_result
from transputer.isa.integers import signed
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import SLICE, LoomSession, initial
from transputer.model import Array, Looped
from transputer.oracle.loom import Loom
from transputer.registry import RunSettings
from transputer.runtime.loom.program import CompiledLoom, config_name, fed

_log = logging.getLogger("transputer")


#: Constructors of engines for looped models, by name.
ENGINES = looped_engines(step_graph_looped)


def engine_of(name: str, model: Looped, state: Array) -> LoopedEngine:
    """Return the engine `name` with a state; raise `EngineUnavailable` if it cannot run here."""
    return ENGINES[name](model, state)


def run(program: CompiledLoom, settings: RunSettings) -> Result:
    """Run a program; with `digest`, `trace_sha256` is the hash of all step records."""
    check_invoke(program.name, program.has_main, settings.invoke)
    program = fed(program, settings.stdin)
    output = bytearray()
    name, runner = _runner(program, settings.engine, settings.stdout or output.append)
    records = hashlib.sha256() if settings.digest else None
    started = time.perf_counter()
    interrupted = False
    try:
        _go(runner, settings.max_steps or DEFAULT_STEPS, settings.pulse, records)
    except Interrupted:
        interrupted = True
    seconds = time.perf_counter() - started
    result = result_of(program, settings.invoke, runner, name, interrupted)
    return replace(
        result,
        stdout=bytes(output),
        seconds=seconds,
        trace_sha256=records.hexdigest() if records else None,
    )


def _runner(program: CompiledLoom, engine: str, write: Sink) -> tuple[str, LoomSession | Loom]:
    size = program.config
    if engine == "oracle":
        loom = Loom(program.code, size)
        loom.output = _ForwardedOutput(write)
        return engine, loom
    model, state = loom_model(size), initial(program.code, size)
    if engine != "auto":
        return engine, LoomSession(size, engine_of(engine, model, state), write)
    try:
        return "native", LoomSession(size, engine_of("native", model, state), write)
    except EngineUnavailable as error:
        _log.warning("%s; using reference, which is slower", error)
        return "reference", LoomSession(size, engine_of("reference", model, state), write)


class _ForwardedOutput(bytearray):
    """The oracle's output; each byte is also passed to `write`."""

    def __init__(self, write: Sink) -> None:
        super().__init__()
        self._write = write

    def append(self, byte: Any) -> None:
        """Append a byte and write it."""
        super().append(byte)
        self._write(byte)


def _interpret(loom: Loom, limit: int, pulse: Pulse) -> None:
    """Run the interpreter, with a pulse after every slice of steps."""
    end = loom.steps + limit
    while not loom.halted:
        if loom.steps == end:
            raise StepLimitError(limit)
        with suppress(StepLimitError):
            loom.run(min(SLICE, end - loom.steps))
        pulse(loom.steps)


def _go(runner: LoomSession | Loom, limit: int, pulse: Pulse, records: Any) -> None:
    """Execute all steps; hash their records if `records` is a hash."""
    if records is None:
        if isinstance(runner, LoomSession):
            runner.run(limit, pulse)
        else:
            _interpret(runner, limit, pulse)
        return
    for number, record in enumerate(runner.records(limit), start=1):
        records.update(f"{record}\n".encode())
        if number % SLICE == 0:
            pulse(number)


def result_of(
    program: CompiledLoom,
    invoke: str | None,
    runner: LoomSession | Loom,
    engine: str,
    interrupted: bool = False,
) -> Result:
    """Return the result of a run, without its output and its time."""
    config = program.config
    memory, slot = runner.memory, program.code.result
    trap = runner.trap and program.code.cause(runner.trap, memory)
    values = [] if slot is None else [signed(config.bits, memory[slot])]
    weights = isinstance(runner, LoomSession)
    heads = sum(len(layer.heads) for layer in loom_model(config).layers) if weights else 0
    outcome = main_result(program.name, program.has_main, invoke, values, trap)
    if interrupted:
        outcome = Result(exit_code=INTERRUPTED, interrupted=True)
    return replace(
        outcome,
        steps=runner.steps,
        instructions=runner.steps,
        machine=program.machine,
        engine=engine,
        lookups=runner.steps * heads,
        config=config_name(config),
    )
