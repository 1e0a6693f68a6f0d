"""Identities of single operations: each is one case below."""

from dataclasses import replace

from transputer.frontends.smallc.tac import (
    COMMUTATIVE,
    Addr,
    Instr,
    Value,
    beyond,
    fold,
    power_of_two,
)


def simpler(one: Instr, bits: int) -> Instr:
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
            return replace(one, op="mov", args=(known,))
    value = _same(one.op, a, b, bits)
    if value is not None:
        return replace(one, op="mov", args=(value,))
    op, a, b = _cheaper(one.op, a, b, bits)
    return replace(one, op=op, args=(a, b))


def _same(op: str, a: Value, b: Value, bits: int) -> Value | None:
    """The operand or number that an operation always gives, if there is one."""
    match op, b:
        case (("add" | "sub" | "or" | "xor" | "shl" | "shr" | "ushr"), 0):
            return a
        case (("mul" | "div" | "udiv"), 1):
            return a
        case "and", -1:
            return a
        case (("mul" | "and"), 0):
            return 0
        case (("rem" | "urem"), 1):
            return 0
        case "or", -1:
            return -1
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
