"""The rules on the loom machine: the same ones, as they read for a looped model."""

import logging
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import log2
from pathlib import Path

import numpy as np

from transputer.check.audit.mutation import RUN, sampling_error
from transputer.check.audit.run import numbers
from transputer.check.audit.semantics import ignorance
from transputer.check.audit.survey import quiet
from transputer.check.audit.verdict import Fact, Rule, Verdict, rule, some
from transputer.check.fuzz.loom import every, scrambled
from transputer.check.fuzz.smallc.campaign import campaign
from transputer.engines.protocol import LoopedEngine
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import CapacityError, StepLimitError, TransputerError
from transputer.ir.loom import LoomConfig, LoomProgram
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import LoomSession, initial
from transputer.model import Array, Looped, mutate, nonzeros, permute_looped, verify_looped
from transputer.model.looped import looped_digest
from transputer.oracle.loom import Loom, LoomRecord, digest

#: The configuration that is looked at: small, so that dense engines can take part.
AUDITED = LoomConfig(128, 8, 32, 40)
#: Programs, their steps, and broken models with their steps.
PROGRAMS, STEPS, MUTANTS, FELT = 6, 40, 12, 4
#: Random programs of small C that gcc is asked about.
ASKED = 60
Make = Callable[[Looped, Array], LoopedEngine]


@dataclass
class LoomEvidence:
    """The model, the engines to compare with reference, and random programs of every kind."""

    engines: Mapping[str, Make]
    absent: Mapping[str, str]
    seed: int = 0
    mutants: int = MUTANTS
    progress: Callable[[str], None] = quiet
    source: Path = field(default=Path(__file__).parents[2])

    @cached_property
    def model(self) -> Looped:
        """The universal model."""
        return loom_model(AUDITED)

    @cached_property
    def programs(self) -> list[LoomProgram]:
        """Every instruction on two words, then in random order."""
        rngs = [random.Random(f"{self.seed} {n}") for n in range(PROGRAMS - 2)]
        chosen = [scrambled(rng, AUDITED) for rng in rngs]
        return [every(200, AUDITED), every(0, AUDITED), *chosen]


def audit(
    engines: Mapping[str, Make],
    absent: Mapping[str, str],
    seed: int = 0,
    rules: Iterable[int] = (),
    mutants: int | None = None,
    progress: Callable[[str], None] = quiet,
) -> list[Verdict]:
    """The verdict on each rule, or on these; raises `UsageError` for one that does not exist."""
    chosen = numbers(rules)
    evidence = LoomEvidence(engines, absent, seed, mutants or MUTANTS, progress)
    return [RULES[number](evidence) for number in chosen]


def _digest(runner: LoomSession | Loom, steps: int) -> str:
    return digest(_bounded(runner, steps))


def _bounded(runner: LoomSession | Loom, steps: int) -> Iterator[LoomRecord]:
    try:
        yield from runner.records(steps)
    except StepLimitError:
        return


def _session(make: Make, model: Looped, program: LoomProgram) -> LoomSession:
    return LoomSession(AUDITED, make(model, initial(program, AUDITED)))


@rule(1, "All semantics are in the weights")
def semantics(evidence: LoomEvidence) -> Iterator[Fact]:
    """Sources know no instruction; without its neurons an operation is not done."""
    yield from ignorance(evidence.source)
    states = np.stack([initial(program, AUDITED) for program in evidence.programs])
    wanted = _followed(evidence.model, states)
    groups: dict[str, list[tuple[int, range]]] = {}
    for row in evidence.model.hints["neurons"]:
        neurons = range(row["first"], row["first"] + row["count"])
        groups.setdefault(row["group"], []).append((row["layer"], neurons))
    idle = []
    for name, places in groups.items():
        evidence.progress(f"silencing {name}")
        tensors = evidence.model.tensors()
        for layer, neurons in places:
            out = tensors[f"layer{layer}.out"].copy()
            out[:, list(neurons)] = 0
            tensors[f"layer{layer}.out"] = out
        try:
            if _followed(evidence.model.with_tensors(tensors), states) == wanted:
                idle.append(name)
        except CapacityError:
            continue  # without it the bounds do not hold
    text = f"{len(groups)} groups of neurons, each silenced alone"
    yield Fact(f"{text}: {some(idle) or 'every one changes the states'}", not idle)


