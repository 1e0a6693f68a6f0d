"""Small C: one front end and middle end, and a back end for each machine."""

from transputer.frontends.smallc.loom.compile import compile
from transputer.frontends.smallc.scope import SmallCError
from transputer.frontends.smallc.soft.compile import compile as compile_soft

__all__ = ["SmallCError", "compile", "compile_soft"]
