"""The loom machine: eight layers that execute one instruction, whatever the program.

1 fetch · 2 decode and read · 3 indirect access · 4 search and subtract · 5 write · 6 branch and
output · 7 next place · 8 clamp what is kept. Every head has one projection for query and key.
Column 0's position is empty, so it scores as much with the column it wants as with itself: both
then read the mean of the two, and doubled values arrive as they are.
"""

from functools import lru_cache
from math import isqrt
from typing import Any

from transputer.circuit.bipolar import agree, difference, doubled_signed, increment, spell
from transputer.circuit.form import Form
from transputer.circuit.logic import clamp, step
from transputer.circuit.looped import Loop, LoopLayer, Match, StateRow
from transputer.errors import CapacityError
from transputer.ir.loom import OUTPUT, PUBLISHED, LoomConfig
from transputer.isa.op import Registry
from transputer.machines.loom.operations import Rule, Stage, branch, indirect, loom
from transputer.machines.loom.rows import LoomRows, Word, described, rows
from transputer.model import EXACT, Looped
from transputer.model.looped import EXACT_SINGLE

#: Matrix weights and nonzeros of the published machine.
PAPER = {
    "146x512": {"rows": 146, "parameters": 786_940, "nonzeros": 8_019, "layers": 8},
    "155x1024": {"rows": 155, "parameters": 876_370, "nonzeros": 8_624, "layers": 8},
    "164x2048": {"rows": 164, "parameters": 970_552, "nonzeros": 9_239, "layers": 8},
}


@lru_cache(maxsize=8)
def model(config: LoomConfig) -> Looped:
    """The universal model of a configuration, exact in float32 where that is enough."""
    try:
        return _Machine(config, EXACT_SINGLE).build()
    except CapacityError:
        return _Machine(config, EXACT).build()


