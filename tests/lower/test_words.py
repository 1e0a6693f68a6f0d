"""The edges of lowered modules: types, globals, hosts and linked modules as their author sees them.

What an instruction gives is tested in `test_numbers.py`; here, that lowered modules meet each
other and the host with the types as written, and count the instructions as written.
"""

import pytest

from transputer.errors import CapacityError, LinkError, Trap
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.store import HostFunction, Instance
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.module import Function, FuncType, GlobalType, Module
from transputer.ir.verify import verify
from transputer.isa.core import MAX_SLOTS
from transputer.isa.op import ValType
from transputer.lower.numbers import lower_numbers
from transputer.lower.origin import as_written
from transputer.lower.pipeline import in_words
from transputer.lower.words import instr
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import AnySession, new_session

I32, I64, F32, F64 = ValType.I32, ValType.I64, ValType.F32, ValType.F64


def load(session: AnySession, text: str) -> Instance:
    verified = verify(decode(to_wasm(f"(module {text})")))
    return session.load_program(TraceProgram("test", module=verified))[0]


@pytest.fixture(params=["oracle", "words"])
def session(request: pytest.FixtureRequest) -> AnySession:
    return new_session(request.param, max_steps=100_000)


def steps(text: str, *args: int) -> int:
    """Steps of the function `f`, its return not included."""
    session = new_session("words", max_steps=100_000)
    return session.invoke(load(session, text), "f", args).steps - 1


@pytest.mark.parametrize(
    "body, wanted",
    [
        ("(param i64 i64) (result i64) (i64.add (local.get 0) (local.get 1))", 10),
        ("(param i64 i64) (result i64) (i64.sub (local.get 0) (local.get 1))", 10),
        ("(param i64) (result i64) (i64.and (local.get 0) (i64.const 0xffffffff))", 2),
        ("(param i64) (result i32) (i32.wrap_i64 (local.get 0))", 1),
        ("(param i32) (result i64) (i64.extend_i32_u (local.get 0))", 2),
        ("(param i64) (result i64) (i64.shr_u (local.get 0) (i64.const 32))", 2),
        ("(param i64) (result i32) (i64.eqz (local.get 0))", 4),
        ("(param i64) (result i32) (i64.ne (local.get 0) (i64.const 0))", 5),
        ("(param f64) (result f64) (f64.neg (local.get 0))", 4),
        ("(param f32) (result i32) (i32.reinterpret_f32 (local.get 0))", 1),
        ("(param i32) (result i64) (i64.load (local.get 0))", 4),
        ("(param i32 i64) (i64.store (local.get 0) (local.get 1))", 6),
        ("(param i64) (local i64) (local.set 1 (local.get 0))", 4),
        ("(param i64) (drop (local.get 0))", 1),
    ],
)
def test_short_forms(body: str, wanted: int) -> None:
    """Operands included; the return may be the step in which the last one counts."""
    assert steps(f'(memory 1) (func (export "f") {body})', *[0] * body.count("local.get")) == wanted


def test_operands_on_the_stack() -> None:
    """Globals must be read in time, so their words are on the stack."""
    glob = "(global $a (mut i64) (i64.const 1)) (global $b (mut i64) (i64.const 2))"
    both = "(global.get $a) (global.get $b)"
    for op, limit in (("i64.add", 12), ("i64.mul", 60)):
        assert steps(f'{glob} (func (export "f") (result i64) ({op} {both}))') - 4 <= limit


def test_a_local_is_read_before_it_changes(session: AnySession) -> None:
    instance = load(
        session,
        """(func (export "f") (param i64) (result i64)
             local.get 0 i64.const 5 local.set 0 local.get 0 i64.sub)
           (func (export "g") (param i64) (result i64)
             local.get 0 i64.const 7 local.tee 0 local.get 0 i64.add i64.sub)""",
    )
    assert session.invoke(instance, "f", [12]).results == (7,)
    assert session.invoke(instance, "g", [20]).results == (6,)


def test_values_are_those_of_the_types_as_written(session: AnySession) -> None:
    instance = load(
        session,
        """(func (export "f") (param i32 i64 f32 f64) (result f64 f32 i64 i32)
             local.get 3 local.get 2 local.get 1 local.get 0)""",
    )
    given = [1, 1 << 63 | 5, 0x7FC00001, 0xFFF8000000000003]
    assert session.invoke(instance, "f", given).results == tuple(reversed(given))
    function = session.function(instance, "f").type.source
    assert function == FuncType((I32, I64, F32, F64), (F64, F32, I64, I32))


def test_globals_of_linked_modules(session: AnySession) -> None:
    first = load(
        session,
        """(global (export "g") (mut i64) (i64.const 0x123456789abcdef0))
           (global (export "h") f64 (f64.const 1.5)) (global (export "i") (mut i32) (i32.const 3))
           (func (export "read") (result i64) (global.get 0))""",
    )
    session.register("first", first)
    second = load(
        session,
        """(import "first" "g" (global (mut i64))) (import "first" "h" (global f64))
           (import "first" "i" (global $i (mut i32)))
           (global (export "copy") f64 (global.get 1))
           (func (export "f") (global.set 0 (i64.add (global.get 0) (i64.const 0x20)))
             (global.set $i (i32.const 9)))""",
    )
    assert session.global_value(second, "copy") == (GlobalType(F64), 0x3FF8 << 48)
    session.invoke(second, "f")
    assert session.global_value(first, "g") == (GlobalType(I64, True), 0x123456789ABCDF10)
    assert session.global_value(first, "i") == (GlobalType(I32, True), 9)
    assert session.invoke(first, "read").results == (0x123456789ABCDF10,)


