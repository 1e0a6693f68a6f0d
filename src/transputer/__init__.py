"""Transputer: programs that a transformer executes exactly.

import transputer as tp
tp.run("gcd.wat", invoke="gcd", args=[48, 36]).results  # [12]
tp.Module("gcd.wat", invoke="gcd")  # the same as an nn.Module; needs PyTorch
tp.LoomModule("rules.c", ["light"], ["action"])  # small C on the looped machine, exportable
"""

from typing import Any

from transputer.api import Program, Result, ask, compile, learn, run, spec
from transputer.errors import TransputerError, Trap

__version__ = "0.1.0"
__all__ = ["Program", "Result", "Trap", "TransputerError", "ask", "compile", "learn", "run", "spec"]


def __getattr__(name: str) -> Any:
    """`Module` and `LoomModule` alone need PyTorch; `EngineUnavailable` where that is missing."""
    if name in ("Module", "LoomModule"):
        from transputer.embed import LoomModule, Module

        return Module if name == "Module" else LoomModule
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
