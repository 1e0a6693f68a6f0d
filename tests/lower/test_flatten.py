"""WebAssembly to core code: heights at branches, unwinding, dead code, zeroed locals."""

import pytest
from hypothesis import HealthCheck, given

from tests.sampling import random_cases
from tests.strategies import cases
from transputer.check.fuzz.modules import ModuleCase
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.observation import observe
from transputer.ir.core import CoreModule
from transputer.ir.core_verify import verify_core
from transputer.ir.verify import verify
from transputer.isa.core import CORE
from transputer.isa.op import ValType
from transputer.isa.wasm import WASM
from transputer.lower.flatten import RULES, flatten
from transputer.oracle.core import CoreSession
from transputer.oracle.core_machine import STALE


def lower(text: str) -> CoreModule:
    core = flatten(verify(decode(to_wasm(f"(module {text})"))))
    verify_core(core)
    return core


def code(body: str) -> list[str]:
    """The core code of one function, a star after what the program does not have."""
    core = lower(f'(func (export "f") {body})')
    return [f"{i}{' *' if i.implied else ''}" for i in core.code]


def call(body: str, *args: int) -> tuple[int, ...]:
    core = lower(f'(memory 1) (func (export "f") {body})')
    return observe(CoreSession(), core, [("f", args)]).calls[0].results


def test_every_row_has_a_form() -> None:
    assert [name for name in RULES.missing() if name not in CORE] == []
    kept = [op for op in WASM if op.name not in RULES.rules]
    assert [op.name for op in kept if CORE[op.name].imm != op.imm] == []


@pytest.mark.parametrize(
    "body, wanted",
    [
        ("nop", ["return 0 *"]),
        ("block nop end loop end", ["return 0 *"]),
        # a branch that has nothing to move is a plain jump
        (
            "block block br 1 end unreachable end i32.const 1 drop",
            ["jump 2", "unreachable", "i32.const 1", "drop", "return 0 *"],
        ),
        ("loop br 0 end", ["jump 0", "return 0 *"]),
        # operands of the block are no obstacle, operands below it are not moved
        (
            "(result i32) i32.const 9 block (result i32) i32.const 1 br 0 end i32.add",
            ["i32.const 9", "i32.const 1", "jump 3", "i32.add", "return 1 *"],
        ),
        # extra operands: keep one, at the height above one local and one operand
        (
            "(param i32) (result i32) i32.const 9 block (result i32) i32.const 1 i32.const 2 br 0 "
            "end i32.add",
            ["i32.const 9", "i32.const 1", "i32.const 2", "br 4 2 1", "i32.add", "return 1 *"],
        ),
        (
            "(param i32) block i32.const 1 local.get 0 br_if 0 drop end",
            ["i32.const 1", "local.get 0", "br_if 4 1 0", "drop", "return 0 *"],
        ),
        # a branch to a loop takes its parameters back to its start
        (
            "i32.const 1 loop (param i32) i32.const 2 br 0 end",
            ["i32.const 1", "i32.const 2", "br 1 0 1", "return 0 *"],
        ),
        # to the function's label: a return, but a conditional one is a branch to the end
        ("(result i32) i32.const 1 i32.const 2 br 0", ["i32.const 1", "i32.const 2", "return 1"]),
        (
            "(param i32) local.get 0 br_if 0 unreachable",
            ["local.get 0", "jump_if 3", "unreachable", "return 0 *"],
        ),
        # br_table: one entry each, the default last
        (
            "(param i32) block block local.get 0 br_table 0 1 2 end unreachable end",
            ["local.get 0", "br_table 2", "jump 5 *", "return 0 *", "return 0 *", "unreachable",
             "return 0 *"],
        ),
        # if
        ("(param i32) local.get 0 if nop end", ["local.get 0", "jump_unless 2", "return 0 *"]),
        (
            "(param i32) (result i32) local.get 0 if (result i32) i32.const 1 else i32.const 2 end",
            ["local.get 0", "jump_unless 4", "i32.const 1", "return 1 *", "i32.const 2",
             "return 1 *"],
        ),
        (
            "(param i32) local.get 0 if unreachable else nop end",
            ["local.get 0", "jump_unless 3", "unreachable", "return 0 *"],
        ),
        # what cannot be reached is dropped, blocks and all
        ("return i32.const 1 if unreachable else nop end drop", ["return 0"]),
        ("unreachable block loop br 0 end end", ["unreachable"]),
        # a jump to a return that the program does not have is one itself
        ("block br 0 i32.const 1 drop end nop", ["return 0", "return 0 *"]),
        # a `return` that the program has stays an instruction of its own
        ("block br 0 end return", ["jump 1", "return 0"]),
    ],
)  # fmt: skip
def test_control(body: str, wanted: list[str]) -> None:
    assert code(body) == wanted


def test_accesses_name_their_memory_and_no_alignment() -> None:
    core = lower("(memory 1) (func i32.const 0 i32.load offset=12 align=1 drop)")
    assert str(core.code[1]) == "i32.load 12 0"


