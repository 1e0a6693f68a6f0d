"""Random modules of all types on the weights, against wasmtime and the oracle."""

import os

import pytest

from transputer.check.audit.play import MirroredSession, Screen
from transputer.check.fuzz.choose import Seeded
from transputer.check.fuzz.modules import case
from transputer.engines.protocol import DecoderEngine
from transputer.errors import EngineUnavailable
from transputer.frontends.binary import encode
from transputer.host.observation import difference, observe
from transputer.ir.verify import verify
from transputer.isa.core import MAX_FRAMES
from transputer.lower.pipeline import in_words
from transputer.machines.trace.circuit import model
from transputer.oracle.independent import run_wasmtime
from transputer.oracle.ir import IrSession
from transputer.runtime.trace.sessions import new_engine

#: Seeds to try; the variables make a long run of it.
FIRST = int(os.environ.get("TRANSPUTER_FUZZ_SEED", "50000"))
COUNT = int(os.environ.get("TRANSPUTER_FUZZ", "24"))
STEPS = 50_000_000
CHUNK = 8


def engine() -> DecoderEngine:
    try:
        return new_engine("native", model())
    except EngineUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, CHUNK))
def test_random_modules(first: int) -> None:
    for seed in range(first, min(first + CHUNK, FIRST + COUNT)):
        made = case(Seeded(seed))
        verified = verify(made.module)
        oracle = observe(IrSession(max_steps=STEPS), verified, made.calls)
        theirs = run_wasmtime(encode(made.module), made.calls)
        session = MirroredSession(engine(), Screen(), MAX_FRAMES, STEPS)
        weights = observe(session, in_words(verified), made.calls)
        assert difference(oracle, weights, ("oracle", "weights")) == "", seed
        assert difference(theirs, weights.coarse(), ("wasmtime", "weights")) == "", seed
        assert weights.instructions == oracle.instructions, seed
