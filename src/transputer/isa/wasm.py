"""The WebAssembly table: every instruction except the vector ones.

Opcodes with a prefix byte are numbered prefix * 256 + number, so 0xFC 10 is 0xFC0A.
"""

from collections.abc import Iterator
from functools import partial

from transputer.errors import Trap
from transputer.isa import floats as fl
from transputer.isa import integers as it
from transputer.isa.cases import CASES
from transputer.isa.floats import F32, F64, Format
from transputer.isa.op import Op, Pure, Table, with_cases

PREFIX = 0xFC

_DIVIDE = (Trap.DIVIDE_BY_ZERO,)
_DIVIDE_SIGNED = (Trap.DIVIDE_BY_ZERO, Trap.INTEGER_OVERFLOW)
_CONVERT = (Trap.INVALID_CONVERSION, Trap.INTEGER_OVERFLOW)
_MEMORY = (Trap.MEMORY_OUT_OF_BOUNDS,)
_TABLE = (Trap.TABLE_OUT_OF_BOUNDS,)
_CALL = (Trap.STACK_EXHAUSTED,)
_INDIRECT = (
    Trap.UNDEFINED_ELEMENT,
    Trap.UNINITIALIZED_ELEMENT,
    Trap.INDIRECT_CALL_MISMATCH,
    Trap.STACK_EXHAUSTED,
)

_COMPARE: tuple[tuple[str, str, Pure], ...] = (
    ("eqz", "Test for zero.", it.eqz),
    ("eq", "Equal.", it.eq),
    ("ne", "Not equal.", it.ne),
    ("lt_s", "Signed less than.", it.lt_s),
    ("lt_u", "Unsigned less than.", it.lt_u),
    ("gt_s", "Signed greater than.", it.gt_s),
    ("gt_u", "Unsigned greater than.", it.gt_u),
    ("le_s", "Signed less or equal.", it.le_s),
    ("le_u", "Unsigned less or equal.", it.le_u),
    ("ge_s", "Signed greater or equal.", it.ge_s),
    ("ge_u", "Unsigned greater or equal.", it.ge_u),
)
_ARITHMETIC: tuple[tuple[str, str, Pure, tuple[Trap, ...]], ...] = (
    ("clz", "Count leading zeros; the width for zero.", it.clz, ()),
    ("ctz", "Count trailing zeros; the width for zero.", it.ctz, ()),
    ("popcnt", "Count one bits.", it.popcnt, ()),
    ("add", "Add, wrapping.", it.add, ()),
    ("sub", "Subtract, wrapping.", it.sub, ()),
    ("mul", "Multiply, wrapping.", it.mul, ()),
    ("div_s", "Divide signed, toward zero.", it.div_s, _DIVIDE_SIGNED),
    ("div_u", "Divide unsigned.", it.div_u, _DIVIDE),
    ("rem_s", "Signed remainder, with the sign of the dividend.", it.rem_s, _DIVIDE),
    ("rem_u", "Unsigned remainder.", it.rem_u, _DIVIDE),
    ("and", "Bitwise and.", it.and_, ()),
    ("or", "Bitwise or.", it.or_, ()),
    ("xor", "Bitwise exclusive or.", it.xor, ()),
    ("shl", "Shift left by the count modulo the width.", it.shl, ()),
    ("shr_s", "Arithmetic shift right by the count modulo the width.", it.shr_s, ()),
    ("shr_u", "Logical shift right by the count modulo the width.", it.shr_u, ()),
    ("rotl", "Rotate left by the count modulo the width.", it.rotl, ()),
    ("rotr", "Rotate right by the count modulo the width.", it.rotr, ()),
)
_FLOAT_COMPARE: tuple[tuple[str, str, Pure], ...] = (
    ("eq", "Equal; false with a NaN.", fl.eq),
    ("ne", "Not equal; true with a NaN.", fl.ne),
    ("lt", "Less than; false with a NaN.", fl.lt),
    ("gt", "Greater than; false with a NaN.", fl.gt),
    ("le", "Less or equal; false with a NaN.", fl.le),
    ("ge", "Greater or equal; false with a NaN.", fl.ge),
)
_FLOAT_ARITHMETIC: tuple[tuple[str, str, Pure], ...] = (
    ("abs", "Clear the sign bit.", fl.abs_),
    ("neg", "Flip the sign bit.", fl.neg),
    ("ceil", "Round up to an integer.", fl.ceil),
    ("floor", "Round down to an integer.", fl.floor),
    ("trunc", "Round toward zero to an integer.", fl.trunc),
    ("nearest", "Round to the nearest integer, ties to even.", fl.nearest),
    ("sqrt", "Square root.", fl.sqrt),
    ("add", "Add.", fl.add),
    ("sub", "Subtract.", fl.sub),
    ("mul", "Multiply.", fl.mul),
    ("div", "Divide.", fl.div),
    ("min", "Smaller operand; NaN if either is.", fl.min_),
    ("max", "Larger operand; NaN if either is.", fl.max_),
    ("copysign", "First operand with the sign of the second.", fl.copysign),
)
_UNARY = {"eqz", "clz", "ctz", "popcnt", "abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt"}


