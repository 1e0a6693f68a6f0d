"""Write random function bodies, with the algorithm of validation.

There is a stack of operand types, and an instruction can be written once its operands are on it.
Missing operands are produced first, in the same way. Rows with a signature need nothing more; the
others have a rule.

Every loop round and every call decrements a global counter; at zero the function returns or traps,
so everything terminates. Unused values go into a checksum.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from transputer.check.fuzz.choose import Choose
from transputer.check.fuzz.plan import ModulePlan, instr
from transputer.check.fuzz.steps import Change, OperandKind, PlannedInstr, plain, tamed
from transputer.check.fuzz.values import NUMBERS, Types, number
from transputer.ir.module import Body, FuncType, Instr
from transputer.isa.integers import mask
from transputer.isa.op import Op, Registry, ValType
from transputer.isa.wasm import RELEASE_3, WASM

I32 = ValType.I32
#: Nesting limits of operands and of blocks.
DEPTH = 4
BLOCKS = 5

#: Weights of the groups of rows for statements; loads and stores are a group of their own.
WEIGHTS = {
    "numeric": 7,
    "control": 6,
    "variable": 5,
    "access": 5,
    "memory": 4,
    "table": 4,
    "parametric": 2,
    "reference": 1,
}


@dataclass(slots=True)
class OpenLabel:
    """An open block: its type, the stack height below it, and whether it is unreachable."""

    kind: str
    type: FuncType
    height: int
    dead: bool = False

    @property
    def types(self) -> tuple[ValType, ...]:
        """The types that a branch to it takes."""
        return self.type.params if self.kind == "loop" else self.type.results


#: Instructions that turn a value into an i32 that depends on all its bits.
_AS_I32: dict[ValType, Change] = {
    ValType.I32: (),
    ValType.F32: (instr("i32.reinterpret_f32"),),
    ValType.FUNCREF: (instr("ref.is_null"),),
    ValType.EXTERNREF: (instr("ref.is_null"),),
}
#: The same for the type that the checksum has.
_SHOWN: dict[ValType, dict[ValType, Change]] = {
    ValType.I32: _AS_I32,
    ValType.I64: {
        **{t: (*change, instr("i64.extend_i32_u")) for t, change in _AS_I32.items()},
        ValType.I64: (),
        ValType.F64: (instr("i64.reinterpret_f64"),),
    },
}

#: Returns a way to use a row here: to give exactly one value of the type, or, if the type is None,
#: as a statement. Returns None if that is not possible.
Rule = Callable[["BodyWriter", ValType | None], PlannedInstr | None]
RULES: Registry[Rule] = Registry(WASM)


def _group(op: Op) -> str:
    return "access" if op.width else op.group


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows whose values are of some types.

    They are listed by group and by result type; `flexible` have no signature, `probes` compute.
    """

    groups: dict[str, list[Op]]
    giving: dict[ValType, list[Op]]
    flexible: list[Op]
    probes: list[Op]


@cache
def rows(types: Types) -> Rows:
    """Return all rows of WebAssembly 2.0 that a module with these types can have."""
    known = (op for op in WASM if op.name not in RELEASE_3)
    usable = [op for op in known if types.issuperset(op.params + op.results)]
    return Rows(
        {name: [op for op in usable if _group(op) == name] for name in WEIGHTS},
        {t: [op for op in usable if op.results == (t,)] for t in ValType},
        [op for op in usable if not op.sig],
        [op for op in usable if op.fn is not None],
    )


