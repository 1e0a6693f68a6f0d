"""Run programs of the trace machine: arguments in; results, output and traps out."""

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from transputer.errors import StepLimitError, UsageError
from transputer.frontends.project import LANGUAGES
from transputer.frontends.source import PathLike
from transputer.host.console import Console, Input, Output
from transputer.host.outcome import (
    DEFAULT_STEPS,
    CallOutcome,
    Interrupted,
    OpenCall,
    Pulse,
    Sink,
    quiet,
)
from transputer.host.result import Result, exit_code
from transputer.ir.environment import Environment, Ticks, reads_clock
from transputer.ir.module import ExternKind, FuncType, Module
from transputer.ir.values import Value, decode_value, encode_arguments, print_value
from transputer.isa.op import ValType
from transputer.model import Model
from transputer.runtime.trace.long import CheckpointSaver, check, tape_options
from transputer.runtime.trace.program import START, TraceProgram
from transputer.runtime.trace.sessions import (
    ORACLES,
    TIERED,
    AnySession,
    MachineSession,
    check_engine,
    new_session,
    start_engine,
)
from transputer.values import dataclass

if TYPE_CHECKING:
    from transputer.host.folders import HostFolders

_log = logging.getLogger("transputer")
I32 = ValType.I32
#: WASI's name of the function that initialises a library.
INITIALIZE = "_initialize"


@dataclass(slots=True)
class _OutputRecorder:
    """Passes on what the program writes, or keeps it if there is no receiver."""

    stdin: Callable[[], int]
    stdout: Sink | None
    stderr: Sink | None
    output: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)

    @property
    def console(self) -> Console:
        write, error = Output(self.output.extend), Output(self.errors.extend)
        return Console(self.stdin, self.stdout or write, self.stderr or error)


def _reader(stdin: bytes | Callable[[], int]) -> Callable[[], int]:
    return stdin if callable(stdin) else Input.of(stdin)


def run_program(
    program: TraceProgram,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    engine: str = "auto",
    max_steps: int = DEFAULT_STEPS,
    stdin: bytes | Callable[[], int] = b"",
    stdout: Sink | None = None,
    stderr: Sink | None = None,
    pulse: Pulse = quiet,
    env: Mapping[str, str] | None = None,
    dirs: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
    write_anyway: bool = False,
    clock: int = 0,
    ticks: str = Ticks.STEPS,
    seed: int = 0,
    keep: bool = True,
    digest: bool = False,
    checkpoint: PathLike | None = None,
    resume: PathLike | None = None,
    begin: Callable[[AnySession], None] | None = None,
    model: Model | None = None,
) -> Result:
    """Run a compiled program; the options are those of `Program.run`.

    `begin` is called with the session before anything is loaded; `model` replaces the universal
    model.
    """
    recorder = _OutputRecorder(_reader(stdin), stdout, stderr)
    tape = tape_options(keep, checkpoint, resume, max_steps)
    if program.packed is not None:
        if checkpoint is not None or resume is not None or dirs or files:
            raise UsageError("a model that carries a program has no checkpoints and no files")
        return _run_packed(program.packed, invoke, args, engine, max_steps, recorder, pulse)
    traced = "resume" in tape and tape["resume"].traced
    if engine == "auto" and begin is None and not traced:
        engine = TIERED
    session = new_session(engine, recorder.console, max_steps=max_steps, model=model, **tape)
    folders = _folders(dirs, files)
    environment = environment_of(program, invoke, args, env or {}, clock, ticks, seed)
    session.environment = (
        environment if folders is None else replace(environment, files=folders.tree)
    )
    check(session, tape, checkpoint)
    started = time.perf_counter()
    saver = CheckpointSaver(session, checkpoint, pulse)
    session.pulse = saver.pulse
    if begin is not None:
        begin(session)
    try:
        outcome, types = run_session(program, session, invoke, args)
    except Interrupted:
        saver.save()
        partial = _result(saver.partial(), (), recorder, started, session, digest)
        written = _written(folders, session, False, write_anyway)
        code = exit_code(None, None, True)
        return replace(partial, interrupted=True, exit_code=code, written=written)
    except StepLimitError as limit:
        saver.save()
        told = StepLimitError(limit.limit, None if checkpoint is None else os.fspath(checkpoint))
        told.so_far = _result(saver.partial(), (), recorder, started, session, False)
        for line in _written(folders, session, False, write_anyway):
            _log.warning("%s", line)
        raise told from None
    result = _result(outcome, types, recorder, started, session, digest)
    if result.trap:
        from transputer.runtime.trace.where import where  # slow to import, and rarely needed

        result = replace(result, where=where(program, session, outcome))
    return replace(result, written=_written(folders, session, not outcome.trap, write_anyway))


