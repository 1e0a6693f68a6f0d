"""The C text of a program's hot nodes: blocks of steps, in functions that compile fast."""

import sys
from collections.abc import Iterable, Iterator, Mapping

from transputer.engines.lifted.decoder.block import (
    SIZES,
    ArrayLine,
    Back,
    BlockJump,
    HeldLine,
    LiftedBlock,
    Line,
    ReadLine,
    SeenToken,
    WordsChange,
    WriteLine,
)
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.cprint import FLOATS, HEAD, Printer, unsigned
from transputer.engines.lifted.decoder.loops import CellUse, HotLoop, LoopFinder
from transputer.engines.lifted.decoder.program import (
    NOWHERE,
    LiftedProgram,
    LiftedStep,
    Node,
)
from transputer.engines.lifted.decoder.rowcode import FULL, STATE, table_texts
from transputer.engines.lifted.decoder.rows import expressions
from transputer.engines.lifted.decoder.terms import Terms

#: Why the C code stops, besides FULL: at a node that it cannot do now; at one that has no code;
#: another function has it.
OUT, UNKNOWN, AWAY = range(100, 103)
#: Characters of C in one function, and in one that is a loop.
CHUNK, LOOP = 60_000, 200_000
#: Steps in one block.
LONGEST = 200


#: Some bytes of an entry, where numbers begin with their lowest byte.
BYTES = (
    "\n".join(
        f"typedef struct {{ uint{n}_t it; }} __attribute__((packed, may_alias)) Bytes{n};"
        for n in SIZES
    )
    + """
#define BYTES(size, array, at) ((Bytes##size *)((char *)(array) + (at)))->it
"""
)
#: What a function of blocks begins with, and how it ends.
_COUNTERS = f"""\
    int64_t left = s->left, extra = s->extra, rows = s->rows, from = s->from;
    int64_t next = -1, reason = {OUT};
    uint64_t to;"""
_LEFT = """\
    s->left = left; s->extra = extra; s->rows = rows; s->from = from;
    s->next = next;
    return reason;"""


