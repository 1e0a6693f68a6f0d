"""Modules and their core code in the user's cache: deriving them takes longer than many runs.

A file is a pickle that names nothing but values of our own; instructions are kept by number. Long
tuples in it are pickles of their own, because a run that finds its tokens in the cache, too, needs
no instruction.
"""

import hashlib
import io
import pickle
from collections.abc import Callable, Iterator, Sequence
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
from transputer.isa.wasm import TAG, WASM

T = TypeVar("T")

#: Files in the cache, and the size of the largest in bytes.
MOST, LARGEST = 192, 8_000_000
#: Where the values of a module and of core code are defined.
_OWN = ("transputer.ir.", "transputer.isa.", "transputer.lower.kept")


class Later(Sequence[Any]):
    """A tuple of `dumps`, which is loaded when an item is asked for."""

    __slots__ = ("_contents", "_items", "_length")

    def __init__(self, contents: bytes, length: int) -> None:
        self._contents, self._length = contents, length
        self._items: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, items: Sequence[Any]) -> Any:
        """Return it in place of a tuple."""
        later = cls(dumps(tuple(items)), len(items))
        later._items = tuple(items)
        return later

    @property
    def items(self) -> tuple[Any, ...]:
        """The tuple."""
        if self._items is None:
            self._items = loads(self._contents)
        return self._items

    @property
    def digest(self) -> str:
        """SHA-256 of the items as bytes."""
        return hashlib.sha256(self._contents).hexdigest()

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __eq__(self, other: object) -> bool:
        return self.items == (other.items if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self.items)

    def __reduce__(self) -> Any:
        return Later, (self._contents, self._length)


def verified(binary: bytes) -> Verified:
    """Return the module of a WebAssembly binary, verified."""

    def derive() -> Verified:
        from transputer.frontends.binary import decode
        from transputer.ir.verify import verify

        checked = verify(decode(binary))
        functions, frames = Later.of(checked.module.functions), Later.of(checked.frames)
        return Verified(replace(checked.module, functions=functions), frames, digest)

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

    def kept() -> CoreModule:
        module = derive()
        return replace(module, code=Later.of(module.code))

    rest = replace(environment, arguments=(), ticks=Ticks.READINGS)
    if not program.digest or rest != NOTHING:
        return derive()
    return _kept(CoreModule, kept, program.digest, environment, foreign)


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
def _ops() -> tuple[Op, ...]:
    """All instructions; a file has their places here, and the sources of this package as a key."""
    from transputer.isa.vectors import VECTORS  # most programs have none, and start-up counts

    return (*CORE, *WASM, *VECTORS, TAG)


@once
def _numbers() -> dict[int, int]:
    """The place of each instruction, by its identity."""
    return {id(op): number for number, op in enumerate(_ops())}


def _op(number: int) -> Op:
    return _ops()[number]


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
