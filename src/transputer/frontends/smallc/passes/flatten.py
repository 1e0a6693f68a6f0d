"""Turn calls into jumps: the whole program becomes one function.

Every function has registers for its parameters, its result and the number of the site it was
called from; returning counts that number down until it is the site's turn. Registers are static:
a recursive function pushes the registers that are live after a call before it and pops them after
it, and its objects lie in a frame on the same stack.
"""

from dataclasses import field, replace

from transputer.frontends.smallc.passes.inline import reachable, recursive
from transputer.frontends.smallc.passes.live import Liveness
from transputer.frontends.smallc.tac import (
    Addr,
    MemoryObject,
    Reg,
    TacBlock,
    TacBranch,
    TacExit,
    TacFunction,
    TacInstr,
    TacJump,
    TacReturn,
    TacTrap,
    TacUnit,
    Value,
    replace_values,
)
from transputer.values import dataclass

#: The register of main's value.
RESULT = "result"
#: The object with the call frames; it is last in memory.
STACK = "__stack"


@dataclass(slots=True)
class _Callee:
    """Registers and blocks of one function in the flat program."""

    function: TacFunction
    result: Reg
    site: Reg
    sites: list[TacBlock] = field(default_factory=list)
    leave: TacBlock = field(default_factory=lambda: TacBlock("leave"))


def flatten(unit: TacUnit, stack: int) -> None:
    """Make main the whole program; `stack` is the number of words for recursive calls."""
    again = recursive(unit)
    reached = {name: reachable(unit, name) for name in unit.functions}
    result = Reg(RESULT, visible=True)
    unit.globals.append(result)
    unit.result = result
    pointer = _stack(unit, stack) if again else None
    for name in sorted(again):
        assert pointer
        _framed(unit.functions[name], pointer)
    callees = {
        name: _Callee(f, Reg("result", name), Reg("site", name))
        for name, f in unit.functions.items()
        if name != "main"
    }
    for name, function in unit.functions.items():
        live = Liveness(function, unit) if name in again else None
        back = {n for n in unit.functions if name in reached[n]} if live else set()
        saver = _Saver(function, live, back, pointer)
        for block in list(function.blocks):
            _calls(function, block, callees, saver)
        _returns(function, callees.get(name), result)
    main = unit.functions["main"]
    for callee in callees.values():
        main.blocks += callee.function.blocks + _dispatch(callee)
        main.objects += [o for o in callee.function.objects if o not in main.objects]
    unit.functions = {"main": main}


def _stack(unit: TacUnit, size: int) -> Reg:
    space = MemoryObject(STACK, size)
    unit.objects.append(space)
    pointer = Reg("stack pointer", initial=Addr(space))
    unit.globals.append(pointer)
    return pointer


def _framed(function: TacFunction, pointer: Reg) -> None:
    """Address the objects of a recursive function from its frame."""
    if not function.objects:
        return
    offsets, total = {}, 0
    for local in function.objects:
        offsets[local] = total
        total += local.size
    frame = Reg("frame", function.name)
    for block in function.blocks:
        _framed_block(block, offsets, frame)
        if isinstance(block.term, TacReturn):
            block.instrs.append(TacInstr("sub", pointer, (pointer, total), block.term.line))
    function.blocks[0].instrs[:0] = [
        TacInstr("mov", frame, (pointer,), function.line),
        TacInstr("add", pointer, (pointer, total), function.line),
    ]
    function.objects = []


def _framed_block(block: TacBlock, offsets: dict[MemoryObject, int], frame: Reg) -> None:
    instrs: list[TacInstr] = []
    for one in block.instrs:
        args = tuple(_from_frame(a, offsets, frame, instrs, one.line) for a in one.args)
        instrs.append(replace(one, args=args))
    line = getattr(block.term, "line", 0)
    block.term = replace_values(
        block.term, lambda value: _from_frame(value, offsets, frame, instrs, line)
    )
    block.instrs = instrs


def _from_frame(
    value: Value, offsets: dict[MemoryObject, int], frame: Reg, instrs: list[TacInstr], line: int
) -> Value:
    if not isinstance(value, Addr) or value.object not in offsets:
        return value
    at = Reg("at", frame.scope)
    instrs.append(TacInstr("add", at, (frame, offsets[value.object] + value.offset), line))
    return at


