"""Lower WebAssembly to flat core code: structured control becomes absolute jumps.

Unreachable code is dropped. A branch is a plain jump unless it has to move values; a branch to
the function's end is a return; `block`, `loop`, `end` and `nop` become nothing.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from transputer.ir.core import CoreFunction, CoreInstr, CoreModule, check_code
from transputer.ir.module import Body, ExternKind, Function, FuncType, Instr, Module
from transputer.ir.verify import FrameLayout, Verified
from transputer.isa.core import CORE
from transputer.isa.op import Registry, ValType
from transputer.isa.wasm import WASM
from transputer.lower.assignment import read_before_written
from transputer.lower.origin import Origin, as_written


def flatten(verified: Verified, origins: Sequence[Origin] | None = None) -> CoreModule:
    """Return the flat core code of a whole module.

    `origins` gives the source of each function of a lowered module; by default, the module is as
    written.
    """
    module = verified.module
    sources = as_written(module).origins if origins is None else origins
    code: list[CoreInstr] = []
    functions = []
    names = module.function_names()
    devices = _devices(module)
    bodies = zip(module.bodies(), verified.frames, sources, strict=True)
    for (index, function), frame, origin in bodies:
        type_ = module.types[function.type_index]
        name = names.get(index, str(index))
        functions.append(CoreFunction(type_, len(code), frame.locals, frame.size, name))
        _Flattener(module, function, frame, origin, code, devices).flatten()
    return CoreModule(tuple(code), tuple(functions), replace(module, functions=()))


#: Functions of the module `transputer` that are a single instruction, by name and type.
_DEVICES = {
    ("read", FuncType((), (ValType.I32,))): "input",
    ("put", FuncType((ValType.I32,))): "output",
    ("exit", FuncType((ValType.I32,))): "exit",
}


def _devices(module: Module) -> dict[int, str]:
    """Return the device instruction of each imported function that is a device, by index."""
    devices = {}
    for index, item in enumerate(module.imported(ExternKind.FUNC)):
        key = (item.name, module.types[item.type_index])
        if item.module == "transputer" and key in _DEVICES:
            devices[index] = _DEVICES[key]
    return devices


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
        module: Module,
        function: Function,
        frame: FrameLayout,
        origin: Origin,
        code: list[CoreInstr],
        devices: Mapping[int, str],
    ) -> None:
        self.module = module
        self.function = function
        self.frame = frame
        self.origin = origin
        self.code = code
        self.devices = devices
        self.pc = 0  # in the source
        type_ = module.types[function.type_index]
        self.results = len(type_.results)
        self.blocks = [_Block("func", type_, 0, True, 0)]

    def flatten(self) -> None:
        """Zero the locals that may be read first, then lower every reachable instruction."""
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
            rule = RULES.rules.get(instr.name)
            if rule is not None:
                rule(self, instr, height)
            elif height >= 0:
                self.emit(instr.name, *instr.args)
        self.thread(first)

    def emit(self, name: str, *args: int, implied: bool = False) -> int:
        """Append an instruction; return its address."""
        check_code(len(self.code))
        hidden = implied or self.origin.implied
        self.code.append(CoreInstr(CORE[name], args, self.origin.place(self.pc), hidden))
        return len(self.code) - 1

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
        block = self.blocks[-1 - depth]
        if block.kind == "func" and not suffix:
            self.emit("return", self.results, implied=implied)
            return
        keep = block.arity
        if height - keep != block.height:
            base = self.frame.locals + block.height
            at = self.emit("br" + suffix, block.start, base, keep, implied=implied)
        else:
            at = self.emit("jump" + suffix, block.start, implied=implied)
        if block.kind != "loop":
            block.waiting.append(at)


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
        else:
            f.emit(device)


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