def test_frames() -> None:
    core = lower('(func $f (param i32 i64) (local f32) i32.const 1 drop) (func (export "g"))')
    first, second = core.functions
    assert (first.entry, first.locals, first.frame, first.name) == (0, 3, 4, "f")
    assert (second.entry, second.locals, second.frame, second.name) == (3, 0, 0, "g")
    assert str(first.type) == "(i32 i64)->()"


def test_origins_name_the_instruction_in_its_function() -> None:
    core = lower(
        '(import "spectest" "print" (func)) (func nop i32.const 1 drop) (func unreachable)'
    )
    assert [i.origin for i in core.code] == [(1, 1), (1, 2), (1, 3), (2, 0)]


# Definite assignment: a local is zeroed exactly if some path reads it before it is written.


@pytest.mark.parametrize(
    "body, zeroed",
    [
        ("", []),
        ("local.get 1 drop", [1]),
        ("local.get 0 drop", []),  # a parameter has its value
        ("i32.const 1 local.set 1 local.get 1 drop", []),
        ("i32.const 1 local.tee 1 drop local.get 1 drop", []),
        ("local.get 2 local.set 1 local.get 1 drop", [2]),
        # both arms, one arm, the arm that is not there
        ("local.get 0 if i32.const 1 local.set 1 else i32.const 2 local.set 1 end "
         "local.get 1 drop", []),
        ("local.get 0 if i32.const 1 local.set 1 else nop end local.get 1 drop", [1]),
        ("local.get 0 if i32.const 1 local.set 1 end local.get 1 drop", [1]),
        # an arm that never comes to its end does not count
        ("local.get 0 if i32.const 1 local.set 1 else unreachable end local.get 1 drop", []),
        ("local.get 0 if i32.const 1 local.set 1 else return end local.get 1 drop", []),
        # a branch leaves before the assignment
        ("block local.get 0 br_if 0 i32.const 1 local.set 1 end local.get 1 drop", [1]),
        ("block i32.const 1 local.set 1 local.get 0 br_if 0 end local.get 1 drop", []),
        ("block block local.get 0 br_table 0 1 end i32.const 1 local.set 1 end "
         "local.get 1 drop", [1]),
        # loops: what the body assigns is assigned after it, and in the next round
        ("loop i32.const 1 local.set 1 local.get 0 br_if 0 end local.get 1 drop", []),
        ("loop local.get 1 drop i32.const 1 local.set 1 local.get 0 br_if 0 end", [1]),
        ("loop local.get 0 if i32.const 1 local.set 1 end local.get 0 br_if 0 end "
         "local.get 1 drop", [1]),
        ("block loop local.get 0 br_if 1 i32.const 1 local.set 1 br 0 end end "
         "local.get 1 drop", [1]),
        # code that is never reached reads nothing
        ("return local.get 1 drop", []),
        ("block br 0 local.get 1 drop end", []),
    ],
)  # fmt: skip
def test_definite_assignment(body: str, zeroed: list[int]) -> None:
    core = lower(f"(func (param i32) (local i32 i32) {body})")
    assert [i.args[0] for i in core.code if i.name == "local.zero"] == zeroed


@pytest.mark.parametrize("type_", [t for t in ValType if t is not ValType.V128])
def test_a_local_that_is_read_first_is_zero_and_not_stale(type_: ValType) -> None:
    """The slots below have been used before; only lowering makes them zero again."""
    v = type_.value  # vectors are pairs of words by then
    null = "ref.is_null" if type_.is_ref else f"{v}.const 0 {v}.eq"
    dirty = "i64.const -1 " * 4 + "drop " * 4
    core = lower(
        f'(func (export "f") (result i32) {dirty} call $g)'
        f"(func $g (result i32) (local {v}) local.get 0 {null})"
    )
    assert observe(CoreSession(), core, [("f", ())]).calls[0].results == (1,)


def test_a_slot_that_nobody_wrote_is_recognisable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transputer.lower.flatten.read_before_written", lambda f, frame: [])
    assert call("(result i32) (local i32) local.get 0") == (STALE,)


@pytest.mark.parametrize("index, wanted", [(0, 10), (1, 21), (2, 32), (3, 32), (2**32 - 1, 32)])
def test_br_table_unwinds_to_each_label(index: int, wanted: int) -> None:
    """Each label is at another height, with operands below it and above it."""
    body = (
        "(param i32) (result i32) "
        "i32.const 30 block (result i32) i32.const 20 block (result i32) i32.const 10 "
        "block (result i32) i32.const 7 i32.const 2 local.get 0 i32.const 2 i32.lt_u "
        "if (param i32) (result i32) drop local.get 0 end local.get 0 br_table 0 1 2 end "
        "i32.add return end i32.add return end i32.add"
    )
    assert call(body, index) == (wanted,)


@random_cases(30, suppress_health_check=list(HealthCheck))
@given(cases())
def test_core_code_is_valid_and_counts_what_the_program_has(made: ModuleCase) -> None:
    core = flatten(verify(made.module))
    verify_core(core)
    assert all(i.name != "nop" for i in core.code)
    written = {(index, pc) for index, f in made.module.bodies() for pc in range(len(f.body))}
    own = [i.origin for i in core.code if not i.implied]
    assert set(own) <= written
