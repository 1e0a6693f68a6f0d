"""Lower WebAssembly to flat core code: structured control becomes absolute jumps.

Unreachable code is dropped. A branch is a plain jump unless it has to move values; a branch to
the function's end is a return; `block`, `loop`, `end` and `nop` become nothing. A call that may
throw is followed by a test whether an exception is pending. A tail call moves its arguments to the
start of the frame and jumps to the callee's entry.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from transputer.errors import Trap
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule, check_code, core
from transputer.ir.module import Body, Catch, ExternKind, Function, FuncType, Instr, Module
from transputer.ir.unwinding import PENDING
from transputer.ir.verified import FrameLayout, Verified
from transputer.isa.core import CORE
from transputer.isa.op import Registry, ValType
from transputer.isa.wasm import WASM
from transputer.lower.assignment import read_before_written
from transputer.lower.origin import Origin, as_written
from transputer.lower.tails import TailCall, by_reference, dispatcher, linked_tails
from transputer.lower.unwind import FIELD, Additions, Throwing, failure


def flatten(
    verified: Verified, origins: Sequence[Origin] | None = None, foreign: bool = False
) -> CoreModule:
    """Return the flat core code of a whole module.

    `origins` gives the source of each function of a lowered module; by default, the module is as
    written. With `foreign`, functions of other modules may throw exceptions.
    """
    module = verified.module
    sources = as_written(module).origins if origins is None else origins
    code: list[CoreInstr] = []
    functions = []
    names = module.function_names()
    shared = _Shared(module, verified.frames, foreign)
    bodies = zip(module.bodies(), verified.frames, sources, strict=True)
    for (index, function), frame, origin in bodies:
        type_ = module.types[function.type_index]
        name = names.get(index, str(index))
        entry = len(code)
        size = _Flattener(shared, index, function, frame, origin, code).flatten()
        functions.append(CoreFunction(type_, entry, frame.locals, size, name))
    return linked_tails(shared.additions.whole(code, functions), shared.tails, len(verified.frames))


#: Functions of the module `transputer` that are a single instruction, by name and type.
DEVICES = {
    ("read", FuncType((), (ValType.I32,))): "input",
    ("put", FuncType((ValType.I32,))): "output",
    ("exit", FuncType((ValType.I32,))): "exit",
}


def _devices(module: Module) -> dict[int, str]:
    """Return the device instruction of each imported function that is a device, by index."""
    devices = {}
    for index, item in enumerate(module.imported(ExternKind.FUNC)):
        key = (item.name, module.types[item.type_index])
        if item.module == "transputer" and key in DEVICES:
            devices[index] = DEVICES[key]
    return devices


class _Shared:
    """What the functions of a module share while they are flattened."""

    def __init__(self, module: Module, frames: Sequence[FrameLayout], foreign: bool) -> None:
        self.module = module
        self.devices = _devices(module)
        self.additions = Additions(module)
        self.throwing = Throwing(module, foreign)
        self.tails: list[TailCall] = []
        self.imported = len(module.imported(ExternKind.FUNC))
        self.frames = frames


@dataclass(slots=True)
class _Block:
    """An open block: its type, the operand height below it, and the jumps to patch."""

    kind: str
    type: FuncType
    height: int
    live: bool
    start: int  # target of a branch to a loop
    waiting: list[int] = field(default_factory=list)  # jumps to patch with the end
    otherwise: int | None = None  # jump to patch with the else arm
    end: int | None = None  # address after it, once known
    catches: Sequence[tuple[Catch, "_Block"]] = ()  # clauses of a try_table with their targets
    thrown: list[int] = field(default_factory=list)  # jumps to patch with its handler
    outer: "_Block | None" = None  # the try_table around this one

    @property
    def arity(self) -> int:
        return len(self.type.params if self.kind == "loop" else self.type.results)


Rule = Callable[["_Flattener", Instr, int], None]
#: Instructions whose core form differs from themselves.
RULES: Registry[Rule] = Registry(WASM)


class _Flattener:
    """Appends the core code of one function to `code`."""

    def __init__(
        self,
        shared: _Shared,
        index: int,
        function: Function,
        frame: FrameLayout,
        origin: Origin,
        code: list[CoreInstr],
    ) -> None:
        self.shared = shared
        self.module = shared.module
        self.additions = shared.additions
        self.index = index
        self.function = function
        self.frame = frame
        self.origin = origin
        self.code = code
        self.devices = shared.devices
        self.pc = 0  # in the source
        type_ = self.module.types[function.type_index]
        self.results = len(type_.results)
        self.size = frame.size
        self.blocks = [_Block("func", type_, 0, True, 0)]
        self.tries: list[_Block] = []  # closed ones, whose handlers come after the code

    def flatten(self) -> int:
        """Zero the locals that may be read first, then lower every reachable instruction.

        Returns the size of the frame.
        """
        first = len(self.code)
        for local in read_before_written(self.function, self.frame):
            self.emit("local.zero", local, implied=True)
        steps = zip(self.function.body, self.frame.heights, strict=True)
        doubled = _doubled(self.function.body, self.origin)
        for pc, (instr, height) in enumerate(steps):
            self.pc = pc
            if pc in doubled or pc - 1 in doubled:
                if height >= 0 and pc in doubled:
                    self.emit("dup")
                continue
            name = instr.op.name
            rule = RULES.rules.get(name)
            if rule is not None:
                rule(self, instr, height)
            elif height >= 0:
                self.emit(name, *instr.args)
        self.handlers()
        self.thread(first)
        return self.size

    def emit(self, name: str, *args: int, implied: bool = False) -> int:
        """Append an instruction; return its address."""
        check_code(len(self.code))
        hidden = implied or self.origin.hides(self.pc)
        self.code.append(CoreInstr(CORE[name], args, self.origin.place(self.pc), hidden))
        return len(self.code) - 1

    def add(self, *code: CoreInstr, height: int) -> None:
        """Append implied instructions, which need up to `height` operands."""
        self.size = max(self.size, self.frame.locals + height)
        for instr in code:
            self.emit(instr.name, *instr.args, implied=True)

    def patch(self, places: list[int], target: int) -> None:
        """Set the target of earlier jumps."""
        for at in places:
            args = (target, *self.code[at].args[1:])
            self.code[at] = replace(self.code[at], args=args)

    def thread(self, first: int) -> None:
        """Thread jumps from `first` on: replace a jump to an implied jump or return by its target.

        A jump or return of the program itself keeps its own step, so that it counts. The pass
        goes backwards, so that forward jumps see a threaded target and chains stay short.
        """
        for at in reversed(range(first, len(self.code))):
            instr, seen = self.code[at], {at}
            while instr.name == "jump" and instr.args[0] not in seen:
                seen.add(instr.args[0])
                target = self.code[instr.args[0]]
                if target.name not in ("jump", "return") or not target.implied:
                    break
                instr = replace(instr, op=target.op, args=target.args)
            self.code[at] = instr

    def enter(self, kind: str, instr: Instr, height: int) -> _Block:
        """Open a block; `height` includes its parameters and is negative if unreachable."""
        t = instr.args[0]
        type_ = t if isinstance(t, FuncType) else self.module.types[t]
        below = height - len(type_.params)
        self.blocks.append(_Block(kind, type_, below, height >= 0, len(self.code)))
        return self.blocks[-1]

    def branch(self, depth: int, height: int, suffix: str = "", implied: bool = False) -> None:
        """Emit a branch with `height` operands on the stack: a plain jump if no value moves."""
        self.goto(self.blocks[-1 - depth], height, suffix, implied)

    def goto(self, block: _Block, height: int, suffix: str = "", implied: bool = False) -> None:
        """Emit a branch to a block, which may be closed already."""
        if block.kind == "func" and not suffix:
            self.emit("return", self.results, implied=implied)
            return
        target = block.start if block.end is None else block.end
        at = self.move("jump", target, block.height, height, block.arity, suffix, implied)
        if block.kind != "loop" and block.end is None:
            block.waiting.append(at)

    def move(
        self, name: str, target: int, below: int, height: int, keep: int, suffix: str, implied: bool
    ) -> int:
        """Emit a jump that leaves `keep` operands above `below`; return its address."""
        if height - keep == below:
            return self.emit(name + suffix, target, implied=implied)
        base = self.frame.locals + below
        return self.emit("br" + suffix, target, base, keep, implied=implied)

    def unwind(self, block: _Block | None, height: int, suffix: str = "") -> None:
        """Emit a jump to the handler of a try_table; without one, to the end of the function."""
        outermost = self.blocks[0] if self.blocks else self.tries[-1]
        place = outermost if block is None else block
        below = 0 if block is None else place.height
        place.thrown.append(self.move("jump", 0, below, height, 0, suffix, True))

    def around(self) -> _Block | None:
        """Return the innermost try_table that is open."""
        tries = (b for b in reversed(self.blocks) if b.kind == "try_table" and b.live)
        return next(tries, None)

    def test(self, instr: Instr, height: int) -> None:
        """After a call that may throw, go to the handler if an exception is pending."""
        if self.shared.throwing.call(instr):
            pending = core("global.get", self.additions.shared(PENDING))
            self.add(pending, height=height + 1)
            self.unwind(self.around(), height, "_if")

    def handlers(self) -> None:
        """Emit the handlers of all try_tables, inner ones first, then the way out."""
        *tries, function = self.tries
        for block in tries:
            if block.thrown:
                self.patch(block.thrown, len(self.code))
                self.handler(block)
        if function.thrown:
            self.patch(function.thrown, len(self.code))
            zeros = [core("i32.const", 0)] * self.results
            self.add(*zeros, core("return", self.results), height=self.results)

    def handler(self, block: _Block) -> None:
        """Emit the clauses of a try_table; what none of them catches goes on to the next."""
        pending = core("global.get", self.additions.shared(PENDING))
        taken = (core("i32.const", 0), core("global.set", self.additions.shared(PENDING)))
        for clause, target in block.catches:
            height, skip = block.height, None
            if clause.tag is not None:
                memory, count = self.additions.records(), self.values(clause.tag)
                same = (
                    core("i32.load", 0, memory),
                    core("global.get", self.additions.tag(clause.tag)),
                )
                self.add(pending, *same, core("i32.ne"), height=height + 2)
                skip = self.emit("jump_if", 0, implied=True)
                for i in range(count):
                    value = core("i64.load", FIELD * (i + 1), memory)
                    self.add(pending, value, height=height + i + 1)
                height += count
            if clause.reference:
                height += 1
                self.add(pending, height=height)
            self.add(*taken, height=height + 1)
            self.goto(target, height, implied=True)
            if skip is None:
                return
            self.patch([skip], len(self.code))
        self.unwind(block.outer, block.height)

    def tail(self, function: int, height: int, implied: bool = False) -> None:
        """Emit a tail call, with its arguments on top; its addresses are filled in at the end."""
        type_ = self.additions.type_of(function)
        if function < self.shared.imported:
            self.emit("call", function, implied=implied)
            after = height + _effect(type_)
            self.add(core("return", self.results), height=max(height, after))
            return
        count = len(type_.params)
        own = function - self.shared.imported
        frames = self.shared.frames
        size = frames[own].locals if own < len(frames) else count
        if count:
            self.emit("br", len(self.code) + 1, 0, count, implied=implied)
        if size != count or not count:
            self.emit("br", 0, size, 0, implied=implied or count > 0)
        self.shared.tails.append(TailCall(self.index, function, len(self.code) - 1))

    def dispatcher(self, type_: int) -> int:
        """Return the function that tail calls a function of this type by reference."""
        return dispatcher(type_, self.additions, self.shared.frames, self.shared.tails)

    def values(self, tag: int) -> int:
        """Return the number of values of an exception with this tag."""
        return len(self.module.tag_types[tag].params)

    def require(self, trap: Trap, height: int) -> None:
        """Emit a trap for the case that the reference on top is null."""
        self.size = max(self.size, self.frame.locals + height + 1)
        self.emit("dup")
        skip = self.emit("jump_if", 0, implied=True)
        self.add(*failure(trap, self.additions), height=height + 1)
        self.patch([skip], len(self.code))


def _doubled(body: Body, origin: Origin) -> set[int]:
    """Return where a local is set only for the next instruction to read it once: a `dup`.

    A read of the program itself keeps its own step, so that it counts.
    """
    if not origin.implied:
        return set()
    uses: Counter[int] = Counter()
    pairs: list[int] = []
    for pc, instr in enumerate(body):
        if instr.op.imm == ("local",):
            uses[instr.args[0]] += 1
            after = body[pc + 1]
            same = after.name == "local.get" and after.args == instr.args
            if instr.name == "local.tee" and same and origin.implied:
                pairs.append(pc)
                uses[instr.args[0]] -= 2
    return {pc for pc in pairs if not uses[body[pc].args[0]]}


@RULES.on("nop")
def _nop(f: _Flattener, instr: Instr, height: int) -> None:
    """Emit nothing."""


@RULES.on("try_table")
def _try_table(f: _Flattener, instr: Instr, height: int) -> None:
    catches = [(clause, f.blocks[-1 - clause.label]) for clause in instr.args[1]]
    outer = f.around()
    block = f.enter(instr.name, instr, height)
    block.catches, block.outer = catches, outer


@RULES.on("block", "loop")
def _block(f: _Flattener, instr: Instr, height: int) -> None:
    f.enter(instr.name, instr, height)


@RULES.on("if")
def _if(f: _Flattener, instr: Instr, height: int) -> None:
    block = f.enter("if", instr, height - 1 if height >= 0 else height)
    if block.live:
        block.otherwise = f.emit("jump_unless", 0)


@RULES.on("else")
def _else(f: _Flattener, instr: Instr, height: int) -> None:
    block = f.blocks[-1]
    if not block.live:
        return
    if height >= 0:
        block.waiting.append(f.emit("jump", 0, implied=True))
    if block.otherwise is not None:
        f.patch([block.otherwise], len(f.code))
        block.otherwise = None


@RULES.on("end")
def _end(f: _Flattener, instr: Instr, height: int) -> None:
    block = f.blocks.pop()
    if not block.live:
        return
    if block.otherwise is not None:
        block.waiting.append(block.otherwise)
    f.patch(block.waiting, len(f.code))
    if block.kind != "loop":
        block.end = len(f.code)
    if block.kind == "try_table" or not f.blocks:
        f.tries.append(block)
    if not f.blocks and (height >= 0 or block.waiting):
        f.emit("return", f.results, implied=True)


@RULES.on("br")
def _br(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.branch(instr.args[0], height)


@RULES.on("br_if")
def _br_if(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.branch(instr.args[0], height - 1, "_if")


@RULES.on("br_table")
def _br_table(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.emit("br_table", len(instr.args[0]) - 1)
        for depth in instr.args[0]:
            f.branch(depth, height - 1, implied=True)


@RULES.on("unreachable")
def _unreachable(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.emit("unreachable")


@RULES.on("call")
def _call(f: _Flattener, instr: Instr, height: int) -> None:
    """Emit a call, or the device's instruction for a call of a device."""
    if height >= 0:
        device = f.devices.get(instr.args[0])
        if device is None:
            f.emit("call", *instr.args)
            f.test(instr, height + _effect(f.module.func_types[instr.args[0]]))
        else:
            f.emit(device)


