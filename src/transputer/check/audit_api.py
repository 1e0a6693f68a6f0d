"""The audit of the installed model, with every engine that is here."""

import importlib
from collections.abc import Callable, Iterable
from functools import partial

from transputer.check.audit import Verdict
from transputer.check.audit import audit as judge
from transputer.check.audit.evidence import REFERENCE, MakeEngine
from transputer.check.audit.loom import AUDITED
from transputer.check.audit.loom import audit as judge_loom
from transputer.check.audit.run import numbers
from transputer.check.audit.survey import quiet
from transputer.engines.protocol import DecoderEngine
from transputer.errors import EngineUnavailable
from transputer.ir.loom import LoomProgram, instr
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import initial
from transputer.machines.trace.circuit import model as trace_model
from transputer.model import Model
from transputer.runtime.loom.run import ENGINES
from transputer.runtime.trace.sessions import WEIGHTS, new_engine


def audit(
    *,
    seconds: float = 60.0,
    seed: int = 0,
    rules: Iterable[int] = (),
    mutants: int | None = None,
    progress: Callable[[str], None] = quiet,
) -> list[Verdict]:
    """A verdict for each rule of the design, or for these.

    Larger `seconds` take larger samples; `mutants` sets how many broken models run. Raises
    `UsageError` for a rule that does not exist.
    """
    chosen = numbers(rules)
    progress("building the model")
    engines, absent = available()
    return judge(seconds, seed, engines, absent, chosen, mutants, progress)


def audit_loom(
    *,
    seed: int = 0,
    rules: Iterable[int] = (),
    mutants: int | None = None,
    progress: Callable[[str], None] = quiet,
) -> list[Verdict]:
    """The same rules on the loom machine's model, with every engine of looped models."""
    absent: dict[str, str] = {}
    halt = LoomProgram((instr("HALT"),), bits=AUDITED.bits)
    held, state = loom_model(AUDITED), initial(halt, AUDITED)
    for name, make in ENGINES.items():
        try:
            make(held, state)
        except EngineUnavailable as error:
            absent[name] = str(error).removeprefix(f"{name}: ")
    here = {name: make for name, make in ENGINES.items() if name not in absent}
    here.pop(REFERENCE)
    return judge_loom(here, absent, seed, rules, mutants, progress)


def available() -> tuple[dict[str, MakeEngine], dict[str, str]]:
    """Engines to compare with reference, and why others are not here.

    `lifted` derives formulas anew for every broken model; its own tests do that for some.
    """
    engines: dict[str, MakeEngine] = {}
    absent: dict[str, str] = {}
    for name in WEIGHTS:
        if name == "lifted":
            continue
        make = partial(new_engine, name)
        try:
            make(trace_model())
        except EngineUnavailable as error:
            absent[name] = str(error).removeprefix(f"{name}: ")
        else:
            engines[name] = make
    engines.pop(REFERENCE)
    if "torch" in engines:
        engines["torch, softmax"] = _softmax
    return engines, absent


def _softmax(model: Model) -> DecoderEngine:
    """The torch engine with true softmax attention."""
    module = importlib.import_module("transputer.engines.torch.decoder")
    engine: DecoderEngine = module.Torch(model, attention="softmax")
    return engine
