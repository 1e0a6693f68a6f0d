"""The C text of a program."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from transputer.engines.lifted.circuit import OWN
from transputer.engines.lifted.expr import Expr, Variable, word
from transputer.engines.lifted.program import (
    FULL,
    LIMIT,
    NOWHERE,
    SLOW,
    STUCK,
    UNKNOWN,
    Array,
    Node,
    Program,
    Step,
    array_of,
    each_leaf,
)
from transputer.engines.lifted.rows import Key, Leaf, Query, Split, Tree

_HEAD = """\
#include <stdint.h>
#define FLOOR(z, m) floor_((z), (m))
#define CLAMP(z, top) clamp_((z), (top))
#define SQUARE(z) square_(z)
#define ROTL(x, k) (((x) << ((k) & 31)) | ((x) >> (-(k) & 31)))
#define HELD (UINT64_C(1) << 32)
static inline int64_t floor_(int64_t z, int64_t m) { return z / m - (z % m < 0); }
static inline int64_t clamp_(int64_t z, int64_t top) { return z < 0 ? 0 : z > top ? top : z; }
static inline int64_t square_(int64_t z) { return z < 0 ? 0 : z * z; }
typedef struct {
    int64_t steps, limit, tally, rows, room, next;
    uint32_t *seen, *tape;
    uint64_t **arrays;
    uint32_t word[GROUPS];
} State;
#ifdef RECORD
#define BLOCK(n, w, leave)
#define BACK(n, w)
#define STATIC(assignment) assignment
#define DONE(w) { TAPE steps++; tally += (w); if (steps == limit) { reason = 0; goto out; } }
#else
#define BLOCK(n, w, leave) steps += (n); tally += (w); if (steps > limit) { leave }
#define BACK(n, w) steps -= (n); tally -= (w);
#define STATIC(assignment)
#define DONE(w)
#endif
"""


@dataclass
class _Path:
    """What has been loaded on the way to a place in the code."""

    known: dict[Variable, int]
    loaded: set[Variable] = field(default_factory=set)
    named: dict[Expr, str] = field(default_factory=dict)

    def copy(self) -> "_Path":
        return _Path(dict(self.known), set(self.loaded), dict(self.named))


#: Expressions that get a name, and how long others are that do.
#: Marks a line that writes to arrays: which there are is known when all nodes are printed.
_WRITE = "/* write */ "
#: Nodes in one C function.
CHUNK = 120
#: What a chunk says when another one is to go on.
AWAY = 9
_NAMED = {"ge", "floor", "clamp", "table", "square"}
LONG = 160


class _Dead(Exception):
    """This way cannot go on in C."""


class Emitter:
    """Prints a program; `arrays` are those the code uses, in order."""

    def __init__(self, program: Program, first: Iterable[Node] = ()) -> None:
        self.program, self.lifter, self.first = program, program.lifter, {*first}
        self.arrays: list[Array] = []
        self.lines: list[str] = []
        self.numbers = {node: i for i, node in enumerate(program.steps)}
        self.leaders = self._leaders()
        self.blocks = self._blocks()
        self.folded: set[tuple[Key, tuple[int, ...], int]] = set()  # what code takes as constant
        self._names = 0
        self._joined: AbstractSet[int] | None = None
        self.chunk = self._chunks()
        self._pending: list[tuple[dict[int, int], list[str]]] = []
        self.shared: list[int] = []
        self.text = self._source()

    def enters(self, node: Node, record: bool) -> bool:
        """Whether the code can be entered at a node."""
        return node in self.blocks and (record or self.blocks[node][1] == 0)

    # Blocks

    def _leaders(self) -> set[Node]:
        reached = {n for step in self.program.steps.values() for n in step.next}
        found = {*self.first, *self.program.targets} | ({*self.program.steps} - reached)
        seen: set[Node] = set()
        for step in self.program.steps.values():
            watched = any(self._watched(step, leaf) for leaf in each_leaf(step.tree))
            if len(step.next) > 1 or step.dynamic or watched:
                found |= step.next
            found |= step.next & seen
            seen |= step.next
            found |= step.next & {step.node}
        return found

    def _blocks(self) -> dict[Node, tuple[Node, int]]:
        """For each node its block's first node, and its place in it."""
        found: dict[Node, tuple[Node, int]] = {}
        for leader in self.program.steps:
            if leader not in self.leaders:
                continue
            node, at = leader, 0
            while True:
                found[node] = leader, at
                step = self.program.steps[node]
                follows = [n for n in step.next if n not in self.leaders]
                if step.dynamic or len(step.next) != 1 or not follows:
                    break
                node, at = follows[0], at + 1
        return found

    # Text

    def _source(self) -> str:
        """The whole file."""
        sizes: dict[Node, tuple[int, int]] = {}
        for leader, count, weight in self._sizes():
            sizes[leader] = count, weight
        done: dict[Node, int] = {}
        body: list[str] = []
        here = -1
        for node in sorted(self.blocks, key=self._order):
            leader, at = self.blocks[node]
            self.lines = []
            if self.chunk[node] != here:
                here = self.chunk[node]
                self.lines.append("/* chunk */")
            self._node(self.program.steps[node], at, sizes[leader], done.get(leader, 0))
            done[leader] = done.get(leader, 0) + self.program.steps[node].weight
            body += self.lines
        shared = self.shared = self._shared()
        for at, line in enumerate(body):
            if line.startswith(_WRITE):
                body[at] = self._writes(*self._pending[int(line[len(_WRITE) :])], shared)
        return self._file("\n".join(body), shared)

    def _file(self, text: str, shared: list[int]) -> str:
        groups = len(self.lifter.groups)
        tape = " ".join(f"s->tape[steps * {groups} + {g}] = w{g};" for g in range(groups))
        count = max(self.chunk.values(), default=0) + 1
        parts = text.split("/* chunk */")
        assert len(parts) == count + 1, (len(parts), count)
        chunks = [self._function(c, parts[c + 1], shared) for c in range(count)]
        homes = ", ".join(
            str(self.chunk[n]) if n in self.chunk else "-1" for n in self.program.steps
        )
        table = ", ".join(f"chunk{c}" for c in range(count))
        return f"""#define GROUPS {groups}
#define TAPE if (s->tape) {{ {tape} }}
{_HEAD}
{chr(10).join(chunks)}
static const int16_t homes[] = {{{homes}}};
static int64_t (*const chunks[])(State *) = {{{table}}};
int64_t lifted_run(State *s, int64_t entry) {{
    int64_t reason = {AWAY};
    s->next = entry;
    while (reason == {AWAY}) {{
        if (s->next < 0 || homes[s->next] < 0) return {UNKNOWN};
        reason = chunks[homes[s->next]](s);
    }}
    return reason;
}}
"""

    def _function(self, chunk: int, text: str, shared: list[int]) -> str:
        """The nodes of a chunk as one function."""
        groups = len(self.lifter.groups)
        case = "    case {0}: goto N{0};".format
        mine = [n for n in self.blocks if self.chunk[n] == chunk]
        cases = "\n".join(case(self.numbers[n]) for n in mine if self.blocks[n][1] == 0)
        inner = "\n".join(case(self.numbers[n]) for n in mine if self.blocks[n][1])
        pointers = "\n".join(
            f"#define A{i} A{shared[i]}"
            if shared[i] != i
            else f"    uint64_t *restrict const A{i} = s->arrays[{i}];"
            for i in range(len(self.arrays))
        )
        undefined = "\n".join(f"#undef A{i}" for i in range(len(self.arrays)) if shared[i] != i)
        words = "\n".join(f"    uint32_t w{g} = s->word[{g}];" for g in range(groups))
        back = "\n".join(f"    s->word[{g}] = w{g};" for g in range(groups))
        return f"""static int64_t chunk{chunk}(State *s) {{
{pointers}
{words}
    int64_t steps = s->steps, tally = s->tally, rows = s->rows, next, reason = {UNKNOWN};
    const int64_t limit = s->limit;
    switch (s->next) {{
{cases}
#ifdef RECORD
{inner}
#endif
    default: goto out;
    }}
{self._dispatches(chunk, text)}
{text}
leave:
    s->next = next;
    reason = {AWAY};
out:
{back}
    s->steps = steps; s->tally = tally; s->rows = rows;
    return reason;
}}
{undefined}"""

    def _chunks(self) -> dict[Node, int]:
        """Nodes in the order of their states, in pieces that compile fast; blocks stay whole."""
        found: dict[Node, int] = {}
        number, size = 0, 0
        blocks: dict[Node, list[Node]] = {}
        for node, (leader, _) in self.blocks.items():
            blocks.setdefault(leader, []).append(node)
        for leader in sorted(blocks):
            if size and size + len(blocks[leader]) > CHUNK:
                number, size = number + 1, 0
            size += len(blocks[leader])
            found |= dict.fromkeys(blocks[leader], number)
        return found

    def _order(self, node: Node) -> tuple[int, Node, int]:
        leader, at = self.blocks[node]
        return self.chunk[node], leader, at

    def _sizes(self) -> Iterator[tuple[Node, int, int]]:
        found: dict[Node, list[int]] = {}
        for node, (leader, _) in self.blocks.items():
            held = found.setdefault(leader, [0, 0])
            held[0] += 1
            held[1] += self.program.steps[node].weight
        for leader, (count, weight) in found.items():
            yield leader, count, weight

    # Arrays

    def _shared(self) -> list[int]:
        """For each array the one it is the same as: indices that never need more digits."""
        self.arrays += [a for a in self.program.kept_arrays() if a not in self.arrays]
        found = []
        for i, array in enumerate(self.arrays):
            same = [
                j
                for j, other in enumerate(self.arrays)
                if (other.tags, other.wanted, other.index, other.group)
                == (array.tags, array.wanted, array.index, array.group)
                and other.digits < array.digits
                and self.program.reach(other) < 256**other.digits
            ]
            found.append(min(same, key=lambda j: self.arrays[j].digits, default=i))
        return found

    def _writes(self, lone: dict[int, int], new: list[str], shared: list[int]) -> str:
        made = []
        for i, array in enumerate(self.arrays):
            if shared[i] == i and self.program.has_tags(array, lone):
                index = new[array.index]
                if array.digits < len(self.lifter.groups[array.index]):
                    index = f"({index} & {256**array.digits - 1}u)"
                made.append(f"A{i}[{index}] = HELD | {new[array.group]};")
        return " ".join(made)

    def _dispatches(self, chunk: int, text: str) -> str:
        """Dynamic jumps: on the first static group, for given values of the others."""
        others: dict[Node, list[Node]] = {}
        for node in self.program.targets:
            if node in self.blocks and self.blocks[node][1] == 0:
                others.setdefault(node[1:], []).append(node)
        g = self.program.setting.static[0]
        made = []
        for rest in sorted({s.node[1:] for s in self.program.steps.values()} | {*others}):
            if f"goto D{_name(rest)};" not in text:
                continue
            cases = "\n".join(
                f"    case {n[0]}: goto N{self.numbers[n]};"
                if self.chunk[n] == chunk
                else f"    case {n[0]}: next = {self.numbers[n]}; goto leave;"
                for n in sorted(others.get(rest, []))
            )
            made.append(
                f"D{_name(rest)}:\n    switch (w{g}) {{\n{cases}\n"
                f"    default: reason = {UNKNOWN}; goto out;\n    }}"
            )
        return "\n".join(made)

    def _node(self, step: Step, at: int, size: tuple[int, int], before: int) -> None:
        self.lines.append(f"N{self.numbers[step.node]}: ;")
        left = size[0] - at, size[1] - before
        if at == 0:
            self.lines.append(f"BLOCK({size[0]}, {size[1]}, {self._leave(step, LIMIT, left)})")
        self.lines.append("{")
        self._stuck = self._leave(step, STUCK, left)
        self._slow = self._leave(step, SLOW, left)
        self._left = left[0] - 1, left[1] - step.weight
        self._step = step
        self._tree(step.tree, _Path(dict(step.known)))
        self.lines.append("}")

    def _leave(self, step: Step, reason: int, left: tuple[int, int]) -> str:
        """Out of the code before the step, with the static words of the node."""
        words = " ".join(
            f"w{g} = {v};" for g, v in zip(self.program.setting.static, step.node, strict=True)
        )
        return f"BACK({left[0]}, {left[1]}) {words} reason = {reason}; goto out;"

    def _tree(self, tree: Tree, path: _Path) -> None:
        if tree is NOWHERE:
            self.lines.append(self._stuck)
            return
        if isinstance(tree, Leaf):
            if self._last(tree, path):
                self.lines.append(self._slow)
                return
            mark = len(self.lines)
            try:
                self._leaf(tree, path)
            except _Dead:
                del self.lines[mark:]
                self.lines.append(self._stuck)
            return
        value = tree.condition.value(path.known)
        if value is None:
            try:
                self._need(tree.condition, tree.queries, path)
            except _Dead:
                self.lines.append(self._stuck)
                return
            value = tree.condition.value(path.known)
        if value is not None:
            self._tree(tree.yes if value else tree.no, path)
            return
        if self._joined is not None or not self._join(tree, path):
            self._split(tree, path)

    def _join(self, tree: Split, path: _Path) -> bool:
        """Prints a split whose leaves differ in a few words only: these first, then the rest once.

        Not where the rest needs more than what has been loaded.
        """
        ends = [leaf for leaf in each_leaf(tree) if not self._last(leaf, path)]
        if len(ends) < 2:
            return False
        first = ends[0]
        differ = {
            g for g, made in enumerate(first.words) if any(leaf.words[g] != made for leaf in ends)
        }
        rest = [made for g, made in enumerate(first.words) if g not in differ]
        static = {*self.program.setting.static, *self.program.lone}
        if differ & static or any(made.guard is not None for made in rest):
            return False
        for head, group in {v for made in rest for v in made.expr.variables}:
            if head != OWN and (head, group) not in path.known | dict.fromkeys(path.loaded):
                return False
        for g in sorted(differ):
            self.lines.append(f"uint32_t n{g};")
        self._joined = differ
        self._split(tree, path)
        self._joined = None
        self._leaf(first, path, differ)
        return True

    def _split(self, tree: Split, path: _Path) -> None:
        self.lines.append(f"if ({self._c(tree.condition, path)}) {{")
        self._tree(tree.yes, path.copy())
        self.lines.append("} else {")
        self._tree(tree.no, path.copy())
        self.lines.append("}")

    def _last(self, leaf: Leaf, path: _Path) -> bool:
        """Whether a leaf ends the run; then Python does the step, and only the arrays matter."""
        values = {g: leaf.words[g].expr.value(path.known) for g in self.program.lone}
        lone = {g: v for g, v in values.items() if v is not None}
        if not self.program.tagged(values) or not self.program.stopped(lone):
            return False
        for head, group in {v for w in leaf.words for v in w.expr.variables}:
            if head in leaf.queries:
                key, query = self.lifter.keys[head], leaf.queries[head]
                tags = tuple(t.value(path.known) for t in query.tags)
                held = tuple(t for t in tags if t is not None)
                array = array_of(key, held, group)
                if len(held) == len(tags) and self._written(key, held) and array not in self.arrays:
                    self.arrays.append(array)
        return True

    def _c(self, expr: Expr, path: _Path) -> str:
        """An expression; conditions and long ones inside get names, and are computed once."""

        def name(part: Expr, text: str) -> str:
            if part.kind not in _NAMED and len(text) < LONG:
                return text
            if part not in path.named:
                path.named[part] = f"t{self._names}"
                self._names += 1
                self.lines.append(f"const int64_t {path.named[part]} = {text};")
            return path.named[part]

        return expr.c(path.known, _render, name)

    # Heads

    def _need(self, expr: Expr, queries: Mapping[int, Query], path: _Path) -> None:
        """Loads the words that an expression reads."""
        for head, group in sorted(expr.variables):
            if head == OWN or (head, group) in path.known or (head, group) in path.loaded:
                continue
            self._load(head, group, queries, path)

    def _load(self, head: int, group: int, queries: Mapping[int, Query], path: _Path) -> None:
        key, query = self.lifter.keys[head], queries[head]
        if not query.hits:
            raise _Dead
        for expr in (*query.tags, query.index.expr):
            self._need(expr, queries, path)
        tags = tuple(t.value(path.known) for t in query.tags)
        if None in tags:
            raise _Dead
        held = tuple(t for t in tags if t is not None)
        if query.index.guard is not None:
            self._need(query.index.guard, queries, path)
            self._guard(query.index.guard, path)
        index = query.index.expr.value(path.known)
        special = self.program.prompt.special(key) if query.falls_back else None
        if index is not None and not self._written(key, held):
            token = self.program.prompt.find(key, held, index) or special
            self.folded.add((key, held, index))
            if token is None:
                raise _Dead
            for g, value in enumerate(self.program.prompt.words(token)):
                path.known[head, g] = value
            return
        array = array_of(key, held, group)
        if array not in self.arrays:
            self.arrays.append(array)
        name = _render((head, group))
        entry = f"A{self.arrays.index(array)}[(uint32_t){self._c(query.index.expr, path)}]"
        path.loaded.add((head, group))
        if special is not None:
            default = self.program.prompt.words(special)[group]
            if default == 0:
                self.lines.append(f"const uint32_t {name} = (uint32_t){entry};")
                return
            self.lines.append(f"const uint64_t e{name} = {entry};")
            self.lines.append(
                f"const uint32_t {name} = e{name} & HELD ? (uint32_t)e{name} : {default}u;"
            )
            return
        self.lines.append(f"const uint64_t e{name} = {entry};")
        self.lines.append(f"if (!(e{name} & HELD)) {{ {self._stuck} }}")
        self.lines.append(f"const uint32_t {name} = (uint32_t)e{name};")

    def _written(self, key: Key, tags: tuple[int, ...]) -> bool:
        return tags in self.program.written_tags(key)

    def _guard(self, guard: Expr, path: _Path) -> None:
        value = guard.value(path.known)
        if value == 0:
            raise _Dead
        if value is None:
            self.lines.append(f"if (!({self._c(guard, path)})) {{ {self._stuck} }}")

    # Leaves

    def _leaf(self, leaf: Leaf, path: _Path, given: AbstractSet[int] = frozenset()) -> None:
        """A leaf; `given` words have been computed. Inside a join it computes only those."""
        if self._joined is not None:
            for g in sorted(self._joined):
                made = leaf.words[g]
                self._need(made.expr, leaf.queries, path)
                if made.guard is not None:
                    self._need(made.guard, leaf.queries, path)
                    self._guard(made.guard, path)
                self.lines.append(f"n{g} = (uint32_t){self._c(made.expr, path)};")
            return
        known = path.known
        for g, made in enumerate(leaf.words):
            if g in given:
                continue
            self._need(made.expr, leaf.queries, path)
            if made.guard is not None:
                self._need(made.guard, leaf.queries, path)
                self._guard(made.guard, path)
        values = [
            None if g in given else made.expr.value(known) for g, made in enumerate(leaf.words)
        ]
        lone: dict[int, int] = {}
        for g in self.program.lone:
            value = values[g]
            if value is None:
                raise _Dead
            lone[g] = value
        same = {
            g
            for g, made in enumerate(leaf.words)
            if made.expr is word(OWN, g) and values[g] is None and g not in given
        }
        for g, made in enumerate(leaf.words):
            if values[g] is None and g not in same and g not in given:
                self.lines.append(f"const uint32_t n{g} = (uint32_t){self._c(made.expr, path)};")
        new = [f"n{g}" if v is None else f"{v}u" for g, v in enumerate(values)]
        for g in same:
            new[g] = f"w{g}"
        self._commit(new, values, lone)

    def _commit(self, new: list[str], values: list[int | None], lone: dict[int, int]) -> None:
        """The token is complete: write it, make it the present one, go on."""
        self.lines.append(f"{_WRITE}{len(self._pending)}")
        self._pending.append((lone, new))
        static = self.program.setting.static
        known = all(values[g] is not None for g in static)
        for g, text in enumerate(new):
            if text != f"w{g}":
                kept = f"w{g} = {text};"
                self.lines.append(f"STATIC({kept})" if known and g in static else kept)
        later = " ".join(f"w{g} = {new[g]};" for g in static) if known else ""
        self._seen(lone, later)
        self._go(values, later)

    def _watched(self, step: Step, leaf: Leaf) -> bool:
        for part, chosen in self.program.want.watch:
            group = self.lifter.words.place[part][0]
            if leaf.words[group].expr.value(step.known) in chosen:
                return True
        return False

    def _seen(self, lone: dict[int, int], later: str) -> None:
        self._full = False
        for part, chosen in self.program.want.watch:
            if lone.get(self.lifter.words.place[part][0]) in chosen:
                groups = len(self.lifter.groups)
                stores = " ".join(f"s->seen[rows * {groups} + {g}] = w{g};" for g in range(groups))
                self.lines.append(f"{{ {later} {stores} rows++; }}")
                self._full = True
                return

    def _go(self, values: list[int | None], later: str) -> None:
        n, w = self._left
        self.lines.append(f"DONE({self._step.weight})")
        if self._full:
            self.lines.append(
                f"if (rows == s->room) {{ BACK({n}, {w}) {later} reason = {FULL}; goto out; }}"
            )
        target = [values[g] for g in self.program.setting.static]
        if None not in target:
            node = tuple(v for v in target if v is not None)
            if node in self.blocks:
                self.lines.append(self._jump(node))
                return
        elif target[0] is None and None not in target[1:]:
            rest = tuple(v for v in target[1:] if v is not None)
            self.lines.append(f"goto D{_name(rest)};")
            return
        self.lines.append(f"BACK({n}, {w}) {later} reason = {UNKNOWN}; goto out;")

    def _jump(self, node: Node) -> str:
        """To a node: in the same chunk directly, else out to it."""
        number = self.numbers[node]
        if self.chunk[node] == self.chunk[self._step.node]:
            return f"goto N{number};"
        return f"next = {number}; goto leave;"


def _render(variable: Variable) -> str:
    head, group = variable
    return f"w{group}" if head == OWN else f"h{head}_{group}"


def _name(rest: tuple[int, ...]) -> str:
    return "_".join(map(str, rest)) or "_"


__all__ = ["Emitter", "Step"]