class BlockEmitter:
    """Prints a program; `arrays` are the numbers of those that the code uses.

    With `loops`, entries of arrays that loops use are C variables in them. Code that is `direct`
    has its arrays in memory, so that it may read and write bytes of an entry alone, and is left
    before the last step: then a row takes a step, so only words that it reads are left to it.
    """

    def __init__(self, program: LiftedProgram, loops: bool = False, direct: bool = False) -> None:
        self.direct, self.bytewise = direct, direct and sys.byteorder == "little"
        self.program, self.frame = program, program.frame
        self.terms = Terms(program.frame.width)
        self.printer = Printer(self.terms)
        self.arrays: set[int] = set()
        self.dropped = {*program.dropped}  # slots to which it does not write all
        self.numbers = {node: i for i, node in enumerate(program.steps)}
        self.nodes = [*program.steps]
        self._variables = 0
        self._reads: dict[Node, set[int]] = {}
        self._detours = self._found_detours()
        self.leaders = self._leaders()
        self._leading = {*self.leaders}
        self.blocks = self._lifted()
        self.static = {*program.setting.static}
        self.hot = self.printer.used - self.static
        self._carried = self._passed_on()
        found = LoopFinder(self.blocks, self.terms).loops() if loops else iter(())
        self.loops = [loop for loop in found if length(loop.blocks.values()) <= LOOP]
        #: The values of words, by number, that code has not stored.
        self.tokens: list[dict[int, int]] = [{}]
        self._tokens: dict[tuple[tuple[int, int], ...], int] = {(): 0}
        self.text = self._source()

    # What blocks ask for

    def variable(self) -> int:
        """A number for a C variable or a label."""
        self._variables += 1
        return self._variables

    def follows(self, node: Node) -> bool:
        """Whether a block continues with a node."""
        steps = self.program.steps
        return node in steps and node not in self._leading and node not in self._ends

    def detour(self, step: LiftedStep) -> tuple[Node, Node] | None:
        """Where a step goes, directly or by one step more at the second node."""
        return self._detours.get(step.node)

    def unlikely(self, test: str) -> str:
        """A condition on which code leaves, which is rare."""
        return f"__builtin_expect({test}, 0)" if self.direct else test

    # Arrays

    def keeps(self, slot: int, group: int) -> bool:
        """Whether code writes to an array."""
        named = slot in self.program.host.named
        if not self.direct or named or not self.program.shelf.optional(slot, group):
            return True
        self.dropped.add(slot)
        return False

    def bare(self, array: int) -> bool:
        """Whether an array has words alone."""
        slot, group = divmod(array, len(self.frame.groups))
        return self.direct and self.program.shelf.bare(slot, group)

    def stored(self, array: int, index: str, value: str) -> str:
        """The C that stores a word."""
        if self.bare(array):
            return f"A{array}[{index}].word = {value};"
        return f"A{array}[{index}] = (Entry){{{value}, 1}};"

    def some_bytes(self, size: int, array: int, at: str) -> str:
        """The C of some bytes of an array, counted in bits, from the byte `at` on."""
        return f"BYTES({size}, A{array}, {at})"

    def pointers(self) -> str:
        """Declarations of the arrays."""
        return "\n".join(
            f"    {kind} *restrict const A{n} = ({kind} *)s->arrays[{n}];"
            for n in sorted(self.arrays)
            for kind in ["Bare" if self.bare(n) else "Entry"]
        )

    # Blocks

    def _lifted(self) -> dict[Node, LiftedBlock]:
        return {node: LiftedBlock(self, self.program.steps[node]) for node in self.leaders}

    def _found_detours(self) -> dict[Node, tuple[Node, Node]]:
        """Steps that go to a node directly, or through one more step that only they lead to."""
        steps = self.program.steps
        leading: dict[Node, set[Node]] = {}
        for step in steps.values():
            for node in step.next:
                leading.setdefault(node, set()).add(step.node)
        leaders = self.program.targets
        detours = {}
        for step in steps.values():
            if len(step.next) != 2 or step.dynamic or step.seen:
                continue
            for goal, via in (tuple(step.next), tuple(step.next)[::-1]):
                more = steps.get(via)
                if (
                    goal in steps
                    and more is not None
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
        skipped = {via for _, via in self._detours.values()}
        reached = {n for step in steps.values() for n in step.next}
        leaders = self.program.targets | ({*steps} - reached)
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
        looped = {node: i for i, loop in enumerate(self.loops) for node in loop.blocks}
        printed = [(node, self._block(node)) for node in self.leaders if node not in looped]
        chunks: list[list[tuple[Node, list[Line]]]] = [[]]
        size = 0
        for node, lines in sorted(printed, key=lambda item: item[0]):
            more = length([self.blocks[node]])
            if size and size + more > CHUNK:
                chunks.append([])
                size = 0
            size += more
            chunks[-1].append((node, lines))
        self._home = {node: c for c, chunk in enumerate(chunks) for node, _ in chunk}
        self._home |= {node: len(chunks) + i for node, i in looped.items()}
        functions = [self._function(c, chunk) for c, chunk in enumerate(chunks)]
        functions += [
            LoopPrinter(self, loop).function(len(chunks) + i) for i, loop in enumerate(self.loops)
        ]
        table = ", ".join(f"chunk{c}" for c in range(len(functions)))
        floats = self.printer.floats
        return f"""#define GROUPS {len(self.frame.groups)}
{HEAD}{STATE}{BYTES if self.bytewise else ""}{FLOATS if floats else ""}
{table_texts(self.printer.tables)}
{chr(10).join(functions)}
{self.node_tables("static const")}
static int64_t (*const chunks[])(State *) = {{{table}}};
int64_t lifted_run(State *s, int64_t entry) {{
    const int64_t before = s->left;
    int64_t reason = {AWAY};
    s->left -= {int(self.direct)};
    s->next = entry;
    s->from = s->extra = 0;
{"    const uint64_t mode = ieee();" if floats else ""}
    while (reason == {AWAY}) {{
        if (homes[s->next] < 0) reason = {OUT};
        else reason = chunks[homes[s->next]](s);
    }}
    s->left += {int(self.direct)};
{"    as_before(mode);" if floats else ""}
{self.ending()}
}}
"""

    def node_tables(self, kind: str) -> str:
        """What the code looks up: functions and words of nodes, and words that it has not stored.

        `kind` is how a file declares a table.
        """
        homes = ", ".join(str(self._home.get(n, -1)) for n in self.nodes)
        words = ", ".join(str(v) for node in self.nodes for v in node)
        starts = [0]
        for cold in self.tokens:
            starts.append(starts[-1] + len(cold))
        pairs = [pair for cold in self.tokens for pair in cold.items()] or [(0, 0)]
        return f"""{kind} int16_t homes[] = {{{homes}}};
{kind} uint32_t statics[] = {{{words}}};
{kind} uint32_t starts[] = {{{", ".join(map(str, starts))}}};
{kind} uint8_t groups[] = {{{", ".join(str(g) for g, _ in pairs)}}};
{kind} uint64_t values[] = {{{", ".join(unsigned(v) for _, v in pairs)}}};"""

    def ending(self) -> str:
        """How `lifted_run` ends: with the words that the code has not stored."""
        static = self.program.setting.static
        return f"""    s->tally += before - s->left - s->extra;
    if (s->left == before) return reason;
    for (uint32_t i = starts[s->from]; i < starts[s->from + 1]; i++) s->word[groups[i]] = values[i];
    if (s->next >= 0) {{
        const uint32_t *node = statics + {len(static)} * s->next;
        {" ".join(f"s->word[{g}] = node[{i}];" for i, g in enumerate(static))}
    }}
    return reason;"""

    def _block(self, node: Node) -> list[Line]:
        """A block with its beginning: enough steps left, and what must be so."""
        block = self.blocks[node]
        me = self.numbers[node]
        tests = [f"left < {block.steps + block.extra}", *block.conditions()]
        rare = self.unlikely(" || ".join(tests))
        opening = f"N{me}: if ({rare}) {{ next = {me}; goto out; }}"
        return [opening, "{", counted(block.steps, block.weight), *block.lines, "}"]

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
        hot = sorted(self.hot)
        words = "\n".join(f"    uint64_t w{g} = s->word[{g}];" for g in hot)
        back = "\n".join(f"    s->word[{g}] = w{g};" for g in hot)
        return f"""static int64_t chunk{chunk}(State *s) {{
{self.pointers()}
{words}
{_COUNTERS}
    switch (s->next) {{
{cases}
    default: next = s->next; goto out;
    }}
{self.dispatches(chunk, body)}
{body}
leave:
    reason = {AWAY};
out:
{back}
{_LEFT}
}}
"""

    def _printed(self, chunk: int, block: LiftedBlock, line: Line) -> Iterator[str]:
        if isinstance(line, str):
            yield line
        elif isinstance(line, WordsChange):
            yield from self.assigned(line, self.hot, self.static)
        elif isinstance(line, SeenToken):
            yield self.seen(line)
        elif isinstance(line, Back):
            if line.used:
                yield uncounted(block, line)
                if line.assign is not None:
                    yield from self.assigned(line.assign, self.hot, self.static)
                yield f"next = {self.numbers[line.node]}; goto out; }}"
        else:
            yield self.jump(chunk, line)

    def seen(self, line: SeenToken) -> str:
        """A token to be seen is kept."""
        count = len(self.frame.groups)
        texts = [f"s->seen[rows * {count} + {g}] = {t};" for g, t in enumerate(line.texts)]
        return " ".join([*texts, "rows++;"])

    def assigned(self, assign: WordsChange, chosen: set[int], others: set[int]) -> Iterator[str]:
        """Chosen words are C variables; of others, numbers are told by one number.

        The `others` are not assigned.
        """
        assign = self.needed(assign)
        cold = {g: n for g, n in assign.numbers.items() if g not in chosen | others}
        for g in self._carried & {*cold}:
            yield f"s->word[{g}] = {unsigned(cold.pop(g))};"
        hot = {g: unsigned(n) for g, n in assign.numbers.items() if g in chosen}
        for g, text in assign.texts.items():
            if g in chosen:
                hot[g] = text
            elif g not in others:
                yield f"s->word[{g}] = {text};"
        if len(hot) > 1:
            yield " ".join(f"const uint64_t n{g} = {text};" for g, text in hot.items())
            yield " ".join(f"w{g} = n{g};" for g in hot)
        else:
            yield from (f"w{g} = {text};" for g, text in hot.items())
        yield f"from = {self._token(cold)};"

    def needed(self, assign: WordsChange) -> WordsChange:
        """The words that the next step reads, where it is known which it is."""
        step = None if assign.node is None else self.program.steps.get(assign.node)
        if not self.direct or step is None or step.tree is NOWHERE:
            return assign
        if step.node not in self._reads:
            exprs = expressions(step.tree)
            self._reads[step.node] = {g for e in exprs for h, g in e.variables if h == OWN}
        reads = self._reads[step.node]
        texts = {g: text for g, text in assign.texts.items() if g in reads}
        numbers = {g: number for g, number in assign.numbers.items() if g in reads}
        return WordsChange(texts, numbers, assign.words, assign.node)

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

    def jump(self, chunk: int, jump: BlockJump) -> str:
        """To the block of a node, which may be in another function than this one."""
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

    def dispatches(self, chunk: int, text: str) -> str:
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


class LoopPrinter:
    """Prints a loop as a function; see `loops`."""

    def __init__(self, emitter: BlockEmitter, loop: HotLoop) -> None:
        self.emitter, self.loop = emitter, loop
        texts = {
            g
            for block in loop.blocks.values()
            for line in block.lines
            for assign in [line.assign if isinstance(line, Back) else line]
            if isinstance(assign, WordsChange)
            for g in emitter.needed(assign).texts
        }
        self._bases = {*loop.bases}
        self._words = (emitter.hot | texts) - self._bases - emitter.static
        self._bits = {
            use.number: bit
            for bit, use in enumerate(u for u in loop.cells.values() if not u.must and u.writes)
        }

    def function(self, chunk: int) -> str:
        """The text of the function."""
        loop, numbers = self.loop, self.emitter.numbers
        body = "\n".join(
            text for node, block in loop.blocks.items() for text in self._block(node, block)
        )
        starts = "\n".join(
            f"    case {numbers[node]}: {self._bases_at(node)} break;" for node in loop.blocks
        )
        cases = "\n".join(
            f"    case {numbers[node]}: goto N{numbers[node]};" for node in loop.blocks
        )
        masks = range(-(-len(self._bits) // 64))
        words = sorted(self._words)
        lines = [
            f"static int64_t chunk{chunk}(State *s) {{",
            self.emitter.pointers(),
            *(f"    uint64_t w{g} = s->word[{g}];" for g in words),
            *(f"    uint64_t b{g}, o{g};" for g in loop.bases),
            *(f"    uint64_t dirty{m} = 0;" for m in masks),
            _COUNTERS,
            f"    switch (s->next) {{\n{starts}\n    default: return {OUT};\n    }}",
            f"    if ({' || '.join(loop.conditions()) or 0}) return {OUT};",
            *self._loads(),
            f"    switch (s->next) {{\n{cases}\n    }}",
            self.emitter.dispatches(-1, body),
            body,
            f"leave:\n    reason = {AWAY};\nout:",
            *self._stores(),
            *(f"    s->word[{g}] = o{g};" for g in loop.bases),
            *(f"    s->word[{g}] = w{g};" for g in words),
            f"{_LEFT}\n}}\n",
        ]
        return "\n".join(lines)

    def _bases_at(self, node: Node) -> str:
        moves = self.loop.moves[node]
        return " ".join(f"b{g} = s->word[{g}] - {unsigned(by)};" for g, by in moves.items())

    def _loads(self) -> Iterator[str]:
        """Load the variables; entries that code must read have to be there."""
        held = []
        for cell, use in self.loop.cells.items():
            at = f"A{cell[0]}[{self.loop.index(cell)}]"
            if use.twin is None:
                yield f"    uint64_t p{use.number} = {at}.word;"
            if use.must:
                held.append(f"{at}.held")
        if held:
            yield f"    if (!({' & '.join(held)})) return {OUT};"

    def _stores(self) -> Iterator[str]:
        """Store the variables that may have changed."""
        for cell, use in self.loop.cells.items():
            if use.writes:
                value = use.number if use.twin is None else use.twin.number
                store = self.emitter.stored(cell[0], self.loop.index(cell), f"p{value}")
                bit = self._bits.get(use.number)
                test = "" if bit is None else f"if (dirty{bit // 64} >> {bit % 64} & 1) "
                yield f"    {test}{store}"

    def _block(self, node: Node, block: LiftedBlock) -> Iterator[str]:
        me = self.emitter.numbers[node]
        tests = [f"left < {block.steps + block.extra}", *self.loop.block_conditions(block)]
        at = {g: f"b{g} + {unsigned(by)}" for g, by in self.loop.moves[node].items()}
        out = " ".join(f"o{g} = {text};" for g, text in at.items())
        yield f"N{me}: {{"
        yield " ".join(f"const uint64_t w{g} = {text};" for g, text in at.items())
        rare = self.emitter.unlikely(" || ".join(tests))
        yield f"if ({rare}) {{ {out} next = {me}; goto out; }}"
        yield counted(block.steps, block.weight)
        change: WordsChange | None = None
        for line in block.lines:
            if isinstance(line, WordsChange):
                change = line
            elif isinstance(line, BlockJump):
                assert change is not None
                yield from self._jump(change, line)
            else:
                yield from self._printed(node, block, line)
        yield "}"

    def _jump(self, change: WordsChange, jump: BlockJump) -> Iterator[str]:
        if self.loop.stays_in(change, jump):
            yield from self._assigned(change)
            yield f"goto N{self.emitter.numbers[jump.node]};"
        else:
            yield from self._moved(change)
            yield self.emitter.jump(-1, jump)

    def _moved(self, change: WordsChange | None) -> Iterator[str]:
        """The words at the end of the loop."""
        for g in self.loop.bases:
            text = f"w{g}"
            if change is not None and g in change.numbers:
                text = unsigned(change.numbers[g])
            elif change is not None:
                text = change.texts.get(g, text)
            yield f"o{g} = {text};"
        if change is not None:
            yield from self._assigned(change)

    def _assigned(self, change: WordsChange) -> Iterator[str]:
        return self.emitter.assigned(change, self._words, self._bases | self.emitter.static)

    def _printed(self, node: Node, block: LiftedBlock, line: Line) -> Iterator[str]:
        if isinstance(line, Back):
            if line.used:
                yield uncounted(block, line)
                yield from self._moved(line.assign)
                yield f"next = {self.emitter.numbers[line.node]}; goto out; }}"
        elif isinstance(line, SeenToken):
            yield self.emitter.seen(line)
        elif isinstance(line, HeldLine):
            names = [pair for pair in line.names if self.loop.variable(node, pair[1]) is None]
            if names:
                yield HeldLine.of(names, line.label)
        elif isinstance(line, ArrayLine):
            use = self.loop.variable(node, line.place)
            yield line if use is None else self._variable(use, line)
        else:
            assert isinstance(line, str)
            yield line

    def _variable(self, use: CellUse, line: ArrayLine) -> str:
        """A line about an entry that is a variable."""
        if isinstance(line, ReadLine):
            return f"const uint64_t {line.name} = p{use.number};"
        if not isinstance(line, WriteLine):
            return ""
        bit = self._bits.get(use.number)
        mark = "" if bit is None else f" dirty{bit // 64} |= UINT64_C({1 << bit % 64});"
        return mark if use.twin is not None else f"p{use.number} = {line.value};{mark}"


def length(blocks: Iterable[LiftedBlock]) -> int:
    """About how many characters blocks take."""
    lines = (line for block in blocks for line in block.lines)
    return sum(len(line) if isinstance(line, str) else 60 for line in lines)


def uncounted(block: LiftedBlock, back: Back) -> str:
    """Where code returns to that cannot continue: the steps since are not counted."""
    steps = block.steps + back.charged[0] - back.done[0]
    weight = block.weight + back.charged[1] - back.done[1]
    extra = f" extra -= {steps - weight};" if steps != weight else ""
    return f"if (0) {{ {back.label}: left += {steps};{extra}"


def counted(steps: int, weight: int) -> str:
    """Count the steps of a block."""
    text = f"left -= {steps};"
    return text if weight == steps else f"{text} extra += {steps - weight};"


def _full(jump: BlockJump, lost: str) -> str:
    return f"if (rows == s->room) {{ {lost} reason = {FULL}; goto out; }} " if jump.full else ""


def _name(rest: tuple[int, ...]) -> str:
    return "_".join(map(str, rest)) or "_"


__all__ = ["BlockEmitter"]
