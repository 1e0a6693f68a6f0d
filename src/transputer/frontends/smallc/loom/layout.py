"""The order of parts in memory, with as few jumps as possible."""

from transputer.frontends.smallc.loom.code import (
    CodePart,
    LoomGoto,
    LoomHalt,
    LoomOp,
    LoomTest,
    Operand,
)
from transputer.values import dataclass

_OPPOSITE = {"JZ": "JNZ", "JNZ": "JZ"}


@dataclass(frozen=True, slots=True)
class Placed:
    """An instruction in its place: an operation on operands, or a jump to a part."""

    name: str
    a: Operand = 0
    b: Operand = 0
    c: Operand = 0
    to: CodePart | None = None
    line: int = 0


def layout(parts: list[CodePart]) -> tuple[list[Placed], dict[CodePart, int]]:
    """The instructions in order, and where each part begins."""
    after = _matched(parts)
    placed: list[Placed] = []
    starts: dict[CodePart, int] = {}
    for chain in _chains(parts, after):
        for part in chain:
            starts[part] = len(placed)
            placed += _written(part, after.get(part))
    return placed, starts


def _choices(part: CodePart) -> list[CodePart]:
    """The parts that save a jump if they come next."""
    end = part.end
    if isinstance(end, LoomGoto):
        return [end.to]
    if not isinstance(end, LoomTest):
        return []
    if end.name in _OPPOSITE or end.turned:
        return [end.no, end.yes]
    return [end.no]


def _matched(parts: list[CodePart]) -> dict[CodePart, CodePart]:
    """A maximum matching of parts and the parts that follow them, without cycles."""
    before: dict[CodePart, CodePart] = {}

    def place(part: CodePart, tried: set[CodePart]) -> bool:
        for choice in _choices(part):
            if choice in tried or choice is parts[0] or choice is part:
                continue
            tried.add(choice)
            if choice not in before or place(before[choice], tried):
                before[choice] = part
                return True
        return False

    for part in parts:
        place(part, set())
    after = {part: choice for choice, part in before.items()}
    _open_rings(parts, after)
    return after


def _open_rings(parts: list[CodePart], after: dict[CodePart, CodePart]) -> None:
    """Cut each cycle of parts where that costs least."""
    seen: set[CodePart] = set()
    followed = set(after.values())
    for part in parts:
        if part not in followed:
            while part not in seen:
                seen.add(part)
                part = after.get(part, part)
    for part in parts:
        if part in seen or part not in after:
            continue
        ring = [part]
        while after[ring[-1]] is not part:
            ring.append(after[ring[-1]])
        seen.update(ring)
        taken = set(after.values())
        cut = ring[-1]
        other = None
        for one in ring:
            free = [c for c in _choices(one) if c not in taken and c not in ring]
            free = [c for c in free if c is not parts[0]]
            if free:
                cut, other = one, free[0]
                break
        if other is not None:
            after[cut] = other
        else:
            del after[cut]


def _chains(parts: list[CodePart], after: dict[CodePart, CodePart]) -> list[list[CodePart]]:
    followed = set(after.values())
    chains = []
    for part in parts:
        if part in followed:
            continue
        chain = [part]
        while chain[-1] in after:
            chain.append(after[chain[-1]])
        chains.append(chain)
    return chains


def _written(part: CodePart, follows: CodePart | None) -> list[Placed]:
    ops, end = part.ops, part.end
    match end:
        case LoomGoto(to):
            jump = [] if to is follows else [Placed("JMP", to=to, line=_line(ops))]
            return [*map(_placed, ops), *jump]
        case LoomTest():
            return _tested(ops, end, follows)
    halt = [Placed("HALT", line=_line(ops))] if isinstance(end, LoomHalt) else []
    return [*map(_placed, ops), *halt]


def _tested(ops: list[LoomOp], end: LoomTest, follows: CodePart | None) -> list[Placed]:
    name, yes, no = end.name, end.yes, end.no
    if follows is yes and follows is not no:
        if name in _OPPOSITE:
            name, yes, no = _OPPOSITE[name], no, yes
        elif end.turned:
            move, x = end.turned
            test = Placed("SUBLEQ", a=x, b=move.b, to=no, line=end.line)
            return [*map(_placed, ops[:-1]), _placed(move), test]
    test = Placed(name, a=end.a, b=end.b, to=yes, line=end.line)
    jump = [] if no is follows else [Placed("JMP", to=no, line=end.line)]
    return [*map(_placed, ops), test, *jump]


def _placed(op: LoomOp) -> Placed:
    return Placed(op.name, b=op.b, c=op.c, line=op.line)


def _line(ops: list[LoomOp]) -> int:
    return ops[-1].line if ops else 0
