"""Programs of the loom machine for tests, and what the oracle and an engine make of them."""

import random
from collections.abc import Iterable

from transputer.engines.native.looped import LoopedNative
from transputer.engines.protocol import LoopedEngine
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import StepLimitError
from transputer.ir.loom import LoomConfig, LoomInstr, LoomProgram, instr
from transputer.isa.loom import LOOM
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import LoomSession, initial
from transputer.oracle.loom import Loom, LoomRecord

TINY = LoomConfig(64, 8, 32, 16)
Line = tuple[object, ...]


def program(lines: Iterable[Line], memory: Iterable[int] = (), bits: int = 8) -> LoomProgram:
    code: list[LoomInstr] = [instr(*line) for line in lines]  # type: ignore[arg-type]
    return LoomProgram(tuple(code), tuple(memory), (), bits)


def engine(name: str, given: LoomProgram, config: LoomConfig) -> LoopedEngine:
    weights, state = model(config), initial(given, config)
    if name == "native":
        return LoopedNative(weights, state)
    return LoopedReference(weights, state, name)


def taken(records: Iterable[LoomRecord]) -> list[LoomRecord]:
    """All records up to the end or the limit."""
    found = []
    try:
        for record in records:
            found.append(record)
    except StepLimitError:
        pass
    return found


def agree(given: LoomProgram, config: LoomConfig, name: str, limit: int = 200) -> Loom:
    """The oracle's run, after an engine's was seen to be the same at every step."""
    oracle, session = (
        Loom(given, config),
        LoomSession(config, engine(name, given, config)),
    )
    wanted, found = taken(oracle.records(limit)), taken(session.records(limit))
    for number, (a, b) in enumerate(zip(wanted, found, strict=False)):
        assert a == b, f"step {number}, {given.code[a.pc]}: {a} wanted, {b} found"
    assert len(wanted) == len(found)
    assert (oracle.memory, oracle.output, oracle.trap) == (
        *(session.memory, session.output, session.trap),
    )
    assert oracle.halted == session.halted
    return oracle


def scramble(seed: int, config: LoomConfig) -> LoomProgram:
    """Instructions of every kind in any order, with pointers that are mostly right."""
    rng = random.Random(seed)
    size = min(config.slots, 60)
    names = [op.name for op in LOOM if op.name != "HALT"]
    lines: list[Line] = []
    for name in rng.choices(names, k=size - 1):
        most = {"pc": size}
        lines.append((name, *(rng.randrange(most.get(k, config.memory)) for k in LOOM[name].imm)))
    words = [0, 1, config.memory - 1, (1 << config.bits) - 1, 1 << (config.bits - 1)]
    memory = [
        rng.choice([*words, rng.randrange(1 << config.bits), rng.randrange(config.memory)])
        for _ in range(config.memory)
    ]
    return program([*lines, ("HALT",)], memory, config.bits)
