"""Key tables: which heads share one, and where the fields of a key are.

The key of a static PACKED head is its digits and what tells its classes apart, each in some bits
of one word. Heads on the same digits share a table; its classes are told apart by all of them.
"""

from collections.abc import Sequence

from transputer.engines.native.heads import KEY_BITS, OFFSET_BITS, PACKED, RUNNING, WIDE, Lookup
from transputer.engines.native.image import ImageWriter
from transputer.engines.native.readings import Ints, LaneReading
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class KeyField:
    """Some bits of a key: a number from `low` on."""

    low: int
    bits: int
    shift: int

    @property
    def mask(self) -> int:
        """The bits."""
        return (1 << self.bits) - 1 << self.shift


class KeyTable:
    """A table and the heads that use it. Its fields are digits, then what makes classes."""

    def __init__(self, first: Lookup) -> None:
        self.kind, self.dynamic = first.kind, first.dynamic
        self.digits, self.classes = first.digits, first.told_apart
        self.users = [first]

    def take(self, user: Lookup) -> bool:
        """Lets another static head use the table, if its digits are the same and it has room."""
        if self.kind != PACKED or user.kind != PACKED or self.dynamic or user.dynamic:
            return False
        if sorted(d.identity for d in self.digits) != sorted(d.identity for d in user.digits):
            return False
        shapes = {r.shape for r in self.classes}
        more = [r for r in user.told_apart if r.shape not in shapes]
        classes = (*self.classes, *{r.shape: r for r in more}.values())
        if sum(r.bits for r in (*self.digits, *classes)) > KEY_BITS:
            return False
        self.classes = classes
        self.users.append(user)
        return True

    @property
    def fields(self) -> list[KeyField]:
        """Where digits, then classes, are in a key; of a dynamic head: digits, extras, m."""
        sizes: list[tuple[int, int]] = []
        if self.kind == PACKED and self.dynamic:
            sizes = [(lo, max(1, (hi - lo).bit_length())) for lo, hi in self.users[0].ranges]
            sizes.append((-(1 << OFFSET_BITS - 1), OFFSET_BITS))
        elif self.kind == PACKED:
            sizes = [(r.low, r.bits) for r in (*self.digits, *self.classes)]
        fields, shift = [], 0
        for low, bits in sizes:
            fields.append(KeyField(low, bits, shift if bits else 0))
            shift += bits
        return fields

    def order(self, user: Lookup) -> list[int]:
        """The rows of a static head's query: digits as in the table, extras that matter."""
        left = dict(enumerate(d.identity for d in user.digits))
        order = []
        for digit in self.digits:
            order.append(next(i for i, identity in left.items() if identity == digit.identity))
            del left[order[-1]]
        first = len(user.digits)
        return order + [first + i for i, extra in enumerate(user.extras) if extra.tables]

    def place(self, reading: LaneReading) -> int:
        """The field of what tells classes apart.

        It lacks the constant of the reading, which is the same for all and so does not matter.
        """
        shapes = [r.shape for r in self.classes]
        return len(self.digits) + shapes.index(reading.shape)

    def key(self) -> LaneReading:
        """What a token's entry is found by: its packed key, or its score if RUNNING."""
        if self.kind == RUNNING:
            return self.users[0].score
        constant, tables = 0, dict[int, Ints]()
        readings = (*self.digits, *self.classes) if self.kind == PACKED and not self.dynamic else ()
        for item, field in zip(readings, self.fields if readings else (), strict=True):
            constant += item.constant - field.low << field.shift
            for part, table in item.tables.items():
                tables[part] = tables.get(part, 0) + (table << field.shift)
        return LaneReading(_signed(constant), 0, tables)

    def record(self, writer: ImageWriter, token_bytes: int) -> list[int]:
        """The TableRecord."""
        fields, user = self.fields, self.users[0]
        values = 0 if user.value is None else 8 * len(user.value)
        return [
            *(self.kind, int(self.dynamic), len(fields)),
            writer.put(f.shift for f in fields),
            writer.put(f.bits for f in fields),
            writer.put(f.low for f in fields),
            _signed(sum(f.mask for f in fields[len(self.digits) :])),
            writer.readings([self.key()]),
            len(user.key) if self.kind == WIDE and user.key is not None else 1,
            values if self.dynamic else token_bytes,
        ]


def key_tables(lookups: Sequence[Lookup]) -> list[KeyTable]:
    """As few tables as the heads need."""
    tables: list[KeyTable] = []
    for user in lookups:
        if not any(table.take(user) for table in tables):
            tables.append(KeyTable(user))
    return tables


def _signed(number: int) -> int:
    """The same 64 bits as a signed number."""
    return (number + 2**63) % 2**64 - 2**63
