"""Random programs of small C without undefined behaviour."""

import random
from dataclasses import replace

from transputer.check.fuzz.smallc.expressions import ARITHMETIC, ExpressionGenerator
from transputer.check.fuzz.smallc.spelling import (
    TYPES,
    SmallCArray,
    SmallCExpr,
    SmallCNode,
    SmallCProgram,
    SmallCRoutine,
    SmallCScope,
    SmallCVariable,
)


def generate(seed: int, bits: int) -> SmallCProgram:
    """Generate the program of a seed."""
    return _Generator(random.Random(f"{seed}/{bits}"), bits).program()


class _Generator(ExpressionGenerator):
    """Statements, functions and programs."""

    def statements(self, scope: SmallCScope, count: int) -> tuple[SmallCNode, ...]:
        """`count` statements in a scope of their own."""
        inner = replace(
            scope, variables=list(scope.variables), arrays=list(scope.arrays), own=set()
        )
        return tuple(self.statement(inner) for _ in range(count))

    def statement(self, scope: SmallCScope) -> SmallCNode:
        """One statement."""
        rng, pick = self.rng, self.rng.random()
        if pick < 0.16:
            return self.declaration(scope)
        if pick < 0.40:
            return self.assignment(scope)
        if pick < 0.50 and scope.arrays:
            return self.stored(scope)
        if pick < 0.56:
            return self.special(scope)
        if pick < 0.62 and not scope.quiet:
            value = self.expression(scope, 2)
            return SmallCNode(f"putchar({value.small});", f"OUT({value.real});")
        if scope.budget <= 0:
            return self.assignment(scope)
        deeper = replace(scope, budget=scope.budget - 1)
        if pick < 0.78:
            return self.branch(deeper)
        if pick < 0.90 and scope.loops < 2:
            return self.loop(deeper)
        if pick < 0.95:
            return self.switch(deeper)
        if scope.loops and rng.random() < 0.6:
            word = rng.choice(("break;", "continue;"))
            test = self.expression(scope, 2)
            return SmallCNode(f"if ({test.small}) {word}", f"if ({test.real}) {word}")
        return self.early(scope)

    def early(self, scope: SmallCScope) -> SmallCNode:
        """A return that is not always reached."""
        test, value = self.expression(scope, 2), self.expression(scope, 2)
        real = f"if ({test.real}) return (I){value.real};"
        return SmallCNode(f"if ({test.small}) return {value.small};", real)

    def fresh(self, scope: SmallCScope) -> str:
        """A name for a variable; now and then one that hides another of an outer block."""
        outer = [v.name for v in scope.variables if v.name not in scope.own and v.writable]
        if outer and self.rng.random() < 0.2:
            name = self.rng.choice(outer)
            scope.variables = [v for v in scope.variables if v.name != name]
        else:
            self.names += 1
            name = f"v{self.names}"
        scope.own.add(name)
        return name

    def declaration(self, scope: SmallCScope) -> SmallCNode:
        """A variable or an array of its own, with a value."""
        name, kind = self.fresh(scope), self.rng.choice("IIIUCB")
        if self.rng.random() < 0.25:
            count = self.rng.choice((2, 4, 8))
            values = [self.expression(scope, 1) for _ in range(self.rng.randrange(1, count + 1))]
            scope.arrays.append(SmallCArray(name, name, kind, count))
            small = ", ".join(v.small for v in values)
            real = ", ".join(f"({kind}){v.real}" for v in values)
            return SmallCNode(
                f"{TYPES[kind]} {name}[{count}] = {{{small}}};",
                f"{kind} {name}[{count}] = {{{real}}};",
            )
        value = self.expression(scope, self.depth)
        scope.variables.append(SmallCVariable(name, name, kind))
        return SmallCNode(
            f"{TYPES[kind]} {name} = {value.small};", f"{kind} {name} = ({kind}){value.real};"
        )

    def assignment(self, scope: SmallCScope) -> SmallCNode:
        """`=`, a compound assignment, or a step."""
        able = [v for v in scope.variables if v.writable]
        if not able:
            return self.declaration(scope)
        to, pick = self.rng.choice(able), self.rng.random()
        if pick < 0.15:
            step = self.rng.choice(("++", "--"))
            op = step[0]
            small = f"{to.name}{step};" if self.rng.random() < 0.5 else f"{step}{to.name};"
            return SmallCNode(small, f"{to.real} = ({to.type})((L){to.real} {op} 1);")
        value = self.expression(scope, self.depth)
        if pick < 0.4:
            kind = self.promoted(to.type)
            op = self.rng.choice(ARITHMETIC)
            old = SmallCExpr(to.name, f"({kind}){to.real}", kind)
            real = self.binary(op, old, value).real
            return SmallCNode(f"{to.name} {op}= {value.small};", f"{to.real} = ({to.type}){real};")
        if pick < 0.5:
            value = self.called(scope, 2, pure=False)
        return SmallCNode(f"{to.name} = {value.small};", f"{to.real} = ({to.type}){value.real};")

    def stored(self, scope: SmallCScope) -> SmallCNode:
        """An element set."""
        at, array = self.element(scope, 2)
        real = at.real.split(")", 1)[1]
        value = self.expression(scope, 2)
        return SmallCNode(f"{at.small} = {value.small};", f"{real} = ({array.type}){value.real};")

    def special(self, scope: SmallCScope) -> SmallCNode:
        """A swap of elements, a post-increment inside an expression, or a pointer that walks."""
        plain = [a for a in scope.arrays if not a.columns]
        pick = self.rng.random()
        if pick < 0.4 and plain:
            a = self.rng.choice(plain)
            i, j = (self.expression(scope, 1) for _ in range(2))
            small = [f"{a.name}[({e.small}) & {a.count - 1}]" for e in (i, j)]
            real = [f"{a.real}[({e.real}) & {a.count - 1}]" for e in (i, j)]
            return SmallCNode(
                f"swap({small[0]}, {small[1]});", f"SWAP({a.type}, {real[0]}, {real[1]});"
            )
        able = [v for v in scope.variables if v.writable]
        if pick < 0.7 and len(able) >= 2:
            to, stepped = self.rng.sample(able, 2)
            kind = self.promoted(stepped.type)
            rest = self.number()
            total = self.binary("+", SmallCExpr("", f"({kind})old", kind), rest)
            both = (
                f"{{ {stepped.type} old = {stepped.real}; {stepped.real} = "
                f"({stepped.type})((L){stepped.real} + 1); {to.real} = ({to.type}){total.real}; }}"
            )
            return SmallCNode(f"{to.name} = {stepped.name}++ + {rest.small};", both)
        wide = [a for a in plain if a.type == "I"]
        if wide:
            return self.walk(scope, self.rng.choice(wide))
        return self.assignment(scope)

    def walk(self, scope: SmallCScope, array: SmallCArray) -> SmallCNode:
        """Elements changed through a pointer."""
        self.loop_names += 1
        p, value = f"p{self.loop_names}", self.expression(scope, 2)
        old = SmallCExpr(f"*{p}", f"(I)*{p}")
        real = self.binary("+", old, value).real
        start = f"for (%s *{p} = %s; {p} < %s + {array.count}; {p}++) {{"
        inside = SmallCNode(f"*{p} += {value.small};", f"*{p} = (I){real};")
        return SmallCNode(
            start % ("int", array.name, array.name),
            start % ("I", array.real, array.real),
            (inside,),
            "}",
        )

    def branch(self, scope: SmallCScope) -> SmallCNode:
        """`if`, half of the time with `else`."""
        test, count = self.expression(scope, self.depth), self.rng.randrange(1, 4)
        body = self.statements(scope, count)
        if self.rng.random() < 0.5:
            other = self.statements(scope, self.rng.randrange(1, 3))
            inner = (*body, SmallCNode("} else {", "} else {"), *other)
            return SmallCNode(f"if ({test.small}) {{", f"if ({test.real}) {{", inner, "}")
        return SmallCNode(f"if ({test.small}) {{", f"if ({test.real}) {{", body, "}")

    def loop(self, scope: SmallCScope) -> SmallCNode:
        """A loop that ends: nothing else changes its counter."""
        self.loop_names += 1
        name, count = f"i{self.loop_names}", self.rng.randrange(1, 5)
        inner = replace(
            scope,
            loops=scope.loops + 1,
            variables=[*scope.variables, SmallCVariable(name, name, "I", False)],
        )
        body = self.statements(inner, self.rng.randrange(1, 4))
        pick = self.rng.random()
        if pick < 0.6:
            head = f"for (%s {name} = 0; {name} < {count}; {name}++) {{"
            return SmallCNode(head % "int", head % "I", body, "}")
        test = self.expression(inner, 2)
        step = SmallCNode(f"{name}--;", f"{name}--;")
        if pick < 0.8:
            inside = SmallCNode(
                f"while ({name} > 0 && {test.small}) {{",
                f"while ({name} > 0 && {test.real}) {{",
                (step, *body),
                "}",
            )
        else:
            inside = SmallCNode("do {", "do {", (step, *body), f"}} while ({name} > 0);")
        start = SmallCNode(f"int {name} = {count};", f"I {name} = {count};")
        return SmallCNode("{", "{", (start, inside), "}")

    def switch(self, scope: SmallCScope) -> SmallCNode:
        """A switch over a few values, some of which fall through."""
        selector = self.expression(scope, 2)
        values = self.rng.sample(range(-2, 8), self.rng.randrange(1, 5))
        inside: list[SmallCNode] = []
        plain = replace(scope, loops=0)
        for value in values:
            body = self.statements(plain, self.rng.randrange(1, 3))
            inside += [SmallCNode(f"case {value}: {{", f"case {value}: {{", body, "}")]
            if self.rng.random() < 0.7:
                inside.append(SmallCNode("break;", "break;"))
        if self.rng.random() < 0.6:
            body = self.statements(plain, 1)
            inside.append(SmallCNode("default: {", "default: {", body, "}"))
        small, real = f"switch ((int){selector.small}) {{", f"switch ((I){selector.real}) {{"
        return SmallCNode(small, real, tuple(inside), "}")

    def program(self) -> SmallCProgram:
        """Globals, functions and main."""
        scope = SmallCScope()
        nodes = [self.global_variable(scope) for _ in range(self.rng.randrange(1, 4))]
        nodes += [self.global_array(scope) for _ in range(self.rng.randrange(0, 3))]
        watched = [(v.name, 0, 0) for v in scope.variables]
        watched += [(a.name, a.count, a.columns) for a in scope.arrays]
        for _ in range(self.rng.randrange(0, 3)):
            nodes.append(self.function(scope))
        body = [self.statement(scope) for _ in range(self.rng.randrange(2, 6))]
        value = self.expression(scope, 2)
        last = SmallCNode(f"return {value.small};", f"return (I){value.real};")
        nodes.append(SmallCNode("int main(void) {", "I @main(void) {", (*body, last), "}"))
        return SmallCProgram(self.bits, tuple(nodes), tuple(watched))

    def global_variable(self, scope: SmallCScope) -> SmallCNode:
        """A global with a value."""
        name, kind, value = f"g{len(scope.variables)}", self.rng.choice("IIUC"), self.number()
        scope.variables.append(SmallCVariable(name, f"@{name}", kind))
        return SmallCNode(
            f"{TYPES[kind]} {name} = {value.small};", f"{kind} @{name} = {value.real};"
        )

    def global_array(self, scope: SmallCScope) -> SmallCNode:
        """A global array, now and then with rows."""
        name, kind = f"a{len(scope.arrays)}", self.rng.choice("IIUB")
        count, columns = self.rng.choice(((4, 0), (8, 0), (8, 4), (4, 2)))
        values = [self.number() for _ in range(self.rng.randrange(1, count + 1))]
        scope.arrays.append(SmallCArray(name, f"@{name}", kind, count, columns))
        shape = f"[{count // columns}][{columns}]" if columns else f"[{count}]"
        small = ", ".join(v.small for v in values)
        real = ", ".join(f"({kind}){v.real}" for v in values)
        return SmallCNode(
            f"{TYPES[kind]} {name}{shape} = {{{small}}};",
            f"{kind} @{name}{shape} = {{{real}}};",
        )

    def function(self, outer: SmallCScope) -> SmallCNode:
        """A function: one without effects, one with, one that recurs or one on an array."""
        name, pick = f"f{len(self.routines)}", self.rng.random()
        pure, depth, array = pick < 0.75, pick < 0.25, 0.75 <= pick < 0.9
        params = self.rng.randrange(1, 4)
        names = [f"x{i}" for i in range(params)]
        small = [f"int {n}" for n in names]
        real = [f"I {n}" for n in names]
        guarded = [SmallCVariable(n, n, "I", not (depth and i == 0)) for i, n in enumerate(names)]
        scope = SmallCScope(guarded, budget=2, quiet=pure, own=set(names) | {"p", "deep"})
        if not pure:
            scope.variables += outer.variables
            scope.arrays += outer.arrays
        if array:
            small.insert(0, "int *p")
            real.insert(0, "I *p")
            scope.arrays.append(SmallCArray("p", "p", "I", 4, known=False))
        before = list(self.routines)
        self.routines = [r for r in before if r.pure or not pure]
        body = self.recursion(scope, name, names) if depth else []
        body += [self.statement(scope) for _ in range(self.rng.randrange(1, 4))]
        self.routines = before
        value = self.expression(scope, self.depth)
        body.append(SmallCNode(f"return {value.small};", f"return (I){value.real};"))
        self.routines.append(SmallCRoutine(name, params, pure, depth, array))
        return SmallCNode(
            f"int {name}({', '.join(small)}) {{",
            f"I @{name}({', '.join(real)}) {{",
            tuple(body),
            "}",
        )

    def recursion(self, scope: SmallCScope, name: str, names: list[str]) -> list[SmallCNode]:
        """Calls of the function itself, with a smaller first argument."""
        first = names[0]
        stop = self.expression(scope, 2)
        start = SmallCNode(
            f"if ({first} <= 0) return {stop.small};", f"if ({first} <= 0) return (I){stop.real};"
        )
        total: SmallCExpr | None = None
        for _ in range(self.rng.randrange(1, 3)):
            args = [self.expression(scope, 1) for _ in names[1:]]
            small = ", ".join([f"{first} - 1", *[a.small for a in args]])
            real = ", ".join([f"{first} - 1", *[f"(I){a.real}" for a in args]])
            one = SmallCExpr(f"{name}({small})", f"@{name}({real})")
            total = self.binary(self.rng.choice("+-^"), total, one) if total else one
        assert total
        scope.variables.append(SmallCVariable("deep", "deep", "I"))
        return [start, SmallCNode(f"int deep = {total.small};", f"I deep = {total.real};")]
