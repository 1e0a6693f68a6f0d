"""The lifted engine: token for token what the native engine decodes, on any weights."""

import hashlib
import os
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.engines.listening import prompt
from tests.sampling import sampled
from transputer.engines.lifted.decoder import Lifted, Want
from transputer.engines.lifted.decoder.atoms import Algebra, AtomTable, constant, plus
from transputer.engines.lifted.decoder.certificate import check, disagreement, row_proof
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.numbers import groups, number
from transputer.engines.lifted.decoder.rows import leaves
from transputer.engines.lifted.decoder.store import dumped, loaded
from transputer.engines.native.decoder import Native
from transputer.errors import CapacityError, StepLimitError, UsageError
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import LAYOUT
from transputer.model import Model, Token, mutate, nonzeros, permute, renumber
from transputer.runtime.trace.program import TraceProgram, compile_file
from transputer.runtime.trace.run import run_program
from transputer.runtime.trace.sessions import new_session

#: Broken trace models that are run here; each takes some seconds.
MUTANTS = int(os.environ.get("TRANSPUTER_LIFTED_MUTANTS", "2"))
EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = [name for name, count in LAYOUT for _ in range(count)]
STATUS, OP, PHASE = (NAMES.index(name) for name in ("status", "op", "phase"))
FETCH = 1  # the head that reads the instruction

LOOP = """
(module (func (export "sum") (param i32) (result i32) (local i32 i32)
  loop
    local.get 2 local.get 1 i32.add local.set 2
    local.get 1 i32.const 1 i32.add local.tee 1
    local.get 0 i32.lt_u br_if 0
  end local.get 2))
"""
ECHO = """
(module (import "transputer" "read" (func $read (result i32)))
  (import "transputer" "write" (func $write (param i32)))
  (func (export "main") (local i32)
    loop
      call $read local.tee 0 i32.const -1 i32.ne
      if local.get 0 call $write br 1 end
    end))
"""
MIXED = """
(module (memory 1 2) (global $g (mut i32) (i32.const 5))
  (func $fib (param i32) (result i32)
    local.get 0 i32.const 2 i32.lt_s
    if (result i32) local.get 0 else
      local.get 0 i32.const 1 i32.sub call $fib
      local.get 0 i32.const 2 i32.sub call $fib i32.add end)
  (func (export "work") (param i32) (result i32)
    i32.const 9 local.get 0 i32.store8
    i32.const 13 i32.const -7 i32.store
    global.get $g i32.const 3 i32.mul global.set $g
    i32.const 9 i32.load8_s
    i32.const 11 i32.load
    i32.xor
    local.get 0 i32.const 7 i32.and call $fib
    i32.add
    global.get $g i32.rotl
    local.get 0 i32.const 3 i32.or i32.div_u
    i32.const 1 memory.grow i32.add)
  (func (export "get") (result i32) global.get $g)
  (func (export "boom") (param i32) (result i32) i32.const 70000 i32.load local.get 0 i32.add)
  (func (export "zero") (param i32) (result i32) i32.const 5 local.get 0 i32.div_s))
"""


@pytest.fixture(scope="session")
def wat(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TraceProgram]:
    def made(text: str) -> TraceProgram:
        path = tmp_path_factory.mktemp("lifted") / "program.wat"
        path.write_text(text)
        return compile_file(path)

    return made


