"""The assembly as written: instructions with absolute targets, labels, and its text form."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from transputer.errors import Place
from transputer.isa.asm import ENDS, LOCALS
from transputer.isa.integers import signed
from transputer.isa.op import Op


@dataclass(frozen=True, slots=True)
class AsmInstr:
    """One instruction: its row, its immediates as unsigned ints, where it stands in the source.

    Places do not count in comparisons.
    """

    op: Op
    args: tuple[int, ...] = ()
    place: Place = field(default=Place(), compare=False)

    @property
    def name(self) -> str:
        """The instruction's name."""
        return self.op.name

    def __str__(self) -> str:
        return _text(self, {})


@dataclass(frozen=True, slots=True)
class AsmProgram:
    """A whole program. Execution begins at 0; `labels` gives the author's names for places.

    It is closed: every target and label lies inside, and the last instruction never goes on
    to the next; anything else is a bug of whoever made it, and a ValueError.
    """

    code: tuple[AsmInstr, ...]
    labels: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    file: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.code or self.code[-1].name not in ENDS:
            raise ValueError("control falls off the end of the program")
        for name, pc in self.labels.items():
            _check(f"label {name}", pc, len(self.code))
        limits = {"i32": 1 << 32, "local": LOCALS, "pc": len(self.code)}
        for instr in self.code:
            for kind, arg in zip(instr.op.imm, instr.args, strict=True):
                _check(instr.name, arg, limits[kind])


def _check(what: str, value: int, limit: int) -> None:
    if not 0 <= value < limit:
        raise ValueError(f"{what}: {value} is not in 0..{limit - 1}")


#: How each kind of immediate is written, given the name of every place that has one.
_WRITTEN: dict[str, Callable[[int, Mapping[int, str]], str]] = {
    "i32": lambda value, names: str(signed(32, value)),
    "local": lambda value, names: str(value),
    "pc": lambda value, names: names.get(value, str(value)),
}


def _text(instr: AsmInstr, names: Mapping[int, str]) -> str:
    pairs = zip(instr.op.imm, instr.args, strict=True)
    return " ".join((instr.name, *(_WRITTEN[kind](arg, names) for kind, arg in pairs)))


def _lines(program: AsmProgram) -> Iterator[str]:
    here: dict[int, list[str]] = {}
    for name, pc in program.labels.items():
        here.setdefault(pc, []).append(name)
    names = {pc: found[0] for pc, found in here.items()}
    for pc, instr in enumerate(program.code):
        yield from (f"{name}:" for name in here.get(pc, ()))
        yield f"    {_text(instr, names):<24}; {pc}"


def to_text(program: AsmProgram) -> str:
    """The program as assembly text, which assembles to an equal program."""
    return "\n".join(_lines(program)) + "\n"
