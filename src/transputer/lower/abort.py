"""Lower AssemblyScript's `env.abort` to a routine that prints its message and traps."""

from functools import cache
from importlib.resources import files

from transputer.frontends.binary import decode
from transputer.frontends.wat import library_wasm
from transputer.ir.environment import ABORT, imports_abort
from transputer.ir.module import Module
from transputer.ir.verify import verify
from transputer.lower.link import link_imports
from transputer.lower.origin import Lowered


def lower_abort(program: Lowered) -> Lowered:
    """Link `env.abort`; return the program unchanged if it does not import it."""
    if not imports_abort(program.module):
        return program
    return link_imports(program, _library(), {ABORT: "abort"})


@cache
def _library() -> Module:
    text = files("transputer.lower").joinpath("abort.wat").read_text(encoding="utf-8")
    return verify(decode(library_wasm(text, "abort.wat"))).module