class BodyWriter:
    """Writes one body. Operands below `floor` belong to instructions that are not written yet."""

    def __init__(
        self, plan: ModulePlan, choose: Choose, type_: FuncType, local_types: tuple[ValType, ...]
    ) -> None:
        self.plan = plan
        self.rows = rows(plan.types)
        self.choose = choose
        self.locals = local_types
        self.code: list[Instr] = []
        self.stack: list[ValType] = []
        self.labels = [OpenLabel("func", type_, 0)]
        self.floor = 0
        self.depth = 0
        self.budget = choose.choice((20, 60, 150, 300))

    def write(self) -> Body:
        """Return the whole body."""
        self.count_down()
        self.fill()
        return tuple(self.code)

    def absorb(self, type_: ValType) -> None:
        """Mix the value on top into the checksum, so that it is compared; or drop it.

        The checksum is a global, of 64 bits if possible: s becomes (s + value) * an odd number.
        """
        checksum = self.plan.checksum
        sum_type = self.plan.module.global_types[checksum].type
        if self.choose.chance(6) or type_ not in _SHOWN[sum_type]:
            self.emit("drop")
            return
        self.code += _SHOWN[sum_type][type_]
        self.emit("global.get", checksum)
        self.emit(f"{sum_type.value}.add")
        self.emit(f"{sum_type.value}.const", 0x9E3779B97F4A7C15 & mask(sum_type.bits))
        self.emit(f"{sum_type.value}.mul")
        self.emit("global.set", checksum)

    def absorb_locals(self) -> None:
        """Mix all locals into the checksum."""
        for i, t in enumerate(self.locals):
            self.emit("local.get", i)
            self.absorb(t)

    def emit(self, name: str, *args: object) -> None:
        """Write an instruction without changing the stack of types."""
        self.code.append(instr(name, *args))
        self.budget -= 1

    def count_down(self) -> None:
        """Decrement the round counter; at zero, return or trap."""
        rounds, results = self.plan.rounds, self.labels[0].type.results
        self.emit("global.get", rounds)
        self.emit("i32.eqz")
        self.emit("if", FuncType())
        if self.choose.chance(6):
            self.emit("unreachable")
        else:
            self.code += [self.leaf(t) for t in results]
            self.emit("return")
        self.emit("end")
        self.emit("global.get", rounds)
        self.emit("i32.const", 1)
        self.emit("i32.sub")
        self.emit("global.set", rounds)

    @contextmanager
    def above(self, depth: int) -> Iterator[None]:
        """Protect the operands that are on the stack now."""
        saved = self.floor, self.depth
        self.floor, self.depth = len(self.stack), depth
        yield
        self.floor, self.depth = saved

    @property
    def polymorphic(self) -> bool:
        """Whether operands of any type can be popped: unreachable code with an empty stack."""
        top = self.labels[-1]
        return top.dead and self.floor == top.height == len(self.stack)

    def fill(self, last: str = "end") -> None:
        """Write statements, then exactly the results of the innermost block, then its end."""
        for _ in range(self.choose.integer(0, 12)):
            if self.budget <= 0 or (self.labels[-1].dead and self.choose.chance(2)):
                break
            self.statement()
            if self.choose.chance(2):
                self.probe()
        if len(self.labels) == 1 and not self.labels[0].dead:
            self.absorb_locals()
        self.finish()
        self.emit(last)

    def block(self, kind: str, type_: FuncType) -> None:
        """Write the rest of a block after its first instruction."""
        with self.above(depth=0):
            if kind == "if" and (type_.params != type_.results or self.choose.chance(2)):
                self.arm(OpenLabel(kind, type_, self.floor), "else")
                kind = "else"
            self.arm(OpenLabel(kind, type_, self.floor), "end")

    def arm(self, label: OpenLabel, last: str) -> None:
        """Write the inside of a block; nothing of it stays on the stack."""
        self.stack += label.type.params
        self.labels.append(label)
        if label.kind == "loop":
            self.count_down()
        self.fill(last)
        del self.stack[label.height :]
        self.labels.pop()

    def finish(self) -> None:
        """Turn the operands of the innermost block into its results, or branch to its end."""
        top = self.labels[-1]
        if top.kind == "loop" and not top.dead and self.choose.chance(2):
            self.put(branch_if(self, 0))
        results, have = top.type.results, tuple(self.stack[top.height :])
        if top.dead and len(have) <= len(results) and have == results[len(results) - len(have) :]:
            return
        if have and top.kind != "loop" and not top.dead and self.choose.chance(3):
            self.put(branch(self, 0))
            return
        same = 0
        while same < min(len(have), len(results)) and have[same] == results[same]:
            same += 1
        for t in reversed(have[same:]):
            self.absorb(t)
            self.stack.pop()
        for t in results[same:]:
            self.produce(t)

    def statement(self) -> None:
        """Write one instruction of any kind, with its operands."""
        group = self.choose.weighted([(weight, name) for name, weight in WEIGHTS.items()])
        step = self.step(self.choose.choice(self.rows.groups[group]), None)
        if step is not None:
            self.put(step)

    def probe(self) -> None:
        """Write one instruction on the simplest operands, with its result in the checksum."""
        step = self.step(self.choose.choice(self.rows.probes), None)
        if step is None:
            return
        with self.above(DEPTH):
            self.put(step)
            for t in reversed(step.results):
                self.absorb(t)
                self.stack.pop()

    def produce(self, type_: ValType) -> None:
        """Push one value of that type."""
        if self.budget > 0 and self.depth < DEPTH:
            giving = self.rows.giving[type_] or self.rows.flexible
            options = self.choose.choice((giving, giving, self.rows.flexible))
            step = self.step(self.choose.choice(options), type_)
            if step is not None:
                with self.above(self.depth + 1):
                    self.put(step)
                return
        self.code.append(self.leaf(type_))
        self.budget -= 1
        self.stack.append(type_)

    def leaf(self, type_: ValType) -> Instr:
        """Return an instruction without operands that gives a value."""
        options = [instr("local.get", i) for i, t in enumerate(self.locals) if t is type_]
        if options and self.choose.chance(2):
            return self.choose.choice(options)
        if type_ in NUMBERS:
            return instr(f"{type_.value}.const", number(self.choose, type_))
        functions = self.plan.referable if type_ is ValType.FUNCREF else ()
        if functions and not self.choose.chance(3):
            return instr("ref.func", self.choose.choice(functions))
        return instr("ref.null", type_)

    def step(self, op: Op, result: ValType | None) -> PlannedInstr | None:
        """Return a way to use a row here, or None; see `Rule`."""
        if op.name in RULES.rules:
            return RULES.rules[op.name](self, result)
        args = []
        for kind in op.imm:
            if (arg := IMMEDIATES[kind](self, op)) is None:
                return None
            args.append(arg)
        return PlannedInstr(Instr(op, tuple(args)), tamed(op), op.results)

    def put(self, step: PlannedInstr) -> None:
        """Write the missing operands, then the instruction and its body."""
        count = self.take(step.operands)
        base = max(self.floor, len(self.stack) - count)
        self.stack[base:] = [o.type for o in step.operands[:count]]
        if count:
            self.tame(step.operands[count - 1])
        for operand in step.operands[count:]:
            self.produce(operand.type)
            self.tame(operand)
        del self.stack[base:]
        self.code.append(step.instr)
        self.budget -= 1
        if step.body is not None:
            step.body()
        self.stack += step.results
        if step.ends:
            top = self.labels[-1]
            del self.stack[top.height :]
            top.dead = True

    def take(self, operands: Sequence[OperandKind]) -> int:
        """Return how many operands to take from the stack; more than it has in unreachable code.

        Only the topmost of them can still be changed.
        """
        top, own = self.labels[-1], self.stack[self.floor :]
        bottomless = top.dead and self.floor == top.height

        def fits(k: int) -> bool:
            depth = min(k, len(own))
            types = [o.type for o in operands[k - depth : k]]
            wild = any(o.changes for o in operands[: max(0, k - 1)])
            return (depth == k or bottomless) and own[len(own) - depth :] == types and not wild

        return self.choose.choice([k for k in range(len(operands), -1, -1) if fits(k)])

    def tame(self, operand: OperandKind) -> None:
        """Usually change the value on top, so that the instruction mostly does not trap."""
        if operand.changes and not self.choose.chance(30):
            self.code += self.choose.choice(operand.changes)


