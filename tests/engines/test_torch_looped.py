"""The torch engine of looped models: equal to the reference, many programs at once."""

import numpy as np
import pytest

from tests.machines.loom.support import TINY, program, scramble, taken
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import TransputerError
from transputer.ir.loom import LoomConfig
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import LoomSession, initial
from transputer.model import mutate, nonzeros
from transputer.oracle.loom import Loom, digest

torch = pytest.importorskip("torch")
looped = pytest.importorskip("transputer.engines.torch.looped")
SMALL = LoomConfig(64, 8, 32, 6)
CONFIGS = (TINY, LoomConfig(64, 16, 32, 10), LoomConfig(64, 32, 32, 10))


@pytest.mark.parametrize("attention", ["hard", "softmax"])
@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: c.name)
def test_records_are_the_oracles(config: LoomConfig, attention: str) -> None:
    for seed in range(3):
        given = scramble(seed, config)
        wanted = digest(iter(taken(Loom(given, config).records(30))))
        runner = looped.LoopedTorch(model(config), initial(given, config), attention)
        assert runner.state.dtype == np.float64
        found = taken(LoomSession(config, runner).records(30))
        assert digest(iter(found)) == wanted


def test_many_programs_at_once() -> None:
    programs = [scramble(seed, SMALL) for seed in range(12)]
    states = np.stack([initial(given, SMALL) for given in programs])
    runner = looped.LoopedTorch(model(SMALL), states)
    steps = runner.run_each(40)
    for given, made, state in zip(programs, steps, runner.state, strict=True):
        oracle = Loom(given, SMALL)
        records = taken(oracle.records(40))
        assert made == len(records)
        one = LoopedReference(model(SMALL), initial(given, SMALL))
        one.run(40)
        if one.halted:
            one.step()  # what went on until the last of the batch had stopped
        assert np.array_equal(one.state, state)


def test_a_mixed_batch_waits_for_the_last() -> None:
    loops = [program([("DEC", 1), ("JNZ", 1, 0), ("HALT",)], (0, n)) for n in (1, 4, 9)]
    states = np.stack([initial(given, SMALL) for given in loops])
    runner = looped.LoopedTorch(model(SMALL), states)
    assert runner.run_each(100) == [3, 9, 19] and runner.halted


def test_broken_weights_break_alike() -> None:
    held = model(SMALL)
    rng, ran = np.random.default_rng(21), 0
    for number, which in enumerate(rng.integers(nonzeros(held), size=16).tolist()):
        mutant = mutate(held, which, "negate")
        state = initial(scramble(number, SMALL), SMALL)
        try:
            one = LoopedReference(mutant, state)
        except TransputerError:
            continue
        ran += 1
        other = looped.LoopedTorch(mutant, state)
        for _ in range(4):
            assert one.run(1) == other.run(1)
            assert np.array_equal(one.state, other.state), f"weight {which}"
    assert ran >= 12


def test_a_state_dict_moves_the_weights() -> None:
    one, other = (looped.LoopedModule(model(SMALL)) for _ in range(2))
    for tensor in other.state_dict().values():
        tensor.zero_()
    other.load_state_dict(one.state_dict())
    state = torch.tensor(initial(scramble(3, SMALL), SMALL), dtype=torch.float32)
    assert torch.equal(one(state), other(state))
