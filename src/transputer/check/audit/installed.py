"""The installed engines, to be compared with reference."""

import importlib
from functools import partial

import numpy as np

from transputer.check.audit.evidence import REFERENCE, SOFTMAX, MakeEngine
from transputer.check.audit.loom import AUDITED, MakeLooped
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
    engines: dict[str, MakeEngine] = {}
    absent: dict[str, str] = {}
    for name in WEIGHTS:
        if name == REFERENCE:
            continue
        make = partial(_expecting, name)
        try:
            make(trace_model())
        except EngineUnavailable as error:
            absent[name] = str(error).removeprefix(f"{name}: ")
        else:
            engines[name] = make
    if "torch" in engines:
        engines[SOFTMAX] = _softmax
    return engines, absent


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
    engines: dict[str, MakeLooped] = {}
    absent: dict[str, str] = {}
    model, state = (
        loom_model(AUDITED),
        initial(LoomProgram((instr("HALT"),), bits=AUDITED.bits), AUDITED),
    )
    for name, make in ENGINES.items():
        if name == REFERENCE:
            continue
        try:
            make(model, state)
        except EngineUnavailable as error:
            absent[name] = str(error).removeprefix(f"{name}: ")
        else:
            engines[name] = make
    return engines, absent
