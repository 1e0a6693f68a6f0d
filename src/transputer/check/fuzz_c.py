"""Random C programs on this machine's compiler, wasmtime, the oracle and the weights."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from transputer.check.fuzz.c.make import program
from transputer.check.fuzz.c.native import FLAGS, Ending, compiler, exited, run_native
from transputer.check.fuzz.c.smaller import smaller_program
from transputer.check.fuzz.c.tree import Program, print_programs
from transputer.check.fuzz.campaign import Failure, Tally, alike, found_wrong
from transputer.check.fuzz.shrink import Patience
from transputer.errors import TransputerError
from transputer.host.result import Result
from transputer.oracle.command import run_command
from transputer.runtime.trace.program import compile_file
from transputer.runtime.trace.run import run_program

#: Programs that are compiled and run together.
SIZE = 10
#: How programs are optimised, in turn.
LEVELS = ("-Os", "-O1", "-O2", "-Os", "-O0")
#: Steps and seconds that a batch may take: far more than it does.
STEPS, SECONDS = 100_000_000, 300
_LEVEL = re.compile(r"^// compiled with (-O\w)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CSource:
    """A C file and how to optimise it."""

    text: str
    level: str

    def kept(self, note: str) -> bytes:
        """The file that replays it."""
        notes = "".join(f"// {line}\n" for line in note.splitlines())
        return f"{notes}// compiled with {self.level}\n{self.text}".encode()


def c_source(text: str) -> CSource:
    """The source in a file that `CSource.kept` wrote."""
    level = _LEVEL.search(text)
    return CSource(text, level[1] if level else LEVELS[0])


def level(seed: int) -> str:
    """How the program of a seed is optimised; the same for all of a batch."""
    return LEVELS[seed // SIZE % len(LEVELS)]


def compare_c(source: CSource, engine: str, tally: Tally | None = None) -> str:
    """The first difference between the implementations, or nothing."""
    with tempfile.TemporaryDirectory(prefix="transputer-") as folder:
        file = Path(folder, "program.c")
        file.write_text(source.text)
        try:
            made = compile_file(file, opt=source.level, flags=FLAGS)
            wasmtime = run_command(made.binary)
            oracle = run_program(made, engine="oracle", max_steps=STEPS)
            weights = run_program(made, engine=engine, max_steps=STEPS, keep=False)
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
    """Neighbours are compared line by line; a program that does not exit with 0 is wrong too."""
    for (a, left), (b, right) in zip(endings.items(), list(endings.items())[1:], strict=False):
        for x, y in zip_longest(left.lines(), right.lines()):
            if x != y:
                return f"{a} has {x!r}, {b} has {y!r}"
    ended = endings["wasmtime"].ended
    return "" if ended == "exit code 0" else f"the program ends with {ended}"


def _counts(oracle: Result, weights: Result) -> str:
    counts = oracle.instructions, weights.instructions
    return "" if len(set(counts)) == 1 else f"different numbers of instructions: {counts}"


def try_programs(seeds: Sequence[int], engine: str) -> Tally:
    """A batch of programs; of one that shows a difference, each program alone, made smaller."""
    programs = [program(seed) for seed in seeds]
    source = CSource(print_programs(programs), level(seeds[0]))
    tally = Tally(programs=len(programs))
    problem = found_wrong(lambda: compare_c(source, engine, tally), SECONDS)
    if not problem:
        return tally
    tally.failures = [f for p in programs for f in _alone(p, source.level, engine)]
    if not tally.failures:
        again = f"--kind c --count {len(seeds)} --seed {seeds[0]}"
        name = f"c-{seeds[0]}-{seeds[-1]}.c"
        tally.failures = [Failure(problem, again, name, source.kept(problem))]
    return tally


def _alone(made: Program, how: str, engine: str) -> list[Failure]:
    def wrong(candidate: Program) -> str:
        source = CSource(print_programs([candidate]), how)
        return found_wrong(lambda: compare_c(source, engine), SECONDS)

    problem = wrong(made)
    if not problem:
        return []
    patience = Patience(tries=400, seconds=120)
    small = smaller_program(made, lambda candidate: alike(wrong(candidate), problem), patience)
    content = CSource(print_programs([small]), how).kept(f"seed {made.number}: {problem}")
    again = f"--kind c --count 1 --seed {made.number}"
    return [Failure(problem, again, f"c-{made.number}.c", content)]
