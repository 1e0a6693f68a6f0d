"""Random function bodies: a rule for every row whose types depend on immediates or context."""

from collections.abc import Sequence

from transputer.check.fuzz.choose import Choose
from transputer.check.fuzz.plan import Plan, instr, references, value_type
from transputer.check.fuzz.steps import INDEX, Operand, Step, plain
from transputer.check.fuzz.values import NUMBERS
from transputer.check.fuzz.writer import BLOCKS, RULES, Rule, Writer, branch, branch_if
from transputer.ir.module import Function, FuncType
from transputer.isa.op import ValType
from transputer.isa.wasm import WASM

I32 = ValType.I32


def function(plan: Plan, choose: Choose, type_index: int) -> Function:
    """A random function of that type."""
    runs = choose.several(0, 3, lambda: (choose.integer(0, 2), value_type(choose, plan.types)))
    type_ = plan.module.types[type_index]
    local_types = type_.params + tuple(t for count, t in runs for _ in range(count))
    return Function(type_index, runs, Writer(plan, choose, type_, local_types).write())


def missing() -> list[str]:
    """Rows that can never be chosen: their types are not stated, and there is no rule."""
    return [name for name in RULES.missing() if not WASM[name].sig]


def _fits(results: Sequence[ValType], wanted: ValType | None) -> bool:
    return wanted is None or tuple(results) == (wanted,)


@RULES.on("else", "end")
def _structure(w: Writer, wanted: ValType | None) -> Step | None:
    """Written by the block they belong to."""
    return None


def _may_end(w: Writer, wanted: ValType | None, one_in: int) -> bool:
    """Whether to write something after which nothing runs: seldom, or little would ever run."""
    return wanted is None and (w.labels[-1].dead or w.choose.chance(one_in))


@RULES.on("unreachable")
def _unreachable(w: Writer, wanted: ValType | None) -> Step | None:
    return Step(instr("unreachable"), ends=True) if _may_end(w, wanted, 12) else None


def _block(kind: str) -> Rule:
    def rule(w: Writer, wanted: ValType | None) -> Step | None:
        if len(w.labels) > BLOCKS or w.budget <= 0:
            return None
        options: list[FuncType | int] = [FuncType()] if wanted is None else []
        allowed = [t for t in ValType if t in w.plan.types]
        options += [FuncType((), (t,)) for t in ([wanted] if wanted else allowed)]
        types = w.plan.module.types
        options += [i for i, t in enumerate(types) if _fits(t.results, wanted)]
        chosen = w.choose.choice(options)
        type_ = chosen if isinstance(chosen, FuncType) else types[chosen]
        operands = plain(type_.params) + ((Operand(I32),) if kind == "if" else ())
        return Step(instr(kind, chosen), operands, type_.results, lambda: w.block(kind, type_))

    return rule


for _kind in ("block", "loop", "if"):
    RULES.on(_kind)(_block(_kind))


def _label(w: Writer) -> int:
    """Any label, the innermost more often."""
    return min(w.choose.integer(0, len(w.labels)), w.choose.integer(0, len(w.labels) - 1))


@RULES.on("br")
def _br(w: Writer, wanted: ValType | None) -> Step | None:
    return branch(w, _label(w)) if _may_end(w, wanted, 3) else None


@RULES.on("br_if")
def _br_if(w: Writer, wanted: ValType | None) -> Step | None:
    step = branch_if(w, _label(w))
    return step if _fits(step.results, wanted) else None


@RULES.on("br_table")
def _br_table(w: Writer, wanted: ValType | None) -> Step | None:
    """Labels that take the same; where anything goes, the same number is enough."""
    if not _may_end(w, wanted, 3):
        return None
    last = _label(w)
    types, labels = w.labels[-1 - last].types, list(reversed(w.labels))
    if w.polymorphic:
        same = [i for i, label in enumerate(labels) if len(label.types) == len(types)]
        types = ()
    else:
        same = [i for i, label in enumerate(labels) if label.types == types]
    depths = w.choose.several(0, 5, lambda: w.choose.choice(same))
    return Step(instr("br_table", (*depths, last)), (*plain(types), INDEX), ends=True)


@RULES.on("return")
def _return(w: Writer, wanted: ValType | None) -> Step | None:
    if not _may_end(w, wanted, 4):
        return None
    return Step(instr("return"), plain(w.labels[0].type.results), ends=True)


@RULES.on("call")
def _call(w: Writer, wanted: ValType | None) -> Step | None:
    types = w.plan.func_types
    options = [i for i, t in enumerate(types) if _fits(t.results, wanted)]
    if not options:
        return None
    callee = w.choose.choice(options)
    return Step(instr("call", callee), plain(types[callee].params), types[callee].results)


@RULES.on("call_indirect")
def _call_indirect(w: Writer, wanted: ValType | None) -> Step | None:
    """Mostly of a type that some function has."""
    types, tables = w.plan.module.types, _tables(w, ValType.FUNCREF)
    known = w.plan.type_indices if not w.choose.chance(4) else range(len(types))
    options = [i for i in known if _fits(types[i].results, wanted)]
    if not options or not tables:
        return None
    chosen = w.choose.choice(options)
    operands = (*plain(types[chosen].params), INDEX)
    instruction = instr("call_indirect", chosen, w.choose.choice(tables))
    return Step(instruction, operands, types[chosen].results)


def _tables(w: Writer, element: ValType | None = None) -> list[int]:
    tables = w.plan.module.table_types
    return [i for i, t in enumerate(tables) if element is None or t.element is element]


