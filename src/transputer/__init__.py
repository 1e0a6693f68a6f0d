"""Transputer: programs that a transformer executes exactly.

    import transputer as tp
    tp.run("gcd.wat", invoke="gcd", args=[48, 36]).results  # [12]
"""

from transputer.api import Program, Result, compile, run, spec
from transputer.errors import Trap, TransputerError

__version__ = "0.1.0"
__all__ = ["Program", "Result", "Trap", "TransputerError", "compile", "run", "spec"]
