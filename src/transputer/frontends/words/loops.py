"""Loops over ranges and arrays: one WebAssembly function for each shape of aggregate.

A shape is the aggregate, where the members come from, their kind, and the filters and powers
on the way. All plans with the same shape call the same function.
"""

from dataclasses import dataclass

from transputer.frontends.words.kinds import NumberKind, wider

#: Up to this size, members of a range of known bounds are counted in 32 bits, and so many are
#: added before their sum, which then fits, goes to the 64-bit total.
NARROW = 1 << 25
UNROLLED = 32


@dataclass(frozen=True, slots=True)
class LoopShape:
    """What a loop does.

    `source` is `array`, `range` (64 bits) or `narrow` (a range within `NARROW`), `step` the
    signed step of a narrow one. `steps` are the operations on the way from the source to the
    aggregate, in that order, each with the kind of its number (None where it has none).
    """

    aggregate: str
    source: str
    kind: NumberKind
    steps: tuple[tuple[str, NumberKind | None], ...] = ()
    step: int = 0

    @property
    def name(self) -> str:
        """What its function is called."""
        parts = [self.aggregate, *(token for token, _ in reversed(self.steps)), self.source]
        kinds = [kind.value for _, kind in self.steps if kind] + [self.kind.value]
        count = [str(self.step).replace("-", "down")] if self.source == "narrow" else []
        return "_".join(parts + kinds + count).lower()

    @property
    def bare(self) -> bool:
        """Whether it is a sum of a narrow range as it stands: no member can overflow it."""
        return self.aggregate == "SUM" and self.source == "narrow" and not self.steps


def variables(name: str, kind: NumberKind) -> list[tuple[str, str]]:
    """The names and types of the locals that hold a value: a rational has a denominator."""
    return [(f"${name}{'d' * index}", type_) for index, type_ in enumerate(kind.types)]


def get(name: str, kind: NumberKind) -> str:
    """Code that pushes a value from its locals."""
    return " ".join(f"local.get {part}" for part, _ in variables(name, kind))


def take(name: str, kind: NumberKind) -> str:
    """Code that pops a value into its locals."""
    return " ".join(f"local.set {part}" for part, _ in reversed(variables(name, kind)))


def declared(word: str, name: str, kind: NumberKind) -> list[str]:
    """Declarations of the locals or parameters that hold a value."""
    return [f"({word} {part} {type_})" for part, type_ in variables(name, kind)]


WIDEN = {
    (NumberKind.INTEGER, NumberKind.RATIONAL): "i64.const 1",
    (NumberKind.INTEGER, NumberKind.REAL): "f64.convert_i64_s",
    (NumberKind.RATIONAL, NumberKind.REAL): "call $real",
    (NumberKind.RATIONAL, NumberKind.INTEGER): "call $whole",
    (NumberKind.REAL, NumberKind.INTEGER): "call $whole_real",
}


def converted(code: str, kind: NumberKind, to: NumberKind) -> str:
    """Code that gives the same number as another kind."""
    return code if kind is to else f"{code} {WIDEN[kind, to]}"


def compare(symbol: str, kind: NumberKind) -> str:
    """Code that compares the two topmost values: `lt`, `le`, `gt`, `ge`, `eq` or `ne`."""
    if kind is NumberKind.REAL:
        return f"f64.{symbol}"
    sides = "call $rsides " if kind is NumberKind.RATIONAL else ""
    return f"{sides}i64.{symbol}{'' if symbol in ('eq', 'ne') else '_s'}"


ARITHMETIC = {
    "ADD": {
        NumberKind.INTEGER: "call $add",
        NumberKind.RATIONAL: "call $radd",
        NumberKind.REAL: "f64.add",
    },
    "SUB": {
        NumberKind.INTEGER: "call $sub",
        NumberKind.RATIONAL: "call $rsub",
        NumberKind.REAL: "f64.sub",
    },
    "MUL": {
        NumberKind.INTEGER: "call $mul",
        NumberKind.RATIONAL: "call $rmul",
        NumberKind.REAL: "f64.mul",
    },
    "DIV": {
        NumberKind.INTEGER: "call $ratio",
        NumberKind.RATIONAL: "call $rdiv",
        NumberKind.REAL: "call $fdiv",
    },
    "MOD": {
        NumberKind.INTEGER: "call $mod",
        NumberKind.RATIONAL: "call $rmod",
        NumberKind.REAL: "call $fmod",
    },
    "PRIME": {
        NumberKind.INTEGER: "call $prime",
        NumberKind.RATIONAL: "call $rprime",
        NumberKind.REAL: "call $fprime",
    },
}
CONSTANT = {NumberKind.INTEGER: "i64.const {}", NumberKind.RATIONAL: "i64.const {} i64.const 1",
            NumberKind.REAL: "f64.const {}"}  # fmt: skip