def _any_type(w: Writer) -> ValType:
    return value_type(w.choose, w.plan.types)


@RULES.on("drop")
def _drop(w: Writer, wanted: ValType | None) -> Step | None:
    if wanted is not None:
        return None
    own = w.stack[w.floor :]
    return Step(instr("drop"), plain((own[-1] if own else _any_type(w),)))


@RULES.on("select")
def _select(w: Writer, wanted: ValType | None) -> Step | None:
    t = wanted or w.choose.choice([t for t in NUMBERS if t in w.plan.types])
    return None if t.is_ref else Step(instr("select"), plain((t, t, I32)), (t,))


@RULES.on("select_t")
def _select_t(w: Writer, wanted: ValType | None) -> Step | None:
    t = wanted or _any_type(w)
    return Step(instr("select_t", (t,)), plain((t, t, I32)), (t,))


def _local(w: Writer, wanted: ValType | None) -> tuple[int, ValType] | None:
    options = [(i, t) for i, t in enumerate(w.locals) if wanted in (None, t)]
    return w.choose.choice(options) if options else None


@RULES.on("local.get")
def _local_get(w: Writer, wanted: ValType | None) -> Step | None:
    found = _local(w, wanted)
    return found and Step(instr("local.get", found[0]), (), (found[1],))


@RULES.on("local.set")
def _local_set(w: Writer, wanted: ValType | None) -> Step | None:
    found = None if wanted is not None else _local(w, None)
    return found and Step(instr("local.set", found[0]), plain(found[1:]))


@RULES.on("local.tee")
def _local_tee(w: Writer, wanted: ValType | None) -> Step | None:
    found = _local(w, wanted)
    return found and Step(instr("local.tee", found[0]), plain(found[1:]), (found[1],))


@RULES.on("global.get")
def _global_get(w: Writer, wanted: ValType | None) -> Step | None:
    types = w.plan.module.global_types
    options = [i for i, g in enumerate(types) if wanted in (None, g.type)]
    if not options:
        return None
    chosen = w.choose.choice(options)
    return Step(instr("global.get", chosen), (), (types[chosen].type,))


@RULES.on("global.set")
def _global_set(w: Writer, wanted: ValType | None) -> Step | None:
    types = w.plan.module.global_types
    own = (w.plan.rounds, w.plan.checksum)
    options = [i for i, g in enumerate(types) if g.mutable and i not in own]
    if wanted is not None or not options:
        return None
    chosen = w.choose.choice(options)
    return Step(instr("global.set", chosen), plain((types[chosen].type,)))


def _table_step(
    name: str, wanted: ValType | None, w: Writer, order: str, results: Sequence[ValType] = ()
) -> Step | None:
    """An instruction on one table; `order` has `i` for an index and `e` for an element."""
    tables = _tables(w)
    if not tables or not _fits(results, wanted):
        return None
    table = w.choose.choice(tables)
    element = w.plan.module.table_types[table].element
    operands = tuple(Operand(element) if c == "e" else INDEX for c in order)
    return Step(instr(name, table), operands, tuple(results))


@RULES.on("table.get")
def _table_get(w: Writer, wanted: ValType | None) -> Step | None:
    tables = _tables(w, wanted)
    if not tables:
        return None
    table = w.choose.choice(tables)
    element = w.plan.module.table_types[table].element
    return Step(instr("table.get", table), (INDEX,), (element,))


@RULES.on("table.set")
def _table_set(w: Writer, wanted: ValType | None) -> Step | None:
    return _table_step("table.set", wanted, w, "ie")


@RULES.on("table.fill")
def _table_fill(w: Writer, wanted: ValType | None) -> Step | None:
    return _table_step("table.fill", wanted, w, "iei")


@RULES.on("table.grow")
def _table_grow(w: Writer, wanted: ValType | None) -> Step | None:
    return _table_step("table.grow", wanted, w, "ei", (I32,))


def _three_indices() -> tuple[Operand, ...]:
    return (INDEX,) * 3


@RULES.on("table.copy")
def _table_copy(w: Writer, wanted: ValType | None) -> Step | None:
    types = w.plan.module.table_types
    pairs = [(i, j) for i in _tables(w) for j in _tables(w, types[i].element)]
    if wanted is not None or not pairs:
        return None
    return Step(instr("table.copy", *w.choose.choice(pairs)), _three_indices())


@RULES.on("table.init")
def _table_init(w: Writer, wanted: ValType | None) -> Step | None:
    segments = enumerate(w.plan.module.elements)
    pairs = [(i, table) for i, segment in segments for table in _tables(w, segment.type)]
    if wanted is not None or not pairs:
        return None
    return Step(instr("table.init", *w.choose.choice(pairs)), _three_indices())


@RULES.on("ref.null")
def _ref_null(w: Writer, wanted: ValType | None) -> Step | None:
    kinds = references(w.plan.types)
    t = wanted or (w.choose.choice(kinds) if kinds else None)
    return Step(instr("ref.null", t), (), (t,)) if t and t.is_ref else None


@RULES.on("ref.is_null")
def _ref_is_null(w: Writer, wanted: ValType | None) -> Step | None:
    kinds = references(w.plan.types)
    if not kinds:
        return None
    t = w.choose.choice(kinds)
    return Step(instr("ref.is_null"), plain((t,)), (I32,)) if _fits((I32,), wanted) else None
