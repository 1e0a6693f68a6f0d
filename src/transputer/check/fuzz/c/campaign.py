"""Random C programs on this machine's compiler, wasmtime, the oracle and the weights."""

import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from transputer.check.fuzz.c.make import program
from transputer.check.fuzz.c.native import FLAGS, Ending, compiler, exited, run_native
from transputer.check.fuzz.c.smaller import smaller_program
from transputer.check.fuzz.c.tree import CProgram, print_programs
from transputer.check.fuzz.campaign import Failure, Tally, alike, problem_of, reproduction
from transputer.check.fuzz.shrink import ShrinkBudget
from transputer.errors import TransputerError
from transputer.host.result import Result
from transputer.oracle.command import run_command
from transputer.runtime.trace.program import compile_file
from transputer.runtime.trace.run import run_program

#: Number of programs in one file, compiled and run together.
SIZE = 10
#: Optimisation levels, used in turn.
LEVELS = ("-Os", "-O1", "-O2", "-Os", "-O0")
#: Limits of a batch, far more than it needs: steps, and CPU seconds.
STEPS, SECONDS = 100_000_000, 300
_LEVEL = re.compile(r"^// compiled with (-O\w)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CSource:
    """A C file and its optimisation level."""

    text: str
    level: str

    def file(self, note: str) -> bytes:
        """Return the content of the file that replays the source, with a note at the top."""
        notes = "".join(f"// {line}\n" for line in note.splitlines())
        return f"{notes}// compiled with {self.level}\n{self.text}".encode()


def c_source(text: str) -> CSource:
    """Return the source in a file that `CSource.file` wrote."""
    level = _LEVEL.search(text)
    return CSource(text, level[1] if level else LEVELS[0])


def level(seed: int) -> str:
    """Return the optimisation level of a seed's program; it is the same for a whole batch."""
    return LEVELS[seed // SIZE % len(LEVELS)]


def compare_c(source: CSource, engine: str, tally: Tally | None = None) -> str:
    """Return the first difference between the implementations, or ""."""
    with tempfile.TemporaryDirectory(prefix="transputer-") as folder:
        file = Path(folder, "program.c")
        file.write_text(source.text)
        try:
            compiled = compile_file(file, opt=source.level, flags=FLAGS)
            wasmtime = run_command(compiled.binary)
            oracle = run_program(compiled, engine="oracle", max_steps=STEPS)
            weights = run_program(compiled, engine=engine, max_steps=STEPS, keep=False)
        except TransputerError as error:
            return f"{type(error).__name__}: {error}"
    cc = compiler()
    endings = {"cc": run_native(source.text, cc)} if cc else {}
    theirs = Ending(wasmtime.stdout, f"trap: {wasmtime.trap.value}") if wasmtime.trap else None
    endings["wasmtime"] = theirs or exited(wasmtime.stdout, wasmtime.exit_code)
    endings |= {"the oracle": _ending(oracle), "the weights": _ending(weights)}
    if tally is not None:
        tally.instructions += oracle.instructions
    return _difference(endings) or _counts(oracle, weights)


def _ending(result: Result) -> Ending:
    if result.trap is not None:
        return Ending(result.stdout, f"trap: {result.trap.value}")
    return exited(result.stdout, result.exit_code or 0)


def _difference(endings: dict[str, Ending]) -> str:
    """Compare endings line by line; an exit code other than 0 is a difference too."""
    for (a, left), (b, right) in zip(endings.items(), list(endings.items())[1:], strict=False):
        for x, y in zip_longest(left.lines(), right.lines()):
            if x != y:
                return f"{a} has {x!r}, {b} has {y!r}"
    ended = endings["wasmtime"].ended
    return "" if ended == "exit code 0" else f"the program ends with {ended}"


def _counts(oracle: Result, weights: Result) -> str:
    counts = oracle.instructions, weights.instructions
    return "" if len(set(counts)) == 1 else f"different numbers of instructions: {counts}"


def try_c(seeds: Sequence[int], engine: str) -> Tally:
    """Run a batch of programs; if it differs, run each program alone and shrink it."""
    programs = [program(seed) for seed in seeds]
    source = CSource(print_programs(programs), level(seeds[0]))
    tally = Tally(Counter({"c": len(programs)}))
    problem = problem_of(lambda: compare_c(source, engine, tally), SECONDS)
    if not problem:
        return tally
    tally.failures = [f for p in programs for f in _alone(p, source.level, engine)]
    if not tally.failures:
        again = reproduction("c", seeds[0], len(seeds))
        name = f"c-{seeds[0]}-{seeds[-1]}.c"
        tally.failures = [Failure(problem, again, name, source.file(problem))]
    return tally


def _alone(program: CProgram, opt: str, engine: str) -> list[Failure]:
    def wrong(candidate: CProgram) -> str:
        source = CSource(print_programs([candidate]), opt)
        return problem_of(lambda: compare_c(source, engine), SECONDS)

    problem = wrong(program)
    if not problem:
        return []
    budget = ShrinkBudget(tries=400, seconds=120)
    small = smaller_program(program, lambda candidate: alike(wrong(candidate), problem), budget)
    content = CSource(print_programs([small]), opt).file(f"seed {program.number}: {problem}")
    again = reproduction("c", program.number)
    return [Failure(problem, again, f"c-{program.number}.c", content)]