def _effect(type_: FuncType) -> int:
    """Return by how many operands a call changes the height."""
    return len(type_.results) - len(type_.params)


@RULES.on("call_indirect")
def _call_indirect(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.emit("call_indirect", *instr.args)
        f.test(instr, height - 1 + _effect(f.module.types[instr.args[0]]))


@RULES.on("call_ref")
def _call_ref(f: _Flattener, instr: Instr, height: int) -> None:
    """Put the function in a table of one element and call that."""
    if height >= 0:
        f.require(Trap.NULL_FUNCTION, height)
        f.add(*by_reference(instr.args[0], f.additions), height=height + 2)
        f.test(instr, height - 1 + _effect(f.module.types[instr.args[0]]))


@RULES.on("return_call")
def _return_call(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.tail(instr.args[0], height)


@RULES.on("return_call_ref")
def _return_call_ref(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.require(Trap.NULL_FUNCTION, height)
        f.add(core("global.set", f.additions.scratch()), height=height)
        f.tail(f.dispatcher(instr.args[0]), height - 1, implied=True)


@RULES.on("return_call_indirect")
def _return_call_indirect(f: _Flattener, instr: Instr, height: int) -> None:
    """Read the table's element; an index that is out of bounds traps as in an indirect call."""
    if height >= 0:
        type_, table = instr.args
        f.emit("dup")
        f.add(core("table.size", table), core("i32.lt_u"), height=height + 2)
        skip = f.emit("jump_if", 0, implied=True)
        results = len(f.module.types[type_].results)
        f.add(core("call_indirect", type_, table), core("return", results), height=height + results)
        f.patch([skip], len(f.code))
        f.add(core("table.get", table), core("global.set", f.additions.scratch()), height=height)
        f.tail(f.dispatcher(type_), height - 1, implied=True)


@RULES.on("throw")
def _throw(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.emit("call", f.additions.thrower(instr.args[0]))
        f.unwind(f.around(), height - f.values(instr.args[0]))


@RULES.on("throw_ref")
def _throw_ref(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.require(Trap.NULL_EXCEPTION, height)
        f.add(core("global.set", f.additions.shared(PENDING)), height=height)
        f.unwind(f.around(), height - 1)


@RULES.on("ref.as_non_null")
def _ref_as_non_null(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.require(Trap.NULL_REFERENCE, height)


@RULES.on("br_on_null")
def _br_on_null(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.size = max(f.size, f.frame.locals + height + 1)
        f.emit("dup")
        skip = f.emit("jump_if", 0, implied=True)
        f.add(core("drop"), height=height)
        f.branch(instr.args[0], height - 1, implied=True)
        f.patch([skip], len(f.code))


@RULES.on("br_on_non_null")
def _br_on_non_null(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.size = max(f.size, f.frame.locals + height + 1)
        f.emit("dup")
        f.branch(instr.args[0], height, "_if", implied=True)
        f.add(core("drop"), height=height)


@RULES.on("return")
def _return(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.emit("return", f.results)


@RULES.on("select_t")
def _select(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.emit("select")


@RULES.on("ref.null")
def _ref_null(f: _Flattener, instr: Instr, height: int) -> None:
    if height >= 0:
        f.emit("ref.null")


def _access(f: _Flattener, instr: Instr, height: int) -> None:
    """Emit a load or store with its memory; the alignment is only a hint and is dropped."""
    if height >= 0:
        _, offset, memory = instr.args[0]
        f.emit(instr.name, offset, memory)


RULES.on(*(op.name for op in WASM if op.imm == ("memarg",)))(_access)
