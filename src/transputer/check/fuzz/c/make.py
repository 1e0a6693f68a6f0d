"""Random C programs without undefined or unspecified behaviour."""

from collections.abc import Callable

from transputer.check.fuzz.c.scope import CArray, CScope, Globals, constant, some_type
from transputer.check.fuzz.c.tree import (
    FLOATS,
    SMALL,
    TYPES,
    WIDE,
    Binary,
    Bits,
    Block,
    CAssign,
    Cast,
    CCall,
    CCase,
    CExpr,
    CFunction,
    CLoop,
    Compare,
    Const,
    CPlace,
    CProgram,
    CReturn,
    Either,
    If,
    Leave,
    Mix,
    Raw,
    Statement,
    Switch,
    Unary,
)
from transputer.check.fuzz.choose import Choose, Seeded

#: Nesting limits of expressions and of blocks.
DEPTH, NESTED = 3, 3
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_FLOAT_FUNCTIONS = ("sqrt", "fabs", "floor", "ceil", "trunc", "rint")


def program(seed: int) -> CProgram:
    """Return the program of a seed."""
    return _ProgramGenerator(Seeded(seed), seed).program()


class CExpressions:
    """Random expressions over the names of a scope."""

    def __init__(self, choose: Choose, scope: CScope) -> None:
        self.choose, self.scope = choose, scope

    def make(self, type_: str, depth: int = DEPTH) -> CExpr:
        """Return a random expression of a type."""
        if depth <= 0 or self.choose.chance(4):
            return self.leaf(type_)
        if type_ in SMALL:
            return Cast(type_, self.make(self.choose.choice(("i32", "u32", "i64")), depth - 1))
        return self.choose.weighted(self._options(type_))(type_, depth - 1)

    def _options(self, type_: str) -> list[tuple[int, Callable[[str, int], CExpr]]]:
        options: list[tuple[int, Callable[[str, int], CExpr]]] = [
            *((6, self._binary), (2, self._unary), (2, self._cast), (1, self._either))
        ]
        if type_ == "i32":
            options.append((2, self._condition))
        if type_ in ("u32", "u64"):
            options.append((1, self._bits))
        return options

    def leaf(self, type_: str) -> CExpr:
        """Return a variable, an element or a number."""
        if self.choose.chance(4):
            return constant(self.choose, type_)
        places = (*self.scope.places, *self.scope.counters)
        matches: list[CExpr] = [p for p in places if p.type == type_]
        arrays = [a for a in self.scope.arrays if a.type == type_]
        if arrays and (not matches or self.choose.chance(3)):
            return self.choose.choice(arrays).at(self.index())
        if matches:
            return self.choose.choice(matches)
        other = self.choose.choice(self.scope.places)
        return Cast(type_, other)

    def index(self) -> CExpr:
        """Return an integer expression for an index."""
        if self.scope.counters and self.choose.chance(2):
            return self.choose.choice(self.scope.counters)
        plain = [p for p in self.scope.places if p.type not in FLOATS]
        return self.choose.choice(plain) if plain else Const("u32", self.choose.integer(0, 15))

    def _binary(self, type_: str, depth: int) -> CExpr:
        ops = "+ - * /" if type_ in FLOATS else "+ + - - * * / % & | ^ << >>"
        op = self.choose.choice(ops.split())
        return Binary(type_, op, self.make(type_, depth), self.make(type_, depth))

    def _unary(self, type_: str, depth: int) -> CExpr:
        ops = ("-", *_FLOAT_FUNCTIONS) if type_ in FLOATS else ("-", "~")
        return Unary(type_, self.choose.choice(ops), self.make(type_, depth))

    def _bits(self, type_: str, depth: int) -> CExpr:
        op = self.choose.choice(("clz", "ctz", "popcount", "bswap"))
        return Bits(type_, op, self.make(type_, depth))

    def _cast(self, type_: str, depth: int) -> CExpr:
        return Cast(type_, self.make(self.choose.choice(TYPES), depth))

    def _either(self, type_: str, depth: int) -> CExpr:
        left, right = self.make(type_, depth), self.make(type_, depth)
        return Either(type_, self.condition(depth), left, right)

    def _condition(self, type_: str, depth: int) -> CExpr:
        return self.condition(depth)

    def condition(self, depth: int = 2) -> CExpr:
        """Return a comparison, two joined comparisons, or a negation."""
        kind = self.choose.integer(0, 5)
        if kind == 4 and depth > 0:
            op = self.choose.choice(("&&", "||"))
            return Compare("i32", op, self.condition(depth - 1), self.condition(depth - 1))
        if kind == 5:
            return Unary("i32", "!", self.make(some_type(self.choose), depth - 1))
        type_, op = some_type(self.choose), self.choose.choice(_COMPARISONS)
        return Compare("i32", op, self.make(type_, depth), self.make(type_, depth))