def _folders(dirs: Sequence[str], files: Mapping[str, str] | None) -> "HostFolders | None":
    """Return the folders and files of the host that a program may read; None without any."""
    if not dirs and not files:
        return None
    from transputer.host.folders import open_folders  # not needed by most runs

    return open_folders(dirs, files)


def _written(
    folders: "HostFolders | None", session: AnySession, ended: bool, anyway: bool
) -> tuple[str, ...]:
    """Write the folders of a run that ended by itself, or in any case; return what to say."""
    if folders is None or not any(option.writable for option in folders.options):
        return ()
    after = session.final_files()
    if after is None:
        return ()
    if ended or anyway:
        return folders.write(after)
    why = "the program did not end by itself; --write-anyway writes the changes"
    return tuple(f"nothing is written to {host}: {why}" for host in folders.changed(after))


def _wraps_main(program: TraceProgram, invoke: str | None) -> bool:
    """Return whether `invoke` is the `main` of a program that exports only `_start`.

    The value of `main` is then what `_start` passes to exit.
    """
    if invoke != "main" or not program.is_command:
        return False
    return all(export.name != "main" for export in program.declarations.exports)


def environment_of(
    program: TraceProgram,
    invoke: str | None,
    args: Sequence[Value | str],
    env: Mapping[str, str],
    clock: int = 0,
    ticks: str = Ticks.STEPS,
    seed: int = 0,
) -> Environment:
    """Return the environment of a WASI program: only the arguments and variables given here.

    A program that does not read the clock has one that counts readings.
    """
    if (invoke and not _wraps_main(program, invoke)) or not program.is_command:
        args = ()  # they are arguments of the invoked function
    for text in (*args, *env, *env.values()):
        if "\0" in str(text):
            raise UsageError("arguments and variables cannot contain NUL characters")
    if bad := [name for name in env if not name or "=" in name]:
        raise UsageError(f"{bad[0]!r} is not a valid name of a variable")
    arguments = tuple(os.fsencode(str(a)) for a in (Path(program.name).name, *args))
    variables = tuple(os.fsencode(f"{name}={value}") for name, value in env.items())
    if ticks not in list(Ticks):
        raise UsageError(f"the clock counts {' or '.join(Ticks)}, not {ticks!r}")
    reads = program.module is not None and reads_clock(program.declarations)
    counted = Ticks(ticks) if reads else Ticks.READINGS
    return Environment(arguments, variables, clock, seed, ticks=counted)


def run_session(
    program: TraceProgram,
    session: AnySession,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
) -> tuple[CallOutcome, Sequence[ValType]]:
    """Run a program in a session; return the outcome and the types of its results."""
    if program.assembly is None:
        return _run_module(program, session, invoke, args)
    outcome = _run_assembly(program, session, invoke, args)
    return outcome, (I32,) * len(outcome.results)


def _run_packed(
    model: Model,
    invoke: str | None,
    args: Sequence[Value | str],
    engine: str,
    max_steps: int,
    recorder: _OutputRecorder,
    pulse: Pulse,
) -> Result:
    """Run the program that a model carries."""
    from transputer.machines.trace.packed import PackedExecutor, start_of  # rarely needed

    start = start_of(model)
    if invoke not in (None, start.invoke):
        raise UsageError(f"the model carries {start.invoke} of {start.name}, not {invoke}")
    check_engine(engine)
    if engine in ORACLES:
        raise UsageError(f"{engine} runs without weights; it cannot run a model")
    numbers: Sequence[int] = start.defaults or ()  # bits already
    if args:
        numbers = encode_arguments(start.invoke, start.type, args)
    name, decoder = start_engine(engine, model)
    executor = PackedExecutor(decoder, start, recorder.console)
    started = time.perf_counter()
    outcome = executor.call(numbers, max_steps, pulse)
    seconds = time.perf_counter() - started
    if start.exits and not outcome.trap:
        outcome = _exited(outcome)
    types = (I32,) * len(outcome.results) if start.untyped else [ValType(t) for t in start.results]
    pairs = list(zip(outcome.results, types, strict=False))
    return Result(
        [decode_value(v, t) for v, t in pairs],
        tuple(print_value(v, t) for v, t in pairs),
        bytes(recorder.output),
        bytes(recorder.errors),
        exit_code(outcome.exit_code, outcome.trap),
        outcome.trap,
        outcome.detail,
        outcome.steps,
        outcome.instructions,
        "trace",
        str(getattr(decoder, "name", name)),  # the one in charge at the end
        seconds,
        outcome.steps * model.heads,
        executor.tape.digest(),
    )


