"""Random programs of small C without undefined behaviour, each in two spellings.

One spelling is small C. The other is C for a real compiler, where every operation says in which
N-bit type it is done: `int` has more bits there, and would not wrap. A program's statements are a
tree, so that a failing one can be made smaller.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression in both spellings; the kind is I (int) or U (unsigned)."""

    small: str
    real: str
    kind: str = "I"


@dataclass(frozen=True, slots=True)
class Node:
    """A statement, a block or a function: what opens it, what is inside, what closes it."""

    small: str
    real: str
    inside: "tuple[Node, ...]" = ()
    close: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of so many bits and the globals to look at in the end.

    A watched name comes with how many elements it has and in rows of how many; 0 for a scalar.
    """

    bits: int
    nodes: tuple[Node, ...]
    watched: tuple[tuple[str, int, int], ...]

    def small(self) -> str:
        """The small C source."""
        return "\n".join(_lines(self.nodes, 0, lambda node: node.small)) + "\n"

    def real(self, prefix: str) -> str:
        """The same as a function `prefix`_main among others; names get the prefix."""
        text = "\n".join(_lines(self.nodes, 0, lambda node: node.real)) + "\n"
        return text.replace("@", prefix + "_")


def _lines(nodes: tuple[Node, ...], depth: int, spelled: Callable[[Node], str]) -> list[str]:
    found = []
    for node in nodes:
        found.append("    " * depth + spelled(node))
        found += _lines(node.inside, depth + 1, spelled)
        if node.close:
            found.append("    " * depth + node.close)
    return found


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar in scope: the type is I, U, C (char) or B (unsigned char)."""

    name: str
    real: str
    type: str
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Array:
    """An array, or a pointer to one, of a power of two of elements; `columns` where it has rows."""

    name: str
    real: str
    type: str
    count: int
    columns: int = 0
    known: bool = True  # its length, where it stands, so that find needs no count


@dataclass(frozen=True, slots=True)
class Routine:
    """A function that may be called: how many numbers it takes, whether it leaves globals alone."""

    name: str
    params: int
    pure: bool = True
    depth: bool = False  # the first argument bounds how deep it calls itself
    array: bool = False  # the first argument is an array of four


@dataclass(slots=True)
class _Scope:
    variables: list[Variable] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    loops: int = 0
    budget: int = 3  # how deep statements may still nest
    quiet: bool = False  # in a function that is called inside expressions, in any order
    own: set[str] = field(default_factory=set)  # declared in this very block


TYPES = {"I": "int", "U": "unsigned", "C": "char", "B": "unsigned char"}
_ARITHMETIC = ("+", "-", "*", "&", "|", "^")
_COMPARE = ("==", "!=", "<", ">", "<=", ">=")


def generate(seed: int, bits: int) -> Program:
    """The program of a seed."""
    return _Generator(random.Random(f"{seed}/{bits}"), bits).program()


