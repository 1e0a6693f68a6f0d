"""Merge equal code with the same continuation."""

from transputer.frontends.smallc.loom.code import (
    CHANGING,
    Cell,
    CodePart,
    End,
    LoomGoto,
    LoomHalt,
    LoomOp,
    LoomTest,
    led,
    ways,
    ways_in,
)


def merge(parts: list[CodePart]) -> list[CodePart]:
    """Join chains, thread jumps and merge equal tails until nothing changes."""
    while _threaded(parts) or _pruned(parts) or _chained(parts) or _tails(parts) or _heads(parts):
        pass
    return parts


def _threaded(parts: list[CodePart]) -> bool:
    """Redirect jumps to parts that only jump or halt."""
    changed = False

    def final(part: CodePart) -> CodePart:
        visited = {part}
        while not part.ops and isinstance(part.end, LoomGoto) and part.end.to not in visited:
            part = part.end.to
            visited.add(part)
        return part

    for part in parts:
        end: End = led(part.end, final)
        if isinstance(end, LoomTest) and end.yes is end.no and not list(end.writes()):
            end = LoomGoto(end.yes)
        if isinstance(end, LoomGoto) and not end.to.ops and isinstance(end.to.end, LoomHalt):
            end = end.to.end
        if end != part.end:
            part.end, changed = end, True
    return changed


def _pruned(parts: list[CodePart]) -> bool:
    reached, todo = set(), [parts[0]]
    while todo:
        part = todo.pop()
        if part not in reached:
            reached.add(part)
            todo.extend(ways(part.end))
    live = [part for part in parts if part in reached]
    changed = len(live) != len(parts)
    parts[:] = live
    return changed


def _chained(parts: list[CodePart]) -> bool:
    """Merge a part into its only predecessor."""
    before = ways_in(parts)
    merged: set[CodePart] = set()
    for part in parts:
        while part not in merged and isinstance(part.end, LoomGoto):
            after = part.end.to
            if after is part or after is parts[0] or len(before[after]) != 1:
                break
            part.ops += after.ops
            part.end = after.end
            merged.add(after)
    parts[:] = [part for part in parts if part not in merged]
    return bool(merged)


def _same(op: LoomOp) -> tuple[object, ...]:
    return (op.name, op.b, op.c)


def _tails(parts: list[CodePart]) -> bool:
    """Merge the last instruction of parts with the same end."""
    groups: dict[tuple[object, ...], list[CodePart]] = {}
    for part in parts:
        if part.ops and not isinstance(part.end, LoomTest):
            to = part.end.to if isinstance(part.end, LoomGoto) else type(part.end)
            groups.setdefault((to, *_same(part.ops[-1])), []).append(part)
    best = max(groups.values(), key=len, default=[])
    if len(best) < 2:
        return _equal_tests(parts)
    end = best[0].end
    whole = next((p for p in best if len(p.ops) == 1 and p is not parts[0]), None)
    if whole is None:
        whole = CodePart(f"{best[0].name}+", [best[0].ops[-1]], end)
        parts.append(whole)
    for part in best:
        if part is not whole:
            part.ops.pop()
            part.end = LoomGoto(whole)
    return True


def _equal_tests(parts: list[CodePart]) -> bool:
    """Merge parts that end in the same test after the same instruction."""
    groups: dict[tuple[object, ...], list[CodePart]] = {}
    for part in parts:
        end = part.end
        if isinstance(end, LoomTest):
            last = _same(part.ops[-1]) if end.turned and part.ops else None
            key = (end.name, end.a, end.b, end.yes, end.no, last)
            groups.setdefault(key, []).append(part)
    best = max(groups.values(), key=len, default=[])
    if len(best) < 2:
        return False
    first = best[0].end
    assert isinstance(first, LoomTest)
    shared = 1 if first.turned else 0
    whole = next((p for p in best if len(p.ops) == shared and p is not parts[0]), None)
    if whole is None:
        whole = CodePart(f"{best[0].name}?", best[0].ops[len(best[0].ops) - shared :], first)
        parts.append(whole)
    for part in best:
        if part is not whole:
            part.ops = part.ops[: len(part.ops) - shared]
            part.end = LoomGoto(whole)
    return True


def _heads(parts: list[CodePart]) -> bool:
    """Move the first instruction of both branches before the test, if they are equal."""
    before = ways_in(parts)
    for part in parts:
        end = part.end
        if not isinstance(end, LoomTest) or end.yes is end.no:
            continue
        if len(before[end.yes]) != 1 or len(before[end.no]) != 1:
            continue
        if not (end.yes.ops and end.no.ops) or _same(end.yes.ops[0]) != _same(end.no.ops[0]):
            continue
        op = end.yes.ops[0]
        if _independent(op, end, part):
            part.ops.insert(len(part.ops) - bool(end.turned), op)
            del end.yes.ops[0], end.no.ops[0]
            return True
    return False


def _independent(op: LoomOp, end: LoomTest, part: CodePart) -> bool:
    """Return whether an instruction may run before a test instead of after it."""
    read = set(end.reads())
    if end.turned:
        last = part.ops[-1]
        read |= {last.c, end.turned[1]}
        if last.b in (op.b, op.c):
            return False
    if any(w in read for w in op.writes()):
        return False
    if op.name in CHANGING and any(isinstance(r, Cell) for r in read):
        return False
    return not any(w in (op.b, op.c) for w in end.writes())
