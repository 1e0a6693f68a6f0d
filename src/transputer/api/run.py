"""Running programs: arguments in, results, output and traps out."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from transputer.api.long import Interrupted, Keeper, check, tape_options
from transputer.api.program import Program, compile
from transputer.api.sessions import AnySession, MachineSession, OracleSession, new_session
from transputer.errors import StepLimitError, Trap, UsageError
from transputer.frontends.source import PathLike
from transputer.ir.module import FuncType, Kind, Module
from transputer.ir.values import Value, decode_value, encode_arguments, print_value
from transputer.isa.op import ValType
from transputer.lower.asm import MAIN
from transputer.oracle.asm import run as run_asm
from transputer.oracle.outcome import Outcome, Pulse, quiet
from transputer.oracle.session import DEFAULT_STEPS, Console

I32 = ValType.I32


@dataclass(frozen=True, slots=True)
class Result:
    """What a run came to.

    `results` are Python numbers (signed integers, floats, None for a null reference);
    `trap` is the way in which the program failed, if it did; `exit_code` is what the
    program asked for, or None where it did not exit.
    """

    results: list[Value] = field(default_factory=list)
    text: tuple[str, ...] = ()  # the results as the command line prints them
    stdout: bytes = b""
    exit_code: int | None = None
    trap: Trap | None = None
    detail: str = ""
    steps: int = 0
    instructions: int = 0
    machine: str = "oracle"
    engine: str = "oracle"
    seconds: float = 0.0
    lookups: int = 0
    trace_sha256: str | None = None
    interrupted: bool = False  # stopped from outside: all of this is what there was until then

    def as_json(self) -> dict[str, Any]:
        """The form that `run --json` prints."""
        return {
            "results": [_plain(v, t) for v, t in zip(self.results, self.text, strict=True)],
            "stdout": self.stdout.decode("utf-8", "replace"),
            "exit_code": self.exit_code or 0,
            "trap": self.trap.value if self.trap else None,
            "steps": self.steps,
            "instructions": self.instructions,
            "machine": self.machine,
            "engine": self.engine,
            "seconds": round(self.seconds, 6),
            "lookups": self.lookups,
            "trace_sha256": self.trace_sha256,
            **({"interrupted": True} if self.interrupted else {}),
        }


def _plain(value: Value, text: str) -> Any:
    """JSON has no NaN and no infinities: those go as text."""
    if isinstance(value, float) and not abs(value) < float("inf"):
        return text
    return value


@dataclass(slots=True)
class _Recorder:
    """Keeps what the program writes, and passes it on as it comes."""

    stdin: Callable[[], int]
    sink: Callable[[int], None] | None
    written: bytearray = field(default_factory=bytearray)

    def write(self, byte: int) -> None:
        if self.sink is None:
            self.written.append(byte)
        else:
            self.sink(byte)

    @property
    def console(self) -> Console:
        return Console(self.stdin, self.write)


def _reader(stdin: bytes | Callable[[], int]) -> Callable[[], int]:
    if callable(stdin):
        return stdin
    remaining: Iterator[int] = iter(stdin)
    return lambda: next(remaining, -1)


def run(
    path: PathLike | Program,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    **how: Any,
) -> Result:
    """Run a program, compiled or yet to compile.

    `invoke` names the exported function to call with `args`; without it, a module's
    `_start` or `main` runs, and an assembly program gets the arguments on its stack.
    Options: `engine` (one of `ENGINES`), `max_steps`, `stdin` (bytes, or a function that
    returns the next byte or -1), `stdout` (a function that takes each byte; otherwise they
    are in the result), `pulse` (hears of progress; raises `Interrupted` to end the run with
    what there is), `keep` (False: no trace is kept, memory does not grow with the steps),
    `checkpoint` (a file to put the run aside in) and `resume` (one to go on from).
    """
    program = path if isinstance(path, Program) else compile(path)
    return run_program(program, invoke, args, **how)


def run_program(
    program: Program,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    engine: str = "auto",
    max_steps: int = DEFAULT_STEPS,
    stdin: bytes | Callable[[], int] = b"",
    stdout: Callable[[int], None] | None = None,
    pulse: Pulse = quiet,
    keep: bool = True,
    checkpoint: PathLike | None = None,
    resume: PathLike | None = None,
) -> Result:
    """Run a compiled program; the options are those of `run`."""
    if max_steps < 1:
        raise UsageError(f"max_steps must be at least 1, not {max_steps}")
    recorder = _Recorder(_reader(stdin), stdout)
    tape = tape_options(keep, checkpoint, resume)
    session = new_session(engine, recorder.console, max_steps=max_steps, **tape)
    check(session, tape, checkpoint)
    started = time.perf_counter()
    keeper = Keeper(session, checkpoint, pulse)
    session.pulse = keeper.pulse
    try:
        outcome, types = run_session(program, session, invoke, args)
    except Interrupted:
        keeper.save()
        seconds = time.perf_counter() - started
        partial = _result(keeper.partial(), (), bytes(recorder.written), seconds, session)
        return replace(partial, interrupted=True)
    except StepLimitError:
        keeper.save()
        raise
    seconds = time.perf_counter() - started
    return _result(outcome, types, bytes(recorder.written), seconds, session)


def run_session(
    program: Program,
    session: AnySession,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
) -> tuple[Outcome, Sequence[ValType]]:
    """Run a program in a session: the outcome, and the types of its results."""
    if program.assembly is None:
        return _run_module(program, session, invoke, args)
    outcome = _run_assembly(program, session, invoke, args)
    return outcome, (I32,) * len(outcome.results)


def _result(
    outcome: Outcome,
    types: Sequence[ValType],
    stdout: bytes,
    seconds: float,
    session: AnySession,
) -> Result:
    pairs = list(zip(outcome.results, types, strict=True))
    return Result(
        [decode_value(v, t) for v, t in pairs],
        tuple(print_value(v, t) for v, t in pairs),
        stdout,
        None if outcome.exit_code is None else outcome.exit_code & 0xFF,
        outcome.trap,
        outcome.detail,
        outcome.steps,
        outcome.instructions,
        "trace" if isinstance(session, MachineSession) else "oracle",
        session.engine,
        seconds,
        outcome.steps * session.heads if isinstance(session, MachineSession) else 0,
        session.trace.tape.digest() if isinstance(session, MachineSession) else None,
    )


def _run_assembly(
    program: Program,
    session: AnySession,
    invoke: str | None,
    args: Sequence[Value | str],
) -> Outcome:
    if program.assembly is None or invoke not in (None, MAIN):
        raise UsageError(f"{program.name}: an assembly program has no functions to invoke")
    numbers = encode_arguments(program.name, FuncType((I32,) * len(args)), args)
    if isinstance(session, OracleSession):
        end = run_asm(program.assembly, numbers, max_steps=session.max_steps, pulse=session.pulse)
        results = () if end.trap else end.stack
        return Outcome(results, end.trap, "", None, end.steps, end.instructions)
    instance, _ = session.load_program(program, len(args))
    return session.invoke(instance, MAIN, numbers)


def _run_module(
    program: Program,
    session: AnySession,
    invoke: str | None,
    args: Sequence[Value | str],
) -> tuple[Outcome, Sequence[ValType]]:
    name = invoke or default_export(program.declarations)
    instance, first = session.load_program(program)
    if first.trap or first.exit_code is not None:
        return first, ()
    if name is None:
        if args:
            raise UsageError(f"{program.name}: arguments, but nothing to give them to")
        return first, ()
    function = session.function(instance, name)
    if invoke is None and name == "main" and function.type.params == (I32, I32) and not args:
        args = (0, 0)  # C's main(argc, argv) of a program that has no arguments
    outcome = session.invoke(instance, name, encode_arguments(name, function.type, args))
    whole = _sum(first, outcome)
    if invoke is None and name == "main" and function.type.results == (I32,) and not outcome.trap:
        return _exited(whole), ()
    return whole, () if outcome.trap or outcome.exit_code is not None else function.type.results


def _sum(first: Outcome, then: Outcome) -> Outcome:
    """One outcome for instantiation and invocation."""
    steps, instructions = first.steps + then.steps, first.instructions + then.instructions
    return Outcome(then.results, then.trap, then.detail, then.exit_code, steps, instructions)


def _exited(outcome: Outcome) -> Outcome:
    """What `main` returns is the exit code."""
    code = outcome.results[0] if outcome.exit_code is None else outcome.exit_code
    return Outcome((), None, "", code, outcome.steps, outcome.instructions)


def default_export(module: Module) -> str | None:
    """The function to run when none is named; None if starting the module is all there is."""
    names = [e.name for e in module.exports if e.kind is Kind.FUNC]
    for name in ("_start", "main"):
        if name in names:
            return name
    if not names:
        return None
    raise UsageError(f"no _start or main to run; name one with --invoke: {', '.join(names[:20])}")