@dataclass(frozen=True, slots=True)
class _Saver:
    """Saves registers of a recursive function around its calls."""

    function: TacFunction
    live: Liveness | None
    back: set[str]
    pointer: Reg | None

    def saved(self, call: TacInstr, wanted: int, site: Reg | None) -> list[Reg]:
        """The registers to push: those of this function that are live after the call."""
        if self.live is None or call.callee not in self.back:
            return []
        regs = [
            reg
            for reg, mask in self.live.masks.items()
            if reg.scope and wanted & mask and reg is not call.dst
        ]
        return regs + ([site] if site else [])

    def push(self, regs: list[Reg], line: int) -> list[TacInstr]:
        """Code that pushes registers."""
        instrs = []
        for reg in regs:
            assert self.pointer
            instrs.append(TacInstr("store", None, (self.pointer, reg), line))
            instrs.append(TacInstr("add", self.pointer, (self.pointer, 1), line))
        return instrs

    def pop(self, regs: list[Reg], line: int) -> list[TacInstr]:
        """Code that pops registers."""
        instrs = []
        for reg in reversed(regs):
            assert self.pointer
            instrs.append(TacInstr("add", self.pointer, (self.pointer, -1), line))
            instrs.append(TacInstr("load", reg, (self.pointer,), line))
        return instrs


def _calls(
    function: TacFunction, block: TacBlock, callees: dict[str, _Callee], saver: _Saver
) -> None:
    """Split a block at its calls."""
    wanted = _wanted_after(block, saver.live)
    instrs, term = block.instrs, block.term
    block.instrs = []
    own = callees.get(function.name)
    for i, one in enumerate(instrs):
        if one.op != "call":
            block.instrs.append(one)
            continue
        callee = callees[one.callee]
        saved = saver.saved(one, wanted[i], own.site if own else None)
        block.instrs += saver.push(saved, one.line) + _arguments(one, callee)
        after = TacBlock(f"{block.name}>", saver.pop(saved, one.line))
        if one.dst:
            after.instrs.append(TacInstr("mov", one.dst, (callee.result,), one.line))
        callee.sites.append(after)
        block.instrs.append(TacInstr("mov", callee.site, (len(callee.sites),), one.line))
        block.term = TacJump(callee.function.blocks[0])
        function.blocks.append(after)
        block = after
    block.term = term


def _wanted_after(block: TacBlock, live: Liveness | None) -> list[int]:
    if live is None:
        return [0] * len(block.instrs)
    wanted, masks = live.at_term(block), []
    for one in reversed(block.instrs):
        masks.append(wanted)
        wanted = live.before(one, wanted)
    return masks[::-1]


def _arguments(call: TacInstr, callee: _Callee) -> list[TacInstr]:
    """Set all parameters at once: an argument may be the old value of another parameter."""
    params = callee.function.params
    if not any(arg in params for arg in call.args):
        pairs = zip(params, call.args, strict=True)
        return [TacInstr("mov", to, (arg,), call.line) for to, arg in pairs]
    fresh = [Reg(p.name, p.scope) for p in params]
    first = [TacInstr("mov", t, (a,), call.line) for t, a in zip(fresh, call.args, strict=True)]
    return first + [TacInstr("mov", p, (t,), call.line) for p, t in zip(params, fresh, strict=True)]


def _returns(function: TacFunction, callee: _Callee | None, result: Reg) -> None:
    """Returns set the result and jump to the exit of the function; main halts."""
    to = callee.result if callee else result
    for block in function.blocks:
        if isinstance(block.term, TacExit):
            block.instrs.append(TacInstr("mov", result, (block.term.value,), block.term.line))
            block.term = TacReturn(None, block.term.line)
            continue
        if not isinstance(block.term, TacReturn):
            continue
        line = block.term.line
        if block.term.value is not None:
            block.instrs.append(TacInstr("mov", to, (block.term.value,), line))
        block.term = TacJump(callee.leave) if callee else TacReturn(None, line)


def _dispatch(callee: _Callee) -> list[TacBlock]:
    """The exit of a function: back to the call site with the given number."""
    blocks = [callee.leave]
    site, sites = callee.site, callee.sites
    for i, after in enumerate(sites):
        block = blocks[-1]
        if i == len(sites) - 1:
            block.term = TacJump(after)
            return blocks
        number = Reg("number", callee.function.name)
        block.instrs = [TacInstr("mov", number, (site,)), TacInstr("sub", site, (site, 1))]
        blocks.append(TacBlock("leave"))
        block.term = TacBranch("le", number, 1, after, blocks[-1])
    blocks[-1].term = TacTrap()
    return blocks
