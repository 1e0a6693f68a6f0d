"""The loom machine: programs for it, engines of looped models, running."""

import hashlib
import importlib
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from transputer.engines.onnx.looped import LoopedOnnx
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import EngineUnavailable, SourceError, StepLimitError, UsageError
from transputer.exporters.onnx_looped import loop_graph_looped, step_graph_looped
from transputer.exporters.verilog import Circuit
from transputer.frontends.loomasm import assemble_loom
from transputer.frontends.smallc import SmallCError
from transputer.frontends.smallc import compile as compile_small_c
from transputer.frontends.source import PathLike, read_text
from transputer.host.outcome import Pulse, quiet
from transputer.host.session import DEFAULT_STEPS
from transputer.ir.loom import PUBLISHED, WIDTHS, Config, Program, configuration
from transputer.ir.loom import smallest as smallest_config
from transputer.isa.integers import signed
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import SLICE, Engine, Session, initial
from transputer.model import Array, Looped
from transputer.oracle.loom import Loom
from transputer.runtime.trace.long import Interrupted
from transputer.runtime.trace.run import Result, Sink

_log = logging.getLogger("transputer")
#: The slot, by name, that holds what a program comes to.
RESULT = "result"


def _small_c(text: str, file: str, bits: int) -> Program:
    """Small C for words of so many bits; of 0, the smallest that every constant fits."""
    problem: SmallCError | None = None
    for width in WIDTHS if not bits else (bits,):
        try:
            return compile_small_c(text, file, width)
        except SmallCError as error:
            problem = problem or error
    assert problem is not None
    raise problem


#: Sources by suffix: text, file and bits of a word (0: the source says) to a program.
_COMPILERS: dict[str, Callable[[str, str, int], Program]] = {
    ".loomasm": lambda text, file, bits: assemble_loom(text, file),
    ".c": _small_c,
}


def compile_loom(path: PathLike, bits: int = 0, config: str | None = None) -> Program:
    """A program of the loom machine from a source file, for words of so many bits.

    A configuration says how many; of 0, small C takes the smallest that its constants fit.
    Raises `SourceError` with the place of the mistake, or `UsageError` for a file of no known
    kind or one that wants words of another size.
    """
    name = str(path)
    bits = bits if config is None else configuration(config).bits
    if Path(name).suffix.lower() not in _COMPILERS:
        kinds = ", ".join(sorted(_COMPILERS))
        raise UsageError(f"{name}: the loom machine runs {kinds} files")
    return compile_loom_text(read_text(name), name, bits)


def compile_loom_text(text: str, name: str, bits: int = 0) -> Program:
    """A program of the loom machine from a text, as `compile_loom`; the name says its kind."""
    if bits not in (0, *WIDTHS):
        raise UsageError(f"words have {', '.join(map(str, WIDTHS))} bits, not {bits}")
    try:
        program = _COMPILERS[Path(name).suffix.lower()](text, name, bits)
    except SourceError as error:
        raise error.in_file(name) from None
    if bits not in (0, program.bits):
        raise UsageError(f"{name}: is for words of {program.bits} bits, not {bits}")
    return program


def smallest(program: Program) -> str:
    """The name of the smallest configuration that a program fits."""
    return config_name(smallest_config(program))


def config_name(config: Config) -> str:
    """As the command line takes it: the published name where there is one."""
    published = (name for name, held in PUBLISHED.items() if held == config)
    return next(published, config.name)


#: What programs of the loom machine can be exported to.
LOOM_FORMATS = ("onnx", "verilog")


def export_loom(
    program: Program,
    output: PathLike,
    config: str | None = None,
    dtype: str = "",
    to: str = "onnx",
) -> list[Path]:
    """Write a program with its model to files; which they are.

    `onnx`: the whole run, and one step (`NAME.step.onnx`), in the smallest float type in which the
    model is exact (`CapacityError` for one in which it is not). `verilog`: the model as a circuit,
    its weights, a test bench, and the program as the state to begin with.
    """
    if to not in LOOM_FORMATS:
        raise UsageError(f"no export of loom to {to!r}; there is: {', '.join(LOOM_FORMATS)}")
    size = smallest_config(program) if config is None else configuration(config)
    model, path, state = loom_model(size), Path(output), initial(program, size)
    files: dict[Path, bytes]
    if to == "verilog":
        if dtype:
            raise UsageError("a circuit computes in integers; leave out the number type")
        if path.suffix != ".v":
            raise UsageError(f"{path}: a circuit is a .v file")
        texts = Circuit.of(model, path.stem).files(state)
        files = {path.with_name(name): text.encode() for name, text in texts.items()}
    else:
        files = {
            path: loop_graph_looped(model, dtype, state),
            path.with_suffix(f".step{path.suffix}"): step_graph_looped(model, dtype),
        }
    for name, contents in files.items():
        try:
            name.write_bytes(contents)
        except OSError as error:
            raise UsageError(f"{name}: {error.strerror or error}") from None
    return list(files)


def onnx_sizes(model: Looped) -> dict[str, int] | None:
    """Bytes of a model's ONNX files, without a program's state; None without the `onnx` extra."""
    try:
        files = {"step": step_graph_looped(model), "loop": loop_graph_looped(model)}
    except EngineUnavailable:
        return None
    return {name: len(contents) for name, contents in files.items()}


