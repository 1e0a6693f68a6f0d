"""Cost of a step of the loom machine: the same programs on every engine of looped models."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from transputer.engines.protocol import LoopedEngine
from transputer.errors import EngineUnavailable, StepLimitError, TransputerError
from transputer.ir.loom import LoomConfig, LoomProgram
from transputer.ir.loom import smallest as smallest_config
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import LoomSession, initial
from transputer.model import Array
from transputer.oracle.loom import Loom, LoomRecord
from transputer.runtime.loom.program import compile_loom
from transputer.runtime.loom.run import ENGINES

#: Word width in bits, that of the published machines.
BITS = 8
#: Steps compared with the interpreter before an engine is timed; other engines compare _FEW.
_COMPARED = {"native": 5_000, "lifted": 5_000}
_FEW = 4
#: Steps per call, by engine; others run one.
_AT_ONCE = {"native": 1 << 12, "lifted": 1 << 26}
#: Most runs of one program, and most steps on `native` before an engine is timed.
_ROUNDS, _PATIENCE = 200, 1_000_000


@dataclass(frozen=True, slots=True)
class LoomCost:
    """Speed of an engine on a program: steps, CPU seconds, and `ready` seconds of preparation.

    `whole` tells whether runs went to their end; `missing` is why the engine is not installed.
    """

    program: str
    engine: str
    config: str
    steps: int = 0
    seconds: float = 0.0
    ready: float = 0.0
    whole: bool = False
    missing: str = ""


class WrongSteps(TransputerError):
    """An engine and the interpreter differ, so nothing is timed."""

    exit_code = 1


def loom_costs(
    sources: list[Path], seconds: float = 1.0, progress: Callable[[str], None] = lambda text: None
) -> Iterator[LoomCost]:
    """Yield the cost of every program on every engine, about `seconds` each.

    Steps are compared first; raises `WrongSteps` if an engine differs from the interpreter.
    """
    for source in sources:
        program = compile_loom(source, BITS)
        size = smallest_config(program)
        yield _interpreted(source.stem, program, size)
        for name in ENGINES:
            progress(f"{source.stem} on {name}")
            try:
                yield _measured(source.stem, program, size, name, seconds)
            except EngineUnavailable as missing:
                yield LoomCost(source.stem, name, size.name, missing=str(missing))


def _interpreted(name: str, program: LoomProgram, size: LoomConfig) -> LoomCost:
    loom, started = Loom(program, size), time.process_time()
    loom.run(1 << 40)
    return LoomCost(name, "oracle", size.name, loom.steps, time.process_time() - started, 0.0, True)


def _records(runner: LoomSession | Loom, count: int) -> list[LoomRecord]:
    records: list[LoomRecord] = []
    with suppress(StepLimitError):
        records.extend(runner.records(count))
    return records


def _measured(
    source: str, program: LoomProgram, size: LoomConfig, name: str, seconds: float
) -> LoomCost:
    model, start = loom_model(size), initial(program, size)
    began = time.process_time()
    engine = ENGINES[name](model, start)
    session = LoomSession(size, engine)
    ready = time.process_time() - began
    count = _COMPARED.get(name, _FEW)
    if _records(session, count) != _records(Loom(program, size), count):
        raise WrongSteps(f"{source} on {name}: its steps differ from the interpreter's")
    if name in _COMPARED:
        _check_end(source, program, size, name, engine)
    return _timed(LoomCost(source, name, size.name, ready=ready), engine, start, seconds)


def _check_end(
    source: str, program: LoomProgram, size: LoomConfig, name: str, engine: LoopedEngine
) -> None:
    """Run a fast engine to the end; its memory must equal the interpreter's."""
    loom = Loom(program, size)
    loom.run(1 << 40)
    if name == "native" and loom.steps > _PATIENCE:
        return
    session = LoomSession(size, engine)
    session.run(1 << 40)
    if session.memory != loom.memory:
        raise WrongSteps(f"{source} on {name}: its memory differs from the interpreter's")


def _timed(cost: LoomCost, engine: LoopedEngine, start: Array, seconds: float) -> LoomCost:
    """Time repeated runs from the start, until they have taken `seconds`."""
    steps, spent, whole = 0, 0.0, True
    for _ in range(_ROUNDS):
        engine.restart(start)
        while not engine.halted and spent < seconds:
            before = time.process_time()
            steps += engine.run(_AT_ONCE.get(cost.engine, 1))
            spent += time.process_time() - before
        whole &= engine.halted
        if spent >= seconds:
            break
    return replace(cost, steps=steps, seconds=spent, whole=whole)
