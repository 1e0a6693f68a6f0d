"""The engines by name: each has what machines ask for, and one that is not there says so."""

import sys
from types import ModuleType

import numpy as np
import pytest

from tests.machines.loom.support import TINY, program
from transputer.engines import protocol
from transputer.engines.protocol import (
    DECODERS,
    DecoderEngine,
    Extender,
    LoopedEngine,
    Restorable,
    Runner,
    Sprinter,
)
from transputer.errors import EngineUnavailable
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import initial
from transputer.machines.trace.universal import model as trace_model
from transputer.runtime.loom.run import ENGINES as LOOPED

#: What decoder engines can do beyond a step.
BEYOND = {
    "native": {Runner, Extender, Restorable},
    "lifted": {Runner, Extender, Restorable, Sprinter},
    "torch": set(),
    "reference": set(),
}


@pytest.mark.parametrize("name", DECODERS)
def test_a_decoder_engine_has_what_the_machine_asks_for(name: str) -> None:
    if name == "torch":
        pytest.importorskip("torch")
    engine = DECODERS[name](trace_model())
    assert isinstance(engine, DecoderEngine)
    kinds = (Runner, Extender, Restorable, Sprinter)
    assert {kind for kind in kinds if isinstance(engine, kind)} == BEYOND[name]


@pytest.mark.parametrize("name", LOOPED)
def test_a_looped_engine_has_what_the_machine_asks_for(name: str) -> None:
    for library in {"torch": ["torch"], "onnx": ["onnx", "onnxruntime"]}.get(name, []):
        pytest.importorskip(library)
    state = initial(program((("INC", 1), ("HALT",)), (0, 41)), TINY)
    engine = LOOPED[name](loom_model(TINY), state)
    assert isinstance(engine, LoopedEngine)
    assert np.array_equal(engine.state, state)
    assert engine.run(9) == 2 and engine.halted


def test_an_engine_that_cannot_be_imported_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transputer.engines.native.decoder", None)
    with pytest.raises(EngineUnavailable, match="native: .*; reinstall transputer"):
        DECODERS["native"](trace_model())


def test_engines_are_imported_when_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "transputer.engines.later"
    make = protocol._lazy("later", "later:Later", "option")
    assert place not in sys.modules
    module = ModuleType(place)
    module.Later = lambda *args: args  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, place, module)
    assert make("model") == ("model", "option")