class _Machine:
    def __init__(self, config: LoomConfig, limit: int) -> None:
        self.config = config
        self.loop = Loop(config.columns, limit)
        self.rows: LoomRows = rows(self.loop, config)
        self.graph = self.loop.graph

    def build(self) -> Looped:
        """The model; `Unsupported` if a row of the table has no rule."""
        loom.require(loom.table, "the loom machine")
        self.fetch()
        self.decode()
        self.indirect()
        self.subtract()
        self.write()
        self.branch()
        self.advance()
        self.clamp()
        return self.loop.build(agree(spell(self.word(self.rows.pc), 0)), **self.about())

    def about(self) -> dict[str, Any]:
        """What the card says beyond what it counts."""
        card: dict[str, Any] = {
            "machine": "loom",
            "config": self.config.name,
            "rows": described(self.config),
        }
        for name, config in PUBLISHED.items():
            if config == self.config:
                card["published"] = {"name": name, **PAPER[name]}
        return card

    # The layers

    def fetch(self) -> None:
        """The instruction at the program counter.

        Column 0 has the command HALT, all bits -1, so it reads the wanted bit less 1; and where
        nothing is at the program counter, itself alone: -2, which is the same as HALT.
        """
        rows = self.rows
        pairs = ((rows.a, rows.command_a), (rows.b, rows.command_b), (rows.c, rows.command_c))
        reads = [pair for to, source in pairs for pair in self.copied(to, source)]
        with self.loop.layer("fetch", [self.at("pc", rows.pc, reads)]) as layer:
            with self.graph.group("fetch"):
                for row in (*rows.a, *rows.b, *rows.c):
                    self.take(layer, row)
            layer.promise((*rows.a, *rows.b, *rows.c), -1, 1)

    def decode(self) -> None:
        """The words of a, b and c; then every operation prepares what is to be subtracted."""
        rows = self.rows
        heads = [
            self.at("a", rows.a, self.copied(rows.subtrahend, rows.memory)),
            self.at("b", rows.b, self.copied(rows.left, rows.memory)),
            self.at("c", rows.c, self.copied(rows.right, rows.memory)),
        ]
        with self.loop.layer("decode", heads) as layer:
            with self.graph.group("operands"):
                first = self.now(rows.indicator)
                for row, bit in zip(rows.minuend, self.word(rows.left), strict=True):
                    layer.add(row, self.graph.neuron(first, bit))
                self.keep_first(layer, rows.subtrahend)
                self.keep_first(layer, rows.right)
                self.fill(layer, rows.right, agree(spell(self.word(rows.c), 0)), -1)
                self.empty(layer, rows.left)
            self.operations(layer, loom)
            self.trap_invalid(layer)
            layer.promise((*rows.right, *rows.second, *rows.needle), -1, 1)
            layer.promise((rows.flag, rows.find), 0, 1)
            layer.promise((rows.reach,), 0, 2 << self.config.bits)

    def indirect(self) -> None:
        """What the word of c points to, matched on tags; the start of a search to all slots."""
        rows = self.rows
        pointer = Match(
            "pointer",
            (
                *(p + t for p, t in zip(self.word(rows.right), self.word(rows.tag), strict=True)),
                *self.word(rows.position),
            ),
            (*self.copied(rows.left, rows.memory), *self.copied(rows.target, rows.position)),
        )
        with self.loop.layer("indirect", [pointer, self.broadcast()]) as layer:
            self.operations(layer, indirect)
            for word in (rows.left, rows.right, rows.target):
                self.empty(layer, word)
            with self.graph.group("snap"):
                self.snap(layer, rows.minuend, 1)
                self.snap(layer, rows.subtrahend, 3)
            with self.graph.group("FIND"):
                layer.add(rows.reach, self.eligible() - self.now(rows.reach))
            layer.promise(rows.b, -1, 1)

    def subtract(self) -> None:
        """The first slot that FIND wants; minuend less subtrahend; whether SUBLEQ jumps."""
        rows, first = self.rows, self.now(self.rows.indicator)
        with self.loop.layer("subtract", [self.search()]) as layer:
            minuend, subtrahend = self.word(rows.minuend), self.word(rows.subtrahend)
            sums = [m + f for m, f in zip(minuend, self.word(rows.left), strict=True)]
            with self.graph.group("subtract"):
                result = difference(self.graph, sums, subtrahend, first)
                for row, bit in zip(rows.minuend, result, strict=True):
                    layer.add(row, bit)
            with self.graph.group("SUBLEQ"):
                layer.add(rows.flag, self.not_greater(minuend, subtrahend))
            self.silence(layer)
            self.empty(layer, (*rows.minuend, *rows.subtrahend, *rows.left, *rows.needle))
            self.empty(layer, (rows.find, rows.reach, rows.flag))
            layer.promise((*rows.minuend, *rows.b, *rows.c), -1, 1)

    def write(self) -> None:
        """The result to b, for SWAP the second word to c; four times the bit arrives as twice."""
        rows = self.rows
        heads = [
            self.at("write b", rows.b, self.copied(rows.memory, rows.minuend, 4)),
            self.at("write c", rows.c, self.copied(rows.memory, rows.second, 4)),
        ]
        with self.loop.layer("write", heads) as layer:
            with self.graph.group("column 0 holds no word"):
                for row in rows.memory:
                    value = -self.now(row)
                    layer.add(row, self.graph.neuron(self.now(rows.indicator), value))
            self.empty(layer, (*rows.second, rows.output))

    def branch(self) -> None:
        """Whether the step jumps, and how often it wrote the output slot."""
        rows, output = self.rows, self.config.scratch + OUTPUT
        with self.loop.layer("branch") as layer:
            self.operations(layer, branch)
            with self.graph.group("trap"):
                trapped = self.now(rows.invalid) + self.now(rows.outside)
                layer.add(rows.flag, self.graph.neuron(trapped))
            with self.graph.group("output"):
                written = self.graph.neuron(agree(spell(self.word(rows.b), output)))
                swap = Stage(self.loop, layer, rows, self.config, loom.table["SWAP"])
                second = self.graph.neuron(swap.when(*spell(self.word(rows.c), output)))
                layer.add(rows.output, written + second)
            layer.promise((rows.output, rows.flag), -1, 3)
            self.empty(layer, (*rows.minuend, *rows.a))

    def advance(self) -> None:
        """The place c where the step jumps, otherwise the next one."""
        rows = self.rows
        flag, first = self.now(rows.flag), self.now(rows.indicator)
        pc, place = self.word(rows.pc), self.word(rows.c)
        with self.loop.layer("advance") as layer, self.graph.group("next place"):
            more = increment(self.graph, pc, first - flag)
            for row, old, new, gained in zip(rows.pc, pc, place, more, strict=True):
                layer.add(row, self.graph.neuron(flag, new - old) + gained)
            self.empty(layer, (*rows.b, *rows.c, rows.flag))

    def clamp(self) -> None:
        """What is kept between steps, back into its range: the weights then prove it."""
        rows = self.rows
        lasting = (*rows.memory, *rows.pc, rows.output, rows.invalid, rows.outside)
        with self.loop.layer("clamp") as layer, self.graph.group("clamp"):
            for row in lasting:
                now, reach = self.now(row), self.loop.first[row.index]
                layer.add(row, clamp(self.graph, now, reach.lo, reach.hi) - now)

    # Heads

    def at(self, name: str, address: Word, reads: list[Any]) -> Match:
        """Column 0 and the column at an address meet: the address against all positions."""
        pairs = zip(self.word(address), self.word(self.rows.position), strict=True)
        return Match(name, tuple(one + other for one, other in pairs), tuple(reads))

    def copied(self, to: Word, source: Word, times: int = 2) -> list[Any]:
        """Rows with what they get: doubled, because two columns share in a tie."""
        return [(row, times * self.now(other)) for row, other in zip(to, source, strict=True)]

    def broadcast(self) -> Match:
        """In a step of FIND all memory columns read column 0; in others all read themselves.

        A memory column scores 1 + L with itself, less with others, and L + 2 with column 0.
        """
        rows = self.rows
        call = (self.config.address + 2) * self.now(rows.find) + self.now(rows.slot)
        key = (call, self.now(rows.indicator), *self.word(rows.position))
        return Match("start", key, ((rows.reach, self.now(rows.reach)),))

    def eligible(self) -> Form:
        """1 in memory columns that are not before the start, while FIND searches.

        Those got 2^(N+1) - 1 - 2 start: with 2 (slot + 1) it reaches 2^(N+1) + 1 where
        slot >= start; without a start it does not.
        """
        rows, bits = self.rows, self.config.bits
        reached = self.now(rows.reach) + 2 * self.now(rows.order)
        first = (4 << bits) * self.now(rows.indicator)
        return step(self.graph, reached - first, (2 << bits) + 1)

    def search(self) -> Match:
        """FIND: the first memory column from the start on that holds the word, or none.

        With N bits, M times the match, 2M for being eligible, less slot + 1: a hit has more than
        M N + 2 M - m, anything else M N at most; column 0 scores between with itself. Positions
        keep all other columns to themselves: 2 P^2 is more than what orders can gain, m^2 / 4.
        """
        rows, find = self.rows, self.now(self.rows.find)
        times, own, apart = search_weights(self.config)
        pairs = zip(self.word(rows.needle), self.word(rows.memory), strict=True)
        key = (
            *(needle + times * bit for needle, bit in pairs),
            find - self.now(rows.order),
            find + 2 * times * self.now(rows.reach),
            own * self.now(rows.indicator),
            *(apart * bit for bit in self.word(rows.position)),
        )
        reads = [
            (row, tag - self.now(rows.reach))
            for row, tag in zip(rows.left, self.word(rows.tag), strict=True)
        ]
        return Match("search", key, tuple(reads))

    # Neurons

    def operations(self, layer: LoopLayer, registry: Registry[Rule]) -> None:
        for name, rule in registry.rules.items():
            with self.graph.group(name):
                rule(Stage(self.loop, layer, self.rows, self.config, registry.table[name]))

    def trap_invalid(self, layer: LoopLayer) -> None:
        """A number below the scratchpad's size without a row."""
        with self.graph.group("trap"):
            layer.add(self.rows.invalid, self.graph.neuron(agree(self.extended())))
            for op in loom.table:
                if op.code < self.config.scratch:
                    literals = spell(self.word(self.rows.a), op.code)
                    layer.add(self.rows.invalid, -self.graph.neuron(agree(literals)))

    def extended(self) -> list[Form]:
        """What holds where a is a number of an operation, not an address."""
        low = self.config.scratch.bit_length() - 1
        return [-bit for bit in self.word(self.rows.a)[low:]]

    def not_greater(self, minuend: list[Form], subtrahend: list[Form]) -> Form:
        """[b <= a], signed and exact, in steps of SUBLEQ.

        [z >= 0] of z = 2 (a - b), less the same in steps of all others, where the sum of literals
        is full; each literal that fails takes away 2, and closes that gate.
        """
        z = doubled_signed(subtrahend) - doubled_signed(minuend)
        first, others = self.now(self.rows.indicator) - 1, self.extended()
        shut = z.hi + 1
        full = sum(others, Form()) - len(others)
        always = step(self.graph, z + shut * first, 0)
        return always - step(self.graph, z + shut * first + shut * full, 0)

    def silence(self, layer: LoopLayer) -> None:
        """A step that writes nothing has its b at column 0, one that traps also its c."""
        rows = self.rows
        trapped = self.now(rows.invalid) + self.now(rows.outside)
        with self.graph.group("silence"):
            for row in rows.b:
                quiet = self.now(rows.flag) + trapped
                layer.add(row, self.graph.neuron(quiet, -1 - self.now(row)))
            for row in rows.c:
                layer.add(row, self.graph.neuron(trapped, -1 - self.now(row)))

    def take(self, layer: LoopLayer, row: StateRow) -> None:
        """x + 1 within -1 and 1 in column 0, nothing elsewhere, for x between -2 and 2.

        -1 + relu(x + 2) - relu(x) == min(max(x + 1, -1), 1); less 4 elsewhere, both are closed.
        """
        x, first = self.now(row), self.now(self.rows.indicator)
        inside = x + 4 * first - 4
        bit = self.graph.neuron(inside + 2) - self.graph.neuron(inside)
        layer.add(row, bit - first - x)

    def snap(self, layer: LoopLayer, word: Word, most: int) -> None:
        """What the operations made of a word, which weights then prove to be within -1 and most."""
        for row in word:
            now = self.now(row)
            layer.add(row, clamp(self.graph, now, -1, most) - now)

    def keep_first(self, layer: LoopLayer, word: Word) -> None:
        """Empty rows in all columns but column 0."""
        others = 1 - self.now(self.rows.indicator)
        for row in word:
            layer.add(row, self.graph.neuron(others, -self.now(row)))

    def fill(self, layer: LoopLayer, word: Word, when: Form, value: int) -> None:
        """Add a constant to rows where a gate is 1."""
        for row in word:
            layer.add(row, self.graph.neuron(when, value))

    def empty(self, layer: LoopLayer, word: Any) -> None:
        """Empty rows in all columns."""
        for row in word:
            layer.add(row, -self.now(row))

    def word(self, word: Word) -> list[Form]:
        return self.loop.word(word)

    def now(self, row: Any) -> Form:
        return self.loop.now(row)


def search_weights(config: LoomConfig) -> tuple[int, int, int]:
    """The weights of the search head: of a matching bit, of column 0 by itself, of positions.

    The least M for which a square fits between a miss and a hit, with what column 0 has anyway.
    """
    bits, slots = config.bits, config.memory
    times = slots
    while True:
        own = isqrt(max(times * bits - bits - 2, 0)) + 1
        alone = bits + 2 + own * own
        if times * bits < alone < times * bits + 2 * times - slots:
            return times, own, slots // 2 + 1
        times += 1
