"""Small C: one front end and middle end, and a back end for each machine.

The loom back end is imported here; the soft one, which needs NumPy for its code, is in `soft`.
"""

from transputer.frontends.smallc.loom.compile import compile
from transputer.frontends.smallc.scope import SmallCError

__all__ = ["SmallCError", "compile"]