def _integer_rows(t: str, c: str, n: int, compare: int, arithmetic: int) -> Iterator[Op]:
    for i, (name, doc, test) in enumerate(_COMPARE):
        operands = c if name in _UNARY else c * 2
        yield Op(f"{t}.{name}", compare + i, f"{operands}:i", doc, partial(test, n))
    for i, (name, doc, fn, traps) in enumerate(_ARITHMETIC):
        operands = c if name in _UNARY else c * 2
        yield Op(f"{t}.{name}", arithmetic + i, f"{operands}:{c}", doc, partial(fn, n), traps=traps)


def _float_rows(t: str, c: str, f: Format, compare: int, arithmetic: int) -> Iterator[Op]:
    for i, (name, doc, fn) in enumerate(_FLOAT_COMPARE):
        yield Op(f"{t}.{name}", compare + i, f"{c}{c}:i", doc, partial(fn, f))
    for i, (name, doc, fn) in enumerate(_FLOAT_ARITHMETIC):
        operands = c if name in _UNARY else c * 2
        yield Op(f"{t}.{name}", arithmetic + i, f"{operands}:{c}", doc, partial(fn, f))


def _truncations() -> Iterator[Op]:
    """float -> integer, trapping (0xA8…) and saturating (0xFC00…)."""
    layout = (
        ("i32", "i", 32, "f32", "f", F32, 0xA8, 0xFC00),
        ("i32", "i", 32, "f64", "d", F64, 0xAA, 0xFC02),
        ("i64", "l", 64, "f32", "f", F32, 0xAE, 0xFC04),
        ("i64", "l", 64, "f64", "d", F64, 0xB0, 0xFC06),
    )
    for t, c, n, source, s, f, code, saturating in layout:
        for i, (suffix, is_signed) in enumerate((("s", True), ("u", False))):
            kind = "a signed" if is_signed else "an unsigned"
            yield Op(
                f"{t}.trunc_{source}_{suffix}",
                code + i,
                f"{s}:{c}",
                f"Truncate to {kind} integer.",
                partial(fl.to_int, f, n, is_signed),
                traps=_CONVERT,
            )
            yield Op(
                f"{t}.trunc_sat_{source}_{suffix}",
                saturating + i,
                f"{s}:{c}",
                f"Truncate to {kind} integer, saturating; NaN gives 0.",
                partial(fl.to_int_sat, f, n, is_signed),
            )


def _conversions_to_float() -> Iterator[Op]:
    layout = (("f32", "f", F32, 0xB2), ("f64", "d", F64, 0xB7))
    for t, c, f, code in layout:
        sources = (("i32", "i", 32), ("i64", "l", 64))
        pairs = [(*s, sign) for s in sources for sign in (True, False)]
        for i, (source, s, n, is_signed) in enumerate(pairs):
            suffix = "s" if is_signed else "u"
            yield Op(
                f"{t}.convert_{source}_{suffix}",
                code + i,
                f"{s}:{c}",
                f"{'Signed' if is_signed else 'Unsigned'} integer to float, rounded once.",
                partial(fl.from_int, f, n, is_signed),
            )


def _load(name: str, code: int, sig: str, width: int, fn: Pure, doc: str) -> Op:
    return Op(name, code, sig, doc, fn, (), ("memarg",), _MEMORY, width, "memory")


def _loads() -> Iterator[Op]:
    full = "Load from memory, little-endian."
    for name, code, sig, width in (
        ("i32.load", 0x28, "i:i", 4),
        ("i64.load", 0x29, "i:l", 8),
        ("f32.load", 0x2A, "i:f", 4),
        ("f64.load", 0x2B, "i:d", 8),
    ):
        yield _load(name, code, sig, width, it.same, full)
    narrow = (("i32", "i", 32, 0x2C, (1, 2)), ("i64", "l", 64, 0x30, (1, 2, 4)))
    for t, c, n, code, widths in narrow:
        for i, width in enumerate(widths):
            bits = width * 8
            for j, suffix in enumerate("su"):
                fn: Pure = partial(it.extend_s, n, bits) if suffix == "s" else it.same
                doc = f"Load {bits} bits and {'sign' if suffix == 's' else 'zero'}-extend."
                yield _load(f"{t}.load{bits}_{suffix}", code + 2 * i + j, f"i:{c}", width, fn, doc)


