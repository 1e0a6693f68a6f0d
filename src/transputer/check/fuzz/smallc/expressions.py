"""Random expressions in both spellings."""

import random

from transputer.check.fuzz.smallc.spelling import (
    TYPES,
    SmallCArray,
    SmallCExpr,
    SmallCRoutine,
    SmallCScope,
)

#: Operators that are done in the common type of both operands.
ARITHMETIC = ("+", "-", "*", "&", "|", "^")
_COMPARE = ("==", "!=", "<", ">", "<=", ">=")


class ExpressionGenerator:
    """Expressions without side effects, of variables in a scope."""

    def __init__(self, rng: random.Random, bits: int) -> None:
        self.rng, self.bits = rng, bits
        self.depth = rng.choice((1, 2, 2, 3))  # of expressions, where there may be large ones
        self.routines: list[SmallCRoutine] = []
        self.names = 0
        self.loop_names = 0

    def promoted(self, kind: str) -> str:
        """The kind that a variable of a type has as a value."""
        if kind == "B":
            return "U" if self.bits == 8 else "I"
        return "I" if kind == "C" else kind

    def number(self) -> SmallCExpr:
        """A number, often at an edge."""
        half = 1 << (self.bits - 1)
        pick = self.rng.random()
        if pick < 0.6:
            value = self.rng.randrange(0, 12)
        elif pick < 0.8:
            value = self.rng.choice((half - 1, half - 2, half // 2, 15, 16, 100, 127))
        else:
            value = self.rng.randrange(0, half)
        if self.rng.random() < 0.15:
            return SmallCExpr(f"{value}u", f"(U){value}", "U")
        if self.rng.random() < 0.15:
            return SmallCExpr(f"(-{value})", f"(I)(-{value})")
        return SmallCExpr(str(value), f"(I){value}")

    def expression(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """An expression without side effects."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf(scope)
        pick = rng.random()
        if pick < 0.42:
            a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
            return self.binary(rng.choice(ARITHMETIC), a, b)
        if pick < 0.50:
            return self.divided(scope, depth)
        if pick < 0.57:
            return self.shifted(scope, depth)
        if pick < 0.68:
            return self.compared(scope, depth)
        if pick < 0.75:
            return self.logical(scope, depth)
        if pick < 0.82:
            return self.unary(scope, depth)
        if pick < 0.88:
            return self.chosen(scope, depth)
        if pick < 0.93:
            return self.built_in(scope, depth)
        if pick < 0.96:
            return self.cast(scope, depth)
        return self.called(scope, depth)

    def leaf(self, scope: SmallCScope) -> SmallCExpr:
        """A variable, an element or a number."""
        pick = self.rng.random()
        if pick < 0.5 and scope.variables:
            one = self.rng.choice(scope.variables)
            kind = self.promoted(one.type)
            return SmallCExpr(one.name, f"({kind}){one.real}", kind)
        if pick < 0.7 and scope.arrays:
            return self.element(scope, 1)[0]
        return self.number()

    def element(self, scope: SmallCScope, depth: int) -> tuple[SmallCExpr, SmallCArray]:
        """An element of an array: as a value, and as something to assign."""
        array = self.rng.choice(scope.arrays)
        small, real = array.name, array.real
        sizes = [array.count // array.columns, array.columns] if array.columns else [array.count]
        for size in sizes:
            if self.rng.random() < 0.4:
                index = SmallCExpr(*[str(self.rng.randrange(size))] * 2)
            else:
                expr = self.expression(scope, depth - 1)
                index = SmallCExpr(f"({expr.small} & {size - 1})", f"({expr.real} & {size - 1})")
            small, real = f"{small}[{index.small}]", f"{real}[{index.real}]"
        return SmallCExpr(
            small, f"({self.promoted(array.type)}){real}", self.promoted(array.type)
        ), array

    def binary(self, op: str, a: SmallCExpr, b: SmallCExpr) -> SmallCExpr:
        """An operation done in the common type."""
        kind = "U" if "U" in (a.kind, b.kind) else "I"
        real = f"({kind})((L)({kind}){a.real} {op} (L)({kind}){b.real})"
        return SmallCExpr(f"({a.small} {op} {b.small})", real, kind)

    def divided(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """A quotient or remainder by something that is not zero."""
        a = self.expression(scope, depth - 1)
        if self.rng.random() < 0.5:
            b = SmallCExpr(*[str(self.rng.choice((1, 2, 3, 4, 5, 7, 8, 10, 16)))] * 2)
        else:
            divisor = self.expression(scope, depth - 1)
            real = f"(({divisor.kind})({divisor.real} | 1))"
            b = SmallCExpr(f"({divisor.small} | 1)", real, divisor.kind)
        return self.binary(self.rng.choice("/%"), a, b)

    def shifted(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """A shift by less than the width."""
        a = self.expression(scope, depth - 1)
        if self.rng.random() < 0.6:
            small = real = str(self.rng.randrange(self.bits))
        else:
            count = self.expression(scope, depth - 2)
            small = f"({count.small} & {self.bits - 1})"
            real = f"({count.real} & {self.bits - 1})"
        if self.rng.random() < 0.5:
            left = f"({a.kind})((uint64_t){a.real} << {real})"
            return SmallCExpr(f"({a.small} << {small})", left, a.kind)
        return SmallCExpr(f"({a.small} >> {small})", f"({a.kind})({a.real} >> {real})", a.kind)

    def compared(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """A comparison in the common type."""
        a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        kind, op = "U" if "U" in (a.kind, b.kind) else "I", self.rng.choice(_COMPARE)
        real = f"(I)(({kind}){a.real} {op} ({kind}){b.real})"
        return SmallCExpr(f"({a.small} {op} {b.small})", real)

    def logical(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """`&&` or `||`."""
        a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        op = self.rng.choice(("&&", "||"))
        return SmallCExpr(f"({a.small} {op} {b.small})", f"(I)({a.real} {op} {b.real})")

    def unary(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """`-`, `~` or `!`."""
        a, op = self.expression(scope, depth - 1), self.rng.choice("-~!")
        if op == "!":
            return SmallCExpr(f"(!{a.small})", f"(I)(!{a.real})")
        return SmallCExpr(f"({op}{a.small})", f"({a.kind})({op}(L){a.real})", a.kind)

    def chosen(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """`?:`."""
        c, a, b = (self.expression(scope, depth - 1) for _ in range(3))
        kind = "U" if "U" in (a.kind, b.kind) else "I"
        real = f"({c.real} ? ({kind}){a.real} : ({kind}){b.real})"
        return SmallCExpr(f"({c.small} ? {a.small} : {b.small})", real, kind)

    def built_in(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """`abs`, `min`, `max` or `find`."""
        a, pick = self.expression(scope, depth - 1), self.rng.random()
        if pick < 0.3:
            real = f"({{ I a_ = {a.real}; (I)(a_ < 0 ? -(L)a_ : a_); }})"
            return SmallCExpr(f"abs({a.small})", real)
        if pick < 0.5 and scope.arrays:
            array = self.rng.choice(scope.arrays)
            if not array.columns:
                count = "" if array.known else f", {array.count}"
                real = f"(I)FIND({array.real}, (I){a.real}, {array.count})"
                return SmallCExpr(f"find({array.name}, {a.small}{count})", real)
        b = self.expression(scope, depth - 1)
        kind = "U" if "U" in (a.kind, b.kind) else "I"
        name, op = self.rng.choice((("min", "<"), ("max", ">")))
        return SmallCExpr(
            f"{name}({a.small}, {b.small})",
            f"({{ {kind} a_ = {a.real}, b_ = {b.real}; a_ {op} b_ ? a_ : b_; }})",
            kind,
        )

    def cast(self, scope: SmallCScope, depth: int) -> SmallCExpr:
        """A conversion."""
        a, kind = self.expression(scope, depth - 1), self.rng.choice("IUCB")
        real = f"({self.promoted(kind)})(({kind}){a.real})"
        return SmallCExpr(f"(({TYPES[kind]}){a.small})", real, self.promoted(kind))

    def called(self, scope: SmallCScope, depth: int, pure: bool = True) -> SmallCExpr:
        """A call of a function of the program."""
        known = [r for r in self.routines if r.pure or not pure]
        if not known:
            return self.leaf(scope)
        one = self.rng.choice(known)
        args = [self.expression(scope, min(depth, 2) - 1) for _ in range(one.params)]
        small, real = [a.small for a in args], [f"(I){a.real}" for a in args]
        if one.depth:
            small[0], real[0] = f"({small[0]} & 3)", f"({real[0]} & 3)"
        if one.array:
            arrays = [a for a in scope.arrays if a.count >= 4 and not a.columns and a.type == "I"]
            if not arrays:
                return self.leaf(scope)
            array = self.rng.choice(arrays)
            small.insert(0, array.name)
            real.insert(0, array.real)
        return SmallCExpr(f"{one.name}({', '.join(small)})", f"@{one.name}({', '.join(real)})")
