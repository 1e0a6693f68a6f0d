"""Identities of single operations: each is one case below."""

from transputer.frontends.smallc.tac import (
    COMMUTATIVE,
    Addr,
    TacInstr,
    Value,
    beyond,
    fold,
    power_of_two,
)


def simpler(one: TacInstr, bits: int) -> TacInstr:
    """The same operation in its simplest form: numbers folded, and on the right."""
    if len(one.args) != 2 or one.dst is None or one.op in ("call", "find"):
        return one
    a, b = one.args
    address = isinstance(a, Addr) and not isinstance(b, int)
    if one.op in COMMUTATIVE and (isinstance(a, int) or address):
        a, b = b, a
    if isinstance(a, int) and isinstance(b, int):
        known = fold(bits, one.op, a, b)
        if known is not None:
            return TacInstr("mov", one.dst, (known,), one.line)
    value = _same(one.op, a, b, bits)
    if value is not None:
        return TacInstr("mov", one.dst, (value,), one.line)
    op, a, b = _cheaper(one.op, a, b, bits)
    if op == one.op and a is one.args[0]:
        return one
    return TacInstr(op, one.dst, (a, b), one.line)


#: Operations and right operands that give the left operand, and those that give a number.
_UNCHANGED = frozenset(
    [(op, 0) for op in "add sub or xor shl shr ushr".split()]
    + [("mul", 1), ("div", 1), ("udiv", 1), ("and", -1)]
)
_KNOWN = {("mul", 0): 0, ("and", 0): 0, ("rem", 1): 0, ("urem", 1): 0, ("or", -1): -1}


def _same(op: str, a: Value, b: Value, bits: int) -> Value | None:
    """The operand or number that an operation always gives, if there is one."""
    if isinstance(b, int) and (op, b) in _UNCHANGED:
        return a
    if isinstance(b, int) and (op, b) in _KNOWN:
        return _KNOWN[op, b]
    if isinstance(a, Addr) and isinstance(b, int) and op in ("add", "sub"):
        return beyond(bits, a, b if op == "add" else -b)
    if a is b and op in ("sub", "xor"):
        return 0
    if a is b and op in ("and", "or"):
        return a
    if a == 0 and op in ("shl", "shr", "ushr"):
        return 0
    return None


def _cheaper(op: str, a: Value, b: Value, bits: int) -> tuple[str, Value, Value]:
    if not isinstance(b, int):
        return op, a, b
    power = power_of_two(b & ((1 << bits) - 1))
    if op == "mul" and power is not None:
        return "shl", a, power
    if op == "udiv" and power is not None:
        return "ushr", a, power
    if op == "urem" and power is not None:
        return "and", a, b - 1
    if op == "sub" and not isinstance(a, int):
        return "add", a, fold(bits, "sub", 0, b) or 0
    if op in ("mul", "div") and b == -1:
        return "sub", 0, a
    return op, a, b