class _ProgramGenerator:
    """Generates one program; functions may call all others and themselves."""

    def __init__(self, choose: Choose, number: int) -> None:
        self.choose, self.number = choose, number
        self.prefix = f"p{number}_"
        self.globals = Globals(choose, self.prefix)
        shared = (some_type(choose), tuple(some_type(choose) for _ in range(choose.integer(1, 2))))
        signatures = [shared, shared]
        for _ in range(choose.integer(0, 3)):
            types = tuple(some_type(choose) for _ in range(choose.integer(0, 4)))
            signatures.append((some_type(choose), types))
        self.signatures = {f"{self.prefix}f{i}": s for i, s in enumerate(signatures)}
        self.shared = [name for name, s in self.signatures.items() if s == shared]
        self.counters = 0

    def program(self) -> CProgram:
        """Return the program."""
        functions = tuple(self._function(name) for name in self.signatures)
        returns, params = self.signatures[self.shared[0]]
        members = [self.choose.choice(self.shared) for _ in range(4)]
        table = f"static {returns} (*const {self.prefix}table[4])({', '.join(params)})"
        tables = (f"{table} = {{{', '.join(members)}}};",)
        scope = self.globals.scope.inner()
        main = self._block(scope, 1, self.choose.integer(5, 9), False, "")
        checked = self.globals.checked()
        return CProgram(
            self.number, tuple(self.globals.declarations), tables, functions, main, checked
        )

    def _function(self, name: str) -> CFunction:
        returns, types = self.signatures[name]
        scope = self.globals.scope.inner()
        scope.places += [CPlace(t, f"x{i}") for i, t in enumerate(types)]
        declarations = self._locals(scope)
        body = self._block(scope, 0, self.choose.integer(2, 6), False, returns)
        params = tuple(f"{t} x{i}" for i, t in enumerate(types))
        result = CExpressions(self.choose, scope).make(returns)
        return CFunction(name, returns, params, tuple(declarations), body, result)

    def _locals(self, scope: CScope) -> list[str]:
        """Return declarations of local variables, pointers and perhaps an array."""
        declarations = []
        for i in range(self.choose.integer(1, 3)):
            type_ = some_type(self.choose)
            declarations.append(f"{type_} y{i} = {constant(self.choose, type_)};")
            scope.places.append(CPlace(type_, f"y{i}"))
        for i in range(self.choose.integer(0, 2)):
            type_, address = self.choose.choice(self.globals.pointable)
            declarations.append(f"{type_} *p{i} = {address};")
            scope.places.append(CPlace(type_, f"*p{i}"))
            others = [a for t, a in self.globals.pointable if t == type_]
            scope.moves += [f"p{i} = {a};" for a in others]
        if self.choose.chance(2):
            type_ = some_type(self.choose)
            declarations.append(f"{type_} z[8] = {{{constant(self.choose, type_)}}};")
            scope.arrays.append(CArray(type_, "z", 8))
        return declarations

    # Statements

    def _block(self, scope: CScope, depth: int, count: int, loops: bool, returns: str) -> Block:
        return tuple(self._statement(scope, depth, loops, returns) for _ in range(count))

    def _statement(self, scope: CScope, depth: int, loops: bool, returns: str) -> Statement:
        make = CExpressions(self.choose, scope)
        kind = self.choose.integer(0, 19)
        few = self.choose.integer(1, 3)
        if kind < 2 and depth < NESTED:
            inner = scope.inner()
            self.counters += 1
            counter = f"k{self.counters}"
            inner.counters.append(CPlace("u32", counter))
            body = self._block(inner, depth + 1, few, True, returns)
            form = self.choose.choice(("for", "for", "while", "do"))
            return CLoop(counter, self.choose.integer(1, 12), body, form)
        if kind < 4 and depth < NESTED:
            other = self._block(scope, depth + 1, self.choose.integer(0, 2), loops, returns)
            then = self._block(scope, depth + 1, few, loops, returns)
            return If(make.condition(), then, other)
        if kind == 4 and depth < NESTED:
            return self._switch(scope, depth, loops, returns)
        if kind in (5, 6, 7):
            return self._call(scope, make)
        if kind == 8 and scope.moves:
            return Raw(self.choose.choice(scope.moves))
        if kind == 9:
            return Mix(make.make(some_type(self.choose)))
        if kind == 10 and loops:
            return Leave(self.choose.choice(("break", "continue")), make.condition())
        if kind == 11 and returns and depth:
            return If(make.condition(), (CReturn(make.make(returns)),), ())
        return self._assign(scope, make)

    def _assign(self, scope: CScope, make: CExpressions) -> Statement:
        if scope.arrays and self.choose.chance(3):
            array = self.choose.choice(scope.arrays)
            return CAssign(array.at(make.index()), make.make(array.type))
        place = self.choose.choice(scope.places)
        return CAssign(place, make.make(place.type))

    def _switch(self, scope: CScope, depth: int, loops: bool, returns: str) -> Statement:
        make = CExpressions(self.choose, scope)
        count = self.choose.integer(1, 6)
        value = Binary("u32", "&", make.make("u32"), Const("u32", 7))
        step = self.choose.choice((1, 1, 1, 3))
        cases = tuple(
            CCase(
                i * step,
                self._block(scope, depth + 1, self.choose.integer(0, 2), loops, returns),
                self.choose.chance(3),
            )
            for i in range(count)
        )
        return Switch(value, cases, self._block(scope, depth + 1, 1, loops, returns))

    def _call(self, scope: CScope, make: CExpressions) -> Statement:
        through = self.choose.chance(3)
        name = self.choose.choice(self.shared if through else list(self.signatures))
        returns, types = self.signatures[name]
        args = tuple(make.make(t, 2) for t in types)
        result = self.choose.choice(scope.places)
        if through:
            return CCall(result, f"{self.prefix}table", make.index(), 4, args, returns)
        return CCall(result, name, None, 0, args, returns)


assert set(SMALL) | set(WIDE) == set(TYPES)
