"""What all programs of a model rely on: how heads look tokens up, and what is fetched.

It is derived from the tensors once, and cached with the rows; with both, code is generated without
the tensors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from transputer.engines.lifted.decoder.circuit import LiftedCircuit
from transputer.engines.lifted.decoder.rows import Key, Lifter, Query
from transputer.engines.native.heads import RUNNING
from transputer.model import Token

#: A table by part.
Tables = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class FixedScore:
    """What a token scores for a head with a constant query."""

    constant: int
    position: int
    tables: Tables

    def of(self, token: Token, position: int) -> int:
        """The score of a token at a position."""
        total = sum(table[token[part]] for part, table in self.tables.items())
        return self.constant + total + self.position * position


@dataclass(frozen=True)
class Setting:
    """What does not change from node to node.

    `static` groups make up a node; `fetch` is the head whose token a node knows, with the parts
    of it (and of the token itself) that choose the row.
    """

    static: tuple[int, ...]
    fetch: int
    controls: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class DecoderFrame:
    """Words as groups of parts, the keys of heads, and the scores of those that are fixed.

    `lone` are the groups of one part that are control.
    """

    groups: tuple[tuple[int, ...], ...]
    lone: tuple[int, ...]
    sizes: tuple[int, ...]
    context: int
    keys: Mapping[int, Key]
    fixed: Mapping[int, FixedScore]
    setting: Setting
    fetched: Query

    @cached_property
    def place(self) -> dict[int, tuple[int, int]]:
        """For each part its group, and the shift of its digit."""
        return {p: (g, 8 * d) for g, parts in enumerate(self.groups) for d, p in enumerate(parts)}

    @cached_property
    def width(self) -> list[int]:
        """The bits of each word."""
        return [
            (self.sizes[parts[0]] - 1).bit_length() if len(parts) == 1 else 8 * len(parts)
            for parts in self.groups
        ]

    @cached_property
    def longest(self) -> Key:
        """The key with the most digits."""
        return max(self.keys.values(), key=lambda key: key.digits)

    def words(self, token: Token) -> list[int]:
        """The words of a token, by group."""
        return [sum(token[p] << 8 * d for d, p in enumerate(parts)) for parts in self.groups]

    def token(self, words: Sequence[int]) -> Token:
        """The token of words, by group."""
        places = (self.place[part] for part in range(len(self.sizes)))
        alone = [len(parts) == 1 for parts in self.groups]
        return tuple(words[g] if alone[g] else words[g] >> shift & 255 for g, shift in places)


def frame(circuit: LiftedCircuit, lifter: Lifter, setting: Setting) -> DecoderFrame:
    """The frame of a model."""
    fixed = {
        h: FixedScore(
            head.score.constant,
            head.score.position,
            {part: tuple(table.tolist()) for part, table in head.score.tables.items()},
        )
        for h, head in enumerate(circuit.heads)
        if head.kind == RUNNING
    }
    return DecoderFrame(
        tuple(lifter.groups),
        lifter.lone,
        tuple(lifter.sizes),
        circuit.model.context,
        lifter.keys,
        fixed,
        setting,
        lifter.fetch_query(setting.fetch),
    )
