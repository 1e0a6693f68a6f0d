"""Transputer: programs that a transformer executes exactly.

import transputer as tp
tp.run("gcd.wat", invoke="gcd", args=[48, 36]).results  # [12]
tp.compile(source="int main(void) { return 42; }", kind="c").run().exit_code  # 42
tp.Module("gcd.wat", invoke="gcd")  # the same as an nn.Module; needs PyTorch
tp.LoomModule("rules.c", ["light"], ["action"])  # small C on the looped machine, exportable
"""

from typing import TYPE_CHECKING, Any

from transputer.api import (
    ask,
    audit,
    build,
    chat,
    compile,
    debug,
    diff,
    export,
    export_model,
    inspect,
    learn,
    map,
    prove,
    run,
    spec,
    specialize,
    trace,
)
from transputer.errors import TransputerError, Trap
from transputer.host.result import Result
from transputer.registry import Ability, Machine, Option, Program, RunSettings, register
from transputer.registry import machines as list_machines
from transputer.version import __version__

if TYPE_CHECKING:
    from transputer.embed import LoomModule, Module
    from transputer.runtime.step_machine import stepped_machine
    from transputer.runtime.stepped import StepRecord

__all__ = [
    "Ability",
    "LoomModule",
    "Machine",
    "Module",
    "Option",
    "Program",
    "Result",
    "RunSettings",
    "StepRecord",
    "TransputerError",
    "Trap",
    "__version__",
    "ask",
    "audit",
    "build",
    "chat",
    "compile",
    "debug",
    "diff",
    "export",
    "export_model",
    "inspect",
    "learn",
    "list_machines",
    "map",
    "prove",
    "register",
    "run",
    "spec",
    "specialize",
    "stepped_machine",
    "trace",
]
#: What is loaded when it is first asked for; the modules need PyTorch.
_LATER = {
    "Module": "transputer.embed",
    "LoomModule": "transputer.embed",
    "StepRecord": "transputer.runtime.stepped",
    "stepped_machine": "transputer.runtime.step_machine",
}


def __getattr__(name: str) -> Any:
    """Load what is not needed by every program; `EngineUnavailable` where a library is missing."""
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
