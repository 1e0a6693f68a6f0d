"""The kinds of random case, each with the function that runs a batch of seeds."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from transputer.check.fuzz.c.campaign import try_c
from transputer.check.fuzz.c.native import compiler
from transputer.check.fuzz.campaign import Failure, Tally, alike, problem_of, reproduction, timed
from transputer.check.fuzz.choose import Choose, Seeded
from transputer.check.fuzz.differential import STEPS, Examination, examine
from transputer.check.fuzz.modules import REFILL, ModuleCase, case
from transputer.check.fuzz.mutations import edit, mutate
from transputer.check.fuzz.regressions import print_case
from transputer.check.fuzz.smallc.campaign import try_smallc
from transputer.check.fuzz.smallc.judge import MACHINES
from transputer.check.fuzz.smaller import smaller_case
from transputer.check.fuzz.verdicts import UNEXPLAINED, judge
from transputer.check.fuzz.weights import examine_weights
from transputer.frontends.binary import encode
from transputer.machines.trace.universal import model as trace_model
from transputer.runtime.trace.sessions import new_engine

#: Consecutive seeds whose mutations start from the same module.
FAMILY = 16


@dataclass(frozen=True, slots=True)
class FuzzKind:
    """A kind of random case: its name, what it compares, and the function that runs a batch."""

    noun: str
    compared: Callable[[str], list[str]]  # the engine's name -> all that must agree
    run: Callable[[Sequence[int], str], Tally]  # seeds, the engine's name


def try_modules(seeds: Sequence[int], engine: str) -> Tally:
    """Run a random module for each seed on wasmtime, the oracle and the weights."""
    make = partial(new_engine, engine, trace_model())

    def look(module: ModuleCase, steps: int = STEPS) -> Examination:
        return examine_weights(module, make, steps)

    return _total(try_module("modules", seed, look) for seed in seeds)


def try_lowering(seeds: Sequence[int], engine: str) -> Tally:
    """Run a random module for each seed on wasmtime, the oracle and core code."""
    return _total(try_module("lowering", seed, examine) for seed in seeds)


def try_mutations(seeds: Sequence[int], engine: str) -> Tally:
    """Validate a damaged module for each seed, with our verifier and wasmtime."""
    return _total(try_mutation(seed) for seed in seeds)


def _total(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total.add(tally)
    return total


def try_module(kind: str, seed: int, look: Callable[..., Examination]) -> Tally:
    """Run one random module; shrink it if it shows a difference."""
    module = case(Seeded(seed))
    tally = Tally(Counter({kind: 1}))
    with timed(tally):
        problem = problem_of(lambda: _module_problem(look(module), tally))
    if problem:
        tally.failures.append(_smallest(kind, seed, problem, look))
    return tally


def _module_problem(examined: Examination, tally: Tally) -> str:
    observation = examined.observation
    calls = [call for call in observation.calls if call.export != REFILL]
    tally.calls = len(calls)
    tally.returned = sum(call.trap is None for call in calls)
    tally.instructions = observation.instructions
    tally.traps.update(trap.value for trap in observation.traps())
    return examined.problem


def _smallest(kind: str, seed: int, problem: str, look: Callable[..., Examination]) -> Failure:
    """Return the failure of a seed, with the smallest module that still shows it."""

    def shows(candidate: ModuleCase) -> bool:
        return alike(problem_of(lambda: look(candidate, STEPS // 100).problem), problem)

    small = smaller_case(case(Seeded(seed)), shows)
    content = print_case(small, f"seed {seed}: {problem}").encode()
    return Failure(problem, reproduction(kind, seed), f"{kind}-{seed}.wat", content)


def try_mutation(seed: int) -> Tally:
    """Validate one damaged module, with our verifier and wasmtime."""
    data = damaged(seed)
    tally = Tally(Counter({"mutations": 1}))
    with timed(tally):
        problem = problem_of(lambda: _mutation_problem(data, tally))
    if problem:
        again = reproduction("mutations", seed)
        tally.failures.append(Failure(problem, again, f"mutation-{seed}.wasm", data))
    return tally


def _mutation_problem(data: bytes, tally: Tally) -> str:
    verdict = judge(data)
    tally.outcomes[verdict.kind] += 1
    if verdict.difference:
        tally.differences[verdict.difference] += 1
    return str(verdict) if verdict.difference == UNEXPLAINED else ""


@lru_cache(maxsize=8)
def _base(seed: int) -> ModuleCase:
    return case(Seeded(seed))


def damaged(seed: int) -> bytes:
    """Return a valid module with random damage, in its bytes or in one of its functions."""
    family = seed // FAMILY
    module = _base(family).module
    choose: Choose = Seeded(seed)
    if choose.chance(3):
        for _ in range(choose.integer(1, 2)):
            module = edit(choose, module)
        return encode(module)
    return mutate(choose, encode(module), encode(_base(family + 1).module))


def _on_weights(engine: str) -> list[str]:
    return ["wasmtime", "oracle", f"weights ({engine})"]


def _on_c(engine: str) -> list[str]:
    """Return the implementations of C programs, including the host's C compiler if it has one."""
    cc = compiler()
    return [*_on_weights(engine), *([Path(cc).name] if cc else [])]


KINDS = {
    "modules": FuzzKind("modules", _on_weights, try_modules),
    "c": FuzzKind("C programs", _on_c, try_c),
    "lowering": FuzzKind(
        "modules lowered", lambda _: ["wasmtime", "oracle", "core code"], try_lowering
    ),
    "mutations": FuzzKind("modules damaged", lambda _: ["wasmtime", "verifier"], try_mutations),
    "smallc": FuzzKind("small C programs", lambda _: ["cc", *MACHINES], try_smallc),
}
