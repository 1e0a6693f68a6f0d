"""Loops of hot code: their entries of arrays are C variables while control stays in them.

A loop is a set of blocks that lead to each other. Along the way the words that indices are
relative to (*bases*: in a stack machine its frame and the top of its stack) change by constants
only, so each block finds every such entry at a known distance. The entries are loaded when
control enters the loop and stored when it leaves. An array of which some entry is found in
another way stays as it is. What blocks check of bases at their beginning is checked once, when
the loop is entered; so is that no two variables are the same entry. Where that fails, the code
of rows goes on.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from transputer.engines.lifted.decoder.block import (
    ArrayLine,
    BlockJump,
    BytesLine,
    LiftedBlock,
    Place,
    ReadLine,
    WordsChange,
    WriteLine,
)
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.cprint import unsigned
from transputer.engines.lifted.decoder.expr import WordExpr, word
from transputer.engines.lifted.decoder.program import Node
from transputer.engines.lifted.decoder.terms import Range, Terms

#: An entry: the array, the base of its index (None for a constant index), and the distance.
Cell = tuple[int, int | None, int]
#: Most variables of a loop.
MAX_CELLS = 256


@dataclass
class CellUse:
    """How a loop uses an entry; `writes` is what is written, by block and commit."""

    number: int
    read: bool = False
    must: bool = False
    writes: dict[tuple[Node, int], str] = field(default_factory=dict)
    #: The entry of another array that always gets the same, where this one is never read.
    twin: "CellUse | None" = None


def exits(block: LiftedBlock) -> Iterator[tuple[WordsChange, BlockJump]]:
    """The jumps of a block, with the words at each."""
    change: WordsChange | None = None
    for line in block.lines:
        if isinstance(line, WordsChange):
            change = line
        elif isinstance(line, BlockJump):
            assert change is not None
            yield change, line


class LoopFinder:
    """Finds the loops among blocks."""

    def __init__(self, blocks: Mapping[Node, LiftedBlock], terms: Terms) -> None:
        self.blocks, self.terms = blocks, terms
        self._exits = {node: [*exits(block)] for node, block in blocks.items()}
        self.bases = self._bases()
        self._ways = {node: [*self._kept(node)] for node in blocks}

    def loops(self) -> Iterator["HotLoop"]:
        """The loops that can have variables."""
        for nodes in _components({n: [t for t, _ in ways] for n, ways in self._ways.items()}):
            moves = self._moves(nodes)
            if moves is not None:
                loop = HotLoop({n: self.blocks[n] for n in nodes}, moves, self.terms)
                if loop.cells and len(loop.cells) <= MAX_CELLS:
                    yield loop

    def _bases(self) -> list[int]:
        """Words that indices are relative to, and that most jumps change by a constant."""
        groups = {
            line.place[1].data[1]
            for block in self.blocks.values()
            for line in block.lines
            if isinstance(line, ArrayLine) and line.place[1].kind == "word"
        }
        changes = [change for ways in self._exits.values() for change, _ in ways]
        return sorted(
            g
            for g in groups
            if 2 * sum(moved(self.terms, c, g) is not None for c in changes) > len(changes)
        )

    def _kept(self, node: Node) -> Iterator[tuple[Node, dict[int, int]]]:
        """The blocks that follow, with how bases move, where all of them move by constants."""
        for change, jump in self._exits[node]:
            steps = {g: moved(self.terms, change, g) for g in self.bases}
            if stays(jump) and jump.node in self.blocks and None not in steps.values():
                yield jump.node, {g: step for g, step in steps.items() if step is not None}

    def _moves(self, nodes: list[Node]) -> dict[Node, dict[int, int]] | None:
        """How far bases have moved at each block from the first; None if that is not one number."""
        chosen, moves = {*nodes}, {nodes[0]: dict.fromkeys(self.bases, 0)}
        todo = [nodes[0]]
        while todo:
            node = todo.pop()
            for target, steps in self._ways[node]:
                if target not in chosen:
                    continue
                there = {g: moves[node][g] + step for g, step in steps.items()}
                if target not in moves:
                    moves[target] = there
                    todo.append(target)
                elif moves[target] != there:
                    return None
        return moves


def stays(jump: BlockJump) -> bool:
    """Whether a jump may stay in a loop."""
    return jump.to is None and not jump.full


def moved(terms: Terms, change: WordsChange, group: int) -> int | None:
    """By which constant a word changes, if it does so by one."""
    parts, offset = terms.split(change.words[group])
    return offset if parts == {word(OWN, group): 1} else None


class HotLoop:
    """Blocks, how far bases have moved at each, and the entries that become variables."""

    def __init__(
        self,
        blocks: Mapping[Node, LiftedBlock],
        moves: Mapping[Node, Mapping[int, int]],
        terms: Terms,
    ) -> None:
        self.blocks, self.moves, self.terms = blocks, moves, terms
        self.bases = sorted(next(iter(moves.values())))
        self._fixed = {word(OWN, g): g for g in self.bases}
        self.cells = self._cells()

    def stays_in(self, change: WordsChange, jump: BlockJump) -> bool:
        """Whether a jump goes to a block of the loop, with bases where they are expected."""
        return (
            stays(jump)
            and jump.node in self.blocks
            and all(moved(self.terms, change, g) is not None for g in self.bases)
        )

    # Entries

    def cell(self, node: Node, place: Place) -> Cell | None:
        """The entry of a place in a block, if its index is relative to a base, or constant."""
        array, index, offset = place
        if index.kind == "num":
            return array, None, index.data[0] + offset
        base = self._fixed.get(index)
        return None if base is None else (array, base, offset + self.moves[node][base])

    def variable(self, node: Node, place: Place) -> CellUse | None:
        """The variable of a place in a block, if it has one."""
        cell = self.cell(node, place)
        return None if cell is None else self.cells.get(cell)

    def _cells(self) -> dict[Cell, CellUse]:
        cells: dict[Cell, CellUse] = {}
        others: set[int] = set()
        for node, block in self.blocks.items():
            commit = 0
            for line in block.lines:
                commit += not isinstance(line, WriteLine)
                if not isinstance(line, ArrayLine):
                    continue
                cell = self.cell(node, line.place)
                if (
                    cell is None
                    or isinstance(line, BytesLine)
                    or (isinstance(line, ReadLine) and line.default)
                ):
                    others.add(line.place[0])
                    continue
                use = cells.setdefault(cell, CellUse(len(cells)))
                if isinstance(line, WriteLine):
                    use.writes[node, commit] = line.value
                elif isinstance(line, ReadLine):
                    use.read, use.must = True, use.must or line.default is None
        cells = {cell: use for cell, use in cells.items() if cell[0] not in others}
        self._pair(cells)
        return cells

    def _pair(self, cells: Mapping[Cell, CellUse]) -> None:
        """Find entries that are never read and get what an entry of another array gets."""
        by_index: dict[tuple[int | None, int], list[CellUse]] = {}
        for (_, base, offset), use in cells.items():
            by_index.setdefault((base, offset), []).append(use)
        for uses in by_index.values():
            for use in uses:
                for other in uses:
                    if (
                        other is not use
                        and not use.read
                        and other.twin is None
                        and use.writes == other.writes
                    ):
                        use.twin = other
                        break

    # What must hold

    def conditions(self) -> list[str]:
        """C texts of what must not be the case when the loop is entered."""
        ranges: dict[int, Range] = {}
        apart: dict[WordExpr, set[Range]] = {}
        for node, block in self.blocks.items():
            for expr, (lo, hi) in block.entry.items():
                if expr in self._fixed:
                    g, by = self._fixed[expr], self.moves[node][self._fixed[expr]]
                    low, high = ranges.get(g, (lo - by, hi - by))
                    ranges[g] = max(low, lo - by), min(high, hi - by)
            for expr, (lo, hi) in block.apart.items():
                shift = self._shift(node, expr)
                if shift is not None:
                    apart.setdefault(expr, set()).add((lo - shift, hi - shift))
        tests = [_outside(f"b{g}", lo, hi) for g, (lo, hi) in sorted(ranges.items())]
        for expr, spans in apart.items():
            parts, _ = self.terms.split(expr)
            text = " + ".join(
                f"{unsigned(weight)} * b{self._fixed[part]}" for part, weight in parts.items()
            )
            for lo, hi in _merged(spans):
                tests.append(f"{text} - {unsigned(lo)} <= {unsigned(hi - lo)}")
        return [*tests, *self._overlaps()]

    def block_conditions(self, block: LiftedBlock) -> list[str]:
        """C texts of what must not be the case at the beginning of a block, but for bases."""
        return block.conditions(lambda e: {*self.terms.split(e)[0]} <= {*self._fixed})

    def _shift(self, node: Node, expr: WordExpr) -> int | None:
        """How far a sum of bases has moved at a block; None if it has other terms."""
        parts, _ = self.terms.split(expr)
        if any(p not in self._fixed for p in parts):
            return None
        return sum(w * self.moves[node][self._fixed[p]] for p, w in parts.items())

    def _overlaps(self) -> Iterator[str]:
        """That entries with different bases are different."""
        spans: dict[tuple[int, int | None], Range] = {}
        for array, base, offset in self.cells:
            lo, hi = spans.get((array, base), (offset, offset))
            spans[array, base] = min(lo, offset), max(hi, offset)
        for (array, one), (lo, hi) in spans.items():
            for (other, two), (low, high) in spans.items():
                if array == other and _rank(one) < _rank(two):
                    # b1 + lo .. b1 + hi meets b2 + low .. b2 + high
                    gap = f"{_base(one)} - {_base(two)} + {unsigned(hi - low)}"
                    yield f"{gap} <= {unsigned(hi - low + high - lo)}"

    def index(self, cell: Cell) -> str:
        """The C text of the index of an entry."""
        _, base, offset = cell
        return unsigned(offset) if base is None else f"b{base} + {unsigned(offset)}"


def _merged(spans: Iterable[Range]) -> list[Range]:
    """Spans that do not meet."""
    merged: list[Range] = []
    for lo, hi in sorted(spans):
        if merged and lo <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(hi, merged[-1][1])
        else:
            merged.append((lo, hi))
    return merged


def _rank(base: int | None) -> int:
    return -1 if base is None else base


def _base(base: int | None) -> str:
    return "UINT64_C(0)" if base is None else f"b{base}"


def _outside(name: str, lo: int, hi: int) -> str:
    return f"{name} - {unsigned(lo)} > {unsigned(hi - lo)}" if lo <= hi else "1"


def _components(ways: Mapping[Node, Iterable[Node]]) -> Iterator[list[Node]]:
    """The sets of nodes that all lead to each other; alone only a node that leads to itself."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    inside: set[Node] = set()
    for start in ways:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        inside.add(start)
        path = [(start, iter(ways[start]))]
        while path:
            node, rest = path[-1]
            for after in rest:
                if after not in index:
                    index[after] = low[after] = len(index)
                    stack.append(after)
                    inside.add(after)
                    path.append((after, iter(ways[after])))
                    break
                if after in inside:
                    low[node] = min(low[node], index[after])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    group = stack[at:]
                    del stack[at:]
                    inside -= {*group}
                    if len(group) > 1 or node in ways[node]:
                        yield group
