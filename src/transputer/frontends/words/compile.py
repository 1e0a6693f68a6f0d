"""A plan becomes WebAssembly: a command that writes the answer to standard output.

Numbers are exact and of any size (`runtime.wat`). Nothing is computed here: the program does all of
it. Functions of lists are compiled where they are called, into one loop with what makes their
members, so that `sum(squares(span(1, 100, 1)))` makes no list. Where the bounds of all numbers are
known to be small, arithmetic needs no check.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.frontends.words import language
from transputer.frontends.words.digits import rational
from transputer.frontends.words.operations import PlanType
from transputer.frontends.words.plan import (
    Apply,
    Comprehension,
    Literal,
    Name,
    Node,
    Plan,
    PlanConstant,
    PlanError,
    PlanFunction,
    Slot,
    Variable,
    prefix,
)
from transputer.ir.module import PAGE
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.values import dataclass

_CALL = re.compile(r"call \$(\w+)")
_LOCAL = re.compile(r"local\.\w+ (\$\w+)")
_TYPES = {PlanType.NUMBER: "i64", PlanType.BOOLEAN: "i32", PlanType.LIST: "i32"}
#: Small integers are below this; a constant that is not has a place in memory.
SMALL = 1 << 62
#: Where constants begin in memory; the runtime writes below.
_CONSTANTS = 32
#: How deep functions of lists may be inside each other.
DEEPEST = 60
_PAGES = 8192


@dataclass(frozen=True, slots=True)
class CompiledPlan:
    """A plan's program: as text, as bytes, as a verified module; `type` is that of its answer."""

    type: PlanType
    wat: str
    wasm: bytes = field(repr=False)
    module: Verified = field(repr=False)

    def value(self, output: str) -> Fraction | bool | list[Fraction]:
        """The answer that the program's output stands for."""
        text = output.strip()
        if self.type is PlanType.BOOLEAN:
            return {"yes": True, "no": False}[text]
        if self.type is PlanType.LIST:
            return [rational(part) for part in text[1:-1].split(", ") if part]
        return rational(text)


def compile_plan(plan: Plan, numbers: Sequence[Fraction]) -> CompiledPlan:
    """The program of a plan over these numbers; PlanError where one of them is not there."""
    if missing := [slot for slot in plan.slots if slot >= len(numbers)]:
        raise PlanError(f"N{min(missing)} is used, but the text has {len(numbers)} numbers")
    wat = _Module(plan, numbers).text()
    wasm = to_wasm(wat)
    return CompiledPlan(plan.type, wat, wasm, verify(decode(wasm)))


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """The least and the greatest value that an integer can have."""

    low: int
    high: int

    @property
    def small(self) -> bool:
        """Whether every such integer is small."""
        return self.low > -SMALL and self.high < SMALL

    def joined(self, other: "IntegerRange | None") -> "IntegerRange | None":
        """The bounds of what is one or the other."""
        if other is None:
            return None
        return IntegerRange(min(self.low, other.low), max(self.high, other.high))


#: None where nothing is known: any number.
_Known = IntegerRange | None


def _small(*bounds: _Known) -> bool:
    return all(one is not None and one.small for one in bounds)


@dataclass(slots=True, eq=False)
class _Local:
    """A variable in a WebAssembly local; `known` follows its assignments unless it is `fixed`."""

    name: str
    width: str
    known: _Known = None
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class _Delayed:
    """A list that is made where it is gone through: its expression and the variables in it."""

    node: Node
    scope: "_Scope"


_Scope = dict[str, "_Local | _Delayed"]


