"""The one door: compile, run, disassemble and test. The command line calls only this."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transputer.errors import SourceError, Trap, UsageError
from transputer.frontends.asm import assemble
from transputer.frontends.binary import decode
from transputer.frontends.binary.decode import MAGIC
from transputer.frontends.c import compile_c
from transputer.frontends.source import PathLike, read_bytes, read_text
from transputer.frontends.wat import to_wasm
from transputer.ir.asm import AsmProgram, to_text
from transputer.ir.core import CoreModule
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.core_verify import verify_core
from transputer.ir.module import FuncType, Kind, Module
from transputer.ir.text import print_wat
from transputer.ir.values import Value, decode_value, encode_arguments, print_value
from transputer.ir.verify import Verified, verify
from transputer.isa.op import ValType
from transputer.lower.asm import MAIN, lower_asm
from transputer.lower.flatten import flatten
from transputer.oracle.asm import run as run_asm
from transputer.oracle.core import CoreSession
from transputer.oracle.ir import IrSession
from transputer.oracle.outcome import Outcome, Pulse, quiet
from transputer.oracle.session import DEFAULT_STEPS, Console, Session
from transputer.oracle.store import Instance
from transputer.spec import Score, find_folder, run_script, scripts

#: What can run a program today. Both are oracles: implementations without weights.
ENGINES = ("oracle", "core")
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
        }


def _plain(value: Value, text: str) -> Any:
    """JSON has no NaN and no infinities: those go as text."""
    if isinstance(value, float) and not abs(value) < float("inf"):
        return text
    return value


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled program: exactly one of a module, an assembly program, or core code."""

    name: str
    module: Verified | None = None
    assembly: AsmProgram | None = None
    code: CoreModule | None = None

    def core(self, arguments: int = 0) -> CoreModule:
        """Its flat core code; an assembly program needs to know how many arguments it gets."""
        if self.code is not None:
            return self.code
        if self.assembly is not None:
            return lower_asm(self.assembly, arguments)
        return flatten(self._verified())

    def _verified(self) -> Verified:
        if self.module is None:
            raise UsageError(f"{self.name}: the oracle cannot run core code; use --engine core")
        return self.module

    @property
    def declarations(self) -> Module:
        """What it exports and imports."""
        return self.core().declarations if self.module is None else self.module.module

    def run(
        self, invoke: str | None = None, args: Sequence[Value | str] = (), **how: Any
    ) -> Result:
        """Run it; see `run` for the options."""
        return run_program(self, invoke, args, **how)

    def text(self, form: str = "source") -> str:
        """Disassembly: `source` is WAT or assembly with places, `core` is flat core code."""
        if form == "core" or self.code is not None:
            return print_core(self.core())
        if self.assembly is not None:
            return to_text(self.assembly)
        return print_wat(self._verified().module, offsets=True)


def compile(path: PathLike, **options: Any) -> Program:  # noqa: A001
    """A program from a `.c`, `.wat`, `.wasm`, `.asm` or `.core` file.

    Raises `SourceError` with the place of the mistake, or `UsageError` if the file cannot
    be read or is of no known kind. `options` are those of the C compiler.
    """
    name = str(path)
    suffix = Path(name).suffix.lower()
    if options and suffix != ".c":
        raise UsageError(f"{name}: compiler options are for .c files")
    try:
        return _COMPILERS.get(suffix, _guess)(name, **options)
    except SourceError as error:
        raise error.in_file(name) from None


def _from_wasm(name: str) -> Program:
    return Program(name, module=verify(decode(read_bytes(name))))


def _from_wat(name: str) -> Program:
    return Program(name, module=verify(decode(to_wasm(read_text(name), name))))


def _from_asm(name: str) -> Program:
    return Program(name, assembly=assemble(read_text(name), name))


def _from_core(name: str) -> Program:
    module = parse_core(read_text(name), name)
    verify_core(module)
    return Program(name, code=module)


def _from_c(name: str, **options: Any) -> Program:
    return Program(name, module=verify(decode(compile_c(name, **options))))


def _guess(name: str) -> Program:
    if read_bytes(name).startswith(MAGIC):
        return _from_wasm(name)
    kinds = ", ".join(sorted(_COMPILERS))
    raise UsageError(f"{name}: unknown kind of file; known are {kinds}")


_COMPILERS: dict[str, Callable[..., Program]] = {
    ".wasm": _from_wasm,
    ".wat": _from_wat,
    ".asm": _from_asm,
    ".core": _from_core,
    ".c": _from_c,
}


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
    path: PathLike, invoke: str | None = None, args: Sequence[Value | str] = (), **how: Any
) -> Result:
    """Compile and run a program.

    `invoke` names the exported function to call with `args`; without it, a module's
    `_start` or `main` runs, and an assembly program gets the arguments on its stack.
    Options: `engine` (one of `ENGINES`), `max_steps`, `stdin` (bytes, or a function that
    returns the next byte or -1), `stdout` (a function that takes each byte; otherwise they
    are in the result) and `pulse` (hears of progress).
    """
    return run_program(compile(path), invoke, args, **how)