def same_tokens(model: Model, tokens: Sequence[Token], steps: int) -> Lifted:
    """Both engines decode the same tokens, up to a stop; also when lifted does not keep them."""
    native = Native(model)
    for token in tokens:
        native.append(token)
    wanted = native.run(steps, [(STATUS, None)])
    want = Want((STATUS,))
    recorded, sprinted = Lifted(model, want), Lifted(model, want)
    for token in tokens:
        recorded.append(token)
        sprinted.append(token)
    found = []
    while sum(map(len, found)) < len(wanted):
        found.append(recorded.run(len(wanted) - sum(map(len, found)), [(STATUS, None)]))
    assert np.array_equal(np.concatenate(found), wanted)
    done = 0
    while done < len(wanted):
        done += sprinted.sprint(len(wanted) - done).steps
    assert done == len(wanted) and sprinted.last == tuple(wanted[-1].tolist())
    again = hashlib.sha256(b"".join(rows.tobytes() for rows in sprinted.replay()))
    assert again.hexdigest() == hashlib.sha256(wanted.tobytes()).hexdigest()
    return sprinted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "args"),
    [("work", [5]), ("work", [-3]), ("get", []), ("boom", [1]), ("zero", [0]), ("zero", [2])],
)
def test_programs_equal_native(
    wat: Callable[[str], TraceProgram], name: str, args: list[int]
) -> None:
    engine = same_tokens(trace_model(), prompt(wat(MIXED), name, args), 4000)
    assert not engine.why


def test_results_counts_and_hash_equal_native(wat: Callable[[str], TraceProgram]) -> None:
    program = wat(LOOP)
    one, two = (
        run_program(program, "sum", [999], engine=engine, digest=True)
        for engine in ("native", "lifted")
    )
    assert one.results == two.results == [sum(range(999))]
    assert (one.steps, one.instructions) == (two.steps, two.instructions)
    assert one.trace_sha256 == two.trace_sha256 is not None


def test_input_is_read_without_leaving_lifted_code(wat: Callable[[str], TraceProgram]) -> None:
    """The rows after a stop are shipped too, so that nothing is derived and nothing left."""
    one, two = (
        run_program(wat(ECHO), engine=engine, stdin=b"some input", digest=True)
        for engine in ("native", "lifted")
    )
    assert one.stdout == two.stdout == b"some input"
    assert one.trace_sha256 == two.trace_sha256 is not None
    assert two.engine == "lifted"


@pytest.mark.parametrize("bits", [32, 64])
def test_a_quotient_that_begins_again_stays_lifted(
    wat: Callable[[str], TraceProgram], bits: int
) -> None:
    """A divisor below the normal range is scaled, and the instruction enters a phase of its own."""
    program = wat(
        f"""(module (func (export "f") (param f{bits} f{bits}) (result f{bits})
        (f{bits}.div (local.get 0) (local.get 1))))"""
    )
    kind = np.float32 if bits == 32 else np.float64
    tiny = kind(np.finfo(kind).smallest_subnormal)
    for one, two in ((11, 3), (6, -5), (1, 7)):
        given = [float(one * tiny), float(two * tiny)]
        lifted, native = (run_program(program, "f", given, engine=e) for e in ("lifted", "native"))
        assert lifted.results == native.results == [float(kind(one) / kind(two))]
        assert lifted.engine == "lifted"


def test_several_invocations_share_what_was_written(wat: Callable[[str], TraceProgram]) -> None:
    program, seen = wat(MIXED), []
    for name in ("native", "lifted"):
        session = new_session(name, max_steps=10_000)
        instance, _ = session.load_program(program)
        outcomes = [
            session.invoke(instance, export, args)
            for export, args in (("work", [4]), ("get", []), ("work", [9]), ("get", []))
        ]
        seen.append([(o.results, o.trap, o.steps, o.instructions) for o in outcomes])
    assert seen[0] == seen[1]


def test_a_module_that_is_loaded_later(wat: Callable[[str], TraceProgram]) -> None:
    """New code after steps: what was written before, and the new arguments, must be there."""
    first, second, seen = wat(MIXED), wat(LOOP), []
    for name in ("native", "lifted"):
        session = new_session(name, max_steps=10_000)
        one, _ = session.load_program(first)
        outcomes = [session.invoke(one, "work", [4])]
        two, _ = session.load_program(second)
        for instance, export, args in (
            (two, "sum", [7]),
            (one, "get", []),
            (one, "work", [6]),
            (two, "sum", [9]),
        ):
            outcomes.append(session.invoke(instance, export, args))
        seen.append([(o.results, o.trap, o.steps, o.instructions) for o in outcomes])
    assert seen[0] == seen[1]