class _Module:
    """Writes one program."""

    def __init__(self, plan: Plan, numbers: Sequence[Fraction]) -> None:
        self.plan, self.numbers = plan, numbers
        own = {function.operation.token: function for function in plan.functions}
        self.functions: Mapping[str, PlanFunction] = {**language.library(), **own}
        self.compiled: dict[str, str] = {}
        self.constants: dict[Fraction, int] = {}
        self.data = bytearray()

    def text(self) -> str:
        """The module's text."""
        main = _Writer(self)
        scope: _Scope = {}
        for index, value in enumerate(self.plan.lets):
            main.names.append(main.local(f"v{index}", "i64"))
            main.names[-1].known = main.expression(value, scope)
            main.emit(f"local.set {main.names[-1].name}")
        main.expression(self.plan.result, scope)
        main.emit(f"call $write_{self.plan.type.value}")
        main.emit("i32.const 26 i32.const 1 call $write")
        body = main.text('(func (export "_start")')
        return self._linked([*self.compiled.values(), body])

    def function(self, token: str) -> str:
        """The name of a function's code; it is compiled when it is called for the first time."""
        function = self.functions[token]
        name = f"f_{function.operation.name}"
        if token not in self.compiled:
            self.compiled[token] = ""  # it may call itself
            writer = _Writer(self)
            scope: _Scope = {}
            head = [f"(func ${name}"]
            for parameter in function.parameters:
                local = _Local(f"$p_{parameter.name}", _TYPES[parameter.type])
                scope[parameter.name] = local
                writer.tracked.append(local)
                head.append(f"(param {local.name} {local.width})")
            head.append(f"(result {_TYPES[function.operation.result]})")
            for name_ in sorted(function.integers):
                writer.emit(f"local.get $p_{name_} call $whole drop")
            writer.statements(function.body, scope, _Exit("return"))
            writer.emit("unreachable")
            self.compiled[token] = writer.text(" ".join(head))
        return name

    def address(self, value: Fraction) -> int:
        """The address of a constant that is not a small integer."""
        if value not in self.constants:
            if value.denominator != 1:
                parts = [self.number(Fraction(n)) for n in (value.numerator, value.denominator)]
                stored = b"\x02" + bytes(7) + b"".join(p.to_bytes(8, "little") for p in parts)
            else:
                size = (abs(value.numerator).bit_length() + 31) // 32
                head = int(value < 0).to_bytes(4, "little") + size.to_bytes(4, "little")
                stored = head + abs(value.numerator).to_bytes(4 * size, "little")
            self.constants[value] = _CONSTANTS + len(self.data)
            self.data += stored + bytes(-len(stored) % 8)
        return self.constants[value]

    def number(self, value: Fraction) -> int:
        """The 64 bits that stand for a constant."""
        if value.denominator == 1 and abs(value.numerator) < SMALL:
            return 2 * value.numerator % (1 << 64)
        return 2 * self.address(value) + 1

    def _linked(self, functions: list[str]) -> str:
        """The module of these functions, with those of the runtime that they call."""
        needed: list[str] = []
        waiting = [name for text in functions for name in _CALL.findall(text)]
        while waiting:
            name = waiting.pop()
            if name in runtime() and name not in needed:
                needed.append(name)
                waiting += _CALL.findall(runtime()[name])
        end = _CONSTANTS + len(self.data)
        head = [
            '(import "wasi_snapshot_preview1" "fd_write"'
            " (func $fd_write (param i32 i32 i32 i32) (result i32)))",
            f'(memory (export "memory") {end // PAGE + 1} {_PAGES})',
            f"(global $heap (mut i32) (i32.const {end}))",
            '(data (i32.const 16) "yesno, []/\\n")',
        ]
        if self.data:
            shown = "".join(f"\\{byte:02x}" for byte in self.data)
            head.append(f'(data (i32.const {_CONSTANTS}) "{shown}")')
        parts = [*head, *(runtime()[name] for name in runtime() if name in needed), *functions]
        lines = "\n".join(parts).replace("\n", "\n  ")
        return f"(module\n  {lines})\n"


@dataclass(slots=True)
class _Exit:
    """Where `return` goes: `code` leaves the function, with the value on the stack."""

    code: str
    returned: list[_Known] = field(default_factory=list)


#: Writes what is done with a member of a list, which is on the stack and has these bounds.
_Receive = Callable[[_Known], None]

