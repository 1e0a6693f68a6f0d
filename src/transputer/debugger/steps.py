"""Steps as rows of a table: instruction, lookups of the heads, writes."""

from dataclasses import field
from typing import Any

from transputer.model.html import html_table
from transputer.values import dataclass

#: Number of steps that a notebook shows.
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Read:
    """One lookup of a head: the position attended to, its content, and the score margin."""

    head: str
    layer: int
    position: int
    says: str
    margin: float

    def as_json(self) -> dict[str, Any]:
        """Return the form that `trace --json` prints."""
        return {
            "head": self.head,
            "layer": self.layer,
            "position": self.position,
            "says": self.says,
            "margin": self.margin,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run: program counter, instruction, lookups and writes.

    `position` is the position of the decoded token, on a machine with tokens; `phase` counts the
    steps of one instruction; `source` is the function and the instruction as written.
    """

    number: int
    pc: int
    instruction: str
    reads: tuple[Read, ...] = ()
    writes: str = ""
    line: str = ""
    source: str = ""
    phase: int = 0
    position: int | None = None
    before: Any = field(default=None, repr=False, compare=False)
    after: Any = field(default=None, repr=False, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return the form that `trace --json` prints."""
        return {
            "step": self.number,
            **({} if self.position is None else {"token": self.position}),
            "pc": self.pc,
            "phase": self.phase,
            "instruction": self.instruction,
            "source": self.source,
            "line": self.line,
            "reads": [read.as_json() for read in self.reads],
            "writes": self.writes,
        }

    @property
    def text(self) -> str:
        """The instruction, with its phase after the first step."""
        return f"{self.instruction} /{self.phase}" if self.phase else self.instruction

    @property
    def label(self) -> int:
        """The number that a table shows: the token's position, or the step's number."""
        return self.number if self.position is None else self.position


class Trace(list[Step]):
    """The steps of a run; a table in notebooks."""

    @property
    def unit(self) -> str:
        """What `Step.label` counts."""
        return "step" if not self or self[0].position is None else "token"

    def __repr__(self) -> str:
        return f"Trace({len(self)} steps)"

    def _repr_html_(self) -> str:
        rows = [
            (
                step.label,
                step.pc,
                step.text,
                "; ".join(f"{r.head} @{r.position}: {r.says}" for r in step.reads),
                step.writes,
            )
            for step in self[:_SHOWN]
        ]
        more = f", {len(self) - _SHOWN:,} more" if len(self) > _SHOWN else ""
        head = (self.unit, "pc", "instruction", "reads", "writes")
        return html_table(rows, head, f"{len(rows)} steps{more}")
