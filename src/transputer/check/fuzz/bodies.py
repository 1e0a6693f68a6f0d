"""Random function bodies: a rule for every row whose types depend on immediates or context."""

from collections.abc import Sequence

from transputer.check.fuzz.choose import Choose
from transputer.check.fuzz.plan import ModulePlan, instr, references, value_type
from transputer.check.fuzz.steps import INDEX, OperandKind, PlannedInstr, plain
from transputer.check.fuzz.values import NUMBERS
from transputer.check.fuzz.writer import BLOCKS, RULES, BodyWriter, Rule, branch, branch_if
from transputer.ir.module import Function, FuncType
from transputer.isa.op import ValType
from transputer.isa.wasm import WASM

I32 = ValType.I32


def function(plan: ModulePlan, choose: Choose, type_index: int) -> Function:
    """Return a random function of a type."""
    runs = choose.several(0, 3, lambda: (choose.integer(0, 2), value_type(choose, plan.types)))
    type_ = plan.module.types[type_index]
    local_types = type_.params + tuple(t for count, t in runs for _ in range(count))
    return Function(type_index, runs, BodyWriter(plan, choose, type_, local_types).write())


def missing() -> list[str]:
    """Return the rows that are never generated: they have neither a signature nor a rule."""
    return [name for name in RULES.missing() if not WASM[name].sig]


def _fits(results: Sequence[ValType], result: ValType | None) -> bool:
    return result is None or tuple(results) == (result,)


