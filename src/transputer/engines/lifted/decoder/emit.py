"""The C text of a program: blocks of steps, in functions that compile fast."""

from collections.abc import Iterable, Iterator, Mapping

from transputer.engines.lifted.decoder.block import (
    Back,
    BlockJump,
    LiftedBlock,
    Line,
    SeenToken,
    WordsChange,
)
from transputer.engines.lifted.decoder.cprint import Printer, number, unsigned
from transputer.engines.lifted.decoder.program import (
    NOWHERE,
    LiftedArray,
    LiftedProgram,
    LiftedStep,
    Node,
)
from transputer.engines.lifted.decoder.rows import Key
from transputer.engines.lifted.decoder.terms import Terms

#: Why the C code stops: at a node that it cannot do now; at one that has no code; where there is
#: no room for what is seen; another function has it.
OUT, UNKNOWN, FULL, AWAY = range(4)
#: Characters of C in one function.
CHUNK = 60_000
#: Steps in one block.
LONGEST = 200

#: What every file of C begins with.
HEAD = """\
#include <stdint.h>
typedef __int128 i128;
#define ROTL32(x, k) (uint64_t)(uint32_t)(((x) << ((k) & 31)) | ((x) >> (-(k) & 31)))
#define ROTL64(x, k) (((x) << ((k) & 63)) | ((x) >> (-(k) & 63)))
#define OPERATIONS(T, S) \\
    static inline T floor##S(T z, T m) { return z / m - (z % m < 0); } \\
    static inline T mod##S(T z, T m) { return z - floor##S(z, m) * m; } \\
    static inline T clamp##S(T z, T top) { return z < 0 ? 0 : z > top ? top : z; } \\
    static inline T square##S(T z) { return z < 0 ? 0 : z * z; }
OPERATIONS(int64_t, _)
OPERATIONS(i128, 128_)
static inline int64_t digit_(int64_t x, int64_t d, int64_t c) {
    if (!c) return d && x / d < 255 ? x / d : 255;
    int64_t low = 0, high = 255;
    while (low < high) {
        int64_t v = (low + high + 1) / 2;
        if (x >= v * d + v * v * c) low = v;
        else high = v - 1;
    }
    return low;
}
typedef struct { uint64_t word, held; } Entry;
typedef struct {
    int64_t left, extra, rows, room, next, from;
    uint64_t *seen, *tape;
    Entry **arrays;
    uint64_t word[GROUPS];
} State;
"""


