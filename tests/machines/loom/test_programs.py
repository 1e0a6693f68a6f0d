"""The compiled C programs on the weights: equal to the interpreter at every step.

`native` runs all of every program but one, and every step is compared: what column 0 says, and
every column whose word changed; at the end the whole state. The dense engines (reference with hard
and with true softmax attention, torch, ONNX Runtime) make SAMPLES steps of each program, from
states of the interpreter at evenly spaced places of its run, and every number of the next state
is compared. The sudoku, millions of steps, runs whole on `lifted`, and the state is compared at
1,000 places; all of it on `native`, too, with TRANSPUTER_LOOM_WHOLE=1.
"""

import os
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

from tests.frontends.smallc.cases import CASES, Case, Tick
from transputer.engines.lifted_looped import LoopedLifted
from transputer.engines.native.looped import LoopedNative
from transputer.engines.onnx_looped import LoopedOnnx
from transputer.engines.reference_looped import LoopedReference, Told
from transputer.errors import StepLimitError, Trap
from transputer.export.onnx_looped import step_graph_looped
from transputer.frontends.smallc import compile
from transputer.ir.loom import Config, Program
from transputer.isa.integers import mask
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import Layout, initial
from transputer.model import Array, Looped
from transputer.oracle.loom import Loom, Record

#: Steps of each program on each dense engine.
SAMPLES = 8
MEMORIES = (16, 48, 160, 250)
BY_NAME = {case.name: case for case in CASES}
LONG = {case.name for case in CASES if case.limit > 1_000_000}


def compact(program: Program) -> Config:
    """A configuration with few columns, for the dense engines' sake; few different ones."""
    memory, columns = next(m for m in MEMORIES if len(program.memory) <= m), 64
    while columns < 32 + memory + len(program.code):
        columns *= 2
    return Config(columns, program.bits, 32, memory)


class Interpreter:
    """A run of the interpreter, and the state that the weights must have at the same place."""

    def __init__(self, case: Case) -> None:
        self.program = compile(case.text, case.path.name, 8)
        self.config = compact(self.program)
        self.layout = Layout.of(self.config)
        self.start = initial(self.program, self.config)
        self.loom = Loom(self.program, self.config)
        self.output = 0
        self.slots = {symbol.name: symbol.slot for symbol in self.program.symbols}

    def begin(self, tick: Tick) -> None:
        """What the host does before a run of main."""
        for name, value in tick.items():
            self.loom.memory[self.slots[name]] = value
        self.loom.pc, self.output = 0, 0
        self.loom.output.clear()

    def step(self) -> Record:
        before = len(self.loom.output)
        record = self.loom.step()
        self.output = len(self.loom.output) - before
        return record

    @property
    def place(self) -> int:
        return 0 if self.loom.halted else self.config.scratch + self.config.memory + self.loom.pc

    def state(self) -> Array:
        held, state = self.layout.rows, self.start.copy()
        for i, row in enumerate(held.memory):
            bits = [word >> i & 1 for word in self.loom.memory]
            state[row.index, self.config.scratch :][: len(bits)] = 2 * np.array(bits) - 1
        for i, row in enumerate(held.pc):
            state[row.index, 0] = 1 if self.place >> i & 1 else -1
        state[held.output.index, 0] = self.output
        state[held.invalid.index, 0] = self.loom.trap is Trap.INVALID_INSTRUCTION
        state[held.outside.index, 0] = self.loom.trap is Trap.MEMORY_OUT_OF_BOUNDS
        return state

    def told(self, record: Record) -> Told:
        """A record as an engine tells it, in forms."""
        traps = (Trap.INVALID_INSTRUCTION, Trap.MEMORY_OUT_OF_BOUNDS)
        pc = 2 * self.place - mask(self.config.address)
        cells = ((self.config.scratch + s, 2 * w - mask(8)) for s, w in record.changes)
        return (pc, self.output, *(int(self.loom.trap is t) for t in traps)), tuple(cells)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_step_is_the_interpreters(case: Case) -> None:
    if case.name in LONG and "TRANSPUTER_LOOM_WHOLE" not in os.environ:
        pytest.skip("millions of steps: on the lifted engine, below")
    oracle = Interpreter(case)
    engine = LoopedNative(model(oracle.config), oracle.start)
    forms = oracle.layout.watch()
    for tick in case.ticks:
        oracle.begin(tick)
        engine.restart(oracle.state())
        while not oracle.loom.halted:
            for told in engine.tell(1 << 12, *forms):
                assert told == oracle.told(oracle.step()), oracle.loom.steps
        assert engine.halted and np.array_equal(engine.state, oracle.state())


@cache
def sampled(name: str) -> tuple[Interpreter, Array, Array]:
    """States before and after SAMPLES steps, evenly spaced over the run of all ticks."""
    case = BY_NAME[name]
    steps = _count(case)
    chosen = set(np.linspace(0, steps - 1, SAMPLES).astype(int).tolist())
    oracle, before, after, made = Interpreter(case), [], [], 0
    for tick in case.ticks:
        oracle.begin(tick)
        while not oracle.loom.halted and made <= max(chosen):
            state = oracle.state() if made in chosen else None
            oracle.step()
            if state is not None:
                before.append(state)
                after.append(oracle.state())
            made += 1
    return oracle, np.stack(before), np.stack(after)


def _count(case: Case) -> int:
    oracle = Interpreter(case)
    for tick in case.ticks:
        oracle.begin(tick)
        oracle.loom.run(case.limit)
    return oracle.loom.steps


SHORT = [case for case in CASES if case.name not in LONG]


@pytest.mark.parametrize("attention", ["hard", "softmax"])
@pytest.mark.parametrize("case", SHORT, ids=lambda case: case.name)
def test_sampled_steps_of_the_reference(case: Case, attention: str) -> None:
    oracle, before, after = sampled(case.name)
    engine = LoopedReference(model(oracle.config), before, attention)
    engine.step()
    assert np.array_equal(engine.state, after)


@pytest.mark.parametrize("case", SHORT, ids=lambda case: case.name)
def test_sampled_steps_of_torch(case: Case) -> None:
    pytest.importorskip("torch")
    from transputer.engines.torch_looped import LoopedTorch

    oracle, before, after = sampled(case.name)
    for attention in ("hard", "softmax"):
        engine = LoopedTorch(model(oracle.config), before, attention)
        engine.step()
        assert np.array_equal(engine.state, after)


@cache
def graph(held: Looped) -> bytes:
    return step_graph_looped(held)


@pytest.mark.parametrize("case", SHORT, ids=lambda case: case.name)
def test_sampled_steps_of_onnx(case: Case) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    oracle, before, after = sampled(case.name)
    held = model(oracle.config)
    engine = LoopedOnnx(held, before[0], graph(held))
    for one, other in zip(before, after, strict=True):
        engine.restart(one)
        engine.step()
        assert np.array_equal(engine.state, other)


@pytest.mark.parametrize("name", sorted(LONG))
def test_millions_of_steps_at_a_thousand_places(name: str) -> None:
    """The whole run of the weights' formulas, which are proved; states are compared in full."""
    case = BY_NAME[name]
    oracle = Interpreter(case)
    engine = LoopedLifted(model(oracle.config), oracle.start)
    places = np.linspace(0, _count(case), 1001).astype(int).tolist()
    for here, there in zip(places, places[1:], strict=False):
        assert engine.run(there - here) == there - here
        with suppress(StepLimitError):
            oracle.loom.run(there - here - 1)
        oracle.step()
        assert np.array_equal(engine.state, oracle.state()), there
    assert engine.halted and oracle.loom.halted and engine.why == ""
