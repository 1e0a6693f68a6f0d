"""Names of a C program at an instruction: variables of an open call, functions, library files."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from transputer import frontends
from transputer.debugger.expressions import GLOBAL, CValue, text_of
from transputer.debugger.state import Call, State
from transputer.errors import UsageError
from transputer.frontends.c_types import CType
from transputer.frontends.variables import CVariable
from transputer.ir.core import CoreInstr
from transputer.runtime.trace.program import TraceProgram

#: What is shown for a variable that has no value at an instruction.
OPTIMISED_OUT = "<optimized out>"
MAIN = "main"
#: Sources of the C library, which lie in the `ziglang` package.
_LIBRARY = re.compile(r"(^|/)ziglang/lib/")


class CallScope:
    """The variables of one open call before a step, for expressions."""

    def __init__(
        self, program: TraceProgram, listing: Sequence[CoreInstr], state: State, call: Call
    ) -> None:
        self._program, self._state, self.call = program, state, call
        self._offset = program.offset(listing[call.instruction])
        self._origin = listing[call.instruction].origin

    def variables(self, hidden: bool = False) -> Iterator[tuple[CVariable, bool]]:
        """Yield the variables in scope, the call's own first, and whether each is its own.

        `hidden` includes globals that a local variable hides.
        """
        if self._offset is None:
            return
        variables = self._program.variables()
        own = variables.at(self._offset)
        yield from ((variable, True) for variable in own)
        names = set() if hidden else {variable.name for variable in own}
        beside = variables.beside(self._offset)
        yield from ((variable, False) for variable in beside if variable.name not in names)

    def variable(self, name: str) -> CValue:
        """Return a variable or an enumerator; raise `UsageError` if it has no value here.

        A name with the prefix GLOBAL skips local variables.
        """
        only_global = name.startswith(GLOBAL)
        name = name.removeprefix(GLOBAL)
        for variable, local in self.variables(hidden=only_global):
            if variable.name == name and not (local and only_global):
                value = self.value(variable)
                if value is None:
                    raise UsageError(f"{name} is {OPTIMISED_OUT}; compile with -O 0 to keep it")
                return value
        if self._offset is not None:
            constant = self._program.variables().enumerator(name, self._offset)
            if constant is not None:
                type_, number = constant
                return CValue(type_, number.to_bytes(type_.size, "little", signed=number < 0))
        names = [variable.name for variable, _ in self.variables(hidden=only_global)]
        close = get_close_matches(name, names, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise UsageError(f"no variable {name!r} here{hint}")

    def value(self, variable: CVariable) -> CValue | None:
        """Return the value of a variable; None if it is optimised out."""
        where = variable.where(self._offset or 0)
        size = variable.type.size
        if where is None:
            return None
        if where.constant is not None:
            number = where.constant % (1 << 8 * max(1, size))
            return CValue(variable.type, number.to_bytes(max(1, size), "little"))
        if where.local is not None:
            slot = self._slot(where.local)
            words = [self._state.slot(slot + i).value for i in range(2 if size > 8 else 1)]
            data = b"".join(word.to_bytes(8, "little") for word in words)
            return CValue(variable.type, data[:size], slot=slot)
        address = where.address or 0
        if where.base is not None:
            address += self._state.slot(self._slot(where.base)).value
        address %= 1 << 32
        return CValue(variable.type, self.read(address, size), address)

    def _slot(self, local: int) -> int:
        """Return the slot of a local of the call."""
        if self._origin is None:
            return self.call.fp + local
        return self.call.fp + self._program.first_word(self._origin[0], local)

    def owns(self, value: CValue) -> bool:
        """Return whether a value lies in the call: in a slot, or in a local variable's memory."""
        if value.slot is not None:
            return True
        for variable, local in self.variables():
            own = self.value(variable) if local else None
            start = None if own is None else own.address
            if own is None or start is None or value.address is None:
                continue
            if start <= value.address < start + own.type.size:
                return True
        return False

    def text(self, variable: CVariable) -> str:
        """Return the value of a variable as text."""
        value = self.value(variable)
        return OPTIMISED_OUT if value is None else text_of(value, self)

    def read(self, address: int, count: int) -> bytes:
        """Return bytes of memory."""
        return self._state.memory(address, count)

    def type_named(self, name: str) -> CType | None:
        """Return a type by its name."""
        if self._offset is None:
            return None
        return self._program.variables().type_named(name, self._offset)


def source_name(name: str) -> str:
    """Return the name of a function in the source; clang renames `main`."""
    return MAIN if name in ("__main_argc_argv", "__original_main") else name


def is_library(file: str) -> bool:
    """Return whether a file belongs to the C library, or to our part of it."""
    return bool(_LIBRARY.search(file)) or Path(file).parent == Path(frontends.__file__).parent
