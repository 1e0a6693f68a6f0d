"""The rules on the loom machine, in their form for a looped model."""

import logging
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import log2
from pathlib import Path

import numpy as np

from transputer.check.audit.mutation import RUN, sampling_error
from transputer.check.audit.semantics import ignorance
from transputer.check.audit.survey import Progress, quiet
from transputer.check.audit.verdict import Fact, Rule, rule, some
from transputer.check.fuzz.loom import every, scrambled
from transputer.check.fuzz.smallc.campaign import try_smallc
from transputer.engines.protocol import LoopedEngine
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import CapacityError, StepLimitError, TransputerError
from transputer.ir.loom import LoomConfig, LoomProgram
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import LoomSession, initial
from transputer.model import Array, Looped, mutate, nonzeros, permute_looped, verify_looped
from transputer.model.looped import looped_digest
from transputer.oracle.loom import Loom, LoomRecord, digest

#: The audited configuration; small, so that dense engines can take part.
AUDITED = LoomConfig(128, 8, 32, 40)
#: Number of programs, steps of each, number of broken models, steps of each.
PROGRAMS, STEPS, MUTANTS, MUTANT_STEPS = 6, 40, 12, 4
#: Number of random small C programs to compare with gcc.
C_PROGRAMS = 60
MakeLooped = Callable[[Looped, Array], LoopedEngine]


@dataclass
class LoomEvidence:
    """The model, the engines to compare with reference, and random programs of every kind."""

    engines: Mapping[str, MakeLooped]
    absent: Mapping[str, str]
    seed: int = 0
    mutants: int = MUTANTS
    progress: Progress = quiet
    source: Path = field(default=Path(__file__).parents[2])

    def prepare(self) -> None:
        """Build the model, which every rule needs."""
        _ = self.model

    @cached_property
    def model(self) -> Looped:
        """The universal model."""
        return loom_model(AUDITED)

    @cached_property
    def programs(self) -> list[LoomProgram]:
        """Every instruction on two words, then in random order."""
        rngs = [random.Random(f"{self.seed} {n}") for n in range(PROGRAMS - 2)]
        mixed = [scrambled(rng, AUDITED) for rng in rngs]
        return [every(200, AUDITED), every(0, AUDITED), *mixed]


def _digest(runner: LoomSession | Loom, steps: int) -> str:
    return digest(_bounded(runner, steps))


def _bounded(runner: LoomSession | Loom, steps: int) -> Iterator[LoomRecord]:
    try:
        yield from runner.records(steps)
    except StepLimitError:
        return


def _session(make: MakeLooped, model: Looped, program: LoomProgram) -> LoomSession:
    return LoomSession(AUDITED, make(model, initial(program, AUDITED)))


@rule(1, "All semantics are in the weights")
def semantics(evidence: LoomEvidence) -> Iterator[Fact]:
    """Sources know no instruction; without its neurons an operation is not done."""
    yield from ignorance(evidence.source)
    states = np.stack([initial(program, AUDITED) for program in evidence.programs])
    expected = _trail(evidence.model, states)
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
            if _trail(evidence.model.with_tensors(tensors), states) == expected:
                idle.append(name)
        except CapacityError:
            continue  # without the group the bounds do not hold
    text = f"{len(groups)} groups of neurons, each silenced alone"
    yield Fact(f"{text}: {some(idle) or 'every one changes the states'}", not idle)


def _trail(model: Looped, states: Array) -> list[bytes]:
    engine, trail = LoopedReference(model, states), []
    for _ in range(STEPS):
        engine.step()
        trail.append(engine.state.tobytes())
    return trail


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
        margins = engine.margins
        if margins.gap < 1 or margins.rounded:
            yield Fact(f"a loser {margins.gap} behind, {margins.rounded} means rounded", False)
            return
    yield Fact("losers are behind by 1 or more, no mean is rounded; a tie is a mean (declared)")


@rule(4, "Bit-equal engines")
def agreement(evidence: LoomEvidence) -> Iterator[Fact]:
    """Every engine makes the same step records as reference."""
    expected = [
        _digest(_session(LoopedReference, evidence.model, p), STEPS) for p in evidence.programs
    ]
    for name, make in evidence.engines.items():
        evidence.progress(name)
        digests = [_digest(_session(make, evidence.model, p), STEPS) for p in evidence.programs]
        same = sum(a == b for a, b in zip(expected, digests, strict=True))
        text = (
            f"{name}: {same} of {len(expected)} programs with reference's SHA-256 of step records"
        )
        yield Fact(text, digests == expected)
    for name, why in evidence.absent.items():
        yield Fact(f"{name} is not here: {why}")


@rule(5, "Mutation honesty")
def mutation(evidence: LoomEvidence) -> Iterator[Fact]:
    """Broken weights break every engine alike; numbering and names mean nothing."""
    rng = np.random.default_rng(evidence.seed)
    wrong: dict[str, list[str]] = {name: [] for name in evidence.engines if name != "onnx"}
    running = 0
    logging.disable(logging.WARNING)  # lifted warns of each broken model that it leaves to native
    for number in range(evidence.mutants):
        evidence.progress(f"broken model {number + 1} of {evidence.mutants}")
        which, how = int(rng.integers(nonzeros(evidence.model))), ("zero", "negate")[number % 2]
        broken = mutate(evidence.model, which, how)  # type: ignore[arg-type]
        start = initial(evidence.programs[number % PROGRAMS], AUDITED)
        expected = _states(LoopedReference, broken, start)
        running += isinstance(expected, list)
        for name, weights in wrong.items():
            if name != "softmax" and _states(evidence.engines[name], broken, start) != expected:
                weights.append(f"{how} weight {which}")
    logging.disable(logging.NOTSET)
    share, error = running / evidence.mutants, sampling_error(RUN, evidence.mutants)
    text = f"{running} of {evidence.mutants} broken models run ({share:.0%} ± {error:.0%}), "
    yield Fact(f"{text}others are refused by bounds", share >= RUN - error)
    for name, weights in wrong.items():
        if name != "softmax":
            text = f"{name} does what reference does with the same broken weights"
            yield Fact(f"{text}: {some(weights)}" if weights else text, not weights)
    yield from _renumbered(evidence, rng)


def _states(make: MakeLooped, model: Looped, start: Array) -> list[bytes] | str:
    """Return the next states, or the name of the error."""
    try:
        engine, states = make(model, start), []
        for _ in range(MUTANT_STEPS):
            engine.run(1)
            states.append(engine.state.tobytes())
        return states
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
        model = loom_model(config)
        most = max(magnitude for magnitude, _ in verify_looped(model).largest.values())
        text = f"{config.name}: every sum is below 2^{log2(model.limit):g}, the largest is {most:,}"
        yield Fact(f"{text}; rows are in their ranges again after a step", most < model.limit)
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
    failures = try_smallc(
        range(evidence.seed, evidence.seed + C_PROGRAMS), machines=["loom"]
    ).failures
    wrong = [failure.name for failure in failures]
    text = f"{C_PROGRAMS} random C programs, compiled for the machine, do what gcc says"
    yield Fact(f"{text}: {some(wrong)}" if wrong else text, not wrong)


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
