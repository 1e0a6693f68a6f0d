"""Random small C programs compared with a C compiler; one that differs is shrunk."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from transputer.check.fuzz.campaign import Failure, Tally, reproduction
from transputer.check.fuzz.smallc.grammar import generate
from transputer.check.fuzz.smallc.judge import MACHINES, in_c
from transputer.check.fuzz.smallc.spelling import SmallCNode, SmallCProgram
from transputer.errors import TransputerError

#: Statements that a program needs for its result or its termination.
_NEEDED = re.compile(r"return |i\d+--;|if \(x0 <= 0\)|int main")
#: Word widths, used in turn.
WIDTHS = tuple(sorted({bits for _, widths in MACHINES.values() for bits in widths}))


def try_smallc(
    seeds: Sequence[int], engine: str = "", machines: Sequence[str] = tuple(MACHINES)
) -> Tally:
    """Compare a random program for each seed on the machines with its word width, and in C.

    The machines' interpreters run it; `engine` is not used.
    """
    programs = [generate(seed, WIDTHS[seed % len(WIDTHS)]) for seed in seeds]
    tally = Tally(Counter({"smallc": len(programs)}))
    for seed, program, real in zip(seeds, programs, in_c(programs), strict=True):
        for machine in machines:
            if program.bits not in MACHINES[machine][1]:
                continue
            behaviour = observed(program, machine)
            if behaviour is None:
                tally.outcomes[f"too large for {machine}"] += 1
            elif behaviour != str(real):
                tally.failures.append(_failure(seed, program, machine, f"{behaviour}; C: {real}"))
    return tally


def _failure(seed: int, program: SmallCProgram, machine: str, problem: str) -> Failure:
    """Return the failure of a seed, with the smallest program that still differs."""
    small = shrunk(program, partial(differs, machine=machine))
    problem = f"{machine}: {problem}"
    text = f"// seed {seed}, {program.bits} bits\n// {problem}\n{small.small()}"
    name = f"smallc-{machine}-{seed}.txt"
    return Failure(problem, reproduction("smallc", seed), name, text.encode())


def observed(program: SmallCProgram, machine: str) -> str | None:
    """Return the behaviour on a machine, or its error, as text; None if it does not fit."""
    run, _ = MACHINES[machine]
    try:
        behaviour = run(program)
    except TransputerError as problem:
        return f"{type(problem).__name__}: {problem}"
    return None if behaviour is None else str(behaviour)


def differs(program: SmallCProgram, machine: str = "loom") -> bool:
    """Return whether a machine and C disagree; False for a program that C refuses."""
    try:
        (real,) = in_c([program])
    except (TransputerError, ValueError):
        return False
    behaviour = observed(program, machine)
    return (
        behaviour is not None and behaviour != str(real) and not behaviour.startswith("SmallCError")
    )


def shrunk(program: SmallCProgram, bad: Callable[[SmallCProgram], bool] = differs) -> SmallCProgram:
    """Remove every statement without which the program is still bad."""
    changed = True
    while changed:
        changed = False
        for nodes in list(_smaller(program.nodes)):
            watched = tuple(w for w in program.watched if any(_declares(n, w[0]) for n in nodes))
            candidate = replace(program, nodes=nodes, watched=watched)
            if bad(candidate):
                program, changed = candidate, True
                break
    return program


def _declares(node: SmallCNode, name: str) -> bool:
    return f" {name} " in node.small or f" {name}[" in node.small


def _smaller(nodes: tuple[SmallCNode, ...]) -> Iterator[tuple[SmallCNode, ...]]:
    """Yield the statements without one of them, largest first; those that end loops stay."""
    for i, node in enumerate(nodes):
        if _NEEDED.match(node.small):
            continue
        yield nodes[:i] + nodes[i + 1 :]
        if node.inside and node.close == "}":
            yield nodes[:i] + node.inside + nodes[i + 1 :]
    for i, node in enumerate(nodes):
        for inside in _smaller(node.inside):
            yield (*nodes[:i], replace(node, inside=inside), *nodes[i + 1 :])
