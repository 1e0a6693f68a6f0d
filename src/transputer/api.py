"""The public API: one typed function per verb, dispatching on the machine.

Importing this costs next to nothing; what does the work is loaded by the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transputer.errors import UsageError
from transputer.frontends.project import is_source as is_source
from transputer.frontends.project import read_project as read_project
from transputer.host.outcome import DEFAULT_STEPS, Pulse, Sink, quiet
from transputer.registry import machine as machine_named
from transputer.registry.machine import check, compiled, source_of
from transputer.registry.program import COMPARED, TRACED, Program
from transputer.registry.settings import FilePath

if TYPE_CHECKING:
    from transputer.check.audit.verdict import Verdict
    from transputer.check.prove import Proof
    from transputer.check.spec import Score
    from transputer.debugger.debugger import Debugger
    from transputer.debugger.diff import Comparison
    from transputer.debugger.steps import Trace
    from transputer.frontends.words.planner import Planner
    from transputer.host.result import Result
    from transputer.model import Looped, Model
    from transputer.runtime.ask import Answer
    from transputer.runtime.chat import Conversation


def compile(
    path: FilePath | None = None,
    *more: FilePath,
    source: str | bytes | None = None,
    kind: str | None = None,
    machine: str = "trace",
    includes: Sequence[FilePath] = (),
    defines: Sequence[str] = (),
    opt: str | None = None,
    library: bool | None = None,
    flags: Sequence[str] = (),
    notice: Callable[[str], None] | None = None,
    bits: int | None = None,
    config: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Program:
    """Compile a program for a machine.

    Args:
        path: The source file; its suffix says its kind. A folder, a `compile_commands.json` or a
            response file (`@FILE`) stands for all its C and C++ files.
        more: Further C and C++ files, objects and static libraries of the same program.
        source: The source itself instead of a file, of the kind `kind`.
        kind: The kind of `source`: `c`, `wat`, `asm`, …; `Machine.kinds` lists them.
        machine: `trace`, `loom`, `soft`, or one that was registered.
        includes: C: folders to look for headers in.
        defines: C: macros, as `NAME` or `NAME=VALUE`.
        opt: C: the optimisation level, as clang takes it (`-O2`).
        library: C: link the C library or not; by default, a program with `main` has it.
        flags: C: flags of the compiler; they come last.
        notice: Hears when the C library has to be built first.
        bits: loom: bits of a word.
        config: loom: the size of the machine; by default the smallest that the program fits.
        options: Options that only the machine has, by name.

    Raises:
        SourceError: The source is wrong; the message says where.
        UsageError: The file cannot be read, or the machine does not compile its kind.
    """
    if (path is None) == (source is None):
        raise UsageError("compile takes a path or `source`, one of them")
    if source is not None and kind is None:
        raise UsageError("`source` needs a `kind`, such as kind='c'")
    chosen = machine_named(machine)
    if path is not None and (project := read_project(str(path))) is not None:
        path, *others = project.files
        more, flags = (*others, *more), (*project.flags, *flags)
    name = str(path) if path is not None else f"program.{str(kind).removeprefix('.')}"
    unit = source_of(name, None if path is not None else kind, source)
    given = {
        "includes": tuple(includes), "defines": tuple(defines), "opt": opt, "library": library,
        "flags": tuple(flags), "bits": bits, "config": config, **(options or {}),
    }  # fmt: skip
    given = {option: value for option, value in given.items() if value not in (None, ())}
    program: Program = compiled(chosen, unit, *more, notice=notice, **given)
    return program


def run(
    path: FilePath | Program,
    invoke: str | None = None,
    args: Sequence[Any] = (),
    *,
    machine: str = "trace",
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
    bits: int | None = None,
    config: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Run a program and return what came of it; a trap is a result, not an exception.

    `path` is a file or a compiled program, `machine`, `bits` and `config` are those of `compile`,
    everything else is explained at `Program.run`.
    """
    program = _program(path, machine, bits, config)
    return program.run(
        invoke, args, engine=engine, max_steps=max_steps, stdin=stdin, stdout=stdout,
        stderr=stderr, env=env, dirs=dirs, files=files, write_anyway=write_anyway, clock=clock,
        ticks=ticks, seed=seed, keep=keep, digest=digest, checkpoint=checkpoint, resume=resume,
        pulse=pulse, options=options,
    )  # fmt: skip


