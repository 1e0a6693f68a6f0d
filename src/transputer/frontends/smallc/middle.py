"""The middle end: optimise translated code for the instruction selection of a machine."""

from collections.abc import Callable, Iterable
from itertools import cycle, islice

from transputer.frontends.smallc.calls import ROUTINE
from transputer.frontends.smallc.passes.flatten import flatten
from transputer.frontends.smallc.passes.flow import simplify
from transputer.frontends.smallc.passes.inline import drop_uncalled, inline, loop_tail_calls
from transputer.frontends.smallc.passes.legalise import MachineOperations, legalise
from transputer.frontends.smallc.passes.live import forget_unread, sweep
from transputer.frontends.smallc.passes.number import number
from transputer.frontends.smallc.passes.promote import promote
from transputer.frontends.smallc.passes.propagate import propagate
from transputer.frontends.smallc.passes.tidy import chain, hoist, retarget
from transputer.frontends.smallc.routines import routine
from transputer.frontends.smallc.tac import TacFunction, TacUnit
from transputer.frontends.smallc.translate import translate, without_lines

#: Limit on passes over one function; a few rounds are usual.
_PATIENCE = 400


def optimise(unit: TacUnit, target: MachineOperations, stack: int) -> TacUnit:
    """Optimise a program into one function of legal operations; consumes `unit`."""
    improve(unit, target)
    flatten(unit, stack)
    main = unit.functions["main"]
    clean(main, unit)
    chain(main, unit.bits)
    return unit


def improve(unit: TacUnit, target: MachineOperations) -> None:
    """Optimise every function, with legal operations; inline where that is smaller."""
    drop_uncalled(unit)
    clean_all(unit)
    for function in unit.functions.values():
        loop_tail_calls(function)
    while changed := inline(unit):
        clean_all(unit, changed)
    if promote(unit):
        clean_all(unit)
    if changed := legalise(unit, target, _routines(unit.bits)):
        clean_all(unit, changed)
        while changed := inline(unit):
            clean_all(unit, changed)
        legalise(unit, target, _routines(unit.bits))
    forget_unread(unit)


def clean_all(unit: TacUnit, names: Iterable[str] | None = None) -> None:
    """Clean every function, or those in `names`."""
    for name in list(unit.functions if names is None else names):
        if name in unit.functions:
            clean(unit.functions[name], unit)


def clean(function: TacFunction, unit: TacUnit) -> None:
    """Run all local passes until none changes anything."""
    version, idle = 0, 0
    versions: dict[Callable[[TacFunction, TacUnit], bool], int] = {}
    for improve in islice(cycle(_PASSES), _PATIENCE):
        idle += 1
        if versions.get(improve) != version:
            versions[improve] = version
            if improve(function, unit):
                version, idle = version + 1, 0
        if idle == len(_PASSES):
            return


_PASSES: tuple[Callable[[TacFunction, TacUnit], bool], ...] = (
    retarget,
    simplify,
    propagate,
    simplify,
    number,
    retarget,
    sweep,
    hoist,
)


def _routines(bits: int) -> Callable[[str], TacFunction]:
    def compiled(op: str) -> TacFunction:
        text = routine(op, bits) + "\nint main(void) { return 0; }\n"
        function = translate(text, ROUTINE, bits).functions[ROUTINE + op]
        without_lines(function)
        return function

    return compiled