@pytest.mark.slow
def test_a_model_that_is_not_lifted_runs_natively_and_says_so(
    wat: Callable[[str], TraceProgram], caplog: pytest.LogCaptureFixture
) -> None:
    session = new_session("lifted", max_steps=10_000, addressing="parabolic")
    instance, _ = session.load_program(wat(LOOP))
    outcome = session.invoke(instance, "sum", [9])
    assert outcome.results == (sum(range(9)),) and outcome.instructions == 9 * 11 + 1
    assert "continuing on the native engine" in caplog.text


@pytest.mark.parametrize("name", sampled(["hanoi", "sum", "gcd"], 3))
def test_assembly_examples(name: str) -> None:
    path = EXAMPLES / "asm" / f"{name}.asm"
    program = compile_file(path)
    one, two = (run_program(program, engine=engine, digest=True) for engine in ("native", "lifted"))
    assert (one.results, one.stdout, one.steps) == (two.results, two.stdout, two.steps)
    assert one.trace_sha256 == two.trace_sha256


def test_a_limit_is_exact(wat: Callable[[str], TraceProgram]) -> None:
    program = wat(LOOP)
    with pytest.raises(StepLimitError):
        run_program(program, "sum", [10**9], engine="lifted", max_steps=1003)
    tokens = prompt(program, "sum", [10**9])
    engine = Lifted(trace_model(), Want((STATUS,)))
    for token in tokens:
        engine.append(token)
    done = 0
    while done < 1003:
        done += engine.sprint(1003 - done).steps
    assert done == 1003 and len(engine) == len(tokens) + 1003


def test_bad_tokens_are_refused() -> None:
    engine = Lifted(trace_model())
    with pytest.raises(UsageError, match="parts"):
        engine.append((1, 2))
    with pytest.raises(UsageError, match="below"):
        engine.append((999,) * len(trace_model().parts))
    with pytest.raises(UsageError, match="empty"):
        engine.sprint(1)


# It does not know the machine


#: Rows whose proofs are compared in `make test`; all of them with an option.
COMPARED = ("i32.add", "i32.store", "i32.rotl", "i32.load8_u", "br_if.n", "call", "i64.mul")


@pytest.fixture(scope="module")
def renumbered() -> tuple[Model, list[int]]:
    """Names deleted; lanes, heads, their rows, neurons and opcodes numbered anew."""
    rng = np.random.default_rng(5)
    order = [0, *(int(n) + 1 for n in rng.permutation(255))]
    return permute(renumber(trace_model(), "op", order), rng), order


def test_without_names() -> None:
    model = trace_model().anonymous()
    assert lifting(model, frozenset([STATUS])).frame.groups


@pytest.mark.slow
def test_with_everything_renumbered_it_decodes_the_same(
    wat: Callable[[str], TraceProgram], renumbered: tuple[Model, list[int]]
) -> None:
    model, order = renumbered
    tokens = prompt(wat(LOOP), "sum", [20])
    recoded = [(*t[:OP], order[t[OP]], *t[OP + 1 :]) for t in tokens]
    one, two = same_tokens(trace_model(), tokens, 2000), same_tokens(model, recoded, 2000)
    assert not one.why and not two.why and one.last == two.last
    found = [
        hashlib.sha256(b"".join(rows.tobytes() for rows in engine.replay())).hexdigest()
        for engine in (one, two)
    ]
    assert found[0] == found[1]  # decoded tokens have no opcode, which is 0 in both


