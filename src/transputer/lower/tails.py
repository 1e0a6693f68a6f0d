"""Tail calls in core code: the callee takes over the frame of its caller.

`br` moves the arguments to the start of the frame and goes to the callee's entry; a second one sets
the operand stack above the callee's other locals. A call by reference goes through one function for
each type, which jumps by the number of the referenced function; functions of other modules are
called in the ordinary way.
"""

from collections.abc import Sequence
from dataclasses import replace

from transputer.ir.core import CoreFunction, CoreInstr, CoreModule, core
from transputer.ir.module import ExternKind
from transputer.ir.verified import FrameLayout
from transputer.lower.unwind import Additions, referenced
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class TailCall:
    """A transfer to the entry of a function, from the core instruction at `at`.

    In an added function, `at` is relative to its code.
    """

    caller: int
    callee: int
    at: int


def by_reference(type_: int, additions: Additions) -> tuple[CoreInstr, ...]:
    """Return code that calls the function whose reference is on top: by a table of one element."""
    scratch, cell = additions.scratch(), additions.cell()
    return (
        core("global.set", scratch),
        core("i32.const", 0),
        core("global.get", scratch),
        core("table.set", cell),
        core("i32.const", 0),
        core("call_indirect", type_, cell),
    )


def dispatcher(
    type_: int, additions: Additions, frames: Sequence[FrameLayout], tails: list[TailCall]
) -> int:
    """Return the function that tail calls the function of a type whose reference is in `scratch`.

    It is the index of an added function. The functions of a module have consecutive references.
    """
    module = additions.module
    signature = module.types[type_]
    count, results = len(signature.params), len(signature.results)
    key = ("tail", signature)
    if (at := additions.find(key)) is not None:
        return at
    imported = len(module.imported(ExternKind.FUNC))
    types = module.func_types
    own = [i for i in referenced(module) if i >= imported and types[i] == signature]
    scratch = additions.scratch()
    code: list[CoreInstr] = []
    links: list[tuple[int, int]] = []
    if own:
        numbers = range(min(own), max(own) + 1)
        other = 5 + len(numbers)  # where calls of other functions start
        code = [core("global.get", scratch), core("ref.func", min(own)), core("i32.sub")]
        code.append(core("br_table", len(numbers)))
        for number in numbers:
            if number not in own:
                code.append(core("jump", other))
                continue
            links.append((number, len(code)))
            size = frames[number - imported].locals
            code.append(core("jump", 0) if size == count else core("br", 0, size, 0))
        code.append(core("jump", other))
    code += [core("local.get", i) for i in range(count)]
    code += [core("global.get", scratch), *by_reference(type_, additions), core("return", results)]
    size = 2 * count + 3 + results
    at = additions.add(
        key, CoreFunction(signature, 0, count, size, f"tail {signature}"), tuple(code)
    )
    tails += (TailCall(at, number, place) for number, place in links)
    return at


def linked_tails(module: CoreModule, tails: Sequence[TailCall], own: int) -> CoreModule:
    """Return the code with the addresses of tail calls, and frames that fit all their callees.

    The first `own` functions are not added ones.
    """
    if not tails:
        return module
    code, functions = list(module.code), list(module.functions)
    first = len(module.func_types) - len(functions)
    for tail in tails:
        caller, callee = functions[tail.caller - first], functions[tail.callee - first]
        at = tail.at + (caller.entry if tail.caller - first >= own else 0)
        code[at] = replace(code[at], args=(callee.entry, *code[at].args[1:]))
    changed = True
    while changed:
        changed = False
        for tail in tails:
            caller, callee = functions[tail.caller - first], functions[tail.callee - first]
            if callee.frame > caller.frame:
                functions[tail.caller - first] = replace(caller, frame=callee.frame)
                changed = True
    return replace(module, code=tuple(code), functions=tuple(functions))
