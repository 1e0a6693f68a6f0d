"""Transputer: programs that a transformer executes exactly.

    import transputer as tp
    tp.run("gcd.wat", invoke="gcd", args=[48, 36]).results  # [12]
    tp.Module("gcd.wat", invoke="gcd")  # the same as an nn.Module; needs PyTorch
"""

from typing import Any

from transputer.api import Program, Result, ask, compile, learn, run, spec
from transputer.errors import TransputerError, Trap

__version__ = "0.1.0"
__all__ = ["Program", "Result", "Trap", "TransputerError", "ask", "compile", "learn", "run", "spec"]


def __getattr__(name: str) -> Any:
    """`Module`, which alone needs PyTorch; `EngineUnavailable` where that is missing."""
    if name == "Module":
        from transputer.embed import Module

        return Module
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
