"""Load programs of the trace machine into a session, as core code."""

from functools import cached_property, partial

from transputer.errors import Unsupported
from transputer.host.outcome import CallOutcome
from transputer.host.session import ModuleSession
from transputer.host.store import Instance
from transputer.ir.core import CoreModule
from transputer.ir.files import FileTree
from transputer.ir.unwinding import PENDING
from transputer.ir.verified import Verified
from transputer.runtime.trace.program import TraceProgram


class CoreLoader(ModuleSession):
    """Loads programs as verified core code, in the form that the session runs."""

    program: Instance | None = None  #: loaded last

    @cached_property
    def unaware(self) -> set[int]:
        """Tables of modules whose code does not expect exceptions."""
        return set()

    def code(self, program: TraceProgram, arguments: int) -> CoreModule:
        """Return a program in what the trace machine has, verified."""
        return program.words(arguments, self.environment)

    def load_program(
        self, program: TraceProgram, arguments: int = 0
    ) -> tuple[Instance, CallOutcome]:
        """Instantiate a program's core code."""
        module = self.code(program, arguments)
        definitions = [(f.type, f) for f in module.functions]
        instance, outcome = self.instantiate(module.declarations, definitions, module)
        self.program = instance
        return instance, outcome

    def final_files(self) -> FileTree | None:
        """Return the files of the program as they are now; None if it cannot use any."""
        from transputer.lower.files import FILES, final_files  # slow to import, and rarely needed

        if self.program is None or FILES not in self.program.exports:
            return None
        memory = self.program.exports[FILES][1]
        return final_files(partial(self.target.read_memory, memory))

    def load_module(self, verified: Verified) -> tuple[Instance, CallOutcome]:
        """Lower and instantiate a module."""
        foreign = PENDING in self.store.shared
        instance, outcome = self.load_program(TraceProgram("", module=verified, foreign=foreign))
        if PENDING not in self.store.shared:
            self.unaware.update(instance.tables)
        elif not self.unaware.isdisjoint(instance.tables):
            raise Unsupported(
                "a module that throws shares a table with one that was loaded before it and does "
                "not; load the module that throws first"
            )
        return instance, outcome