_COMPARE = {"LT": "lt_s", "LE": "le_s", "GT": "gt_s", "GE": "ge_s", "EQ": "eq", "NE": "ne"}
_CALLED = {
    **{"ADD": "add", "SUB": "sub", "MUL": "mul", "DIV": "div", "IDIV": "idiv", "MOD": "mod"},
    **{"POW": "pow", "GCD": "gcd", "PRIME": "prime", "NUMERATOR": "num", "DENOMINATOR": "den"},
}


class _Writer:
    """Writes one function: lines of code and the locals they need.

    Loops are written more than once: first to see which variables change, then to see by how much
    they grow in a round, then for good with the bounds that follow.
    """

    def __init__(self, module: _Module) -> None:
        self.module = module
        self.lines: list[str] = []
        self.locals: list[_Local] = []
        self.tracked: list[_Local] = []
        self.names: list[_Local] = []
        self.labels = 0
        self.depth = 0
        #: Of every variable assigned in the loop that is looked at: what a round adds to it.
        self.growth: dict[_Local, list[_Known]] | None = None
        self.rounds: int | None = 1
        self.scanning = False

    def emit(self, *lines: str) -> None:
        """Add lines of code."""
        self.lines += lines

    def local(self, name: str, width: str) -> _Local:
        """A new local variable."""
        local = _Local(f"${name}_{len(self.locals)}", width)
        self.locals.append(local)
        self.tracked.append(local)
        return local

    def label(self) -> str:
        """A new label."""
        self.labels += 1
        return f"$l{self.labels}"

    def text(self, head: str) -> str:
        """The function's text."""
        used = set(_LOCAL.findall(" ".join(self.lines)))
        locals_ = [f"(local {one.name} {one.width})" for one in self.locals if one.name in used]
        return "\n  ".join([" ".join([head, *locals_]), *self.lines]) + ")"

    # -- expressions: code that leaves a value on the stack

    def expression(self, node: Node, scope: _Scope) -> _Known:
        """Write an expression; return what is known of its value. Depth is no matter."""
        facts: list[_Known] = []
        work: list[Any] = [node]
        while work:
            top = work.pop()
            match top:
                case Slot(index):
                    facts.append(self._constant(Fraction(self.module.numbers[index])))
                case PlanConstant(value) | Literal(value):
                    facts.append(self._constant(Fraction(value)))
                case Name(index):
                    self.emit(f"local.get {self.names[index].name}")
                    facts.append(self.names[index].known)
                case Variable(name):
                    facts.append(self._variable(scope[name]))
                case Comprehension():
                    facts.append(self._materialised(top, scope))
                case Apply():
                    self._applied(top, scope, work, facts)
                case _:
                    top()
        return facts.pop()

    def _constant(self, value: Fraction) -> _Known:
        bits = self.module.number(value)
        self.emit(f"i64.const {bits - (1 << 64) if bits >> 63 else bits}")
        return IntegerRange(int(value), int(value)) if value.denominator == 1 else None

    def _variable(self, place: "_Local | _Delayed") -> _Known:
        if isinstance(place, _Delayed):
            return self._materialised(place.node, place.scope)
        self.emit(f"local.get {place.name}")
        return place.known

    def _applied(self, node: Apply, scope: _Scope, work: list[Any], facts: list[_Known]) -> None:
        """Write an operation, or put its parts to work in their order."""
        token, arguments = node.token, node.arguments

        def finish(count: int, code: Callable[..., _Known]) -> Callable[[], None]:
            def done() -> None:
                known = facts[len(facts) - count :]
                del facts[len(facts) - count :]
                facts.append(code(*known))

            return done

        def between(*lines: str) -> Callable[[], None]:
            return lambda: self.emit(*lines)

        def plain(*lines: str, known: _Known = None) -> Callable[..., _Known]:
            def code(*_: _Known) -> _Known:
                self.emit(*lines)
                return known

            return code

        match token:
            case "IF":
                test, then, other = arguments
                end = finish(3, self._chosen)
                work += [end, other, between("else"), then, between("if (result i64)"), test]
            case "AND":
                end = finish(2, plain("else i32.const 0 end"))
                work += [end, arguments[1], between("if (result i32)"), arguments[0]]
            case "OR":
                begin = between("if (result i32) i32.const 1 else")
                work += [finish(2, plain("end")), arguments[1], begin, arguments[0]]
            case "NOT":
                work += [finish(1, plain("i32.eqz")), arguments[0]]
            case "NEG":
                self.emit("i64.const 0")
                work += [finish(1, self._negated), arguments[0]]
            case "LIST":
                self._listed(arguments, work, finish)
            case "EMPTY":
                self.emit("i32.const 4 call $list")
                facts.append(None)
            case "LEN":
                code = plain("i64.load32_u i64.const 1 i64.shl", known=IntegerRange(0, 1 << 32))
                work += [finish(1, code), arguments[0]]
            case "AT":
                work += [finish(2, plain("call $place i64.load")), *reversed(arguments)]
            case "RANGE":
                facts.append(self._materialised(node, scope))
            case _ if token in _COMPARE:
                work += [finish(2, lambda a, b: self._compared(token, a, b)), *reversed(arguments)]
            case _ if token in _CALLED:
                code = lambda *known: self._computed(token, *known)  # noqa: E731
                work += [finish(len(arguments), code), *reversed(arguments)]
            case _:
                function = self.module.functions[token]
                if function.generator:
                    facts.append(self._materialised(node, scope))
                elif any(one.type is PlanType.LIST for one in function.parameters):
                    facts.append(self._inlined(function, arguments, scope))
                else:
                    call = plain(f"call ${self.module.function(token)}")
                    work += [finish(len(arguments), call), *reversed(arguments)]

    def _chosen(self, test: _Known, then: _Known, other: _Known) -> _Known:
        self.emit("end")
        return then.joined(other) if then is not None else None

    def _listed(self, items: Sequence[Node], work: list[Any], finish: Any) -> None:
        place = self.local("list", "i32")
        size = f"i32.const {len(items)}"
        self.emit(f"{size} call $list local.tee {place.name} {size} i32.store")

        def done(*_: _Known) -> _Known:
            self.emit(f"local.get {place.name}")
            return None

        parts: list[Any] = []
        for index, item in enumerate(items):
            store = f"i64.store offset={8 + 8 * index}"
            parts += [lambda: self.emit(f"local.get {place.name}"), item]
            parts.append(lambda store=store: self.emit(store))
        work += [finish(len(items), done), *reversed(parts)]

    def _negated(self, a: _Known) -> _Known:
        self.emit("i64.sub" if _small(a) else "call $sub")
        return IntegerRange(-a.high, -a.low) if a is not None else None

    def _compared(self, token: str, a: _Known, b: _Known) -> _Known:
        if _small(a, b):
            self.emit(f"i64.{_COMPARE[token]}")
        else:
            self.emit(f"call $cmp i32.const 0 i32.{_COMPARE[token]}")
        return None

    def _computed(self, token: str, a: _Known, b: _Known = None) -> _Known:
        """Write an operation on numbers; without a call where everything is small."""
        if a is not None and b is not None:
            known = _bounded(token, a, b)
            # four times a product is on the stack before it is halved
            twice = (
                IntegerRange(2 * known.low, 2 * known.high) if known and token == "MUL" else known
            )
            if token in _UNCHECKED and _small(a, b, twice):
                self.emit(_UNCHECKED[token])
                return known
            self.emit(f"call ${_CALLED[token]}")
            return known
        self.emit(f"call ${_CALLED[token]}")
        return None

    # -- lists

    def _materialised(self, node: Node, scope: _Scope) -> _Known:
        """Write code that leaves the address of a list that is made member by member."""
        place, member = self.local("list", "i32"), self.local("member", "i64")
        self.emit(f"i32.const 4 call $list local.set {place.name}")

        def receive(known: _Known) -> None:
            self.emit(f"local.set {member.name} local.get {place.name}")
            self.emit(f"local.get {member.name} call $append local.set {place.name}")

        self.each(node, scope, receive)
        self.emit(f"local.get {place.name}")
        return None

    def each(self, items: Node, scope: _Scope, receive: _Receive) -> None:
        """Write a loop over the members of a list, which `receive` writes the body of."""
        match items:
            case Variable(name) if isinstance(place := scope[name], _Delayed):
                self.each(place.node, place.scope, receive)
            case Comprehension():
                self._filtered(items, scope, receive)
            case Apply() if items.token == "RANGE":
                self._counted(items.arguments, scope, receive)
            case Apply() if items.token == "LIST":
                known = [self._dry(item, scope) for item in items.arguments]
                hull = known[0]
                for one in known[1:]:
                    hull = one.joined(hull) if one is not None else None
                self.expression(items, scope)
                self._stored(receive, len(items.arguments), hull)
            case Apply() if self._generator(items) is not None:
                function = self.module.functions[items.token]
                with _Depth(self):
                    inner = self._bound(function, items.arguments, scope)
                    self.statements(function.body, inner, _Exit("unreachable"), receive)
            case _:
                self.expression(items, scope)
                self._stored(receive, None, None)

    def _generator(self, node: Apply) -> PlanFunction | None:
        function = self.module.functions.get(node.token)
        return function if function is not None and function.generator else None

    def _filtered(self, node: Comprehension, scope: _Scope, receive: _Receive) -> None:
        member = self.local(node.name, "i64")

        def one(known: _Known) -> None:
            member.known = known
            self.emit(f"local.set {member.name}")
            inner = {**scope, node.name: member}
            if node.test is not None:
                self.expression(node.test, inner)
                self.emit("if")
            receive(self.expression(node.value, inner))
            if node.test is not None:
                self.emit("end")

        self.each(node.items, scope, one)

    def _stored(self, receive: _Receive, rounds: int | None, known: _Known) -> None:
        """Write a loop over the list whose address is on the stack."""
        at, end = self.local("at", "i32"), self.local("end", "i32")
        self.emit(f"local.tee {at.name} i32.load i32.const 3 i32.shl")
        self.emit(f"local.get {at.name} i32.add local.set {end.name}")
        out, again = self.label(), self.label()

        def write() -> None:
            self.emit(f"block {out} loop {again}")
            self.emit(f"local.get {at.name} local.get {end.name} i32.eq br_if {out}")
            self.emit(f"local.get {at.name} i64.load offset=8")
            receive(known)
            self.emit(f"local.get {at.name} i32.const 8 i32.add local.set {at.name}")
            self.emit(f"br {again} end end")

        self._loop(rounds, write)

    def _counted(self, bounds: Sequence[Node], scope: _Scope, receive: _Receive) -> None:
        """Write a loop over the integers from one number towards another."""
        at, to, step = (self.local(name, "i64") for name in ("at", "to", "step"))
        knowns: list[_Known] = []
        for place, node in zip((at, to, step), bounds, strict=True):
            known = self.expression(node, scope)
            self.emit(*([] if _small(known) else ["call $small"]), f"local.set {place.name}")
            knowns.append(known)
        first, last, by = knowns
        hull = first.joined(last) if first is not None else None
        width = hull.high - hull.low if hull is not None else None
        stride = min(abs(by.low), abs(by.high)) if by is not None and by.low * by.high > 0 else 1
        rounds = width // stride + 1 if width is not None else None
        points = [k.low for k in knowns if k is not None and k.low == k.high]
        again = self.label()
        if len(points) == 3 and points[2] and _small(first, last, by):
            pace = abs(points[2]) if points[0] <= points[1] else -abs(points[2])
            stop = 2 * (points[0] + ((points[1] - points[0]) // pace + 1) * pace)

            def write() -> None:
                self.emit(f"loop {again}", f"local.get {at.name}")
                receive(hull)
                self.emit(f"local.get {at.name} i64.const {2 * pace} i64.add local.tee {at.name}")
                self.emit(f"i64.const {stop} i64.ne br_if {again}", "end")

            self._loop(rounds, write)
            return
        left = self.local("left", "i64")
        self.emit(f"local.get {step.name} i64.eqz if unreachable end")
        self.emit(f"local.get {step.name} i64.const 0 i64.lt_s")
        self.emit(f"local.get {to.name} local.get {at.name} i64.lt_s i32.ne")
        self.emit(f"if i64.const 0 local.get {step.name} i64.sub local.set {step.name} end")
        self.emit(f"local.get {to.name} local.get {at.name} call $sub call $small")
        self.emit(f"local.get {step.name} i64.div_s local.set {left.name}")

        def count() -> None:
            self.emit(f"loop {again}", f"local.get {at.name}")
            receive(hull)
            self.emit(f"local.get {left.name} i64.eqz i32.eqz if")
            self.emit(f"local.get {left.name} i64.const 1 i64.sub local.set {left.name}")
            self.emit(f"local.get {at.name} local.get {step.name} i64.add local.set {at.name}")
            self.emit(f"br {again} end end")

        self._loop(rounds, count)

    # -- functions of lists, compiled where they are called

    def _inlined(self, function: PlanFunction, arguments: Sequence[Node], scope: _Scope) -> _Known:
        with _Depth(self):
            inner = self._bound(function, arguments, scope)
            label = self.label()
            self.emit(f"block {label} (result {_TYPES[function.operation.result]})")
            leave = _Exit(f"br {label}")
            self.statements(function.body, inner, leave)
            self.emit("unreachable", "end")
        known, *rest = leave.returned
        for one in rest:
            known = known.joined(one) if known is not None else None
        return known

    def _bound(self, function: PlanFunction, arguments: Sequence[Node], scope: _Scope) -> _Scope:
        """The variables of a function that is called with these arguments."""
        inner: _Scope = {}
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            if parameter.type is PlanType.LIST:
                if isinstance(argument, Variable):
                    inner[parameter.name] = scope[argument.name]
                    continue
                if _used_once(function, parameter.name):
                    inner[parameter.name] = _Delayed(argument, scope)
                    continue
            local = self.local(parameter.name, _TYPES[parameter.type])
            known = self.expression(argument, scope)
            local.known = known
            whole = parameter.name in function.integers and known is None
            self.emit(*(["call $whole"] if whole else []), f"local.set {local.name}")
            inner[parameter.name] = local
        return inner

    # -- statements

    def statements(
        self,
        body: Sequence[language.Statement],
        scope: _Scope,
        leave: _Exit,
        receive: _Receive | None = None,
    ) -> None:
        """Write statements; `leave` is where `return` goes, `receive` takes what they yield."""
        for one in body:
            match one:
                case language.Assign(variable, value):
                    self._assign(variable, value, scope)
                case language.StoreItem(variable, index, value):
                    self._variable(scope[variable.name])
                    self.expression(index, scope)
                    self.emit("call $place")
                    self.expression(value, scope)
                    self.emit("i64.store")
                case language.Append(variable, value):
                    place = self._variable_of(variable.name, scope)
                    self.emit(f"local.get {place.name}")
                    self.expression(value, scope)
                    self.emit(f"call $append local.set {place.name}")
                case language.Check(test, _):
                    self.expression(test, scope)
                    self.emit("i32.eqz if unreachable end")
                case language.IfElse(test, then, other):
                    self._branches(test, then, other, scope, leave, receive)
                case language.While(test, inner):
                    self._while(test, inner, scope, leave, receive)
                case language.For():
                    self._for(one, scope, leave, receive)
                case language.Return(value):
                    leave.returned.append(self.expression(value, scope))
                    self.emit(leave.code)
                case language.Yield(value):
                    assert receive is not None
                    receive(self.expression(value, scope))

    def _variable_of(self, name: str, scope: _Scope) -> _Local:
        place = scope[name]
        if isinstance(place, _Delayed):
            raise PlanError(f"{name!r} is changed, but it is a list of another function")
        return place

    def _assign(self, variable: Variable, value: Node, scope: _Scope) -> None:
        if variable.name not in scope:
            scope[variable.name] = self.local(variable.name, _TYPES[variable.type])
        place = self._variable_of(variable.name, scope)
        if self.growth is not None:
            self.growth.setdefault(place, []).append(self._added(variable, value, scope))
        known = self.expression(value, scope)
        self.emit(f"local.set {place.name}")
        if not place.fixed:
            place.known = known

    def _added(self, variable: Variable, value: Node, scope: _Scope) -> _Known:
        """What an assignment adds to its variable in all rounds of the loops around it."""
        match value:
            case Apply() if value.token in ("ADD", "SUB") and value.arguments[0] == variable:
                known = self._dry(value.arguments[1], scope)
            case _:
                return None
        if known is None or self.rounds is None:
            return None
        if value.token == "SUB":
            known = IntegerRange(-known.high, -known.low)
        return IntegerRange(min(known.low, 0) * self.rounds, max(known.high, 0) * self.rounds)

    def _dry(self, node: Node, scope: _Scope) -> _Known:
        """What is known of an expression that is not written."""
        mark = len(self.lines)
        growth, self.growth = self.growth, None
        known = self.expression(node, scope)
        self.growth = growth
        del self.lines[mark:]
        return known

    def _branches(
        self,
        test: Node,
        then: Sequence[language.Statement],
        other: Sequence[language.Statement],
        scope: _Scope,
        leave: _Exit,
        receive: _Receive | None,
    ) -> None:
        for name, kind in _introduced((*then, *other)):
            if name not in scope:
                scope[name] = self.local(name, _TYPES[kind])
        self.expression(test, scope)
        self.emit("if")
        before = {one: one.known for one in self.tracked}
        self.statements(then, scope, leave, receive)
        after = {one: one.known for one in before}
        for one, known in before.items():
            one.known = known
        if other:
            self.emit("else")
            self.statements(other, scope, leave, receive)
        self.emit("end")
        for one, known in after.items():
            one.known = one.known.joined(known) if one.known is not None else None

    def _while(
        self,
        test: Node,
        body: Sequence[language.Statement],
        scope: _Scope,
        leave: _Exit,
        receive: _Receive | None,
    ) -> None:
        out, again = self.label(), self.label()

        def write() -> None:
            self.emit(f"block {out} loop {again}")
            self.expression(test, scope)
            self.emit(f"i32.eqz br_if {out}")
            self.statements(body, scope, leave, receive)
            self.emit(f"br {again} end end")

        self._loop(None, write)

    def _for(
        self, one: language.For, scope: _Scope, leave: _Exit, receive: _Receive | None
    ) -> None:
        name = one.variable.name
        changed = name in {introduced for introduced, _ in _introduced(one.body)}

        def body(known: _Known) -> None:
            place = self._on_top() if not changed else None
            if place is not None:
                self.lines.pop()
                before = scope.get(name)
                place.known = known
                scope[name] = place
                self.statements(one.body, scope, leave, receive)
                if before is not None:
                    scope[name] = before
                return
            member = scope.get(name)
            if not isinstance(member, _Local):
                member = scope[name] = self.local(name, "i64")
            self.emit(f"local.set {member.name}")
            member.known = known
            self.statements(one.body, scope, leave, receive)

        self.each(one.items, scope, body)

    def _on_top(self) -> _Local | None:
        """The local variable that was just read, if the last line only reads it."""
        names = {f"local.get {place.name}": place for place in self.tracked}
        place = names.get(self.lines[-1])
        return place if place is not None and place.width == "i64" else None

    def _loop(self, rounds: int | None, write: Callable[[], None]) -> None:
        """Write a loop with what is known of its variables in every round."""
        if self.scanning:
            write()
            return
        growth, multiple = self.growth, self.rounds
        before = {one: one.known for one in self.tracked}
        changed = self._rehearsed(write, {one: None for one in before}, scan=True)
        unknown = {one: None if one in changed else known for one, known in before.items()}
        added = self._rehearsed(write, unknown) if rounds is not None else {}
        fixed = []
        for one in changed:
            if one not in before or one.fixed:
                continue
            one.known = _grown(before[one], added.get(one), rounds)
            if one.known is not None and one.known.small:
                one.fixed = True
                fixed.append(one)
            else:
                one.known = None
        self.growth = growth
        self.rounds = None if rounds is None or multiple is None else multiple * rounds
        after = {one: one.known for one in changed if one in before}
        write()
        self.rounds = multiple
        for one, known in after.items():
            one.known = known
        for one in fixed:
            one.fixed = False

    def _rehearsed(
        self, write: Callable[[], None], known: Mapping[_Local, _Known], scan: bool = False
    ) -> dict[_Local, list[_Known]]:
        """What a round of a loop assigns, with this known of the variables; nothing is written."""
        mark = len(self.lines)
        saved = {one: one.known for one in self.tracked}
        growth, multiple, scanning = self.growth, self.rounds, self.scanning
        self.growth, self.rounds, self.scanning = {}, 1, scan
        for one, bounds in known.items():
            if not one.fixed:
                one.known = bounds
        write()
        seen = self.growth
        self.growth, self.rounds, self.scanning = growth, multiple, scanning
        for one, bounds in saved.items():
            one.known = bounds
        del self.lines[mark:]
        return seen


class _Depth:
    """Counts functions inside functions; refuses too many, as of one that calls itself."""

    def __init__(self, writer: _Writer) -> None:
        self.writer = writer

    def __enter__(self) -> None:
        self.writer.depth += 1
        if self.writer.depth > DEEPEST:
            raise PlanError("functions of lists are inside each other too deeply")

    def __exit__(self, *_: object) -> None:
        self.writer.depth -= 1


def _grown(start: _Known, added: list[_Known] | None, rounds: int | None) -> _Known:
    """The bounds of a variable in a loop whose every round adds this to it."""
    if start is None or added is None or rounds is None:
        return None
    low, high = start.low, start.high
    for one in added:
        if one is None:
            return None
        low, high = low + rounds * min(one.low, 0), high + rounds * max(one.high, 0)
    return IntegerRange(low, high)


def _bounded(token: str, a: IntegerRange, b: IntegerRange) -> _Known:
    """The bounds of an operation on integers with these bounds."""
    match token:
        case "ADD":
            return IntegerRange(a.low + b.low, a.high + b.high)
        case "SUB":
            return IntegerRange(a.low - b.high, a.high - b.low)
        case "MUL":
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return IntegerRange(min(corners), max(corners))
        case "MOD" if a.low >= 0 and b.low > 0:
            return IntegerRange(0, min(a.high, b.high - 1))
        case "IDIV" if a.low >= 0 and b.low > 0:
            return IntegerRange(a.low // b.high, a.high // b.low)
    return None


#: Code for small integers whose result is small; of MOD and IDIV not negative.
_UNCHECKED = {
    "ADD": "i64.add",
    "SUB": "i64.sub",
    "MUL": "i64.mul i64.const 1 i64.shr_s",
    "MOD": "i64.rem_u",
    "IDIV": "i64.div_u i64.const 1 i64.shl",
}


def _used_once(function: PlanFunction, name: str) -> bool:
    """Whether a function goes through a list once, and not in a loop."""
    inside = [one for one in function.body if isinstance(one, language.While | language.For)]
    bodies = [statement for one in inside for statement in one.body]
    tests = [one.test for one in inside if isinstance(one, language.While)]
    return function.tokens.count(name) == 1 and not any(
        name in prefix(node) for node in (*language.nodes_of(bodies), *tests)
    )


def _introduced(body: Sequence[language.Statement]) -> Iterable[tuple[str, PlanType]]:
    """The variables that statements assign."""
    for one in body:
        if isinstance(one, language.Assign):
            yield one.variable.name, one.variable.type
        for name in ("then", "other", "body"):
            yield from _introduced(getattr(one, name, ()))


@cache
def runtime() -> dict[str, str]:
    """The functions that programs may call, by name, without their comments."""
    text = files("transputer.frontends.words").joinpath("runtime.wat").read_text("utf-8")
    code = "\n".join(line for line in text.splitlines() if not line.strip().startswith(";;"))
    return {
        part.split()[1].lstrip("$"): part.strip()
        for part in re.split(r"\n(?=\(func)", code)
        if part.startswith("(func")
    }