def function(shape: LoopShape) -> str:
    """The text of a shape's function. Parameters: the steps' numbers, then the source's."""
    kind = shape.kind
    parameters = [
        text
        for index, (_, number) in enumerate(shape.steps)
        if number is not None
        for text in declared("param", f"k{index}", number)
    ]
    parameters += [f"(param ${name} {type_})" for name, type_ in _SOURCES[shape.source]]
    result, start, each, end = _aggregate(shape)
    locals_ = [f"(local $n {_counter(shape)})", "(local $seen i32)"]
    locals_ += declared("local", "x", kind) + declared("local", "acc", kind)
    locals_ += _LOCALS.get(shape.source, [])
    body = [*start, *_opening(shape), *_loop(shape, each), *end]
    head = f"(func ${shape.name} {' '.join(parameters)} {result.result}"
    return "\n  ".join([head, " ".join(locals_), *body]) + ")"


_SOURCES = {
    "array": (("at", "i32"), ("count", "i32")),
    "range": (("at", "i64"), ("to", "i64"), ("step", "i64")),
    "narrow": (("at", "i32"), ("stop", "i32")),
}
_LOCALS = {"range": ["(local $stop i64)"], "array": ["(local $stop i32)"]}


def _counter(shape: LoopShape) -> str:
    """The type that members are counted in: only a range of 64 bits may have more."""
    return "i64" if shape.source == "range" else "i32"


def _count(shape: LoopShape) -> str:
    """Code that counts one more member."""
    word = _counter(shape)
    return f"local.get $n {word}.const 1 {word}.add local.set $n"


def _counted(shape: LoopShape) -> str:
    """Code that pushes the number of members."""
    return "local.get $n" if _counter(shape) == "i64" else "local.get $n i64.extend_i32_u"


def _opening(shape: LoopShape) -> list[str]:
    """Sets `$stop`, the place after the last member; there is at least one member."""
    if shape.source == "array":
        size = 8 * len(shape.kind.types)
        return [f"local.get $at local.get $count i32.const {size} i32.mul i32.add local.set $stop"]
    if shape.source == "narrow":
        return []
    return [
        "local.get $step i64.eqz if unreachable end",
        "local.get $step call $abs local.set $step",
        "local.get $to local.get $at i64.lt_s",
        "if",
        "  i64.const 0 local.get $step i64.sub local.set $step",
        "end",
        "local.get $to local.get $at call $sub local.get $step i64.div_s",
        "i64.const 1 i64.add local.get $step i64.mul local.get $at i64.add local.set $stop",
    ]


def _loop(shape: LoopShape, each: list[str]) -> list[str]:
    word = "i64" if shape.source == "range" else "i32"
    step = {
        "range": "local.get $step",
        "narrow": f"i32.const {shape.step}",
        "array": f"i32.const {8 * len(shape.kind.types)}",
    }[shape.source]
    lines = ["loop $next", "  block $skip"]
    lines += [f"    {line}" for line in (_member(shape), *_filtered(shape), *each)]
    lines += ["  end", f"  local.get $at {step} {word}.add local.tee $at"]
    lines += [f"  local.get $stop {word}.ne br_if $next", "end"]
    return _unrolled(shape) + (_unless_done(lines) if shape.bare else lines)


def _unless_done(lines: list[str]) -> list[str]:
    return ["local.get $at local.get $stop i32.ne", "if", *(f"  {x}" for x in lines), "end"]


def _unrolled(shape: LoopShape) -> list[str]:
    """The sum of a bare range, many members at a time; the loop that follows does the rest."""
    if not shape.bare:
        return []
    far = UNROLLED * shape.step
    terms = [
        f"local.get $at i32.const {index * shape.step} i32.add i32.add"
        for index in range(1, UNROLLED)
    ]
    left = f"local.get $stop local.get $at i32.sub i32.const {far}"
    enough = "i32.ge_s" if shape.step > 0 else "i32.le_s"
    return [
        "loop $many",
        f"  {left} {enough}",
        "  if",
        "    local.get $acc",
        "    local.get $at",
        *(f"    {term}" for term in terms),
        "    i64.extend_i32_s i64.add local.set $acc",
        f"    local.get $at i32.const {far} i32.add local.set $at",
        "    br $many",
        "  end",
        "end",
    ]


