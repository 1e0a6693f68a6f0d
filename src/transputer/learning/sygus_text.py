"""SyGuS files as values: commands, sorts, constants."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transputer.errors import UsageError

Sexp = Any


def read_sexps(text: str, path: str) -> list[Sexp]:
    """The expressions of a file: words and lists of them."""
    words: list[str] = []
    for line in text.splitlines():
        line = line.split(";")[0]
        words += line.replace("(", " ( ").replace(")", " ) ").split()
    stack: list[list[Sexp]] = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")":
            if len(stack) == 1:
                raise UsageError(f"{path}: one ) too many")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    if len(stack) != 1:
        raise UsageError(f"{path}: a ) is missing")
    return stack[0]


def literal(word: Sexp) -> tuple[int, int] | None:
    """Value and width of a bit-vector constant, if it is one."""
    if isinstance(word, str) and word.startswith("#x"):
        return int(word[2:], 16), 4 * (len(word) - 2)
    if isinstance(word, str) and word.startswith("#b"):
        return int(word[2:], 2), len(word) - 2
    if isinstance(word, list) and len(word) == 3 and word[0] == "_" and str(word[1])[:2] == "bv":
        return int(word[1][2:]), int(word[2])
    return None


def _width(sort: Sexp, path: str) -> int:
    """The bits of a sort; 0 for Bool."""
    if sort == "Bool":
        return 0
    if isinstance(sort, list) and sort[-2:-1] == ["BitVec"]:
        return int(sort[-1])
    raise UsageError(f"{path}: {written(sort)} is not a bit vector")


def written(sexp: Sexp) -> str:
    """An expression as text."""
    return sexp if isinstance(sexp, str) else f"({' '.join(map(written, sexp))})"


@dataclass
class SygusProblem:
    """What a file says."""

    path: str
    name: str = ""
    parameters: list[str] = field(default_factory=list)
    width: int = 0
    widths: list[int] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    functions: dict[str, tuple[list[str], Sexp]] = field(default_factory=dict)
    constraints: list[Sexp] = field(default_factory=list)
    #: Constants of the grammar and of the functions that it uses.
    constants: list[int] = field(default_factory=list)


def read_problem(path: Path) -> SygusProblem:
    """A file's problem; `UsageError` for what is not supported."""
    problem = SygusProblem(str(path))
    for command in read_sexps(path.read_text(encoding="utf-8"), str(path)):
        if not isinstance(command, list) or not command:
            raise UsageError(f"{path}: {written(command)} is not a command")
        head, *rest = command
        if head == "synth-fun":
            if problem.name:
                raise UsageError(f"{path}: more than one function to synthesise")
            problem.name = rest[0]
            problem.parameters = [name for name, _ in rest[1]]
            problem.widths = [_width(sort, str(path)) for _, sort in rest[1]]
            problem.width = _width(rest[2], str(path))
            bodies = [body for name, (_, body) in problem.functions.items()
                      if name in set(_names(rest[3:]))]  # fmt: skip
            problem.constants = list(dict.fromkeys(_constants([rest[3:], bodies])))
        elif head == "declare-var":
            problem.variables.append(rest[0])
        elif head == "define-fun":
            problem.functions[rest[0]] = ([name for name, _ in rest[1]], rest[3])
        elif head == "constraint":
            problem.constraints.append(rest[0])
        elif head not in ("set-logic", "check-synth", "set-option", "set-info", "set-feature"):
            raise UsageError(f"{path}: {head} is not supported")
    if not problem.name or not problem.constraints:
        raise UsageError(f"{path}: no function to synthesise, or no constraint")
    return problem


def _names(sexp: Sexp) -> Iterator[str]:
    """The words of an expression."""
    if isinstance(sexp, str):
        yield sexp
    else:
        for part in sexp:
            yield from _names(part)


def _constants(sexp: Sexp) -> Iterator[int]:
    number = literal(sexp)
    if number is not None:
        yield number[0]
    elif isinstance(sexp, list):
        for part in sexp:
            yield from _constants(part)