def run_program(
    program: Program,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    engine: str = "oracle",
    max_steps: int = DEFAULT_STEPS,
    stdin: bytes | Callable[[], int] = b"",
    stdout: Callable[[int], None] | None = None,
    pulse: Pulse = quiet,
) -> Result:
    """Run a compiled program; the options are those of `run`."""
    if engine not in ENGINES:
        raise UsageError(f"no engine {engine!r}; there is: {', '.join(ENGINES)}")
    if max_steps < 1:
        raise UsageError(f"max_steps must be at least 1, not {max_steps}")
    recorder = _Recorder(_reader(stdin), stdout)
    started = time.perf_counter()
    if program.assembly is not None:
        outcome, types = _run_assembly(program, invoke, args, engine, max_steps, pulse)
    else:
        session = _session(engine, recorder.console, max_steps)
        session.pulse = pulse
        outcome, types = _run_module(program, session, invoke, args)
    seconds = time.perf_counter() - started
    return _result(outcome, types, bytes(recorder.written), engine, seconds)


def _result(
    outcome: Outcome, types: Sequence[ValType], stdout: bytes, engine: str, seconds: float
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
        "oracle",
        engine,
        seconds,
    )


def _run_assembly(
    program: Program,
    invoke: str | None,
    args: Sequence[Value | str],
    engine: str,
    max_steps: int,
    pulse: Pulse,
) -> tuple[Outcome, Sequence[ValType]]:
    if program.assembly is None or invoke not in (None, MAIN):
        raise UsageError(f"{program.name}: an assembly program has no functions to invoke")
    numbers = encode_arguments(program.name, FuncType((I32,) * len(args)), args)
    if engine == "oracle":
        end = run_asm(program.assembly, numbers, max_steps=max_steps, pulse=pulse)
        results = () if end.trap else end.stack
        outcome = Outcome(results, end.trap, "", None, end.steps, end.instructions)
    else:
        session = CoreSession(max_steps=max_steps)
        session.pulse = pulse
        instance, _ = session.load(program.core(len(args)))
        outcome = session.invoke(instance, MAIN, numbers)
    return outcome, (I32,) * len(outcome.results)


def _session(engine: str, console: Console, max_steps: int) -> "OracleSession | LoweredSession":
    kind = OracleSession if engine == "oracle" else LoweredSession
    return kind(console=console, max_steps=max_steps)


class OracleSession(IrSession):
    """Programs as written."""

    def load_program(self, program: Program) -> tuple[Instance, Outcome]:
        """Instantiate a program's module."""
        return self.load(program._verified())

    def load_module(self, verified: Verified) -> tuple[Instance, Outcome]:
        """Instantiate a module."""
        return self.load(verified)


class LoweredSession(CoreSession):
    """Programs as flat core code, verified before it is loaded."""

    def load_program(self, program: Program) -> tuple[Instance, Outcome]:
        """Instantiate a program's core code."""
        module = program.core()
        verify_core(module)
        return self.load(module)

    def load_module(self, verified: Verified) -> tuple[Instance, Outcome]:
        """Flatten and instantiate a module."""
        return self.load_program(Program("", module=verified))


def _run_module(
    program: Program,
    session: "OracleSession | LoweredSession",
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


def spec(
    path: PathLike | None = None,
    *,
    engine: str = "oracle",
    max_steps: int = DEFAULT_STEPS,
    progress: Callable[[str, Score], None] | None = None,
) -> Mapping[str, Score]:
    """Run the official WebAssembly tests; a score per file.

    Without a path, the folder named by TRANSPUTER_SPEC or the default one is used;
    `UsageError` if there is none.
    """
    folder = find_folder() if path is None else Path(path)
    if folder is None:
        raise UsageError("no official tests found; name their folder, or set TRANSPUTER_SPEC")
    if not folder.exists():
        raise UsageError(f"{folder}: no such file or folder")
    if engine not in ENGINES:
        raise UsageError(f"no engine {engine!r}; there is: {', '.join(ENGINES)}")
    scores: dict[str, Score] = {}
    for script in scripts(folder):
        scores[script.name] = run_script(script, lambda: _session(engine, Console(), max_steps))
        if progress is not None:
            progress(script.name, scores[script.name])
    return scores


__all__ = [
    "DEFAULT_STEPS",
    "ENGINES",
    "Program",
    "Result",
    "Score",
    "Session",
    "compile",
    "run",
    "run_program",
    "spec",
]
