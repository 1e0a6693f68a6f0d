"""Rule 1: all semantics are in the weights."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from transputer.check.audit.evidence import Evidence
from transputer.check.audit.verdict import Fact, rule, some
from transputer.isa.asm import ASM
from transputer.isa.core import CORE
from transputer.isa.vectors import VECTORS
from transputer.isa.wasm import WASM

#: Every instruction name of every table.
NAMES = frozenset(op.name for table in (WASM, VECTORS, ASM, CORE) for op in table)
#: Names that are not English words.
TELLING = frozenset(name for name in NAMES if not name.isalpha())
#: Rooms between a program and its execution that may know no instruction at all.
BLIND = ("engines", "model", "circuit")
#: Rooms that engines see.
SEEN = ("engines", "model", "errors", "cache", "values")
#: Rooms that may distinguish instructions: they define, rewrite or wire them, or are oracles.
DEFINING = ("isa", "oracle", "lower", "machines", "host")  # the host links: constant initialisers
#: Rooms that read, check, print or generate programs and never run one.
READING = ("ir", "frontends", "check", "debugger", "learning")
_WORD = re.compile(r"[A-Za-z0-9_.]+")


@rule(1, "All semantics are in the weights")
def semantics(evidence: Evidence) -> Iterator[Fact]:
    """Sources know no instruction; without its weights the machine does not do it."""
    yield from ignorance(evidence.source)
    yield from _silenced(evidence)


def ignorance(source: Path) -> Iterator[Fact]:
    """Yield facts about the sources: engines know no machine, and few rooms an instruction."""
    yield _imports(source)
    yield _names(source)
    yield from _comparisons(source)


def _files(source: Path, room: str, *suffixes: str) -> list[Path]:
    """The files of a room, which is a folder or a file."""
    alone = source / f"{room}.py"
    paths = sorted((source / room).rglob("*")) + ([alone] if alone.exists() else [])
    return [path for path in paths if path.suffix in suffixes]


def _imports(source: Path) -> Fact:
    """Engines import the model, the errors and the user's cache, and nothing else of ours."""
    files = _files(source, "engines", ".py")
    wrong = []
    for path in files:
        for name in _imported(ast.parse(path.read_text())):
            room = name.removeprefix("transputer.").split(".")[0]
            if name.startswith("transputer") and room not in SEEN:
                wrong.append(f"{path.relative_to(source)} imports {name}")
    if wrong:
        return Fact(f"engines see only the model: {some(wrong)}", False)
    return Fact(f"{len(files)} files of engines/ import only model, errors, cache and libraries")


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module == "transputer":
                yield from (f"transputer.{alias.name}" for alias in node.names)
            else:
                yield node.module


def _names(source: Path) -> Fact:
    """No telling name anywhere in a blind room, in code, comments or strings."""
    files = [path for room in BLIND for path in _files(source, room, ".py", ".c", ".h")]
    wrong = []
    for path in files:
        names = TELLING.intersection(_WORD.findall(path.read_text()))
        wrong += [f"{path.relative_to(source)} says {name}" for name in sorted(names)]
    where = ", ".join(f"{room}/" for room in BLIND)
    if wrong:
        return Fact(f"{where} name no instruction: {some(wrong)}", False)
    return Fact(f"{len(files)} files of {where} hold none of {len(TELLING)} instruction names")


def compared(path: Path) -> list[str]:
    """Instruction names that a file compares something with, as `name line`."""
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare | ast.MatchValue):
            texts = (c.value for c in ast.walk(node) if isinstance(c, ast.Constant))
            names += [f"{text!r} in line {node.lineno}" for text in texts if text in NAMES]
    return names


def _comparisons(source: Path) -> Iterator[Fact]:
    """`if op == ...` only where instructions are defined or programs are read."""
    rooms = sorted({p.name.removesuffix(".py") for p in source.iterdir() if p.suffix != ".pyc"})
    wrong, reading, checked = [], 0, 0
    for room in rooms:
        for path in _files(source, room, ".py") if room not in DEFINING else []:
            names = compared(path)
            if room in READING:
                reading += len(names)
            else:
                checked += 1
                wrong += [f"{path.relative_to(source)} compares with {text}" for text in names]
    if wrong:
        yield Fact(f"nothing else tells instructions apart: {some(wrong)}", False)
    else:
        yield Fact(f"{checked} files elsewhere compare nothing with an instruction name")
    yield Fact(f"{reading} such comparisons in {', '.join(READING)}: they read programs, run none")


def _silenced(evidence: Evidence) -> Iterator[Fact]:
    """Every group and head that the hints name does something that nothing else does."""
    organs, felt = evidence.organs, evidence.survey.felt
    idle = [organ.name for organ in organs if organ not in felt]
    if not organs:
        yield Fact("the model has hints that name its neurons and heads", False)
    elif idle:
        yield Fact(f"every group matters; silencing changes nothing: {some(idle)}", False)
    else:
        yield Fact(
            f"{len(organs)} groups of neurons and heads, each silenced alone: "
            "every one changes what is decoded"
        )
