"""Rule 7: an independent oracle."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from transputer.check.audit.corpus import CorpusProgram
from transputer.check.audit.evidence import Evidence
from transputer.check.audit.play import (
    STEPS,
    Played,
    ProgramBehaviour,
    Screen,
    asm_observation,
    assembled,
    binary,
    verified,
)
from transputer.check.audit.verdict import Fact, rule, some
from transputer.errors import Trap, TrapError
from transputer.host.console import devices
from transputer.host.observation import difference, observe
from transputer.host.outcome import CallOutcome
from transputer.host.store import HostFunction, Instance
from transputer.ir.module import FuncType
from transputer.isa.op import ValType
from transputer.oracle.asm import run as run_asm
from transputer.oracle.independent import run_wasmtime
from transputer.oracle.ir import IrSession

#: Far more than a program of the corpus takes, unless it recurses without end.
PATIENCE = 100 * STEPS


@rule(7, "An independent oracle")
def oracles(evidence: Evidence) -> Iterator[Fact]:
    """wasmtime runs programs as written, our interpreter too; the weights agree with both."""
    modules = [(c, p.behaviour) for c, p in _pairs(evidence) if c.language == "wat"]
    yield _agree("wasmtime, on the binary before any lowering", _wasmtime, modules, coarse=True)
    yield _agree("our interpreter, on the IR before any lowering", _interpreted, modules)
    assembly = [(c, p.behaviour) for c, p in _pairs(evidence) if c.language == "asm"]
    yield _agree("our interpreter of the assembly as written", _assembly, assembly)


def _pairs(evidence: Evidence) -> Iterator[tuple[CorpusProgram, Played]]:
    return zip(evidence.cases, evidence.played, strict=True)


def _agree(
    name: str,
    run: Callable[[CorpusProgram], ProgramBehaviour],
    ours: Sequence[tuple[CorpusProgram, ProgramBehaviour]],
    coarse: bool = False,
) -> Fact:
    wrong: list[str] = []
    kinds: set[Trap] = set()
    for case, behaviour in ours:
        theirs = run(case)
        problem = different(theirs, _coarse(behaviour) if coarse else behaviour)
        wrong += [f"{case.name}: {problem}"] if problem else []
        kinds.update(trap for trap in behaviour.observation.traps() if trap is not Trap.HOST)
    calls = sum(len(case.calls) for case, _ in ours)
    what = f"{len(ours)} programs, {calls} calls, {len(kinds)} kinds of traps"
    if wrong:
        return Fact(f"{name} agrees with the weights: {some(wrong, 3)}", False)
    return Fact(f"{name}: {what}; results, traps, output, memories, tables, globals agree")


def _coarse(behaviour: ProgramBehaviour) -> ProgramBehaviour:
    return replace(behaviour, observation=behaviour.observation.coarse())


def different(theirs: ProgramBehaviour, ours: ProgramBehaviour) -> str:
    """Return the first difference between the weights and an oracle, or "" if there is none."""
    problem = difference(theirs.observation, ours.observation, ("the oracle", "the weights"))
    if not problem and (theirs.output, theirs.exits) != (ours.output, ours.exits):
        problem = f"output {theirs.output!r} {theirs.exits}, not {ours.output!r} {ours.exits}"
    return problem


def _wasmtime(case: CorpusProgram) -> ProgramBehaviour:
    screen = Screen(case.stdin)
    hosts = {"transputer": {**devices(screen.console), "exit": _exit(screen)}}
    observation = run_wasmtime(binary(case), case.calls, hosts=hosts)
    return ProgramBehaviour(observation, bytes(screen.written), tuple(screen.exits))


def _exit(screen: Screen) -> HostFunction:
    """`exit` as a call that does not return."""

    def call(code: int) -> None:
        screen.exits.append(code)
        raise TrapError(Trap.HOST)

    return HostFunction(FuncType((ValType.I32,)), call, "exit")


class _Interpreter(IrSession):
    """The oracle; it records exits."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        super().__init__(console=screen.console, max_steps=PATIENCE)

    def invoke(self, instance: Instance, export: str, args: Sequence[int] = ()) -> CallOutcome:
        """Call an exported function."""
        return self.screen.ended(super().invoke(instance, export, args))


def _interpreted(case: CorpusProgram) -> ProgramBehaviour:
    screen = Screen(case.stdin)
    observation = observe(_Interpreter(screen), verified(case), case.calls)
    return ProgramBehaviour(observation, bytes(screen.written), tuple(screen.exits))


def _assembly(case: CorpusProgram) -> ProgramBehaviour:
    ((_, args),) = case.calls
    end = run_asm(assembled(case), args, max_steps=PATIENCE)
    results = () if end.trap else end.stack
    return ProgramBehaviour(asm_observation(args, results, end.trap, end.memory), b"", ())
