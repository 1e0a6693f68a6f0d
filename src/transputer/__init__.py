"""Transputer: programs that a transformer executes exactly.

import transputer as tp
tp.run("gcd.wat", invoke="gcd", args=[48, 36]).results  # [12]
tp.compile(source="int main(void) { return 42; }", kind="c").run().exit_code  # 42
tp.Module("gcd.wat", invoke="gcd")  # the same as an nn.Module; needs PyTorch
tp.LoomModule("rules.c", ["light"], ["action"])  # small C on the looped machine, exportable
"""

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all that is here
if TYPE_CHECKING:
    from typing import Any

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
    from transputer.embed import LoomModule, Module
    from transputer.errors import TransputerError, Trap
    from transputer.host.result import Result
    from transputer.registry import Ability, Machine, Option, Program, RunSettings, register
    from transputer.registry import machines as list_machines
    from transputer.runtime.step_machine import stepped_machine
    from transputer.runtime.stepped import StepRecord
    from transputer.version import __version__

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
#: Where names are that are no function of the API.
_ELSEWHERE = {
    "Ability": "transputer.registry",
    "LoomModule": "transputer.embed",
    "Machine": "transputer.registry",
    "Module": "transputer.embed",
    "Option": "transputer.registry",
    "Program": "transputer.registry",
    "Result": "transputer.host.result",
    "RunSettings": "transputer.registry",
    "StepRecord": "transputer.runtime.stepped",
    "TransputerError": "transputer.errors",
    "Trap": "transputer.errors",
    "__version__": "transputer.version",
    "register": "transputer.registry",
    "stepped_machine": "transputer.runtime.step_machine",
}


def __getattr__(name: str) -> "Any":
    """Load a name when it is first used; `EngineUnavailable` where a library is missing."""
    if name == "list_machines":
        value = import_module("transputer.registry").machines
    elif name in __all__:
        value = getattr(import_module(_ELSEWHERE.get(name, "transputer.api")), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
