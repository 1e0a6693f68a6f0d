"""Small C: one front end and middle end, and a back end for each machine.

The loom back end is exported here; the soft one, which needs NumPy, is in `soft`.
"""

from transputer.frontends.smallc.loom.compile import compile
from transputer.frontends.smallc.scope import SmallCError

__all__ = ["SmallCError", "compile"]