class BlockEmitter:
    """Prints a program; `arrays` are those the code uses, in order.

    With `single`, every step is a block of its own, and writes its token to the tape.
    """

    def __init__(
        self, program: LiftedProgram, first: Iterable[Node] = (), single: bool = False
    ) -> None:
        self.program, self.frame, self.single = program, program.frame, single
        self.first = {*first}
        self.terms = Terms(program.frame.width)
        self.printer = Printer(self.terms)
        self.arrays = program.arrays()
        self.shared = shared_arrays(program, self.arrays)
        self.folded: set[tuple[Key, tuple[int, ...], int]] = set()  # what code takes as constant
        self.numbers = {node: i for i, node in enumerate(program.steps)}
        self.nodes = [*program.steps]
        self._variables = 0
        self._detours = {} if single else self._found_detours()
        self.leaders = self._leaders()
        self.blocks = {node: LiftedBlock(self, program.steps[node]) for node in self.leaders}
        static = set(program.setting.static)
        self.hot = {*range(len(self.frame.groups))} if single else self.printer.used - static
        self._carried = self._passed_on()
        #: The values of words, by number, that code has not stored.
        self.tokens: list[dict[int, int]] = [{}]
        self._tokens: dict[tuple[tuple[int, int], ...], int] = {(): 0}
        self.text = self._source()

    def need(self, node: Node) -> int | None:
        """How many steps must be left for code to start at a node; None if it cannot."""
        block = self.blocks.get(node)
        return None if block is None else block.steps + block.extra

    # What blocks ask for

    def variable(self) -> int:
        """A number for a C variable or a label."""
        self._variables += 1
        return self._variables

    def follows(self, node: Node) -> bool:
        """Whether a block continues with a node."""
        return node in self.program.steps and node not in self.leaders and node not in self._ends

    def detour(self, step: LiftedStep) -> tuple[Node, Node] | None:
        """Where a step goes, directly or by one step more at the second node."""
        return self._detours.get(step.node)

    # Blocks

    def _found_detours(self) -> dict[Node, tuple[Node, Node]]:
        """Steps that go to a node directly, or through one more step that only they lead to."""
        steps = self.program.steps
        leading: dict[Node, set[Node]] = {}
        for step in steps.values():
            for node in step.next:
                leading.setdefault(node, set()).add(step.node)
        leaders = self.first | self.program.targets
        detours = {}
        for step in steps.values():
            if len(step.next) != 2 or step.dynamic or step.seen:
                continue
            for goal, via in (tuple(step.next), tuple(step.next)[::-1]):
                more = steps.get(via)
                if (
                    more is not None
                    and more.next == {goal}
                    and not (more.dynamic or more.seen or via in leaders)
                    and leading[via] == {step.node}
                    and step.node not in (goal, via)
                ):
                    detours[step.node] = goal, via
                    break
        return detours

    def _leaders(self) -> list[Node]:
        """Nodes where code begins: where ways meet or part, and where it is entered."""
        steps = self.program.steps
        self._ends = {n for n, s in steps.items() if s.tree is NOWHERE or not s.ends}
        if self.single:
            return [n for n in steps if n not in self._ends]
        skipped = {via for _, via in self._detours.values()}
        reached = {n for step in steps.values() for n in step.next}
        leaders = {*self.first, *self.program.targets} | ({*steps} - reached)
        seen: set[Node] = set()
        for step in steps.values():
            after = {self._detours[step.node][0]} if step.node in self._detours else step.next
            if step.node in skipped:
                continue
            if len(after) > 1 or step.dynamic or step.seen:
                leaders |= after
            leaders |= (after & seen) | (after & {step.node})
            seen |= after
        leaders -= skipped | self._ends
        leaders |= self._cut(leaders)
        return [n for n in steps if n in leaders]

    def _cut(self, leaders: set[Node]) -> set[Node]:
        """More leaders, so that no block is too long."""
        more: set[Node] = set()
        for leader in leaders:
            node, length = leader, 0
            while True:
                step = self.program.steps.get(node)
                after = self._detours.get(node, (None,))[0]
                if step is None or (after is None and (len(step.next) != 1 or step.dynamic)):
                    break
                node = after if after is not None else next(iter(step.next))
                length += 1
                if node in leaders or node in more:
                    break
                if length == LONGEST:
                    more.add(node)
                    length = 0
        return more - self._ends

    # Text

    def _source(self) -> str:
        """The whole file."""
        printed = [(node, self._block(node)) for node in self.leaders]
        chunks: list[list[tuple[Node, list[Line]]]] = [[]]
        size = 0
        for node, lines in sorted(printed, key=lambda item: item[0]):
            length = sum(len(line) if isinstance(line, str) else 60 for line in lines)
            if size and size + length > CHUNK:
                chunks.append([])
                size = 0
            size += length
            chunks[-1].append((node, lines))
        self._home = {node: c for c, chunk in enumerate(chunks) for node, _ in chunk}
        functions = [self._function(c, chunk) for c, chunk in enumerate(chunks)]
        homes = ", ".join(str(self._home.get(n, -1)) for n in self.nodes)
        table = ", ".join(f"chunk{c}" for c in range(len(chunks)))
        tables = "\n".join(
            f"static const int64_t {name}[] = {{{', '.join(map(number, values))}}};"
            for values, name in self.printer.tables.items()
        )
        return f"""#define GROUPS {len(self.frame.groups)}
{HEAD}
{tables}
{chr(10).join(functions)}
static const int16_t homes[] = {{{homes}}};
static int64_t (*const chunks[])(State *) = {{{table}}};
int64_t lifted_run(State *s, int64_t entry) {{
    int64_t reason = {AWAY};
    s->next = entry;
    while (reason == {AWAY}) {{
        if (homes[s->next] < 0) return {OUT};
        reason = chunks[homes[s->next]](s);
    }}
    return reason;
}}
"""

    def _block(self, node: Node) -> list[Line]:
        """A block with its beginning: enough steps left, and what must be so."""
        block = self.blocks[node]
        me = self.numbers[node]
        tests = [f"left < {block.steps + block.extra}", *block.conditions()]
        opening = f"N{me}: if ({' || '.join(tests)}) {{ next = {me}; goto out; }}"
        return [opening, "{", _counted(block.steps, block.weight), *block.lines, "}"]

    def _function(self, chunk: int, blocks: list[tuple[Node, list[Line]]]) -> str:
        """The blocks of a chunk as one function."""
        body = "\n".join(
            text
            for node, lines in blocks
            for line in lines
            for text in self._printed(chunk, self.blocks[node], line)
        )
        cases = "\n".join(
            f"    case {self.numbers[n]}: goto N{self.numbers[n]};" for n, _ in blocks
        )
        pointers = "\n".join(
            f"    Entry *restrict const A{i} = s->arrays[{i}];"
            for i in range(len(self.arrays))
            if self.shared[i] == i
        )
        hot = sorted(self.hot)
        words = "\n".join(f"    uint64_t w{g} = s->word[{g}];" for g in hot)
        back = "\n".join(f"    s->word[{g}] = w{g};" for g in hot)
        return f"""static int64_t chunk{chunk}(State *s) {{
{pointers}
{words}
    int64_t left = s->left, extra = s->extra, rows = s->rows, next = -1, reason = {OUT};
    uint64_t to;
    switch (s->next) {{
{cases}
    default: next = s->next; goto out;
    }}
{self._dispatches(chunk, body)}
{body}
leave:
    reason = {AWAY};
out:
    s->next = next;
{back}
    s->left = left; s->extra = extra; s->rows = rows;
    return reason;
}}
"""

    def _printed(self, chunk: int, block: LiftedBlock, line: Line) -> Iterator[str]:
        if isinstance(line, str):
            yield line
        elif isinstance(line, WordsChange):
            yield from self._assigned(line)
            if self.single:
                groups = range(len(self.frame.groups))
                yield " ".join(f"*s->tape++ = w{g};" for g in groups)
        elif isinstance(line, SeenToken):
            count = len(self.frame.groups)
            pairs = enumerate(line.texts)
            yield " ".join(f"s->seen[rows * {count} + {g}] = {t};" for g, t in pairs)
            yield "rows++;"
        elif isinstance(line, Back):
            if line.used:
                yield from self._back(block, line)
        else:
            yield self._jump(chunk, line)

    def _back(self, block: LiftedBlock, back: Back) -> Iterator[str]:
        steps = block.steps + back.charged[0] - back.done[0]
        weight = block.weight + back.charged[1] - back.done[1]
        extra = f" extra -= {steps - weight};" if steps != weight else ""
        yield f"if (0) {{ {back.label}: left += {steps};{extra}"
        if back.assign is not None:
            yield from self._assigned(back.assign)
        yield f"next = {self.numbers[back.node]}; goto out; }}"

    def _assigned(self, assign: WordsChange) -> Iterator[str]:
        """Words that code reads are C variables; of others, numbers are told by one number."""
        static = set() if self.single else set(self.program.setting.static)
        cold = {g: n for g, n in assign.numbers.items() if g not in self.hot | static}
        for g in self._carried & {*cold}:
            yield f"s->word[{g}] = {unsigned(cold.pop(g))};"
        hot = {g: unsigned(n) for g, n in assign.numbers.items() if g in self.hot}
        for g, text in assign.texts.items():
            if g in self.hot:
                hot[g] = text
            elif g not in static:
                yield f"s->word[{g}] = {text};"
        if len(hot) > 1:
            yield " ".join(f"const uint64_t n{g} = {text};" for g, text in hot.items())
            yield " ".join(f"w{g} = n{g};" for g in hot)
        else:
            yield from (f"w{g} = {text};" for g, text in hot.items())
        yield f"s->from = {self._token(cold)};"

    def _passed_on(self) -> set[int]:
        """Words that some block leaves as they are."""
        every = {*range(len(self.frame.groups))}
        groups: set[int] = set()
        for block in self.blocks.values():
            for line in block.lines:
                assign = line.assign if isinstance(line, Back) else line
                if isinstance(assign, WordsChange):
                    groups |= every - {*assign.texts} - {*assign.numbers}
        return groups

    def _token(self, cold: Mapping[int, int]) -> int:
        key = tuple(sorted(cold.items()))
        if key not in self._tokens:
            self._tokens[key] = len(self.tokens)
            self.tokens.append(dict(cold))
        return self._tokens[key]

    def _jump(self, chunk: int, jump: BlockJump) -> str:
        if jump.to is not None:
            words = zip(self.program.setting.static[1:], jump.node[1:], strict=True)
            others = " ".join(f"s->word[{g}] = {v};" for g, v in words)
            name = _name(jump.node[1:])
            lost = f"s->word[{self.program.setting.static[0]}] = {jump.to}; {others} next = -1;"
            return f"{_full(jump, lost)}to = {jump.to}; goto D{name};"
        there = self.numbers.get(jump.node)
        if there is None:
            words = zip(self.program.setting.static, jump.node, strict=True)
            lost = " ".join(f"s->word[{g}] = {v};" for g, v in words)
            return f"{lost} next = -1; reason = {UNKNOWN}; goto out;"
        full = _full(jump, f"next = {there};")
        if jump.node not in self.blocks:
            return f"{full}next = {there}; goto out;"
        if self._home[jump.node] == chunk:
            return f"{full}goto N{there};"
        return f"{full}next = {there}; goto leave;"

    def _dispatches(self, chunk: int, text: str) -> str:
        """Dynamic jumps: on the first static group, for given values of the others."""
        others: dict[Node, list[Node]] = {}
        for node in self.program.targets:
            if node in self.blocks:
                others.setdefault(node[1:], []).append(node)
        static = self.program.setting.static
        lines = []
        for rest in sorted({n[1:] for n in self.nodes}):
            if f"goto D{_name(rest)};" not in text:
                continue
            cases = "\n".join(
                f"    case {n[0]}: goto N{self.numbers[n]};"
                if self._home[n] == chunk
                else f"    case {n[0]}: next = {self.numbers[n]}; goto leave;"
                for n in sorted(others.get(rest, []))
            )
            words = " ".join(f"s->word[{g}] = {v};" for g, v in zip(static[1:], rest, strict=True))
            lost = f"s->word[{static[0]}] = to; {words} next = -1; reason = {UNKNOWN};"
            lines.append(
                f"D{_name(rest)}:\n    switch (to) {{\n{cases}\n"
                f"    default: {lost} goto out;\n    }}"
            )
        return "\n".join(lines)


def shared_arrays(program: LiftedProgram, arrays: list[LiftedArray]) -> list[int]:
    """For each array the one it is the same as: indices that never need more digits."""
    reach: dict[LiftedArray, int] = {}
    shared = []
    for i, array in enumerate(arrays):
        same = []
        for j, other in enumerate(arrays):
            if other.digits < array.digits and other.alike(array):
                if other not in reach:
                    reach[other] = program.reach(other)
                if reach[other] < 256**other.digits:
                    same.append(j)
        shared.append(min(same, key=lambda j: arrays[j].digits, default=i))
    return shared


def _counted(steps: int, weight: int) -> str:
    text = f"left -= {steps};"
    return text if weight == steps else f"{text} extra += {steps - weight};"


def _full(jump: BlockJump, lost: str) -> str:
    return f"if (rows == s->room) {{ {lost} reason = {FULL}; goto out; }} " if jump.full else ""


def _name(rest: tuple[int, ...]) -> str:
    return "_".join(map(str, rest)) or "_"


__all__ = ["BlockEmitter", "shared_arrays"]