@pytest.mark.slow
@pytest.mark.parametrize("name", OPCODES if "TRANSPUTER_PROVE" in os.environ else COMPARED)
def test_with_everything_renumbered_it_proves_the_same(
    name: str, renumbered: tuple[Model, list[int]]
) -> None:
    model, order = renumbered
    counts = []
    for other, opcode in ((trace_model(), OPCODES[name]), (model, order[OPCODES[name]])):
        held = lifting(other, frozenset([STATUS]))
        (fetch,) = (c for c in held.frame.setting.controls if c[0] != OWN)
        fixed = {fetch: opcode, (OWN, PHASE): 0}
        proof = row_proof(held.lifter, frozenset([STATUS]), tuple(fixed.items()), held.row(fixed))
        counts.append((proof.leaves, proof.words, proof.guarded, proof.digits))
    assert counts[0] == counts[1]


@pytest.mark.slow
def test_code_that_is_not_written_down_leaves_the_same(wat: Callable[[str], TraceProgram]) -> None:
    """What is in the arrays after sprints of all lengths is what recorded steps leave there."""
    tokens, rng = prompt(wat(MIXED), "work", [7]), random.Random(2)
    want = Want((STATUS,), kept=(NAMES.index("value"),))
    one, two = Lifted(trace_model(), want), Lifted(trace_model(), want)
    for token in tokens:
        one.append(token)
        two.append(token)
    done, stopped = 0, False
    while not stopped:
        found = one.sprint(rng.choice((1, 2, 5, 30, 200)))
        done, stopped = done + found.steps, found.stopped
        steps = 0
        while steps < found.steps:
            steps += len(two.run(found.steps - steps, [(STATUS, None)]))
        assert one.last == two.last
    assert done > 100 and one._rows is not None and two._rows is not None
    assert one._rows._cells.keys() == two._rows._cells.keys()
    for array, cells in one._rows._cells.items():
        assert np.array_equal(cells[: 1 << 20], two._rows._cells[array][: 1 << 20])


@pytest.mark.slow
def test_broken_models_do_what_native_does(wat: Callable[[str], TraceProgram]) -> None:
    model, rng = trace_model(), random.Random(11)
    tokens = prompt(wat(LOOP), "sum", [3])
    ran = 0
    for _ in range(40 * MUTANTS):
        if ran == MUTANTS:
            break
        how = rng.choice(("zero", "negate"))
        try:
            broken = mutate(model, rng.randrange(nonzeros(model)), how)
            Native(broken)
        except CapacityError:
            continue
        same_tokens(broken, tokens, 60)
        ran += 1
    assert ran == MUTANTS


# Rows


def rows(*names: str) -> Iterator[tuple[str, dict[tuple[int, int], int]]]:
    for name in names:
        yield name, {(FETCH, OP): OPCODES[name], (-1, PHASE): 0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("i32.add", "S + T"),
        ("i32.mul", "S * T"),
        ("i32.xor", "S ^ T"),
        ("i64.shl", "S << T"),
        ("i32.rotl", "rotl"),
    ],
)
def test_arithmetic_is_one_operation_on_words(name: str, formula: str) -> None:
    held = lifting(trace_model(), frozenset([STATUS]))
    tree = held.row(next(rows(name))[1])
    value = next(g for g, parts in enumerate(held.lifter.groups) if NAMES[parts[0]] == "value")
    going_on = [
        leaf
        for leaf in leaves(tree)
        if not leaf.words[held.lifter.words.place[STATUS][0]].expr.value({})
    ]
    assert len(going_on) == 1 and going_on[0].words[value].lifted
    kinds = {"S + T": "sum", "S * T": "product", "S ^ T": "xor", "S << T": "shl", "rotl": "rotl"}
    expr = going_on[0].words[value].expr
    assert kinds[formula] in (expr.kind, *(part.kind for part in expr.parts))