def _result(
    outcome: CallOutcome,
    types: Sequence[ValType],
    recorder: _OutputRecorder,
    started: float,
    session: AnySession,
    digest: bool,
) -> Result:
    pairs = list(zip(outcome.results, types, strict=True))
    ended, lifting, sha256 = time.perf_counter(), 0.0, None
    seconds, lookups = ended - started, 0
    if isinstance(session, MachineSession):
        tape = session.trace.tape
        lifting = 0.0 if tape.sprinter is None else tape.sprinter.lifting
        seconds, lookups = session.trace.seconds - lifting, outcome.steps * session.model.heads
        sha256 = tape.digest() if digest or tape.hashed else None
    return Result(
        [decode_value(v, t) for v, t in pairs],
        tuple(print_value(v, t) for v, t in pairs),
        bytes(recorder.output),
        bytes(recorder.errors),
        exit_code(outcome.exit_code, outcome.trap),
        outcome.trap,
        outcome.detail,
        outcome.steps,
        outcome.instructions,
        "trace",
        session.name,
        seconds,
        lookups,
        sha256,
        lifting=lifting,
        hashing=time.perf_counter() - ended,
    )


def _run_assembly(
    program: TraceProgram,
    session: AnySession,
    invoke: str | None,
    args: Sequence[Value | str],
) -> CallOutcome:
    from transputer.lower.asm import MAIN  # rarely needed

    if program.assembly is None or invoke not in (None, MAIN):
        raise UsageError(f"{program.name}: an assembly program has no functions to invoke")
    numbers = encode_arguments(program.name, FuncType((I32,) * len(args)), args)
    if session.engine == "oracle":
        from transputer.oracle.asm import run as run_asm  # slow to import, and rarely needed

        end = run_asm(program.assembly, numbers, max_steps=session.max_steps, pulse=session.pulse)
        results = () if end.trap else end.stack
        calls = (OpenCall(MAIN, (0, end.pc)),) if end.trap else ()
        return CallOutcome(results, end.trap, "", None, end.steps, end.instructions, calls)
    instance, _ = session.load_program(program, len(args))
    return session.invoke(instance, MAIN, numbers)


def _run_module(
    program: TraceProgram,
    session: AnySession,
    invoke: str | None,
    args: Sequence[Value | str],
) -> tuple[CallOutcome, Sequence[ValType]]:
    wrapped = _wraps_main(program, invoke)
    invoke = None if wrapped else invoke
    name = invoke or default_export(program.declarations)
    _require(program, name)
    instance, first = session.load_program(program)
    if not _ended(first) and INITIALIZE in instance.exports and name != INITIALIZE:
        first = _sum(first, session.invoke(instance, INITIALIZE))
    if _ended(first):
        return first, ()
    if name is None:
        if args:
            raise UsageError(f"{program.name}: the program has no function to take the arguments")
        return first, ()
    type_ = session.function(instance, name).type.as_written
    if invoke is None and program.is_command:
        args = ()  # they are in the environment
    if name == "main" and type_.params == (I32, I32) and not args:
        args = (0, 0)  # C's main(argc, argv) of a program that has no arguments
    outcome = session.invoke(instance, name, encode_arguments(name, type_, args))
    whole = _sum(first, outcome)
    if wrapped and not outcome.trap:
        value = (whole.exit_code or 0) & 0xFFFFFFFF
        return replace(whole, results=(value,), exit_code=None), (I32,)
    if invoke is None and name == "main" and type_.results == (I32,) and not outcome.trap:
        return _exited(whole), ()
    return whole, () if outcome.trap or outcome.exit_code is not None else type_.results


def _require(program: TraceProgram, name: str | None) -> None:
    """Raise `UsageError`, with a way out, for a function that a C program with main keeps."""
    exports = [e.name for e in program.declarations.exports if e.kind is ExternKind.FUNC]
    if name is None or name in exports or Path(program.name).suffix not in LANGUAGES:
        return
    if START in exports:
        raise UsageError(
            f"no exported func {name!r}: a program with main exports no other function; leave main "
            f"out, or add --cflags=-Wl,--export={name}"
        )


def _ended(outcome: CallOutcome) -> bool:
    return outcome.trap is not None or outcome.exit_code is not None


def _sum(first: CallOutcome, then: CallOutcome) -> CallOutcome:
    """Return one outcome for instantiation and invocation."""
    steps, instructions = first.steps + then.steps, first.instructions + then.instructions
    return replace(then, steps=steps, instructions=instructions)


def _exited(outcome: CallOutcome) -> CallOutcome:
    """Return an outcome with the value of `main` as the exit code."""
    code = outcome.results[0] if outcome.exit_code is None else outcome.exit_code
    return CallOutcome((), None, "", code, outcome.steps, outcome.instructions)


def default_export(module: Module) -> str | None:
    """Return the function to run by default; None if instantiating the module is all there is."""
    names = [e.name for e in module.exports if e.kind is ExternKind.FUNC]
    for name in (START, "main"):
        if name in names:
            return name
    if not names or names == [INITIALIZE]:
        return None
    raise UsageError(f"no _start or main to run; name one with --invoke: {', '.join(names[:20])}")
