"""Random modules: valid, complete, and the same on wasmtime, on the oracle and in core code."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, note

from tests.sampling import random_cases, sampled
from tests.strategies import cases
from transputer.check.fuzz.bodies import missing
from transputer.check.fuzz.choose import Seeded
from transputer.check.fuzz.differential import examine
from transputer.check.fuzz.modules import REFILL, ModuleCase, case
from transputer.check.fuzz.regressions import parse_case, print_case
from transputer.check.fuzz.writer import WEIGHTS
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.memory import LinearMemory
from transputer.host.observation import observe
from transputer.ir.module import ExternKind, Mode, Module
from transputer.ir.text import print_wat
from transputer.ir.verify import verify
from transputer.isa.op import ValType
from transputer.isa.wasm import RELEASE_3, WASM
from transputer.lower.flatten import _Flattener
from transputer.oracle.ir import IrSession

CHUNKS, CHUNK = 24, 12
SAMPLE = [case(Seeded(seed)) for seed in range(60)]


def test_every_row_can_be_chosen() -> None:
    assert set(missing()) == RELEASE_3
    groups = {"access" if op.width else op.group for op in WASM}
    assert groups == set(WEIGHTS)


@pytest.mark.slow
def test_every_row_is_generated_and_executed() -> None:
    written: Counter[str] = Counter()
    executed: Counter[str] = Counter()
    for made in (case(Seeded(seed)) for seed in range(1000, 1250)):
        written.update(i.name for f in made.module.functions for i in f.body)
        session = IrSession(observer=lambda machine: executed.update((machine.instr.name,)))
        observe(session, verify(made.module), made.calls)
    assert {op.name for op in WASM if not written[op.name]} == RELEASE_3
    assert {op.name for op in WASM if not executed[op.name]} == RELEASE_3


def test_everything_a_module_can_have_is_generated() -> None:
    modules = [made.module for made in SAMPLE]
    kinds = set(ExternKind) - {ExternKind.TAG}
    assert {i.kind for m in modules for i in m.imports} == kinds
    assert {e.mode for m in modules for e in m.elements} == set(Mode)
    assert {d.mode for m in modules for d in m.data} == {Mode.ACTIVE, Mode.PASSIVE}
    assert any(m.start is not None for m in modules)
    assert any(len(m.table_types) > 1 for m in modules)
    assert any(len(t.results) > 1 for m in modules for t in m.types)
    assert {e.kind for m in modules for e in m.exports} == kinds


def test_a_seed_means_the_same_module() -> None:
    assert case(Seeded(3)) == SAMPLE[3]
    assert SAMPLE[3] != SAMPLE[4]


REFERENCES = {ValType.FUNCREF, ValType.EXTERNREF}


@pytest.mark.parametrize(
    "more",
    sampled([set(), REFERENCES, {ValType.F64}, {ValType.I64, ValType.EXTERNREF}], 4),
    ids=lambda types: "+".join(sorted(t.value for t in types)) or "i32",
)
def test_modules_of_some_types_only(more: set[ValType]) -> None:
    """All their values are of these types, and every row that can be used is."""
    types = frozenset({ValType.I32, *more})
    usable = {op.name for op in WASM if types.issuperset(op.params + op.results)}
    written: set[str] = set()
    for seed in range(120):
        made = case(Seeded(seed), types)
        assert types_of(made.module) <= types
        written.update(i.name for f in made.module.functions for i in f.body)
        if not seed % 8:
            assert examine(made).problem == "", f"seed {seed}"
    assert written <= usable
    missed = {name for name in usable - written if WASM[name].sig}
    assert len(missed) < len(usable) // 10, missed


def types_of(module: Module) -> set[ValType]:
    """The types of everything that a module has, its instructions included."""
    found = {t for f in module.types for t in f.params + f.results}
    found |= {g.type for g in module.global_types} | {t.element for t in module.table_types}
    found |= {t for f in module.functions for t in f.local_types}
    code = [i.op for f in module.functions for i in f.body]
    return found | {t for op in code for t in op.params + op.results}


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), CHUNKS))
def test_three_implementations_agree(chunk: int) -> None:
    """Encoding, both validators, lowering, core text, results, traps, memories, globals."""
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        assert examine(case(Seeded(seed))).problem == "", f"seed {seed}"


@pytest.mark.slow
@random_cases(30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(cases())
def test_three_implementations_agree_on_what_hypothesis_finds(made: ModuleCase) -> None:
    note(print_case(made))
    assert examine(made).problem == ""


def test_the_text_form_keeps_a_module() -> None:
    for made in SAMPLE:
        again = decode(to_wasm(print_wat(made.module)))
        for before, after in zip(made.module.functions, again.functions, strict=True):
            assert after.body == before.body
            assert after.local_types == before.local_types


def test_a_case_survives_its_file() -> None:
    for made in SAMPLE[:4]:
        again = parse_case(print_case(made, "two\nlines"))
        assert again.calls == made.calls
        assert examine(again).observation == examine(made).observation


def test_bodies_stay_small() -> None:
    assert max(len(f.body) for made in SAMPLE for f in made.module.functions) < 1000


def test_calls_end_even_without_the_rounds_refilled() -> None:
    for made in SAMPLE[:20]:
        calls = [call for call in made.calls if call[0] != REFILL]
        observe(IrSession(max_steps=200_000), verify(made.module), calls * 2)


# Deliberate faults: a fuzzer that notices nothing would pass all of the above.


def _no_unwinding(self: _Flattener, depth: int, height: int, suffix: str = "") -> None:
    block = self.blocks[-1 - depth]
    at = self.emit("jump" + suffix, block.start)
    if block.kind != "loop":
        block.waiting.append(at)


def _grow_by_one_less(self: LinearMemory, pages: int) -> int:
    old = self.size >> 16
    if pages and old + pages <= self.maximum:
        self.size += (pages - 1) << 16
    return old


FAULTS: dict[str, tuple[str, Callable[..., object]]] = {
    "branches keep what is below": ("lower.flatten._Flattener.branch", _no_unwinding),
    "locals are not zeroed": ("lower.flatten.read_before_written", lambda function, frame: []),
    "memory grows too little": ("host.memory.LinearMemory.grow", _grow_by_one_less),
    "tables never grow": ("host.store.TableInstance.grow", lambda self, n, value: 0xFFFFFFFF),
}
#: A fault that takes more than a hundred modules to be noticed.
RARE = "segments are never dropped"
RARELY = {RARE: ("host.store.Instance.drop_data", lambda self, i: None)}


@pytest.mark.parametrize("fault", [*FAULTS, pytest.param(RARE, marks=pytest.mark.slow)])
def test_a_fault_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, wrong = (FAULTS | RARELY)[fault]
    monkeypatch.setattr(f"transputer.{name}", wrong)
    assert any(examine(case(Seeded(seed))).problem for seed in range(200))


@pytest.mark.parametrize(
    "name", sampled(["f32.nearest", "i32.shr_s", "i64.extend32_s", "i64.store16"], 4)
)
def test_a_wrong_instruction_is_noticed(name: str) -> None:
    """The last bit of the result, or of what is stored, the other way."""
    op = WASM[name]
    right = op.pure
    object.__setattr__(op, "fn", lambda *args: right(*args) ^ 1)
    try:
        assert any(examine(case(Seeded(seed))).problem for seed in range(150))
    finally:
        object.__setattr__(op, "fn", right)
