"""Shrink a module that shows a problem: fewer calls, bodies, instructions, contents."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from transputer.check.fuzz.modules import ModuleCase
from transputer.check.fuzz.plan import instr
from transputer.check.fuzz.shrink import Shows, ShrinkBudget, fewer, settle, simpler
from transputer.errors import TransputerError
from transputer.ir.module import Body, Export, Function, Instr, Module
from transputer.ir.verify import verify
from transputer.isa.op import ValType

END = instr("end")


def smaller_case(
    case: ModuleCase, shows: Shows[ModuleCase], budget: ShrinkBudget | None = None
) -> ModuleCase:
    """Return a smaller valid case that still shows the problem."""
    limited = (budget or ShrinkBudget()).within(shows)

    def valid(changed: ModuleCase) -> bool:
        try:
            verify(changed.module)
        except TransputerError:
            return False
        return limited(changed)

    return settle(case, lambda thing: _round(thing, valid))


def _round(case: ModuleCase, shows: Shows[ModuleCase]) -> ModuleCase:
    for change in (_calls, _bodies, _instructions, _contents, _constants):
        case = change(case, shows)
    return case


def _calls(case: ModuleCase, shows: Shows[ModuleCase]) -> ModuleCase:
    return replace(case, calls=fewer(case.calls, lambda calls: shows(replace(case, calls=calls))))


def _bodies(case: ModuleCase, shows: Shows[ModuleCase]) -> ModuleCase:
    """Replace functions by ones that only return zeros."""
    module = case.module
    empty = partial(_emptied, module)
    functions = simpler(module.functions, empty, partial(_with, case, "functions", shows))
    return replace(case, module=replace(module, functions=functions))


def _with(case: ModuleCase, name: str, shows: Shows[ModuleCase], value: Any) -> bool:
    return shows(replace(case, module=_changed(case.module, name, value)))


def _changed(module: Module, name: str, value: Any) -> Module:
    fields: dict[str, Any] = {name: value}
    return replace(module, **fields)


def _emptied(module: Module, function: Function) -> Iterable[Function]:
    results = module.types[function.type_index].results
    body = (*map(_zero, results), END)
    if body != function.body:
        yield replace(function, body=body, locals=())


def _zero(type_: ValType) -> Instr:
    return instr("ref.null", type_) if type_.is_ref else instr(f"{type_.value}.const", 0)


def _instructions(case: ModuleCase, shows: Shows[ModuleCase]) -> ModuleCase:
    for at in range(len(case.module.functions)):

        def changed(body: Body, at: int = at, case: ModuleCase = case) -> ModuleCase:
            functions = list(case.module.functions)
            functions[at] = replace(functions[at], body=(*body, END))
            return replace(case, module=replace(case.module, functions=tuple(functions)))

        def still(body: Body, changed: Callable[[Body], ModuleCase] = changed) -> bool:
            return shows(changed(body))

        body = fewer(case.module.functions[at].body[:-1], still)
        body = _unwrapped(_dropped(body, still), still)
        case = changed(body)
    return case


def _dropped(body: Body, shows: Shows[Body]) -> Body:
    """Replace instructions of known types by zeros for their results."""
    at = 0
    while at < len(body):
        op = body[at].op
        if op.sig and op.params:
            zeros = (*(instr("drop") for _ in op.params), *map(_zero, op.results))
            without = (*body[:at], *zeros, *body[at + 1 :])
            if body[at].name != "drop" and shows(without):
                body = fewer(without, shows)
        at += 1
    return body


def _unwrapped(body: Body, shows: Shows[Body]) -> Body:
    """Replace blocks by their contents."""
    at = 0
    while at < len(body):
        if body[at].name in ("block", "loop"):
            end = _end(body, at)
            without = (*body[:at], *body[at + 1 : end], *body[end + 1 :])
            if shows(without):
                body = without
                continue
        at += 1
    return body


def _end(body: Body, start: int) -> int:
    depth = 0
    for at in range(start, len(body)):
        depth += (body[at].name in ("block", "loop", "if")) - (body[at].name == "end")
        if not depth:
            return at
    return len(body)


def _contents(case: ModuleCase, shows: Shows[ModuleCase]) -> ModuleCase:
    """Remove the start function, the contents of segments, and unneeded exports."""
    module = case.module
    if module.start is not None and _with(case, "start", shows, None):
        module = replace(module, start=None)
    case = replace(case, module=module)
    for name, others in (("data", _no_data), ("elements", _no_elements)):
        items = simpler(getattr(case.module, name), others, partial(_with, case, name, shows))
        case = replace(case, module=_changed(case.module, name, items))
    called = {export for export, _ in case.calls}
    exports = fewer(case.module.exports, partial(_exports, case, called, shows))
    return replace(case, module=replace(case.module, exports=exports))


def _no_data(segment: Any) -> Iterable[Any]:
    return [replace(segment, data=b"")] if segment.data else []


def _no_elements(segment: Any) -> Iterable[Any]:
    return [replace(segment, init=())] if segment.init else []


def _exports(
    case: ModuleCase, called: set[str], shows: Shows[ModuleCase], exports: tuple[Export, ...]
) -> bool:
    return called <= {e.name for e in exports} and _with(case, "exports", shows, exports)


def _constants(case: ModuleCase, shows: Shows[ModuleCase]) -> ModuleCase:
    """Replace constants by 0 or 1."""
    for at, function in enumerate(case.module.functions):
        functions = case.module.functions

        def still(body: Body, at: int = at, case: ModuleCase = case) -> bool:
            changed = replace(case.module.functions[at], body=body)
            all_ = (*case.module.functions[:at], changed, *case.module.functions[at + 1 :])
            return shows(replace(case, module=replace(case.module, functions=all_)))

        body = simpler(function.body, _lower, still)
        functions = (*functions[:at], replace(function, body=body), *functions[at + 1 :])
        case = replace(case, module=replace(case.module, functions=functions))
    return case


def _lower(instruction: Instr) -> Iterable[Instr]:
    if instruction.name in ("i32.const", "i64.const", "f32.const", "f64.const"):
        value = instruction.args[0]
        yield from (replace(instruction, args=(v,)) for v in (0, 1) if v < value)