def trace(
    path: FilePath | Program,
    invoke: str | None = None,
    args: Sequence[Any] = (),
    *,
    machine: str = "trace",
    limit: int = TRACED,
    engine: str = "auto",
    stdin: bytes = b"",
    bits: int | None = None,
    config: str | None = None,
) -> Trace:
    """Return the first `limit` steps of a run: what each head read, what was written."""
    program = _program(path, machine, bits, config)
    return program.trace(invoke, args, limit=limit, engine=engine, stdin=stdin)


def debug(
    path: FilePath | Program,
    invoke: str | None = None,
    args: Sequence[Any] = (),
    *,
    machine: str = "trace",
    engine: str = "auto",
    max_steps: int | None = None,
    stdin: bytes = b"",
    edits: Mapping[int, int] | None = None,
    pulse: Pulse = quiet,
    temperature: float | None = None,
    bits: int | None = None,
    config: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Debugger:
    """Record a run and return a debugger that moves in it, forwards and backwards.

    See `Program.debug` for the options.
    """
    program = _program(path, machine, bits, config)
    return program.debug(
        invoke, args, engine=engine, max_steps=max_steps, stdin=stdin, edits=edits, pulse=pulse,
        temperature=temperature, options=options,
    )  # fmt: skip


def diff(
    path: FilePath | Program,
    engines: tuple[str, str] = ("native", "oracle"),
    invoke: str | None = None,
    args: Sequence[Any] = (),
    *,
    machine: str = "trace",
    stdin: bytes = b"",
    max_steps: int = COMPARED,
    weights: FilePath | Model | Looped | None = None,
    pulse: Pulse = quiet,
    bits: int | None = None,
    config: str | None = None,
) -> Comparison:
    """Return the first step in which two engines do different things; see `Program.diff`."""
    program = _program(path, machine, bits, config)
    return program.diff(
        engines, invoke, args, stdin=stdin, max_steps=max_steps, weights=weights, pulse=pulse
    )


def export(
    path: FilePath | Program,
    to: str,
    output: FilePath,
    *,
    machine: str = "trace",
    invoke: str | None = None,
    args: Sequence[Any] = (),
    specialize: bool = False,
    dtype: str = "",
    bits: int | None = None,
    config: str | None = None,
) -> list[Path]:
    """Write a program with its model to files for others to run; see `Program.export`."""
    program = _program(path, machine, bits, config)
    return program.export(to, output, invoke=invoke, args=args, specialize=specialize, dtype=dtype)


def export_model(machine: str, to: str, output: FilePath) -> list[Path]:
    """Write the universal model of a machine, without a program, to files for others to run."""
    ability = check(machine, "export_model")
    if to not in ability.formats:
        known = ", ".join(ability.formats)
        raise UsageError(f"the {machine} machine without a program exports to {known}, not {to!r}")
    paths: list[Path] = ability.call(to, output)
    return paths


def build(
    machine: str = "trace",
    output: FilePath | None = None,
    *,
    addressing: str | None = None,
    context: int | None = None,
    config: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Model | Looped:
    """Build the universal model of a machine, and save it as safetensors to `output` if given.

    Args:
        machine: The machine whose model to build.
        output: The file to write.
        addressing: trace: `digits` (the default), or the plain `parabolic` addressing.
        context: trace: the number of positions that the model is built for.
        config: loom: the size of the machine.
        options: Other options that only the machine has, by name.
    """
    options = {"addressing": addressing, "context": context, "config": config, **(options or {})}
    options = {option: value for option, value in options.items() if value is not None}
    model: Model | Looped = check(machine, "build", options=options).call(**options)
    if output is not None:
        from transputer.runtime.models import save_model

        save_model(model, output)
    return model


def specialize(
    path: FilePath | Program,
    invoke: str | None = None,
    arguments: int = 0,
    *,
    machine: str = "trace",
) -> Model:
    """Return a model with a program in its weights instead of the prompt.

    `arguments` is how many an assembly program gets.
    """
    program = _program(path, machine, None, None)
    model: Model = check(program.machine, "specialize", program.kind).call(
        program, invoke, arguments
    )
    return model


def inspect(path: FilePath) -> dict[str, Any]:
    """Return the card of a model in a file: sizes, bounds, what each head and neuron is for."""
    from transputer.runtime.models import inspect as inspected

    return inspected(path)


def prove(
    model: FilePath | None = None,
    *,
    machine: str = "trace",
    fresh: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Proof:
    """Derive what a model computes from its weights, and check it against the dense weights.

    `model` is a file, which may be of any machine that can prove; without it, the universal model
    of `machine` is built. `fresh=False` takes rows that were derived before from the package and
    the user's cache.
    """
    ability = check(machine, "prove")
    proof: Proof = ability.call(build(machine) if model is None else model, progress, fresh)
    return proof


def audit(
    machine: str = "trace",
    *,
    model: FilePath | None = None,
    seed: int | None = None,
    rules: Iterable[int] = (),
    full: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Verdict]:
    """Check the rules of the design on a machine's weights; return a verdict for each.

    Args:
        machine: The machine whose model is audited.
        model: A model file, instead of the model of the machine.
        seed: Random seed; a fresh one if it is left out.
        rules: Check only these rules.
        full: Take larger samples, which takes many times as long.
        progress: Hears what is being checked.
    """
    judge = check(machine, "audit").call
    file = None if model is None else Path(model)
    import secrets

    chosen = secrets.randbelow(1 << 32) if seed is None else seed
    verdicts: list[Verdict] = judge(
        machine, model=file, seed=chosen, rules=rules, full=full, progress=progress
    )
    return verdicts


def spec(
    path: FilePath | None = None,
    *,
    engine: str = "auto",
    max_steps: int = DEFAULT_STEPS,
    progress: Callable[[str, Score], None] | None = None,
) -> Mapping[str, Score]:
    """Run the official WebAssembly tests in a folder; return a score for each file."""
    from transputer.check.spec import spec as scored

    return scored(path, engine=engine, max_steps=max_steps, progress=progress)


def ask(
    question: str,
    *,
    planner: Planner | str | None = None,
    model: bool = True,
    rules: bool = True,
    engine: str = "auto",
    max_steps: int | None = None,
    check: bool = False,
    threshold: float | None = None,
    doubtful: bool = False,
    pulse: Pulse = quiet,
) -> Answer:
    """Answer a question in words, or say why not; the answer is exact or there is none.

    Args:
        question: A question in English.
        planner: A planner of your own or an installed one by name; by default the embedded model.
        model: Use the planner where the rules do not understand the question.
        rules: Try the rules first.
        engine: What executes the plan's program.
        max_steps: How many steps the program may take.
        check: Also run the program in wasmtime.
        threshold: Refuse plans of the model below this confidence.
        doubtful: Also run a model's plan that would be refused; for measurements.
        pulse: Hears how many steps have been made.
    """
    from transputer.runtime.ask import ASK_STEPS
    from transputer.runtime.ask import ask as answered

    return answered(
        question, planner=planner, model=model, rules=rules, engine=engine,
        max_steps=max_steps or ASK_STEPS, check=check, threshold=threshold, doubtful=doubtful,
        pulse=pulse,
    )  # fmt: skip


def chat(model: FilePath, *, max_tokens: int | None = None) -> Conversation:
    """Begin a conversation with a language model that has the machine inside.

    Args:
        model: The folder of an exported model (docs/one-model.md).
        max_tokens: How many tokens an answer may have, machine steps included.
    """
    from transputer.runtime.chat import MAX_TOKENS, Conversation

    return Conversation(model, MAX_TOKENS if max_tokens is None else max_tokens)


def learn(
    task: Any,
    method: str = "auto",
    *,
    inputs: Any = None,
    arrays: Any = None,
    width: int = 32,
    operations: Sequence[str] | None = None,
    constants: Sequence[int] | None = None,
    registers: int | None = None,
    length: int | None = None,
    sketch: str = "",
    seed: int = 0,
    seconds: float = 300.0,
    cpu_seconds: float | None = None,
    prove: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> Any:
    """Learn a program for the soft machine from a specification or from examples, and prove it.

    Args:
        task: A Python function; examples (pairs of inputs and result); a file: `examples.csv`,
            `examples.json`, `FILE.py:FUNCTION` or `FILE.sl` (SyGuS); or the name of a task, as
            `transputer learn --help` lists them. A function or a SyGuS file is also what the
            program is proved against.
        method: `auto` runs all in parallel: `enumeration`, `loops`, `annealing`, `cvc5` and
            `gradient`. Also `random`, `bfs` and `hybrid`.
        inputs: `signed`, `unsigned`, or a function of a `random.Random` that returns arguments.
        arrays: Names of the parameters that are arrays (at most one), or how many there are.
        width: Bits of a word: 8, 16, 32 or 64.
        operations: Operations that programs may use.
        constants: Numbers that programs may use.
        registers: Registers that annealing may use.
        length: Longest program that annealing tries.
        sketch: Program with given lines, `?` for each line to learn.
        seed: Random seed.
        seconds: Time budget.
        cpu_seconds: Budget of processor time of the portfolio, if there is to be one.
        prove: Whether to prove what was learned.
        progress: Hears what is being tried.
    """
    from transputer.runtime.learn import learn as learned

    return learned(
        task, method, seed=seed, seconds=seconds, progress=progress, prove=prove, inputs=inputs,
        arrays=arrays, width=width, ops=operations, numbers=constants, registers=registers,
        length=length, sketch=sketch, cpu_seconds=cpu_seconds,
    )  # fmt: skip


def map(
    path: FilePath,
    rows: Iterable[Mapping[str, Any] | Sequence[Any]],
    *,
    invoke: str | None = None,
    machine: str = "trace",
    engine: str = "auto",
    max_steps: int = DEFAULT_STEPS,
    jobs: int = 1,
    ordered: bool = True,
    scheduler: str | None = None,
    backend: str = "cpu",
) -> Iterator[dict[str, Any]]:
    """Run one program on many inputs; yield what `run --json` prints for each.

    Args:
        path: The program.
        rows: Mappings with `args` and `stdin`, or sequences of arguments; any iterable.
        invoke: The exported function to call.
        machine: The machine that runs it.
        engine: The engine; many rows on `auto` run as batches of lifted code.
        max_steps: Step limit of a row; a row that reaches it gets an error.
        jobs: Number of processes.
        ordered: Yield in the order of the rows; otherwise as results become ready.
        scheduler: Run on a Dask cluster: its address, or `dask-local`.
        backend: Where batches run: `cpu`, or `cuda` for a CUDA device, which must be there.
    """
    from transputer.runtime.map import map_rows

    options = machine, engine, max_steps, jobs, ordered, scheduler, backend
    return map_rows(path, rows, invoke, *options)


def _program(
    path: FilePath | Program, machine: str, bits: int | None, config: str | None
) -> Program:
    """Return a compiled program as it is, or the one of a file."""
    if isinstance(path, Program):
        return path
    return compile(path, machine=machine, bits=bits, config=config)