def _optional(name: str, module: str, kind: str) -> Callable[[Looped, Array], Engine]:
    """An engine whose module loads a library of its own."""

    def make(model: Looped, state: Array) -> Engine:
        try:
            found = importlib.import_module(f"transputer.engines.{module}")
        except ImportError as error:
            raise EngineUnavailable(f"{name}: {error}") from None
        engine: Engine = getattr(found, kind)(model, state)
        return engine

    return make


#: Makers of engines of looped models, by name.
ENGINES: dict[str, Callable[[Looped, Array], Engine]] = {
    "native": _optional("native", "native.looped", "LoopedNative"),
    "lifted": _optional("lifted", "lifted.looped", "LoopedLifted"),
    "torch": _optional("torch", "torch.looped", "LoopedTorch"),
    "onnx": lambda model, state: LoopedOnnx(model, state, step_graph_looped(model)),
    "reference": LoopedReference,
    "softmax": lambda model, state: LoopedReference(model, state, "softmax"),
}
#: Engines of the loom machine; `softmax` is the reference with a true softmax.
LOOM_ENGINES = ("auto", *ENGINES, "oracle")


def run_loom(
    source: PathLike | Program,
    config: str | None = None,
    *,
    engine: str = "auto",
    bits: int = 0,
    max_steps: int = DEFAULT_STEPS,
    stdout: Sink | None = None,
    pulse: Pulse = quiet,
    digest: bool = False,
) -> Result:
    """Run a program on the loom machine, in a configuration or the smallest that it fits.

    `results` has the slot named `result`, signed; the output is what was written to slot 0. With
    `digest`, `trace_sha256` is the hash of all step records, the same on every engine.
    """
    if max_steps < 1:
        raise UsageError(f"max_steps must be at least 1, not {max_steps}")
    if engine not in LOOM_ENGINES:
        raise UsageError(f"no engine {engine!r} for loom; there is: {', '.join(LOOM_ENGINES)}")
    if not isinstance(source, Program):
        source = compile_loom(source, bits, config)
    size = smallest_config(source) if config is None else configuration(config)
    source.check(size)
    output = bytearray()
    name, runner = _runner(source, size, engine, stdout or output.append)
    seen = hashlib.sha256() if digest else None
    started = time.perf_counter()
    interrupted = False
    try:
        _go(runner, max_steps, pulse, seen)
    except Interrupted:
        interrupted = True
    seconds = time.perf_counter() - started
    return replace(
        result_of(source, size, runner, name),
        stdout=bytes(output),
        seconds=seconds,
        trace_sha256=seen.hexdigest() if seen else None,
        interrupted=interrupted,
    )


def engine_of(name: str, model: Looped, state: Array) -> Engine:
    """An engine of looped models by its name, with a state; `EngineUnavailable` where it is not."""
    return ENGINES[name](model, state)


def _runner(program: Program, size: Config, engine: str, write: Sink) -> tuple[str, Session | Loom]:
    if engine == "oracle":
        loom = Loom(program, size)
        loom.output = _Passed(write)
        return engine, loom
    model, state = loom_model(size), initial(program, size)
    if engine != "auto":
        return engine, Session(size, ENGINES[engine](model, state), write)
    try:
        return "native", Session(size, ENGINES["native"](model, state), write)
    except EngineUnavailable as error:
        _log.warning("%s; taking the next engine, which is slower", error)
        return "reference", Session(size, LoopedReference(model, state), write)


class _Passed(bytearray):
    """The oracle's output, passed on as it comes."""

    def __init__(self, write: Sink) -> None:
        super().__init__()
        self._write = write

    def append(self, byte: Any) -> None:
        """One byte more."""
        super().append(byte)
        self._write(byte)


def _interpret(loom: Loom, limit: int, pulse: Pulse) -> None:
    """The oracle's steps, with a word in between."""
    end = loom.steps + limit
    while not loom.halted:
        if loom.steps == end:
            raise StepLimitError(limit)
        with suppress(StepLimitError):
            loom.run(min(SLICE, end - loom.steps))
        pulse(loom.steps)


def _go(runner: Session | Loom, limit: int, pulse: Pulse, seen: Any) -> None:
    """All steps, hashed where that is wanted."""
    if seen is None:
        if isinstance(runner, Session):
            runner.run(limit, pulse)
        else:
            _interpret(runner, limit, pulse)
        return
    for number, record in enumerate(runner.records(limit), start=1):
        seen.update(f"{record}\n".encode())
        if number % SLICE == 0:
            pulse(number)


def result_of(program: Program, size: Config, runner: Session | Loom, engine: str) -> Result:
    """What a run came to, without its output and its time."""
    named = [symbol.slot for symbol in program.symbols if symbol.name == RESULT]
    values = [] if runner.trap else [signed(size.bits, runner.memory[slot]) for slot in named]
    weights = isinstance(runner, Session)
    heads = sum(len(layer.heads) for layer in loom_model(size).layers) if weights else 0
    return Result(
        results=list(values),
        text=tuple(str(value) for value in values),
        trap=runner.trap,
        steps=runner.steps,
        instructions=runner.steps,
        machine="loom" if weights else "oracle",
        engine=engine,
        lookups=runner.steps * heads,
        config=config_name(size),
    )