class _Generator:
    def __init__(self, rng: random.Random, bits: int) -> None:
        self.rng, self.bits = rng, bits
        self.depth = rng.choice((1, 2, 2, 3))  # of expressions, where there may be large ones
        self.routines: list[Routine] = []
        self.names = 0
        self.loop_names = 0

    # ---- expressions

    def promoted(self, kind: str) -> str:
        """The kind that a variable of a type has as a value."""
        if kind == "B":
            return "U" if self.bits == 8 else "I"
        return "I" if kind == "C" else kind

    def number(self) -> Expr:
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
            return Expr(f"{value}u", f"(U){value}", "U")
        if self.rng.random() < 0.15:
            return Expr(f"(-{value})", f"(I)(-{value})")
        return Expr(str(value), f"(I){value}")

    def expression(self, scope: _Scope, depth: int) -> Expr:
        """An expression without side effects."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf(scope)
        pick = rng.random()
        if pick < 0.42:
            a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
            return self.binary(rng.choice(_ARITHMETIC), a, b)
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

    def leaf(self, scope: _Scope) -> Expr:
        """A variable, an element or a number."""
        pick = self.rng.random()
        if pick < 0.5 and scope.variables:
            one = self.rng.choice(scope.variables)
            kind = self.promoted(one.type)
            return Expr(one.name, f"({kind}){one.real}", kind)
        if pick < 0.7 and scope.arrays:
            return self.element(scope, 1)[0]
        return self.number()

    def element(self, scope: _Scope, depth: int) -> tuple[Expr, Array]:
        """An element of an array: as a value, and as something to assign."""
        array = self.rng.choice(scope.arrays)
        small, real = array.name, array.real
        sizes = [array.count // array.columns, array.columns] if array.columns else [array.count]
        for size in sizes:
            if self.rng.random() < 0.4:
                index = Expr(*[str(self.rng.randrange(size))] * 2)
            else:
                given = self.expression(scope, depth - 1)
                index = Expr(f"({given.small} & {size - 1})", f"({given.real} & {size - 1})")
            small, real = f"{small}[{index.small}]", f"{real}[{index.real}]"
        return Expr(small, f"({self.promoted(array.type)}){real}", self.promoted(array.type)), array

    def binary(self, op: str, a: Expr, b: Expr) -> Expr:
        """An operation done in the common type."""
        kind = "U" if "U" in (a.kind, b.kind) else "I"
        real = f"({kind})((L)({kind}){a.real} {op} (L)({kind}){b.real})"
        return Expr(f"({a.small} {op} {b.small})", real, kind)

    def divided(self, scope: _Scope, depth: int) -> Expr:
        """A quotient or remainder by something that is not zero."""
        a = self.expression(scope, depth - 1)
        if self.rng.random() < 0.5:
            b = Expr(*[str(self.rng.choice((1, 2, 3, 4, 5, 7, 8, 10, 16)))] * 2)
        else:
            given = self.expression(scope, depth - 1)
            real = f"(({given.kind})({given.real} | 1))"
            b = Expr(f"({given.small} | 1)", real, given.kind)
        return self.binary(self.rng.choice("/%"), a, b)

    def shifted(self, scope: _Scope, depth: int) -> Expr:
        """A shift by less than the width."""
        a = self.expression(scope, depth - 1)
        if self.rng.random() < 0.6:
            small = real = str(self.rng.randrange(self.bits))
        else:
            given = self.expression(scope, depth - 2)
            small = f"({given.small} & {self.bits - 1})"
            real = f"({given.real} & {self.bits - 1})"
        if self.rng.random() < 0.5:
            left = f"({a.kind})((uint64_t){a.real} << {real})"
            return Expr(f"({a.small} << {small})", left, a.kind)
        return Expr(f"({a.small} >> {small})", f"({a.kind})({a.real} >> {real})", a.kind)

    def compared(self, scope: _Scope, depth: int) -> Expr:
        """A comparison in the common type."""
        a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        kind, op = "U" if "U" in (a.kind, b.kind) else "I", self.rng.choice(_COMPARE)
        real = f"(I)(({kind}){a.real} {op} ({kind}){b.real})"
        return Expr(f"({a.small} {op} {b.small})", real)

    def logical(self, scope: _Scope, depth: int) -> Expr:
        """`&&` or `||`."""
        a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        op = self.rng.choice(("&&", "||"))
        return Expr(f"({a.small} {op} {b.small})", f"(I)({a.real} {op} {b.real})")

    def unary(self, scope: _Scope, depth: int) -> Expr:
        """`-`, `~` or `!`."""
        a, op = self.expression(scope, depth - 1), self.rng.choice("-~!")
        if op == "!":
            return Expr(f"(!{a.small})", f"(I)(!{a.real})")
        return Expr(f"({op}{a.small})", f"({a.kind})({op}(L){a.real})", a.kind)

    def chosen(self, scope: _Scope, depth: int) -> Expr:
        """`?:`."""
        c, a, b = (self.expression(scope, depth - 1) for _ in range(3))
        kind = "U" if "U" in (a.kind, b.kind) else "I"
        real = f"({c.real} ? ({kind}){a.real} : ({kind}){b.real})"
        return Expr(f"({c.small} ? {a.small} : {b.small})", real, kind)

    def built_in(self, scope: _Scope, depth: int) -> Expr:
        """`abs`, `min`, `max` or `find`."""
        a, pick = self.expression(scope, depth - 1), self.rng.random()
        if pick < 0.3:
            real = f"({{ I a_ = {a.real}; (I)(a_ < 0 ? -(L)a_ : a_); }})"
            return Expr(f"abs({a.small})", real)
        if pick < 0.5 and scope.arrays:
            array = self.rng.choice(scope.arrays)
            if not array.columns:
                count = "" if array.known else f", {array.count}"
                real = f"(I)FIND({array.real}, (I){a.real}, {array.count})"
                return Expr(f"find({array.name}, {a.small}{count})", real)
        b = self.expression(scope, depth - 1)
        kind = "U" if "U" in (a.kind, b.kind) else "I"
        name, op = self.rng.choice((("min", "<"), ("max", ">")))
        return Expr(
            f"{name}({a.small}, {b.small})",
            f"({{ {kind} a_ = {a.real}, b_ = {b.real}; a_ {op} b_ ? a_ : b_; }})",
            kind,
        )

    def cast(self, scope: _Scope, depth: int) -> Expr:
        """A conversion."""
        a, kind = self.expression(scope, depth - 1), self.rng.choice("IUCB")
        real = f"({self.promoted(kind)})(({kind}){a.real})"
        return Expr(f"(({TYPES[kind]}){a.small})", real, self.promoted(kind))

    def called(self, scope: _Scope, depth: int, pure: bool = True) -> Expr:
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
        return Expr(f"{one.name}({', '.join(small)})", f"@{one.name}({', '.join(real)})")

    # ---- statements

    def statements(self, scope: _Scope, count: int) -> tuple[Node, ...]:
        """So many statements in a scope of their own."""
        inner = replace(
            scope, variables=list(scope.variables), arrays=list(scope.arrays), own=set()
        )
        return tuple(self.statement(inner) for _ in range(count))

    def statement(self, scope: _Scope) -> Node:
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
            made = self.expression(scope, 2)
            return Node(f"putchar({made.small});", f"OUT({made.real});")
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
            return Node(f"if ({test.small}) {word}", f"if ({test.real}) {word}")
        return self.early(scope)

    def early(self, scope: _Scope) -> Node:
        """A return that is not always reached."""
        test, value = self.expression(scope, 2), self.expression(scope, 2)
        real = f"if ({test.real}) return (I){value.real};"
        return Node(f"if ({test.small}) return {value.small};", real)

    def fresh(self, scope: _Scope) -> str:
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

    def declaration(self, scope: _Scope) -> Node:
        """A variable or an array of its own, with a value."""
        name, kind = self.fresh(scope), self.rng.choice("IIIUCB")
        if self.rng.random() < 0.25:
            count = self.rng.choice((2, 4, 8))
            values = [self.expression(scope, 1) for _ in range(self.rng.randrange(1, count + 1))]
            scope.arrays.append(Array(name, name, kind, count))
            small = ", ".join(v.small for v in values)
            real = ", ".join(f"({kind}){v.real}" for v in values)
            return Node(
                f"{TYPES[kind]} {name}[{count}] = {{{small}}};",
                f"{kind} {name}[{count}] = {{{real}}};",
            )
        made = self.expression(scope, self.depth)
        scope.variables.append(Variable(name, name, kind))
        return Node(
            f"{TYPES[kind]} {name} = {made.small};", f"{kind} {name} = ({kind}){made.real};"
        )

    def assignment(self, scope: _Scope) -> Node:
        """`=`, a compound assignment, or a step."""
        able = [v for v in scope.variables if v.writable]
        if not able:
            return self.declaration(scope)
        to, pick = self.rng.choice(able), self.rng.random()
        if pick < 0.15:
            step = self.rng.choice(("++", "--"))
            op = step[0]
            small = f"{to.name}{step};" if self.rng.random() < 0.5 else f"{step}{to.name};"
            return Node(small, f"{to.real} = ({to.type})((L){to.real} {op} 1);")
        made = self.expression(scope, self.depth)
        if pick < 0.4:
            kind = self.promoted(to.type)
            op = self.rng.choice(_ARITHMETIC)
            old = Expr(to.name, f"({kind}){to.real}", kind)
            real = self.binary(op, old, made).real
            return Node(f"{to.name} {op}= {made.small};", f"{to.real} = ({to.type}){real};")
        if pick < 0.5:
            made = self.called(scope, 2, pure=False)
        return Node(f"{to.name} = {made.small};", f"{to.real} = ({to.type}){made.real};")

    def stored(self, scope: _Scope) -> Node:
        """An element set."""
        at, array = self.element(scope, 2)
        real = at.real.split(")", 1)[1]
        made = self.expression(scope, 2)
        return Node(f"{at.small} = {made.small};", f"{real} = ({array.type}){made.real};")

    def special(self, scope: _Scope) -> Node:
        """A swap of elements, a post-increment inside an expression, or a pointer that walks."""
        plain = [a for a in scope.arrays if not a.columns]
        pick = self.rng.random()
        if pick < 0.4 and plain:
            a = self.rng.choice(plain)
            i, j = (self.expression(scope, 1) for _ in range(2))
            small = [f"{a.name}[({e.small}) & {a.count - 1}]" for e in (i, j)]
            real = [f"{a.real}[({e.real}) & {a.count - 1}]" for e in (i, j)]
            return Node(f"swap({small[0]}, {small[1]});", f"SWAP({a.type}, {real[0]}, {real[1]});")
        able = [v for v in scope.variables if v.writable]
        if pick < 0.7 and len(able) >= 2:
            to, stepped = self.rng.sample(able, 2)
            kind = self.promoted(stepped.type)
            rest = self.number()
            total = self.binary("+", Expr("", f"({kind})old", kind), rest)
            both = (
                f"{{ {stepped.type} old = {stepped.real}; {stepped.real} = "
                f"({stepped.type})((L){stepped.real} + 1); {to.real} = ({to.type}){total.real}; }}"
            )
            return Node(f"{to.name} = {stepped.name}++ + {rest.small};", both)
        wide = [a for a in plain if a.type == "I"]
        if wide:
            return self.walk(scope, self.rng.choice(wide))
        return self.assignment(scope)

    def walk(self, scope: _Scope, array: Array) -> Node:
        """Elements changed through a pointer."""
        self.loop_names += 1
        p, made = f"p{self.loop_names}", self.expression(scope, 2)
        old = Expr(f"*{p}", f"(I)*{p}")
        real = self.binary("+", old, made).real
        start = f"for (%s *{p} = %s; {p} < %s + {array.count}; {p}++) {{"
        inside = Node(f"*{p} += {made.small};", f"*{p} = (I){real};")
        return Node(
            start % ("int", array.name, array.name),
            start % ("I", array.real, array.real),
            (inside,),
            "}",
        )

    def branch(self, scope: _Scope) -> Node:
        """`if`, half of the time with `else`."""
        test, count = self.expression(scope, self.depth), self.rng.randrange(1, 4)
        body = self.statements(scope, count)
        if self.rng.random() < 0.5:
            other = self.statements(scope, self.rng.randrange(1, 3))
            inner = (*body, Node("} else {", "} else {"), *other)
            return Node(f"if ({test.small}) {{", f"if ({test.real}) {{", inner, "}")
        return Node(f"if ({test.small}) {{", f"if ({test.real}) {{", body, "}")

    def loop(self, scope: _Scope) -> Node:
        """A loop that ends: its counter is nobody else's to change."""
        self.loop_names += 1
        name, count = f"i{self.loop_names}", self.rng.randrange(1, 5)
        inner = replace(
            scope,
            loops=scope.loops + 1,
            variables=[*scope.variables, Variable(name, name, "I", False)],
        )
        body = self.statements(inner, self.rng.randrange(1, 4))
        pick = self.rng.random()
        if pick < 0.6:
            head = f"for (%s {name} = 0; {name} < {count}; {name}++) {{"
            return Node(head % "int", head % "I", body, "}")
        test = self.expression(inner, 2)
        step = Node(f"{name}--;", f"{name}--;")
        if pick < 0.8:
            inside = Node(
                f"while ({name} > 0 && {test.small}) {{",
                f"while ({name} > 0 && {test.real}) {{",
                (step, *body),
                "}",
            )
        else:
            inside = Node("do {", "do {", (step, *body), f"}} while ({name} > 0);")
        start = Node(f"int {name} = {count};", f"I {name} = {count};")
        return Node("{", "{", (start, inside), "}")

    def switch(self, scope: _Scope) -> Node:
        """A switch over a few values, some of which fall through."""
        made = self.expression(scope, 2)
        values = self.rng.sample(range(-2, 8), self.rng.randrange(1, 5))
        inside: list[Node] = []
        plain = replace(scope, loops=0)
        for value in values:
            body = self.statements(plain, self.rng.randrange(1, 3))
            inside += [Node(f"case {value}: {{", f"case {value}: {{", body, "}")]
            if self.rng.random() < 0.7:
                inside.append(Node("break;", "break;"))
        if self.rng.random() < 0.6:
            body = self.statements(plain, 1)
            inside.append(Node("default: {", "default: {", body, "}"))
        small, real = f"switch ((int){made.small}) {{", f"switch ((I){made.real}) {{"
        return Node(small, real, tuple(inside), "}")

    # ---- programs

    def program(self) -> Program:
        """Globals, functions and main."""
        scope = _Scope()
        nodes = [self.global_variable(scope) for _ in range(self.rng.randrange(1, 4))]
        nodes += [self.global_array(scope) for _ in range(self.rng.randrange(0, 3))]
        watched = [(v.name, 0, 0) for v in scope.variables]
        watched += [(a.name, a.count, a.columns) for a in scope.arrays]
        for _ in range(self.rng.randrange(0, 3)):
            nodes.append(self.function(scope))
        body = [self.statement(scope) for _ in range(self.rng.randrange(2, 6))]
        made = self.expression(scope, 2)
        last = Node(f"return {made.small};", f"return (I){made.real};")
        nodes.append(Node("int main(void) {", "I @main(void) {", (*body, last), "}"))
        return Program(self.bits, tuple(nodes), tuple(watched))

    def global_variable(self, scope: _Scope) -> Node:
        """A global with a value."""
        name, kind, made = f"g{len(scope.variables)}", self.rng.choice("IIUC"), self.number()
        scope.variables.append(Variable(name, f"@{name}", kind))
        return Node(f"{TYPES[kind]} {name} = {made.small};", f"{kind} @{name} = {made.real};")

    def global_array(self, scope: _Scope) -> Node:
        """A global array, now and then with rows."""
        name, kind = f"a{len(scope.arrays)}", self.rng.choice("IIUB")
        count, columns = self.rng.choice(((4, 0), (8, 0), (8, 4), (4, 2)))
        values = [self.number() for _ in range(self.rng.randrange(1, count + 1))]
        scope.arrays.append(Array(name, f"@{name}", kind, count, columns))
        shape = f"[{count // columns}][{columns}]" if columns else f"[{count}]"
        small = ", ".join(v.small for v in values)
        real = ", ".join(f"({kind}){v.real}" for v in values)
        return Node(
            f"{TYPES[kind]} {name}{shape} = {{{small}}};",
            f"{kind} @{name}{shape} = {{{real}}};",
        )

    def function(self, outer: _Scope) -> Node:
        """A function: one without effects, one with, one that recurs or one on an array."""
        name, pick = f"f{len(self.routines)}", self.rng.random()
        pure, depth, array = pick < 0.75, pick < 0.25, 0.75 <= pick < 0.9
        params = self.rng.randrange(1, 4)
        names = [f"x{i}" for i in range(params)]
        small = [f"int {n}" for n in names]
        real = [f"I {n}" for n in names]
        guarded = [Variable(n, n, "I", not (depth and i == 0)) for i, n in enumerate(names)]
        scope = _Scope(guarded, budget=2, quiet=pure, own=set(names) | {"p", "deep"})
        if not pure:
            scope.variables += outer.variables
            scope.arrays += outer.arrays
        if array:
            small.insert(0, "int *p")
            real.insert(0, "I *p")
            scope.arrays.append(Array("p", "p", "I", 4, known=False))
        before = list(self.routines)
        self.routines = [r for r in before if r.pure or not pure]
        body = self.recursion(scope, name, names) if depth else []
        body += [self.statement(scope) for _ in range(self.rng.randrange(1, 4))]
        self.routines = before
        made = self.expression(scope, self.depth)
        body.append(Node(f"return {made.small};", f"return (I){made.real};"))
        self.routines.append(Routine(name, params, pure, depth, array))
        return Node(
            f"int {name}({', '.join(small)}) {{",
            f"I @{name}({', '.join(real)}) {{",
            tuple(body),
            "}",
        )

    def recursion(self, scope: _Scope, name: str, names: list[str]) -> list[Node]:
        """Calls of the function itself, with a smaller first argument."""
        first = names[0]
        stop = self.expression(scope, 2)
        start = Node(
            f"if ({first} <= 0) return {stop.small};", f"if ({first} <= 0) return (I){stop.real};"
        )
        total: Expr | None = None
        for _ in range(self.rng.randrange(1, 3)):
            args = [self.expression(scope, 1) for _ in names[1:]]
            small = ", ".join([f"{first} - 1", *[a.small for a in args]])
            real = ", ".join([f"{first} - 1", *[f"(I){a.real}" for a in args]])
            one = Expr(f"{name}({small})", f"@{name}({real})")
            total = self.binary(self.rng.choice("+-^"), total, one) if total else one
        assert total
        scope.variables.append(Variable("deep", "deep", "I"))
        return [start, Node(f"int deep = {total.small};", f"I deep = {total.real};")]
