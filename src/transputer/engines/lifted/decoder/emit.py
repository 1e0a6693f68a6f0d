"""The C text of a program's hot nodes: blocks of steps, in functions that compile fast."""

from collections.abc import Iterator, Mapping

from transputer.engines.lifted.decoder.block import (
    Back,
    BlockJump,
    LiftedBlock,
    Line,
    SeenToken,
    WordsChange,
)
from transputer.engines.lifted.decoder.cprint import HEAD, Printer, unsigned
from transputer.engines.lifted.decoder.program import (
    NOWHERE,
    LiftedProgram,
    LiftedStep,
    Node,
)
from transputer.engines.lifted.decoder.rowcode import FULL, STATE, table_texts
from transputer.engines.lifted.decoder.terms import Terms

#: Why the C code stops, besides FULL: at a node that it cannot do now; at one that has no code;
#: another function has it.
OUT, UNKNOWN, AWAY = range(100, 103)
#: Characters of C in one function.
CHUNK = 60_000
#: Steps in one block.
LONGEST = 200


class BlockEmitter:
    """Prints a program; `arrays` are the numbers of those that the code uses."""

    def __init__(self, program: LiftedProgram) -> None:
        self.program, self.frame = program, program.frame
        self.terms = Terms(program.frame.width)
        self.printer = Printer(self.terms)
        self.arrays: set[int] = set()
        self.numbers = {node: i for i, node in enumerate(program.steps)}
        self.nodes = [*program.steps]
        self._variables = 0
        self._detours = self._found_detours()
        self.leaders = self._leaders()
        self._leading = {*self.leaders}
        self.blocks = {node: LiftedBlock(self, program.steps[node]) for node in self.leaders}
        self.hot = self.printer.used - set(program.setting.static)
        self._carried = self._passed_on()
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

    # Blocks

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
        static = self.program.setting.static
        words = ", ".join(str(v) for node in self.nodes for v in node)
        starts = [0]
        for cold in self.tokens:
            starts.append(starts[-1] + len(cold))
        pairs = [pair for cold in self.tokens for pair in cold.items()] or [(0, 0)]
        return f"""#define GROUPS {len(self.frame.groups)}
{HEAD}{STATE}
{table_texts(self.printer.tables)}
{chr(10).join(functions)}
static const int16_t homes[] = {{{homes}}};
static const uint32_t statics[] = {{{words}}};
static const uint32_t starts[] = {{{", ".join(map(str, starts))}}};
static const uint8_t groups[] = {{{", ".join(str(g) for g, _ in pairs)}}};
static const uint64_t values[] = {{{", ".join(unsigned(v) for _, v in pairs)}}};
static int64_t (*const chunks[])(State *) = {{{table}}};
int64_t lifted_run(State *s, int64_t entry) {{
    const int64_t before = s->left;
    int64_t reason = {AWAY};
    s->next = entry;
    s->from = s->extra = 0;
    while (reason == {AWAY}) {{
        if (homes[s->next] < 0) reason = {OUT};
        else reason = chunks[homes[s->next]](s);
    }}
    s->tally += before - s->left - s->extra;
    if (s->left == before) return reason;
    for (uint32_t i = starts[s->from]; i < starts[s->from + 1]; i++) s->word[groups[i]] = values[i];
    if (s->next >= 0) {{
        const uint32_t *node = statics + {len(static)} * s->next;
        {" ".join(f"s->word[{g}] = node[{i}];" for i, g in enumerate(static))}
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
            f"    Entry *restrict const A{i} = s->arrays[{i}];" for i in sorted(self.arrays)
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
        static = set(self.program.setting.static)
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


def _counted(steps: int, weight: int) -> str:
    text = f"left -= {steps};"
    return text if weight == steps else f"{text} extra += {steps - weight};"


def _full(jump: BlockJump, lost: str) -> str:
    return f"if (rows == s->room) {{ {lost} reason = {FULL}; goto out; }} " if jump.full else ""


def _name(rest: tuple[int, ...]) -> str:
    return "_".join(map(str, rest)) or "_"


__all__ = ["BlockEmitter"]