def _stores() -> Iterator[Op]:
    for name, code, sig, width in (
        ("i32.store", 0x36, "ii:", 4),
        ("i64.store", 0x37, "il:", 8),
        ("f32.store", 0x38, "if:", 4),
        ("f64.store", 0x39, "id:", 8),
        ("i32.store8", 0x3A, "ii:", 1),
        ("i32.store16", 0x3B, "ii:", 2),
        ("i64.store8", 0x3C, "il:", 1),
        ("i64.store16", 0x3D, "il:", 2),
        ("i64.store32", 0x3E, "il:", 4),
    ):
        fn: Pure = partial(it.wrap, width * 8)
        doc = f"Store the low {width * 8} bits, little-endian."
        yield Op(name, code, sig, doc, fn, (), ("memarg",), _MEMORY, width, "memory")


def _row(
    name: str, code: int, sig: str, doc: str, *imm: str, group: str, traps: tuple[Trap, ...] = ()
) -> Op:
    return Op(name, code, sig, doc, None, (), imm, traps, 0, group)


_control = partial(_row, group="control")
_variable = partial(_row, group="variable")
_memory = partial(_row, group="memory")
_table = partial(_row, group="table")
_reference = partial(_row, group="reference")
_parametric = partial(_row, group="parametric")
_constant = partial(_row, group="numeric")

# fmt: off
_STRUCTURE = (
    _control("unreachable", 0x00, "", "Trap.", traps=(Trap.UNREACHABLE,)),
    _control("nop", 0x01, ":", "Do nothing."),
    _control("block", 0x02, "", "Begin a block; a branch to it goes to its end.", "blocktype"),
    _control("loop", 0x03, "", "Begin a loop; a branch to it goes to its start.", "blocktype"),
    _control("if", 0x04, "", "Pop a condition; run the first arm if it is not zero.", "blocktype"),
    _control("else", 0x05, "", "Begin the second arm of an if."),
    _control("end", 0x0B, "", "End a block, loop, if or function."),
    _control("br", 0x0C, "", "Branch to a label.", "label"),
    _control("br_if", 0x0D, "", "Pop a condition; branch if it is not zero.", "label"),
    _control("br_table", 0x0E, "", "Pop an index; branch to that label, or to the last.", "labels"),
    _control("return", 0x0F, "", "Return from the function."),
    _control("call", 0x10, "", "Call a function.", "func", traps=_CALL),
    _control("call_indirect", 0x11, "",
             "Pop an index; call that table element, whose type must match.",
             "type", "table", traps=_INDIRECT),
    _control("throw", 0x08, "", "Throw an exception with a tag and its values.", "tag"),
    _control("throw_ref", 0x0A, "", "Pop an exception reference; throw that exception again.",
             traps=(Trap.NULL_EXCEPTION,)),
    _control("return_call", 0x12, "", "Return the results of a call.", "func", traps=_CALL),
    _control("return_call_indirect", 0x13, "", "Return the results of an indirect call.",
             "type", "table", traps=_INDIRECT),
    _control("call_ref", 0x14, "", "Pop a function reference; call the function.", "type",
             traps=(*_CALL, Trap.NULL_FUNCTION)),
    _control("return_call_ref", 0x15, "", "Return the results of a call by reference.", "type",
             traps=(*_CALL, Trap.NULL_FUNCTION)),
    _control("try_table", 0x1F, "", "Begin a block whose exceptions branch to labels by tag.",
             "blocktype", "catches"),
    _parametric("drop", 0x1A, "", "Discard the top value."),
    _parametric("select", 0x1B, "", "Pop c, b, a; push a if c is not zero, else b."),
    _parametric("select_t", 0x1C, "", "`select` with a stated type, also for references.",
                "valtypes"),
    _variable("local.get", 0x20, "", "Push a local.", "local"),
    _variable("local.set", 0x21, "", "Pop into a local.", "local"),
    _variable("local.tee", 0x22, "", "Copy the top value into a local.", "local"),
    _variable("global.get", 0x23, "", "Push a global.", "global"),
    _variable("global.set", 0x24, "", "Pop into a global.", "global"),
    _table("table.get", 0x25, "", "Push a table element.", "table", traps=_TABLE),
    _table("table.set", 0x26, "", "Set a table element.", "table", traps=_TABLE),
    _memory("memory.size", 0x3F, ":i", "Push the memory size in 64 KiB pages.", "memory"),
    _memory("memory.grow", 0x40, "i:i", "Grow memory; push the old size, or -1.", "memory"),
    _constant("i32.const", 0x41, ":i", "Push a constant.", "i32"),
    _constant("i64.const", 0x42, ":l", "Push a constant.", "i64"),
    _constant("f32.const", 0x43, ":f", "Push a constant.", "f32"),
    _constant("f64.const", 0x44, ":d", "Push a constant.", "f64"),
)

