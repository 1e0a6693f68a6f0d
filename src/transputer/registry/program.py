"""Compiled programs, and the verbs that every machine's programs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from transputer.errors import UsageError
from transputer.host.outcome import DEFAULT_STEPS, Pulse, Sink, quiet
from transputer.registry.machine import check, machine
from transputer.registry.settings import FilePath, RunSettings

if TYPE_CHECKING:
    from transputer.debugger.debugger import Debugger
    from transputer.debugger.diff import Comparison
    from transputer.debugger.steps import Trace
    from transputer.host.result import Result
    from transputer.model import Looped, Model

#: Default number of steps that `trace` shows and `diff` compares.
TRACED, COMPARED = 1000, 10_000_000


@dataclass(frozen=True)
class Program:
    """A compiled program; its name ends in the kind of file that it came from.

    Each machine has a subclass with the output of its compiler. The verbs below dispatch on the
    machine; they raise `Unsupported` or `UsageError` for what it cannot do.
    """

    name: str
    machine: ClassVar[str] = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def kind(self) -> str:
        """The kind of the source file, such as `.c`."""
        return Path(self.name).suffix.lower()

    @property
    def is_command(self) -> bool:
        """Whether the program reads its arguments as text, as `main` of a C program can."""
        return False

    def text(self, form: str = "source") -> str:
        """Return the disassembly in a form: `source`, or another one of the machine."""
        raise NotImplementedError

    def run(
        self,
        invoke: str | None = None,
        args: Sequence[Any] = (),
        *,
        engine: str = "auto",
        max_steps: int = DEFAULT_STEPS,
        stdin: bytes | Callable[[], int] = b"",
        stdout: Sink | None = None,
        stderr: Sink | None = None,
        env: Mapping[str, str] | None = None,
        dirs: Sequence[str] = (),
        files: Mapping[str, str] | None = None,
        write_anyway: bool = False,
        clock: int = 0,
        ticks: str = "steps",
        seed: int = 0,
        keep: bool = True,
        digest: bool = False,
        checkpoint: FilePath | None = None,
        resume: FilePath | None = None,
        pulse: Pulse = quiet,
        options: Mapping[str, Any] | None = None,
    ) -> Result:
        """Run the program and return its result; a trap is a result, not an exception.

        Args:
            invoke: The exported function to call with `args`. Without it, `_start` or `main` runs
                and its value is the exit code; an assembly program gets `args` on its stack.
            args: Arguments of the invoked function, of the assembly program, or of a WASI program.
            engine: The engine; see `Machine.abilities["run"].engines`.
            max_steps: Raise `StepLimitError` after this many steps.
            stdin: The program's input: bytes, or a function that returns the next byte or -1.
            stdout: Gets each byte of output as it is written; without it, the result has them.
            stderr: The same for standard error.
            env: Environment variables of a WASI program; it sees no others.
            dirs: Folders that a WASI program may use: `HOST[::GUEST][:rw]`. A run sees a copy; a
                folder with `:rw` is written when the program ends by itself.
            files: Single files that a WASI program may read, by their name for the program.
            write_anyway: Write folders also after a trap, a step limit or an interrupt.
            clock: The initial clock of a WASI program, in nanoseconds.
            ticks: What advances that clock: `steps`, by 1 us each, or `readings`, by 1 ms each.
            seed: Random seed of a WASI program.
            keep: Keep the trace. Without it, memory does not grow with the steps.
            digest: Compute the hash of all steps even if that costs time.
            checkpoint: A file for checkpoints, saved regularly and when the run is interrupted.
            resume: A checkpoint to continue from.
            pulse: Called with the number of steps so far; may raise `Interrupted` to end the run.
            options: Options that only this machine has, by name.
        """
        if max_steps < 1:
            raise UsageError(f"a step limit is at least 1, not {max_steps}")
        settings = RunSettings(
            engine=machine(self.machine).engine("run", engine, self.kind),
            invoke=invoke, args=args, stdin=stdin, stdout=stdout, stderr=stderr,
            max_steps=max_steps, pulse=pulse, env=env or {}, dirs=dirs, files=files or {},
            write_anyway=write_anyway, clock=clock, ticks=ticks, seed=seed, keep=keep,
            digest=digest, checkpoint=checkpoint, resume=resume, options=options or {},
        )  # fmt: skip
        result: Result = self._do("run", settings)
        return result

    def debug(
        self,
        invoke: str | None = None,
        args: Sequence[Any] = (),
        *,
        engine: str = "auto",
        max_steps: int | None = None,
        stdin: bytes = b"",
        edits: Mapping[int, int] | None = None,
        pulse: Pulse = quiet,
        started: Callable[[Debugger], None] | None = None,
        temperature: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Debugger:
        """Run the program, record it, and return a debugger with a cursor at its first step.

        Args:
            invoke: As for `run`.
            args: As for `run`.
            engine: The engine that runs and records the program.
            max_steps: Number of steps to record; the default depends on the machine.
            stdin: The program's input.
            edits: Values that replace initial memory, by address.
            pulse: Called with the number of steps recorded so far.
            started: Called with the debugger before the run begins, so that a thread can watch it.
            temperature: On the soft machine, also run the first steps at this temperature.
            options: Other options that only this machine has, by name.
        """
        own = {**(options or {}), **({} if not temperature else {"temperature": temperature})}
        settings = RunSettings(
            engine=machine(self.machine).engine("debug", engine, self.kind),
            invoke=invoke, args=args, stdin=stdin, max_steps=max_steps, pulse=pulse,
            edits=edits or {}, started=started, options=own,
        )  # fmt: skip
        debugger: Debugger = self._do("debug", settings)
        return debugger

    def trace(
        self,
        invoke: str | None = None,
        args: Sequence[Any] = (),
        *,
        limit: int = TRACED,
        engine: str = "auto",
        stdin: bytes = b"",
        options: Mapping[str, Any] | None = None,
    ) -> Trace:
        """Return the first `limit` steps: instruction, lookups of the heads, writes."""
        how: dict[str, Any] = {"engine": engine, "stdin": stdin, "options": options}
        return self.debug(invoke, args, max_steps=limit, **how).trace(limit)

    def studio(
        self, invoke: str | None = None, args: Sequence[Any] = (), *, height: int = 820
    ) -> Any:
        """Return the studio's page on this program as a frame for notebooks.

        The browser runs the weights; nothing is served. `invoke` and `args` are as for `run`.
        """
        return machine(self.machine).ability("studio").call(self, invoke, args, height)

    def diff(
        self,
        engines: tuple[str, str] = ("native", "oracle"),
        invoke: str | None = None,
        args: Sequence[Any] = (),
        *,
        stdin: bytes = b"",
        max_steps: int = COMPARED,
        weights: FilePath | Model | Looped | None = None,
        pulse: Pulse = quiet,
    ) -> Comparison:
        """Run the program on two engines and return the first step at which they differ.

        `weights` is a model, or a model file, that replaces the weights of the first engine.
        """
        for engine in engines:
            machine(self.machine).engine("diff", engine, self.kind)
        settings = RunSettings(
            invoke=invoke, args=args, stdin=stdin, max_steps=max_steps, weights=weights,
            pulse=pulse,
        )  # fmt: skip
        comparison: Comparison = self._do("diff", settings, engines)
        return comparison

    def export(
        self,
        to: str,
        output: FilePath,
        *,
        invoke: str | None = None,
        args: Sequence[Any] = (),
        specialize: bool = False,
        dtype: str = "",
    ) -> list[Path]:
        """Write the program and its model in a format that others run; return the files' paths.

        Args:
            to: The format; see `Machine.abilities["export"].formats`.
            output: The file to write; some formats write other files next to it.
            invoke: The exported function to run.
            args: Its default arguments.
            specialize: Put the program into the weights instead of the prompt.
            dtype: The number type; a type that would round is refused.
        """
        options = {"invoke": invoke, "args": tuple(args), "specialize": specialize, "dtype": dtype}
        ability = check(self.machine, "export", self.kind, options)
        if to not in ability.formats:
            known = ", ".join(ability.formats)
            raise UsageError(f"the {self.machine} machine exports to {known}, not to {to!r}")
        paths: list[Path] = ability.call(self, to, Path(output), **options)
        return paths

    def _do(self, verb: str, settings: RunSettings, *more: Any) -> Any:
        ability = check(self.machine, verb, self.kind, settings.optional())
        return ability.call(self, settings, *more)


def listing(program: Program, form: str = "source") -> str:
    """Return the disassembly of a program; this is `dis` on every machine."""
    return program.text(form)