@RULES.on("else", "end")
def _structure(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    """Return None: the block writes them."""
    return None


def _may_end(w: BodyWriter, result: ValType | None, one_in: int) -> bool:
    """Return whether to write an instruction that ends control flow; rarely, so that code runs."""
    return result is None and (w.labels[-1].dead or w.choose.chance(one_in))


@RULES.on("unreachable")
def _unreachable(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    return PlannedInstr(instr("unreachable"), ends=True) if _may_end(w, result, 12) else None


def _block(kind: str) -> Rule:
    def rule(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
        if len(w.labels) > BLOCKS or w.budget <= 0:
            return None
        options: list[FuncType | int] = [FuncType()] if result is None else []
        allowed = [t for t in ValType if t in w.plan.types]
        options += [FuncType((), (t,)) for t in ([result] if result else allowed)]
        types = w.plan.module.types
        options += [i for i, t in enumerate(types) if _fits(t.results, result)]
        block_type = w.choose.choice(options)
        type_ = block_type if isinstance(block_type, FuncType) else types[block_type]
        operands = plain(type_.params) + ((OperandKind(I32),) if kind == "if" else ())
        return PlannedInstr(
            instr(kind, block_type), operands, type_.results, lambda: w.block(kind, type_)
        )

    return rule


for _kind in ("block", "loop", "if"):
    RULES.on(_kind)(_block(_kind))


def _label(w: BodyWriter) -> int:
    """Return a random label, the innermost more often."""
    return min(w.choose.integer(0, len(w.labels)), w.choose.integer(0, len(w.labels) - 1))


@RULES.on("br")
def _br(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    return branch(w, _label(w)) if _may_end(w, result, 3) else None


@RULES.on("br_if")
def _br_if(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    step = branch_if(w, _label(w))
    return step if _fits(step.results, result) else None


@RULES.on("br_table")
def _br_table(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    """Choose labels of equal types; in unreachable code, of equally many operands."""
    if not _may_end(w, result, 3):
        return None
    last = _label(w)
    types, labels = w.labels[-1 - last].types, list(reversed(w.labels))
    if w.polymorphic:
        same = [i for i, label in enumerate(labels) if len(label.types) == len(types)]
        types = ()
    else:
        same = [i for i, label in enumerate(labels) if label.types == types]
    depths = w.choose.several(0, 5, lambda: w.choose.choice(same))
    return PlannedInstr(instr("br_table", (*depths, last)), (*plain(types), INDEX), ends=True)


@RULES.on("return")
def _return(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    if not _may_end(w, result, 4):
        return None
    return PlannedInstr(instr("return"), plain(w.labels[0].type.results), ends=True)


@RULES.on("call")
def _call(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    types = w.plan.func_types
    options = [i for i, t in enumerate(types) if _fits(t.results, result)]
    if not options:
        return None
    callee = w.choose.choice(options)
    return PlannedInstr(instr("call", callee), plain(types[callee].params), types[callee].results)


@RULES.on("call_indirect")
def _call_indirect(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    """Choose mostly the type of some function."""
    types, tables = w.plan.module.types, _tables(w, ValType.FUNCREF)
    known = w.plan.type_indices if not w.choose.chance(4) else range(len(types))
    options = [i for i in known if _fits(types[i].results, result)]
    if not options or not tables:
        return None
    type_index = w.choose.choice(options)
    operands = (*plain(types[type_index].params), INDEX)
    instruction = instr("call_indirect", type_index, w.choose.choice(tables))
    return PlannedInstr(instruction, operands, types[type_index].results)


def _tables(w: BodyWriter, element: ValType | None = None) -> list[int]:
    tables = w.plan.module.table_types
    return [i for i, t in enumerate(tables) if element is None or t.element is element]


def _any_type(w: BodyWriter) -> ValType:
    return value_type(w.choose, w.plan.types)


@RULES.on("drop")
def _drop(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    if result is not None:
        return None
    own = w.stack[w.floor :]
    return PlannedInstr(instr("drop"), plain((own[-1] if own else _any_type(w),)))


@RULES.on("select")
def _select(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    t = result or w.choose.choice([t for t in NUMBERS if t in w.plan.types])
    return None if t.is_ref else PlannedInstr(instr("select"), plain((t, t, I32)), (t,))


@RULES.on("select_t")
def _select_t(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    t = result or _any_type(w)
    return PlannedInstr(instr("select_t", (t,)), plain((t, t, I32)), (t,))


def _local(w: BodyWriter, result: ValType | None) -> tuple[int, ValType] | None:
    options = [(i, t) for i, t in enumerate(w.locals) if result in (None, t)]
    return w.choose.choice(options) if options else None


@RULES.on("local.get")
def _local_get(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    local = _local(w, result)
    return local and PlannedInstr(instr("local.get", local[0]), (), (local[1],))


@RULES.on("local.set")
def _local_set(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    local = None if result is not None else _local(w, None)
    return local and PlannedInstr(instr("local.set", local[0]), plain(local[1:]))


@RULES.on("local.tee")
def _local_tee(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    local = _local(w, result)
    return local and PlannedInstr(instr("local.tee", local[0]), plain(local[1:]), (local[1],))


@RULES.on("global.get")
def _global_get(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    types = w.plan.module.global_types
    options = [i for i, g in enumerate(types) if result in (None, g.type)]
    if not options:
        return None
    index = w.choose.choice(options)
    return PlannedInstr(instr("global.get", index), (), (types[index].type,))


@RULES.on("global.set")
def _global_set(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    types = w.plan.module.global_types
    own = (w.plan.rounds, w.plan.checksum)
    options = [i for i, g in enumerate(types) if g.mutable and i not in own]
    if result is not None or not options:
        return None
    index = w.choose.choice(options)
    return PlannedInstr(instr("global.set", index), plain((types[index].type,)))


def _table_step(
    name: str, result: ValType | None, w: BodyWriter, order: str, results: Sequence[ValType] = ()
) -> PlannedInstr | None:
    """Return an instruction on a table; `order` has `i` for an index and `e` for an element."""
    tables = _tables(w)
    if not tables or not _fits(results, result):
        return None
    table = w.choose.choice(tables)
    element = w.plan.module.table_types[table].element
    operands = tuple(OperandKind(element) if c == "e" else INDEX for c in order)
    return PlannedInstr(instr(name, table), operands, tuple(results))


@RULES.on("table.get")
def _table_get(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    tables = _tables(w, result)
    if not tables:
        return None
    table = w.choose.choice(tables)
    element = w.plan.module.table_types[table].element
    return PlannedInstr(instr("table.get", table), (INDEX,), (element,))


@RULES.on("table.set")
def _table_set(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    return _table_step("table.set", result, w, "ie")


@RULES.on("table.fill")
def _table_fill(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    return _table_step("table.fill", result, w, "iei")


@RULES.on("table.grow")
def _table_grow(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    return _table_step("table.grow", result, w, "ei", (I32,))


def _three_indices() -> tuple[OperandKind, ...]:
    return (INDEX,) * 3


@RULES.on("table.copy")
def _table_copy(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    types = w.plan.module.table_types
    pairs = [(i, j) for i in _tables(w) for j in _tables(w, types[i].element)]
    if result is not None or not pairs:
        return None
    return PlannedInstr(instr("table.copy", *w.choose.choice(pairs)), _three_indices())


@RULES.on("table.init")
def _table_init(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    segments = enumerate(w.plan.module.elements)
    pairs = [(i, table) for i, segment in segments for table in _tables(w, segment.type)]
    if result is not None or not pairs:
        return None
    return PlannedInstr(instr("table.init", *w.choose.choice(pairs)), _three_indices())


@RULES.on("ref.null")
def _ref_null(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    kinds = references(w.plan.types)
    t = result or (w.choose.choice(kinds) if kinds else None)
    return PlannedInstr(instr("ref.null", t), (), (t,)) if t and t.is_ref else None


@RULES.on("ref.is_null")
def _ref_is_null(w: BodyWriter, result: ValType | None) -> PlannedInstr | None:
    kinds = references(w.plan.types)
    if not kinds:
        return None
    t = w.choose.choice(kinds)
    return (
        PlannedInstr(instr("ref.is_null"), plain((t,)), (I32,)) if _fits((I32,), result) else None
    )