_CONVERSIONS = (
    Op("i32.wrap_i64", 0xA7, "l:i", "The low 32 bits.", partial(it.wrap, 32)),
    Op("i64.extend_i32_s", 0xAC, "i:l", "Sign-extend.", partial(it.extend_s, 64, 32)),
    Op("i64.extend_i32_u", 0xAD, "i:l", "Zero-extend.", it.same),
    Op("f32.demote_f64", 0xB6, "d:f", "Round to single precision.", fl.demote),
    Op("f64.promote_f32", 0xBB, "f:d", "Widen to double precision.", fl.promote),
    Op("i32.reinterpret_f32", 0xBC, "f:i", "The same bits.", it.same),
    Op("i64.reinterpret_f64", 0xBD, "d:l", "The same bits.", it.same),
    Op("f32.reinterpret_i32", 0xBE, "i:f", "The same bits.", it.same),
    Op("f64.reinterpret_i64", 0xBF, "l:d", "The same bits.", it.same),
    Op("i32.extend8_s", 0xC0, "i:i", "Sign-extend the low byte.", partial(it.extend_s, 32, 8)),
    Op("i32.extend16_s", 0xC1, "i:i", "Sign-extend the low half.", partial(it.extend_s, 32, 16)),
    Op("i64.extend8_s", 0xC2, "l:l", "Sign-extend the low byte.", partial(it.extend_s, 64, 8)),
    Op("i64.extend16_s", 0xC3, "l:l", "Sign-extend 16 bits.", partial(it.extend_s, 64, 16)),
    Op("i64.extend32_s", 0xC4, "l:l", "Sign-extend 32 bits.", partial(it.extend_s, 64, 32)),
)

_BULK = (
    _reference("ref.null", 0xD0, "", "Push a null reference.", "reftype"),
    _reference("ref.is_null", 0xD1, "", "1 if the reference is null."),
    _reference("ref.func", 0xD2, ":p", "Push a reference to a function.", "func"),
    _reference("ref.as_non_null", 0xD4, "", "Trap if the reference is null.",
               traps=(Trap.NULL_REFERENCE,)),
    _reference("br_on_null", 0xD5, "", "Branch if the reference is null, without it.", "label"),
    _reference("br_on_non_null", 0xD6, "", "Branch with the reference unless it is null.",
               "label"),
    _memory("memory.init", 0xFC08, "iii:", "Copy from a data segment: destination, offset, count.",
            "data", "memory", traps=_MEMORY),
    _memory("data.drop", 0xFC09, ":", "Empty a data segment.", "data"),
    _memory("memory.copy", 0xFC0A, "iii:",
            "Copy within memory: destination, source, count; may overlap.",
            "memory", "memory", traps=_MEMORY),
    _memory("memory.fill", 0xFC0B, "iii:", "Fill memory: destination, byte, count.",
            "memory", traps=_MEMORY),
    _table("table.init", 0xFC0C, "iii:",
           "Copy from an element segment: destination, offset, count.",
           "elem", "table", traps=_TABLE),
    _table("elem.drop", 0xFC0D, ":", "Empty an element segment.", "elem"),
    _table("table.copy", 0xFC0E, "iii:",
           "Copy between tables: destination, source, count; may overlap.",
           "table", "table", traps=_TABLE),
    _table("table.grow", 0xFC0F, "", "Pop count and initial value; push the old size, or -1.",
           "table"),
    _table("table.size", 0xFC10, ":i", "Push the table size.", "table"),
    _table("table.fill", 0xFC11, "", "Fill a table: destination, value, count.",
           "table", traps=_TABLE),
)
# fmt: on

_ROWS = (
    *_STRUCTURE,
    *_loads(),
    *_stores(),
    *_integer_rows("i32", "i", 32, 0x45, 0x67),
    *_integer_rows("i64", "l", 64, 0x50, 0x79),
    *_float_rows("f32", "f", F32, 0x5B, 0x8B),
    *_float_rows("f64", "d", F64, 0x61, 0x99),
    *_truncations(),
    *_conversions_to_float(),
    *_CONVERSIONS,
    *_BULK,
)

WASM = Table("WebAssembly", with_cases(sorted(_ROWS, key=lambda op: op.code), CASES))

#: A constant that only lowered code has: what tells a tag from others at run time.
TAG = Op("tag", -1, ":i", "Push the number of a tag.", None, (), ("tag",))

#: Instructions that only give a program its shape; they do not count as executed.
STRUCTURAL = frozenset({"block", "loop", "try_table", "end", "else", "nop"})

#: Instructions that WebAssembly 3.0 adds.
RELEASE_3 = frozenset(
    "throw throw_ref try_table return_call return_call_indirect return_call_ref call_ref "
    "ref.as_non_null br_on_null br_on_non_null".split()
)