@pytest.mark.parametrize("wanted", ["(global i32)", "(global f64)", "(global (mut i64))"])
def test_globals_of_other_types_do_not_link(session: AnySession, wanted: str) -> None:
    first = load(session, '(global (export "g") i64 (i64.const 1)) (global i32 (i32.const 1))')
    session.register("first", first)
    with pytest.raises(LinkError, match="incompatible import type"):
        load(session, f'(import "first" "g" {wanted})')


@pytest.mark.parametrize("wanted", ["i32 i32", "f64", "i32 f32", ""])
def test_functions_of_other_types_do_not_link(session: AnySession, wanted: str) -> None:
    session.register("first", load(session, '(func (export "f") (param i64))'))
    load(session, '(import "first" "f" (func (param i64)))')
    with pytest.raises(LinkError, match="incompatible import type"):
        load(session, f'(import "first" "f" (func (param {wanted})))')


def test_indirect_calls_tell_types_apart(session: AnySession) -> None:
    """All of these take two words."""
    kinds = ("i64", "f64", "i32 i32", "f32 i32", "i32 f32")
    types = " ".join(f"(type $t{i} (func (param {k})))" for i, k in enumerate(kinds))
    functions = " ".join(f"(func $f{i} (type $t{i}))" for i in range(len(kinds)))
    pushes = ("i64.const 1", "f64.const 1", "i32.const 1 i32.const 1", "f32.const 1 i32.const 1")
    calls = " ".join(
        f"""(func (export "{i}") (param i32)
              {push} local.get 0 call_indirect (type $t{i}))"""
        for i, push in enumerate((*pushes, "i32.const 1 f32.const 1"))
    )
    names = " ".join(f"$f{i}" for i in range(len(kinds)))
    text = f"{types} {functions} (table funcref (elem {names})) {calls}"
    instance = load(session, text)
    for i in range(len(kinds)):
        for j in range(len(kinds)):
            trap = session.invoke(instance, str(i), [j]).trap
            assert trap is (None if i == j else Trap.INDIRECT_CALL_MISMATCH)


def test_host_functions_see_their_own_types(session: AnySession) -> None:
    seen = []

    def host(a: int, b: int) -> tuple[int, int]:
        seen.append((a, b))
        return b ^ 1, a & 0xFFFFFFFF

    session.add_host("env", {"swap": HostFunction(FuncType((I64, F32), (F64, I32)), host)})
    instance = load(
        session,
        """(import "env" "swap" (func $swap (param i64 f32) (result f64 i32)))
           (func (export "f") (param i64 f32) (result i32 f64) (local f64 i32)
             local.get 0 local.get 1 call $swap local.set 3 local.set 2 local.get 3 local.get 2)
           """,
    )
    assert session.invoke(instance, "f", [7 << 32 | 9, 0x40000000]).results == (9, 0x40000001)
    assert seen == [(7 << 32 | 9, 0x40000000)]


def test_the_store_is_whole_or_not_at_all(session: AnySession) -> None:
    instance = load(
        session,
        """(memory 1)
           (func (export "store") (param i32) (i64.store (local.get 0) (i64.const -1)))
           (func (export "far") (i64.store offset=0xfffffffc (i32.const 0) (i64.const -1)))
           (func (export "last") (result i32) (i32.load (i32.const 65532)))""",
    )
    for start in (65529, 65532, 65535, 0xFFFFFFFC):
        assert session.invoke(instance, "store", [start]).trap is Trap.MEMORY_OUT_OF_BOUNDS
    assert session.invoke(instance, "far").trap is Trap.MEMORY_OUT_OF_BOUNDS
    assert session.invoke(instance, "last").results == (0,)


def test_code_that_is_never_reached_is_left_out(session: AnySession) -> None:
    instance = load(
        session,
        """(func (export "f") (param i32) (result i64)
             block (result i64)
               local.get 0
               if (result i64) i64.const 1 return
                 block i64.const 2 drop loop br 0 end end i64.add
               else i64.const 3 br 1 f64.const 1 drop unreachable end
               i64.const 4 i64.add
             end)""",
    )
    assert session.invoke(instance, "f", [0]).results == (3,)
    assert session.invoke(instance, "f", [1]).results == (1,)
    assert session.invoke(instance, "f", [1]).instructions == 4


def test_lowered_core_code_survives_its_text_form() -> None:
    text = """(module (import "m" "g" (global (mut i64)))
      (import "m" "f" (func (param f64) (result i64)))
      (global (export "h") f32 (f32.const 1))
      (func (export "f") (param i64) (result f64) (f64.convert_i64_s (local.get 0))))"""
    core = in_words(verify(decode(to_wasm(text))))
    assert parse_core(print_core(core)) == core


def test_more_operands_than_a_frame_holds_are_refused() -> None:
    many = MAX_SLOTS // 2 + 1
    body = (instr("i64.const", 1),) * many + (instr("call", 0),) + (instr("drop"),) * many
    function = Function(0, (), (*body, instr("end")))
    with pytest.raises(CapacityError, match="1,048,578 words of operands"):
        lower_numbers(as_written(Module(types=(FuncType(),), functions=(function,))))