def _followed(model: Looped, states: Array) -> list[bytes]:
    engine, found = LoopedReference(model, states), []
    for _ in range(STEPS):
        engine.step()
        found.append(engine.state.tobytes())
    return found


@rule(2, "One universal model")
def universal(evidence: LoomEvidence) -> Iterator[Fact]:
    """The same weights run every program; a program is columns of the state."""
    before = looped_digest(evidence.model)
    states = [initial(program, AUDITED) for program in evidence.programs]
    differ = {r for s in states for r in np.flatnonzero((s != states[0]).any(axis=1)).tolist()}
    names = sorted({evidence.model.names[row].split(".")[0] for row in differ})
    yield Fact(
        f"{len(states)} programs differ in rows {', '.join(names)} of the state alone",
        set(names) <= {"command_a", "command_b", "command_c", "memory"},
    )
    for program in evidence.programs:
        _digest(_session(LoopedReference, evidence.model, program), STEPS)
    after = looped_digest(evidence.model)
    yield Fact(f"weights {before[:16]} before and {after[:16]} after they ran", before == after)


@rule(3, "No hidden state")
def state(evidence: LoomEvidence) -> Iterator[Fact]:
    """A step depends on weights and state alone; ties are designed, and decided by nothing."""
    for name, make in {**evidence.engines, "reference": LoopedReference}.items():
        wrong = 0
        for program in evidence.programs[:2]:
            one = make(evidence.model, initial(program, AUDITED))
            one.run(STEPS // 2)
            other = make(evidence.model, one.state)
            one.run(5)
            other.run(5)
            wrong += not np.array_equal(one.state, other.state)
        yield Fact(f"{name} goes on from a state as from its own", not wrong)
    for program in evidence.programs:
        engine = LoopedReference(evidence.model, initial(program, AUDITED))
        engine.run(STEPS)
        seen = engine.margins
        if seen.gap < 1 or seen.rounded:
            yield Fact(f"a loser {seen.gap} behind, {seen.rounded} means rounded", False)
            return
    yield Fact("losers are behind by 1 or more, no mean is rounded; a tie is a mean (declared)")


@rule(4, "Bit-equal engines")
def agreement(evidence: LoomEvidence) -> Iterator[Fact]:
    """Every engine makes the same step records as reference."""
    wanted = [
        _digest(_session(LoopedReference, evidence.model, p), STEPS) for p in evidence.programs
    ]
    for name, make in evidence.engines.items():
        evidence.progress(name)
        found = [_digest(_session(make, evidence.model, p), STEPS) for p in evidence.programs]
        same = sum(a == b for a, b in zip(wanted, found, strict=True))
        text = f"{name}: {same} of {len(wanted)} programs with reference's SHA-256 of step records"
        yield Fact(text, found == wanted)
    for name, why in evidence.absent.items():
        yield Fact(f"{name} is not here: {why}")


@rule(5, "Mutation honesty")
def mutation(evidence: LoomEvidence) -> Iterator[Fact]:
    """Broken weights break every engine alike; numbering and names mean nothing."""
    rng = np.random.default_rng(evidence.seed)
    wrong: dict[str, list[str]] = {name: [] for name in evidence.engines if name != "onnx"}
    ran = 0
    logging.disable(logging.WARNING)  # what lifted leaves to native, here as a rule, is no news
    for number in range(evidence.mutants):
        evidence.progress(f"broken model {number + 1} of {evidence.mutants}")
        which, how = int(rng.integers(nonzeros(evidence.model))), ("zero", "negate")[number % 2]
        broken = mutate(evidence.model, which, how)  # type: ignore[arg-type]
        start = initial(evidence.programs[number % PROGRAMS], AUDITED)
        wanted = _states(LoopedReference, broken, start)
        ran += isinstance(wanted, list)
        for name, found in wrong.items():
            if name != "softmax" and _states(evidence.engines[name], broken, start) != wanted:
                found.append(f"{how} weight {which}")
    logging.disable(logging.NOTSET)
    share, error = ran / evidence.mutants, sampling_error(RUN, evidence.mutants)
    text = f"{ran} of {evidence.mutants} broken models run ({share:.0%} ± {error:.0%}), "
    yield Fact(f"{text}others are refused by bounds", share >= RUN - error)
    for name, found in wrong.items():
        if name != "softmax":
            text = f"{name} does what reference does with the same broken weights"
            yield Fact(f"{text}: {some(found)}" if found else text, not found)
    yield from _renumbered(evidence, rng)


def _states(make: Make, model: Looped, start: Array) -> list[bytes] | str:
    """The next states, or which kind of refusal there is."""
    try:
        engine, found = make(model, start), []
        for _ in range(FELT):
            engine.run(1)
            found.append(engine.state.tobytes())
        return found
    except TransputerError as error:
        return type(error).__name__


def _renumbered(evidence: LoomEvidence, rng: np.random.Generator) -> Iterator[Fact]:
    moved, rows = permute_looped(evidence.model, rng)
    columns = [0, *(1 + rng.permutation(AUDITED.columns - 1))]
    start = initial(evidence.programs[0], AUDITED)
    one = LoopedReference(evidence.model, start)
    others = {n: m(moved, start[rows][:, columns]) for n, m in evidence.engines.items()}
    wrong = set()
    for _ in range(STEPS):
        one.run(1)
        for name, other in others.items():
            other.run(1)
            if not np.array_equal(one.state[rows][:, columns], other.state):
                wrong.add(name)
    text = "rows, heads, neurons and columns permuted, names and hints deleted: the same states"
    yield Fact(f"{text}, {STEPS} steps on {', '.join(others)}" if not wrong else text, not wrong)


@rule(6, "Exact or refused")
def bounds(evidence: LoomEvidence) -> Iterator[Fact]:
    """Every sum stays below the limit for any number of steps, or the model is refused."""
    for config in (AUDITED, LoomConfig(128, 32, 32, 40)):
        held = loom_model(config)
        most = max(magnitude for magnitude, _ in verify_looped(held).largest.values())
        text = f"{config.name}: every sum is below 2^{log2(held.limit):g}, the largest is {most:,}"
        yield Fact(f"{text}; rows are in their ranges again after a step", most < held.limit)
    tensors = evidence.model.tensors()
    name = "layer0.head0.key"
    key = tensors[name].copy()
    key[np.unravel_index(np.abs(key).argmax(), key.shape)] *= evidence.model.limit // 2
    broken = evidence.model.with_tensors({**tensors, name: key})
    for engine, make in {**evidence.engines, "reference": LoopedReference}.items():
        try:
            make(broken, initial(evidence.programs[0], AUDITED))
        except CapacityError:
            yield Fact(f"one weight of {name} too large: refused by {engine}")
        else:
            yield Fact(f"{engine} refuses a weight of {name} that is too large", False)


@rule(7, "An independent oracle")
def oracles(evidence: LoomEvidence) -> Iterator[Fact]:
    """The interpreter has no weights; gcc knows nothing of the machine or of its compiler."""
    same = 0
    for program in evidence.programs:
        session = _session(LoopedReference, evidence.model, program)
        same += _digest(session, STEPS) == _digest(Loom(program, AUDITED), STEPS)
    text = f"{same} of {PROGRAMS} programs as the interpreter runs them, step by step"
    yield Fact(text, same == PROGRAMS)
    if shutil.which("gcc") is None:
        yield Fact("gcc is not here to be asked about compiled programs")
        return
    *_, tally = campaign(ASKED, evidence.seed)
    found = [f"seed {difference.seed}" for difference in tally.differences]
    text = f"{tally.programs} random C programs, compiled for the machine, do what gcc says"
    yield Fact(f"{text}: {some(found)}" if found else text, not found)


#: Every rule by its number.
RULES: dict[int, Rule[LoomEvidence]] = {
    1: semantics,
    2: universal,
    3: state,
    4: agreement,
    5: mutation,
    6: bounds,
    7: oracles,
}
