"""A module's code as tokens: relocated and encoded, or as the user's cache has it."""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transputer import cache
from transputer.ir.core import CoreInstr, CoreModule, is_untyped, relocate
from transputer.ir.module import FuncType
from transputer.lower.kept import LARGEST, MOST, Later
from transputer.machines.trace.prompt import Places, check_supported, encode_rows
from transputer.machines.trace.uses import calls_indirectly
from transputer.machines.trace.vocabulary import LAYOUT
from transputer.values import dataclass

_WIDTH = sum(count for _, count in LAYOUT)


class EncodedCode(NamedTuple):
    """The tokens of code, one row each, and what a session has to know of it."""

    rows: NDArray[np.uint8]
    implied: bytes  # by instruction, 1 if lowering added it
    types: tuple[int, ...]  # the types that code names, in the order in which it does
    untyped: bool
    indirect: bool

    def dump(self) -> bytes:
        """All of it as bytes."""
        rest = len(self.implied), self.types, self.untyped, self.indirect
        return b"".join((json.dumps(rest).encode(), b"\n", self.implied, self.rows.tobytes()))

    @classmethod
    def load(cls, contents: bytes) -> "EncodedCode":
        """What `dump` gave."""
        rest, _, data = contents.partition(b"\n")
        count, types, untyped, indirect = json.loads(rest)
        rows = np.frombuffer(data, dtype=np.uint8, offset=count).reshape(count, _WIDTH)
        return cls(rows, data[:count], tuple(types), untyped, indirect)


@dataclass(frozen=True, slots=True)
class CodeSite:
    """Where a session loads a module: the address of its code, and what indices refer to."""

    base: int
    functions: tuple[int, ...]
    tables: tuple[int, ...]
    memories: tuple[int, ...]
    globals: tuple[int, ...]
    types: tuple[FuncType, ...]
    numbered: list[FuncType]  # the session's types; it gets those that code names
    places: Places

    def relocated(self, code: Sequence[CoreInstr]) -> tuple[CoreInstr, ...]:
        """Return code with the session's addresses."""
        return relocate(
            code,
            {
                "pc": lambda pc: pc + self.base,
                "func": lambda i: self.functions[i],
                "table": lambda i: self.tables[i],
                "memory": lambda i: self.memories[i],
                "global": lambda i: self.globals[i],
                "type": lambda i: number_of(self.types[i], self.numbered),
            },
        )


def number_of(type_: FuncType, numbered: list[FuncType]) -> int:
    """Return the number of a type among those numbered, to which it is added if it is new."""
    if type_ not in numbered:
        numbered.append(type_)
    return numbered.index(type_)


def encoded(module: CoreModule, site: CodeSite) -> EncodedCode:
    """Return a module's tokens at a site; if the cache has its code, it keeps them, too."""
    if not isinstance(module.code, Later):
        return _encoded(module, site)
    entry = cache.entry("core", "tokens", module.code.digest, site, cache.code(__name__), most=MOST)
    tokens = entry.get(EncodedCode.load)
    if tokens is None:
        tokens = _encoded(module, site)
        if tokens.rows.nbytes <= LARGEST:
            entry.write(tokens.dump())
    for index in tokens.types:
        number_of(site.types[index], site.numbered)
    return tokens


def _encoded(module: CoreModule, site: CodeSite) -> EncodedCode:
    code = site.relocated(module.code)
    check_supported(code)
    named = [i.args[i.op.imm.index("type")] for i in module.code if "type" in i.op.imm]
    return EncodedCode(
        encode_rows(code, site.base, site.places),
        bytes(instr.implied for instr in code),
        tuple(dict.fromkeys(named)),
        is_untyped(module),
        calls_indirectly(code),
    )