@pytest.mark.slow
def test_rows_agree_with_the_dense_weights() -> None:
    held, rng = lifting(trace_model(), frozenset([STATUS])), random.Random(3)
    names = ("i32.add", "i32.sub", "i32.lt_s", "i32.load", "i32.clz", "call", "return.1", "select")
    for _, fixed in rows(*names):
        for _ in range(40):
            assert disagreement(held, tuple(fixed.items()), held.row(fixed), rng) is None


def test_a_wrong_formula_is_noticed() -> None:
    held, rng = lifting(trace_model(), frozenset([STATUS])), random.Random(3)
    added, taken = (held.row(fixed) for _, fixed in rows("i32.add", "i32.sub"))
    fixed = tuple(next(rows("i32.add"))[1].items())
    assert added != taken
    assert any(disagreement(held, fixed, taken, rng) for _ in range(20))


def test_rows_survive_being_written_down() -> None:
    held = lifting(trace_model(), frozenset([STATUS]))
    for _, fixed in rows("i32.load", "i64.mul", "br_table"):
        tree = held.row(fixed)
        assert loaded(dumped(tree)) == tree


def test_digits_of_numbers_are_found_in_the_weights() -> None:
    held = lifting(trace_model(), frozenset([STATUS]))
    found = {NAMES[g[0]]: len(g) for g in groups(held.lifter.circuit)}
    # the remainder of a division goes on from `at` to `work`
    assert found == {**dict(LAYOUT), "at": 7, "work": 1}


# The algebra


def test_carries_of_a_sum_cancel() -> None:
    algebra = Algebra(AtomTable())
    bits = [algebra.bit(s, d, i) for s in (0, 1) for d in (0, 1) for i in range(8)]
    byte = [
        {m: c for j in range(8) for m, c in {next(iter(bits[8 * k + j])): 1 << j}.items()}
        for k in range(4)
    ]
    low, high = plus(byte[0], byte[2]), plus(byte[1], byte[3])
    carry = algebra.step(low, 256)
    over = algebra.step(plus(low, high, 256), 65536)
    digits = [plus(low, carry, -256), plus(plus(high, carry), over, -256)]
    found = number(algebra, digits, [256, 256])
    assert found is not None and found.proven and found.modulus == 65536
    assert found.poly == plus(low, high, 256)
    wrong = [plus(low, carry, -255), digits[1]]
    assert number(algebra, wrong, [256, 256]) is None


@pytest.mark.parametrize("seed", range(20))
def test_bends_equal_sums_of_relus(seed: int) -> None:
    rng, registry = random.Random(seed), AtomTable()
    algebra = Algebra(registry)
    weights = [rng.randint(-4, 4) for _ in range(5)]
    bits = [algebra.bit(0, 0, i) for i in range(5)]
    z = constant(0)
    for bit, weight in zip(bits, weights, strict=True):
        z = plus(z, bit, weight)
    corners = [(rng.choice((-1, 1)), rng.randint(-8, 8), rng.randint(-3, 3)) for _ in range(4)]
    if not z:
        return
    made = algebra.bend(z, corners)
    for chosen in range(32):
        fixed = Algebra(
            AtomTable(),
            {algebra.atoms[next(iter(b))[0]]: chosen >> i & 1 for i, b in enumerate(bits)},
        )
        fixed.atoms, fixed._numbers, fixed._ranges = (
            algebra.atoms,
            algebra._numbers,
            algebra._ranges,
        )
        at = sum(w for i, w in enumerate(weights) if chosen >> i & 1)
        wanted = sum(w * max(0, s * at + o) for s, o, w in corners)
        assert fixed.substituted(made, {}) == constant(wanted)


@pytest.mark.skipif("TRANSPUTER_PROVE" not in os.environ, reason="a minute; TRANSPUTER_PROVE=1")
def test_every_row_agrees_with_the_dense_weights() -> None:
    assert check(trace_model(), frozenset([STATUS])) == []
    assert sum(1 for _ in lifting(trace_model(), frozenset([STATUS])).reachable()) > 256
