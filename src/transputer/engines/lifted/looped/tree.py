"""What a step is, once it is evaluated: questions, and ends that are formulas."""

from dataclasses import dataclass, field

from transputer.engines.lifted.decoder.atoms import Atom, Bit, Poly
from transputer.engines.lifted.decoder.numbers import DigitSum

#: Parts of sources: the data of a column, its constants that are bits, its number, its other
#: constants, and what a head reads of a selection that was not looked at.
DATA, MARKS, INDEX, OTHER, UNREAD = range(5)


@dataclass(frozen=True, slots=True)
class Selection:
    """The column whose number stands at the value of these bits in `places`, if there is one."""

    source: int
    bits: tuple[Bit, ...] = field(compare=False)
    places: tuple[tuple[int, int], ...] = field(compare=False)
    columns: tuple[int, ...] = field(compare=False)  #: all columns it may find


@dataclass(frozen=True, slots=True)
class Crowd:
    """Each of many columns that a head reaches alike."""

    source: int
    columns: tuple[int, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Best:
    """The column of a crowd with the largest score, if that is more than `own`.

    Where several have it, or it equals `own`, code must stop.
    """

    source: int
    crowd: Crowd
    score: Poly = field(compare=False)
    own: int = field(compare=False)


Choice = Atom | Selection | Best
#: A column by number, one that was selected, or each of a crowd.
Target = int | Selection | Crowd


class AnswerNeeded(Exception):
    """A question that must be answered before the evaluation can continue."""

    def __init__(self, on: Choice) -> None:
        super().__init__(on)
        self.on = on


class NotLiftedError(Exception):
    """A step that is not shown to be formulas; the message says why."""


@dataclass(frozen=True)
class StepLeaf:
    """How a step goes under some answers: new data of columns, and the next first column.

    `numbers` are words that formulas refer to, by source, in the order of their definition.
    """

    writes: tuple[tuple[Target, tuple[Poly, ...]], ...]
    after: tuple[int, ...]
    numbers: tuple[tuple[int, DigitSum], ...]


@dataclass(frozen=True)
class Fork:
    """A question, what it refers to, and how the step continues under each answer."""

    on: Choice
    numbers: tuple[tuple[int, DigitSum], ...]
    yes: "Tree"
    no: "Tree"


Tree = StepLeaf | Fork | str  # a text: why it is left to another engine