def branch(w: BodyWriter, depth: int) -> PlannedInstr:
    """An unconditional branch."""
    return PlannedInstr(instr("br", depth), plain(w.labels[-1 - depth].types), ends=True)


def branch_if(w: BodyWriter, depth: int) -> PlannedInstr:
    """A branch on a condition."""
    types = w.labels[-1 - depth].types
    return PlannedInstr(instr("br_if", depth), (*plain(types), OperandKind(I32)), types)


def _memarg(w: BodyWriter, op: Op) -> tuple[int, int, int] | None:
    if not w.plan.module.memory_types:
        return None
    alignment = w.choose.integer(0, op.width.bit_length() - 1)
    far = w.choose.chance(40)
    return alignment, number(w.choose, I32) if far else w.choose.integer(0, 32), 0


def _index(
    space: Callable[[BodyWriter], Sequence[object]],
) -> Callable[[BodyWriter, Op], int | None]:
    """Return a function that picks an index of a space; None if it is empty."""

    def pick(w: BodyWriter, op: Op) -> int | None:
        count = len(space(w))
        return w.choose.integer(0, count - 1) if count else None

    return pick


def _number(type_: ValType) -> Callable[[BodyWriter, Op], int]:
    return lambda w, op: number(w.choose, type_)


#: An immediate of each kind that a row with stated types can have, or None if there is none.
IMMEDIATES: dict[str, Callable[[BodyWriter, Op], object | None]] = {
    "memarg": _memarg,
    "memory": _index(lambda w: w.plan.module.memory_types),
    "table": _index(lambda w: w.plan.module.table_types),
    "data": _index(lambda w: w.plan.module.data),
    "elem": _index(lambda w: w.plan.module.elements),
    "func": lambda w, op: w.choose.choice(w.plan.referable) if w.plan.referable else None,
    **{t.value: _number(t) for t in NUMBERS},
}
