"""Assembly programs: instructions with absolute targets, labels, and the text form."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from transputer.errors import Place
from transputer.isa.asm import ENDS, LOCALS
from transputer.isa.integers import signed
from transputer.isa.op import Op
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class AsmInstr:
    """One instruction: its row, its immediates as unsigned ints, its place in the source.

    Comparisons ignore the place.
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
    """A whole program. Execution begins at 0; `labels` maps the author's names to addresses.

    Every target and label lies inside the program, and control never falls off its end. Raises
    `ValueError` otherwise, which is a bug of the caller.
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


#: How each kind of immediate is printed, given the labels by address.
_WRITTEN: dict[str, Callable[[int, Mapping[int, str]], str]] = {
    "i32": lambda value, names: str(signed(32, value)),
    "local": lambda value, names: str(value),
    "pc": lambda value, names: names.get(value, str(value)),
}


def _text(instr: AsmInstr, names: Mapping[int, str]) -> str:
    pairs = zip(instr.op.imm, instr.args, strict=True)
    return " ".join((instr.name, *(_WRITTEN[kind](arg, names) for kind, arg in pairs)))


def _lines(program: AsmProgram) -> Iterator[str]:
    labels: dict[int, list[str]] = {}
    for name, pc in program.labels.items():
        labels.setdefault(pc, []).append(name)
    names = {pc: own[0] for pc, own in labels.items()}
    for pc, instr in enumerate(program.code):
        yield from (f"{name}:" for name in labels.get(pc, ()))
        yield f"    {_text(instr, names):<24}; {pc}"


def to_text(program: AsmProgram) -> str:
    """Return the program as assembly text, which assembles to an equal program."""
    return "\n".join(_lines(program)) + "\n"
