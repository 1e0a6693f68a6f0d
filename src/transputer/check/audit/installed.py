"""The installed engines, to be compared with reference."""

import importlib
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from transputer.check.audit.evidence import REFERENCE, SOFTMAX, MakeEngine
from transputer.check.audit.loom import AUDITED, MakeLooped
from transputer.check.audit.workers import apart
from transputer.engines.protocol import DecoderEngine
from transputer.errors import EngineUnavailable
from transputer.ir.loom import LoomProgram, instr
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import initial
from transputer.machines.trace.tape import Tape
from transputer.machines.trace.universal import model as trace_model
from transputer.model import Model
from transputer.runtime.loom.run import ENGINES
from transputer.runtime.trace.sessions import WEIGHTS, new_engine


def decoder_engines() -> tuple[dict[str, MakeEngine], dict[str, str]]:
    """Return the installed engines of decoders, and the reasons why others are missing."""
    engines = {name: partial(_expecting, name) for name in WEIGHTS if name != REFERENCE}
    absent = apart(partial(_absent, engines, trace_model()))
    installed: dict[str, MakeEngine] = {n: make for n, make in engines.items() if n not in absent}
    if "torch" in installed:
        installed[SOFTMAX] = _softmax
    return installed, absent


def _absent(engines: Mapping[str, Callable[..., object]], *given: object) -> dict[str, str]:
    """Return the reasons why some engines cannot be made."""
    absent: dict[str, str] = {}
    for name, make in engines.items():
        try:
            make(*given)
        except EngineUnavailable as error:
            absent[name] = str(error).removeprefix(f"{name}: ")
    return absent


def _expecting(name: str, model: Model) -> DecoderEngine:
    """An engine that expects what a session of the trace machine expects: the same rows."""
    engine = new_engine(name, model)
    Tape(engine).expect(lambda: np.zeros(0, dtype=np.uint8))
    return engine


def _softmax(model: Model) -> DecoderEngine:
    """The torch engine with true softmax attention."""
    module = importlib.import_module("transputer.engines.torch.decoder")
    engine: DecoderEngine = module.Torch(model, attention="softmax")
    return engine


def looped_engines() -> tuple[dict[str, MakeLooped], dict[str, str]]:
    """Return the installed engines of looped models, and the reasons why others are missing."""
    engines = {name: make for name, make in ENGINES.items() if name != REFERENCE}
    state = initial(LoomProgram((instr("HALT"),), bits=AUDITED.bits), AUDITED)
    absent = apart(partial(_absent, engines, loom_model(AUDITED), state))
    return {name: make for name, make in engines.items() if name not in absent}, absent
