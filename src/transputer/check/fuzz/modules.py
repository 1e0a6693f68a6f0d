"""Random valid modules that always terminate, with calls to make."""

from dataclasses import dataclass, replace

from transputer.check.fuzz.bodies import function
from transputer.check.fuzz.choose import Choose
from transputer.check.fuzz.plan import ROUNDS, ModulePlan, instr, plan
from transputer.check.fuzz.values import ALL, Types, argument
from transputer.host.observation import Invocation
from transputer.ir.module import Export, ExternKind, Function, FuncType, Module

#: The export that allows another `ROUNDS` rounds.
REFILL = "refill"


@dataclass(frozen=True, slots=True)
class ModuleCase:
    """A module and the calls to make, in order."""

    module: Module
    calls: tuple[Invocation, ...]


def case(choose: Choose, types: Types = ALL) -> ModuleCase:
    """Return a random module that exports everything, and some calls of its functions.

    All its values are of `types`, which must include i32.
    """
    planned = plan(choose, types)
    functions = tuple(function(planned, choose, index) for index in planned.functions)
    refill = (instr("i32.const", ROUNDS), instr("global.set", planned.rounds), instr("end"))
    functions += (Function(0, (), refill),)
    starts = [i for i, t in enumerate(planned.func_types) if t == FuncType()]
    start = choose.choice(starts) if starts and choose.chance(5) else None
    exports = _exports(planned)
    module = replace(planned.module, functions=functions, exports=exports, start=start)
    return ModuleCase(module, _calls(choose, module))


def _exports(planned: ModulePlan) -> tuple[Export, ...]:
    spaces = {
        ExternKind.TABLE: planned.module.table_types,
        ExternKind.MEMORY: planned.module.memory_types,
        ExternKind.GLOBAL: planned.module.global_types,
    }
    exports = [Export(f"func {i}", ExternKind.FUNC, i) for i in sorted(planned.exported)]
    for kind, space in spaces.items():
        exports += [Export(f"{kind.value} {i}", kind, i) for i in range(len(space))]
    return (*exports, Export(REFILL, ExternKind.FUNC, len(planned.func_types)))


def _calls(choose: Choose, module: Module) -> tuple[Invocation, ...]:
    """Return calls of every exported function, once or twice, each with a full round budget."""
    calls: list[Invocation] = []
    for export in module.exports:
        if export.kind is ExternKind.FUNC and export.name != REFILL:
            for _ in range(choose.integer(1, 2)):
                params = module.func_types[export.index].params
                arguments = tuple(argument(choose, t) for t in params)
                calls += [(REFILL, ()), (export.name, arguments)]
    return tuple(calls)
