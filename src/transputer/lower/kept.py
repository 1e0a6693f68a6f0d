"""Modules and their core code in the user's cache: deriving them takes longer than many runs.

A file is a pickle that names nothing but values of our own; instructions are kept by number.
"""

import hashlib
import io
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache as once
from types import MappingProxyType
from typing import Any, TypeVar

from transputer import cache
from transputer.ir.core import CoreInstr, CoreModule
from transputer.ir.environment import NOTHING, Environment, Ticks
from transputer.ir.module import Instr, Span
from transputer.ir.verified import Verified
from transputer.isa.core import CORE
from transputer.isa.op import Op
from transputer.isa.vectors import VECTORS
from transputer.isa.wasm import TAG, WASM

T = TypeVar("T")

#: Files in the cache, and the size of the largest in bytes.
MOST, LARGEST = 128, 8_000_000
#: All instructions; a file has their places here, and the sources of this package as a key.
_OPS = (*CORE, *WASM, *VECTORS, TAG)
#: Where the values of a module and of core code are defined.
_OWN = ("transputer.ir.", "transputer.isa.", "transputer.lower.kept")


def verified(binary: bytes) -> Verified:
    """Return the module of a WebAssembly binary, verified."""

    def derive() -> Verified:
        from transputer.frontends.binary import decode
        from transputer.ir.verify import verify

        return replace(verify(decode(binary)), digest=digest)

    digest = hashlib.sha256(binary).hexdigest()
    return _kept(Verified, derive, digest)


def words(program: Verified, environment: Environment, foreign: bool = False) -> CoreModule:
    """Return a module's core code in single accesses, verified.

    It has the environment in it, which is kept if it is no more than arguments and what the clock
    counts: variables may be secret, and the time is another one at every run.
    """

    def derive() -> CoreModule:
        from transputer.ir.core_verify import verify_core
        from transputer.lower.pipeline import in_words

        module = in_words(program, environment, foreign)
        verify_core(module)
        return module

    rest = replace(environment, arguments=(), ticks=Ticks.READINGS)
    if not program.digest or rest != NOTHING:
        return derive()
    return _kept(CoreModule, derive, program.digest, environment, foreign)


def _kept(kind: type[T], derive: Callable[[], T], *inputs: object) -> T:
    """Return what `derive` derives from the inputs, from the cache if it is there."""
    lowers = cache.code("transputer.lower.pipeline")  # it decodes and verifies, too
    entry = cache.entry("core", kind.__name__.lower(), *inputs, lowers, most=MOST)
    value = entry.get(loads)
    if isinstance(value, kind):
        return value
    value = derive()
    contents = dumps(value)
    if len(contents) <= LARGEST:
        entry.write(contents)
    return value


def dumps(value: object) -> bytes:
    """Return a module or core code as bytes."""
    file = io.BytesIO()
    _Writer(file, protocol=5).dump(value)
    return file.getvalue()


def loads(contents: bytes) -> Any:
    """Return what `dumps` wrote; raise an exception for anything else."""
    return _Reader(io.BytesIO(contents)).load()


@once
def _numbers() -> dict[int, int]:
    """The place of each instruction, by its identity."""
    return {id(op): number for number, op in enumerate(_OPS)}


def _op(number: int) -> Op:
    op: Op = _OPS[number]
    return op


def _frozen(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


class _Writer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        match value:  # the first three would take longer by their states
            case Instr():
                return Instr, (value.op, value.args, value.span)
            case Span():
                return Span, (value.start, value.end)
            case CoreInstr():
                return CoreInstr, (value.op, value.args, value.origin, value.implied)
            case Op():
                return _op, (_numbers()[id(value)],)
            case MappingProxyType():
                return _frozen, (dict(value),)
        return NotImplemented


class _Reader(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str) -> Any:
        if module_name.startswith(_OWN) and "." not in global_name:
            found = super().find_class(module_name, global_name)
            if found.__module__ == module_name:  # and not what that module imports
                return found
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of a program")
