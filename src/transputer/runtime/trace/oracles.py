"""Sessions without weights: interpreters of programs as written and of core code."""

from transputer.host.outcome import CallOutcome
from transputer.host.store import Instance
from transputer.ir.core import CoreModule
from transputer.ir.core_verify import verify_core
from transputer.ir.environment import ABORT, WASI, imports_abort
from transputer.ir.files import FileTree
from transputer.ir.verified import Verified
from transputer.oracle.abort import abort_function
from transputer.oracle.core import CoreSession
from transputer.oracle.ir import IrSession
from transputer.oracle.wasi import Wasi, check_wasi
from transputer.runtime.trace.loading import CoreLoader
from transputer.runtime.trace.program import TraceProgram


class OracleSession(IrSession):
    """Runs programs as written on the interpreter."""

    engine = name = "oracle"
    wasi: Wasi | None = None  #: of the module loaded last

    def final_files(self) -> FileTree | None:
        """Return the files of the program as they are now; None if it cannot use any."""
        return None if self.wasi is None else self.wasi.files.final()

    def load_program(
        self, program: TraceProgram, arguments: int = 0
    ) -> tuple[Instance, CallOutcome]:
        """Instantiate a program's module, with WASI."""
        return self.load_module(program.verified)

    def load_module(self, verified: Verified) -> tuple[Instance, CallOutcome]:
        """Instantiate a module; its WASI functions work on its own memory."""
        check_wasi(verified.module)
        own = len(self.store.memories)
        if imports_abort(verified.module):
            function = abort_function(self.console, lambda: self.store.memories[own])
            self.add_host(ABORT[0], {ABORT[1]: function})
        if any(item.module == WASI for item in verified.module.imports):
            self.wasi = Wasi(
                self.console,
                self.environment,
                lambda: self.store.memories[own],
                lambda: self.executor.all_steps,
            )
            self.add_host(WASI, self.wasi.functions())
        return self.load(verified)


class CoreCodeSession(CoreLoader, CoreSession):
    """Runs programs as flat core code on the interpreter."""

    engine = name = "core"

    def code(self, program: TraceProgram, arguments: int) -> CoreModule:
        """Return a program as flat core code, verified."""
        module = program.core(arguments, self.environment)
        verify_core(module)
        return module


class WordsSession(CoreLoader, CoreSession):
    """Runs lowered core code, as the trace machine gets it, on the interpreter."""

    engine = name = "words"


SESSIONS: dict[str, type[OracleSession | CoreCodeSession | WordsSession]] = {
    session.name: session for session in (OracleSession, CoreCodeSession, WordsSession)
}
