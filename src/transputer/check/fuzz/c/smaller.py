"""Shrink a C program that shows a problem, along its tree."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

from transputer.check.fuzz.c.tree import (
    CCase,
    CExpr,
    CFunction,
    CLoop,
    Const,
    CProgram,
    If,
    Statement,
    Switch,
    lines,
    print_program,
)
from transputer.check.fuzz.shrink import Shows, ShrinkBudget, fewer, settle

#: The path to a node in a tree: field names and indices.
Path = tuple[str | int, ...]


def smaller_program(
    program: CProgram, shows: Shows[CProgram], budget: ShrinkBudget | None = None
) -> CProgram:
    """Return a smaller program that still shows the problem."""
    limited = (budget or ShrinkBudget()).within(shows)
    return settle(program, lambda thing: _round(thing, limited))


def _round(program: CProgram, shows: Shows[CProgram]) -> CProgram:
    program = _blocks(program, shows)
    program = _unwrapped(program, shows)
    program = _expressions(program, shows)
    return _unused(program, shows)


def _at(node: Any, path: Path) -> Any:
    for step in path:
        node = node[step] if isinstance(step, int) else getattr(node, step)
    return node


def _put(node: Any, path: Path, value: Any) -> Any:
    """Return the tree with another node at `path`."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*node[:step], _put(node[step], rest, value), *node[step + 1 :])
    return replace(node, **{step: _put(getattr(node, step), rest, value)})


def _walk(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every node and tuple of a tree with its path, the outer ones first."""
    yield path, node
    if isinstance(node, tuple):
        for i, item in enumerate(node):
            yield from _walk(item, (*path, i))
    elif isinstance(node, (CProgram, CFunction, Statement, CCase, CExpr)):
        for f in fields(node):  # type: ignore[arg-type]  # every one of them is a dataclass
            yield from _walk(getattr(node, f.name), (*path, f.name))


def _is_block(node: Any) -> bool:
    return isinstance(node, tuple) and bool(node) and isinstance(node[0], (Statement, CCase))


def _blocks(program: CProgram, shows: Shows[CProgram]) -> CProgram:
    """Remove statements from every block, the outer blocks first."""
    visited: set[Path] = set()
    while paths := [p for p, node in _walk(program) if _is_block(node) and p not in visited]:
        path = paths[0]
        visited.add(path)
        before = program

        def still(block: tuple[Any, ...], path: Path = path, before: CProgram = before) -> bool:
            return shows(_put(before, path, block))

        program = _put(before, path, fewer(_at(before, path), still))
    return program


def _unwrapped(program: CProgram, shows: Shows[CProgram]) -> CProgram:
    """Replace a compound statement by its contents."""
    for path in [p for p, node in _walk(program) if _is_block(node)]:
        try:
            block = _at(program, path)
        except (AttributeError, IndexError):
            continue  # removed by now
        for i, statement in enumerate(block):
            for inner in _inside(statement):
                changed: CProgram = _put(program, path, (*block[:i], *inner, *block[i + 1 :]))
                if shows(changed):
                    return changed
    return program


def _inside(statement: Any) -> Iterable[tuple[Statement, ...]]:
    """Return the blocks of a compound statement."""
    match statement:
        case If(_, then, other):
            return [b for b in (then, other) if b]
        case CLoop(_, _, body, _):
            return [body]
        case Switch(_, cases, default):
            return [b for b in (*(c.body for c in cases), default) if b]
    return []


def _expressions(program: CProgram, shows: Shows[CProgram]) -> CProgram:
    """Replace expressions by 0 or 1, or by one of their own parts of the same type."""
    visited: set[Path] = set()
    while True:
        paths = [p for p, n in _walk(program) if _is_value(p, n) and p not in visited]
        if not paths:
            return program
        path = paths[0]
        visited.add(path)
        node = _at(program, path)
        for other in _others(node):
            changed = _put(program, path, other)
            if shows(changed):
                program = changed
                break


def _is_value(path: Path, node: Any) -> bool:
    """Return whether a node is an expression that is read, not assigned or only mixed in."""
    if not isinstance(node, CExpr) or isinstance(node, Const) or path[0] == "checked":
        return False
    returned = path[0] == "functions" and len(path) == 3
    return path[-1] not in ("place", "result") or returned


def _others(node: CExpr) -> Iterable[CExpr]:
    yield Const(node.type, 0)
    yield Const(node.type, 1)
    inner = [getattr(node, f.name) for f in fields(node)]  # type: ignore[arg-type]
    yield from (e for e in inner if isinstance(e, CExpr) and e.type == node.type)


def _unused(program: CProgram, shows: Shows[CProgram]) -> CProgram:
    """Remove functions, tables and declarations that nothing refers to."""
    for name in ("functions", "tables", "declarations"):
        for item in reversed(getattr(program, name)):
            rest = tuple(other for other in getattr(program, name) if other is not item)
            changed: CProgram = _put(program, (name,), rest)
            if not _named(item, changed) and shows(changed):
                program = changed
    tidy = replace(program, functions=tuple(map(_without_unused, program.functions)))
    return tidy if tidy != program and shows(tidy) else program


def _without_unused(function: CFunction) -> CFunction:
    """Return a function without its unused variables."""
    used = set(_words("\n".join((*lines(function.body, 0), str(function.result)))))
    needed = [d for d in function.declarations if _words(d.partition("=")[0])[1] in used]
    return replace(function, declarations=tuple(needed))


def _named(item: Any, program: CProgram) -> bool:
    text = item.name if isinstance(item, CFunction) else item
    words = {w for w in _words(text) if w.startswith(f"p{program.number}_")}
    own = words if isinstance(item, CFunction) else set(list(_declared(text, words))[:3])
    return bool(own & set(_words(print_program(program))))


def _declared(text: str, words: set[str]) -> Iterator[str]:
    """Yield the names in a declaration before its initial values."""
    yield from (w for w in _words(text.partition("=")[0]) if w in words)


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