def _member(shape: LoopShape) -> str:
    """Sets `$x` to the member at `$at`."""
    if shape.source == "range":
        return "local.get $at local.set $x"
    if shape.source == "narrow":
        return "local.get $at i64.extend_i32_s local.set $x"
    if shape.kind is NumberKind.RATIONAL:
        return "local.get $at i64.load local.set $x local.get $at i64.load offset=8 local.set $xd"
    return f"local.get $at {shape.kind.types[0]}.load local.set $x"


def _filtered(shape: LoopShape) -> list[str]:
    """Leaves `$skip` where a filter does not let a member through; powers replace it."""
    return [
        code
        for index, (token, number) in enumerate(shape.steps)
        for code in _step(token, f"k{index}", number, shape.kind)
    ]


def _step(token: str, name: str, number: NumberKind | None, kind: NumberKind) -> list[str]:
    x = get("x", kind)
    if token in ("SQUARES", "CUBES"):
        times = ARITHMETIC["MUL"][kind]
        factors = [f"{x} {times}"] * (1 if token == "SQUARES" else 2)
        return [" ".join([x, *factors, take("x", kind)])]
    if token == "PRIMES":
        return [f"{x} {ARITHMETIC['PRIME'][kind]} i32.eqz br_if $skip"]
    if token in ("EVENS", "ODDS"):
        return [_remainder(x, CONSTANT[kind].format(2), kind, int(token == "ODDS"))]
    assert number is not None
    wide = wider([kind, number])
    left, right = converted(x, kind, wide), converted(get(name, number), number, wide)
    if token == "MULTIPLES":
        return [_remainder(left, right, wide, 0)]
    keep = compare("gt" if token == "ABOVE" else "lt", wide)
    return [f"{left} {right} {keep} i32.eqz br_if $skip"]


def _remainder(left: str, right: str, kind: NumberKind, wanted: int) -> str:
    """Skips unless `left mod right` is what is wanted."""
    if kind is NumberKind.INTEGER and right == "i64.const 2":
        odd = "i32.wrap_i64 i32.const 1 i32.and"
        return f"{left} {odd}{' i32.eqz' if wanted else ''} br_if $skip"
    number = CONSTANT[kind].format(wanted)
    return f"{left} {right} {ARITHMETIC['MOD'][kind]} {number} {compare('ne', kind)} br_if $skip"


def _aggregate(shape: LoopShape) -> tuple[NumberKind, list[str], list[str], list[str]]:
    """The result's kind; code before the loop, for every member, and behind the loop."""
    kind = shape.kind
    x, acc, keep = get("x", kind), get("acc", kind), take("acc", kind)
    seen = "local.get $seen i32.eqz if unreachable end"
    count = _count(shape)
    add = "i64.add" if shape.bare else ARITHMETIC["ADD"][kind]
    start = [f"{CONSTANT[kind].format(0)} {keep}"]
    match shape.aggregate:
        case "SUM":
            return kind, start, [f"{acc} {x} {add} {keep}"], [acc]
        case "PROD":
            one = [f"{CONSTANT[kind].format(1)} {keep}"]
            return kind, one, [f"{acc} {x} {ARITHMETIC['MUL'][kind]} {keep}"], [acc]
        case "COUNT":
            return NumberKind.INTEGER, [], [count], [_counted(shape)]
        case "MEAN":
            wide = NumberKind.REAL if kind is NumberKind.REAL else NumberKind.RATIONAL
            members = converted(_counted(shape), NumberKind.INTEGER, wide)
            total = f"{converted(acc, kind, wide)} {members}"
            return (
                wide,
                start,
                [f"{acc} {x} {add} {keep}", count],
                [f"{total} {ARITHMETIC['DIV'][wide]}"],
            )
        case "FIRST":
            return kind, [], [f"{x} return"], ["unreachable"]
        case "LAST":
            return kind, [], [f"{x} {keep} i32.const 1 local.set $seen"], [seen, acc]
        case "MEDIAN":
            middle = f"global.get $heap {_counted(shape)} i32.wrap_i64 call $middle"
            return NumberKind.RATIONAL, [], _inserted(shape), [middle]
    better = compare("lt" if shape.aggregate == "MIN" else "gt", kind)
    each = [
        "local.get $seen",
        f"if {x} {acc} {better} i32.eqz br_if $skip end",
        f"{x} {keep} i32.const 1 local.set $seen",
    ]
    return kind, [], each, [seen, acc]


def _inserted(shape: LoopShape) -> list[str]:
    """Code that puts a member in its place in the sorted array of those before it."""
    end = f"global.get $heap {_counted(shape)} i32.wrap_i64 i32.const 4 i32.shl i32.add"
    member = converted(get("x", shape.kind), shape.kind, NumberKind.RATIONAL)
    return [f"global.get $heap {end} {member} call $insert", _count(shape)]
