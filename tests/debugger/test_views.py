"""What a page is told of a run, against the reference engine and against the run itself."""

import json
from pathlib import Path

import pytest

from transputer import api
from transputer.debugger.fields import fields, group_of, tiles
from transputer.errors import UsageError
from transputer.runtime.trace.text import compile_confined, problems
from transputer.runtime.views import View
from transputer.studio.machines import view_of

ROOT = Path(__file__).parents[2]
ENGINES = ("native", "reference")


@pytest.fixture(scope="module")
def gcd() -> View:
    program = compile_confined((ROOT / "examples/c/gcd.c").read_text(), "c")
    return view_of(api.debug(program, "gcd", [48, 36]))


def test_reads_are_those_of_the_reference_engine(gcd: View) -> None:
    program = gcd.debugger.program
    steps = api.trace(program, "gcd", [48, 36])
    assert len(steps) == gcd.debugger.steps > 20
    for step in steps:
        shown = gcd.step(step.number)
        assert shown["instruction"] == step.instruction and shown["writes"] == step.writes
        found = {r["head"]: r for r in shown["reads"]}
        for read in step.reads:
            same = found[read.head]
            assert (same["token"], same["margin"]) == (read.position, int(read.margin))
            assert same["used"] or same["asked"] == "nothing"
        assert {h for h, r in found.items() if r["used"]} <= {r.head for r in step.reads}


@pytest.mark.slow
def test_a_run_on_the_reference_engine_looks_the_same() -> None:
    program = api.compile(ROOT / "examples/asm/sum.asm")
    fast, dense = (api.debug(program, engine=name) for name in ENGINES)
    assert (fast.result.engine, dense.result.engine) == ENGINES  # type: ignore[union-attr]
    views = view_of(fast), view_of(dense)
    assert fast.steps == dense.steps > 20
    for number in range(1, fast.steps + 2):
        one, other = (view.look(number, 0) for view in views)
        assert one == other, number
    with pytest.raises(UsageError, match="no engine 'oracle' to debug on the trace machine"):
        api.debug(program, engine="oracle")


def test_what_a_head_asked_for_is_what_it_found(gcd: View) -> None:
    """Operands are always there: the address of the token found is the one asked for."""
    seen = set()
    for number in range(1, gcd.debugger.steps + 1):
        for read in gcd.step(number)["reads"]:
            if read["used"] and read["head"] in ("S", "T", "R"):
                assert read["says"].startswith(f"{read['asked']} ="), read
                assert f"looked up {read['asked']} and attended to token" in read["words"]
                seen.add(read["head"])
    assert seen == {"S", "T", "R"}


def test_the_last_layer_holds_the_token_that_follows(gcd: View) -> None:
    for number in (1, 5, gcd.debugger.steps):
        last = {t["name"]: t["value"] for t in gcd.layers(number)["layers"][-1]["tiles"]}
        after = gcd.debugger.step(number).after
        assert last.get("next pc", 0) == after.pc
        assert last.get("next value", 0) == after.value


def test_states_follow_the_program(gcd: View) -> None:
    assert [s["value"] for s in gcd.state(1)["locals"][:2]] == [48, 36]
    assert [call["function"] for call in gcd.state(1)["calls"]] == ["gcd"]
    end = gcd.state(gcd.debugger.steps + 1)
    assert end["calls"] == [] and end["stack"][0]["value"] == 12


def test_movements(gcd: View) -> None:
    def heard(step: int) -> None:
        pass

    last = gcd.debugger.steps + 1
    hit = gcd.search(1, "continue", [{"line": 9}], heard)
    assert hit["stopped_at"] == "line 9"
    assert gcd.step(hit["step"])["line"] == {"file": "program.c", "number": 9}
    again = gcd.search(hit["step"], "continue", [{"line": 9}], heard)
    assert again["step"] > hit["step"]
    assert gcd.search(again["step"], "reverse", [{"line": 9}], heard) == hit
    assert gcd.search(5, "continue", [], heard) == {"step": last, "stopped_at": None}
    assert gcd.search(5, "step", [], heard)["step"] == 6
    assert gcd.search(1, "back", [], heard)["step"] == 1
    assert gcd.search(5, "continue", [{"line": 4}], heard)["step"] == last  # no code there
    with pytest.raises(UsageError):
        gcd.search(1, "sideways", [], heard)
    with pytest.raises(UsageError):
        gcd.break_at({"somewhere": 1})


def test_memory_is_the_programs_own() -> None:
    """Passive data is in a memory that lowering adds; the one on show is the program's."""
    text = """(module (memory 1) (data $d "abcd") (data (i32.const 16) "\\07")
      (func (export "f") (result i32)
        (memory.init $d (i32.const 8) (i32.const 0) (i32.const 4))
        (i32.load (i32.const 8))))"""
    view = view_of(api.debug(compile_confined(text, "wat"), "f"))
    assert view.code()["first_memory"] == 16
    end = view.state(view.debugger.steps + 1, 8, 9)
    assert bytes.fromhex(end["memory"]["bytes"]) == b"abcd\0\0\0\0\7"


def test_the_next_line_of_the_program_itself() -> None:
    """Out of a library's code, whose lines are those of other files."""
    text = """typedef struct { int held[64]; } Block;
Block one, two;
int f(int n) {
    one.held[n] = n;
    two = one;
    return two.held[n];
}
"""
    view = view_of(api.debug(compile_confined(text, "c"), "f", [5]))
    own = [view.place(n)["line"] for n in range(1, view.debugger.steps + 1)]
    outside = next(n for n, line in enumerate(own, 1) if not line and any(own[:n]))
    found = view.search(outside, "own", [], lambda _: None)["step"]
    assert outside < found and own[found - 1] and not any(own[outside - 1 : found - 1])


def test_answers_are_json_and_tell_no_paths(gcd: View) -> None:
    for number in (1, 10, gcd.debugger.steps + 1):
        text = json.dumps(gcd.look(number))
        assert "/tmp" not in text and str(ROOT) not in text
    with pytest.raises(UsageError):
        gcd.look(gcd.debugger.steps + 2)
    with pytest.raises(UsageError):
        gcd.state(1, -1)
    with pytest.raises(UsageError):
        gcd.tokens(1, 5000)


def test_lines_of_assembly() -> None:
    program = compile_confined("PUSH 2\n\nPUSH 3\nADD\nHALT\n", "asm")
    view = view_of(api.debug(program))
    lines = [view.step(n)["line"]["number"] for n in range(1, view.debugger.steps + 1)]
    assert lines == sorted(lines) and lines[:3] == [1, 3, 4]


def test_fields_join_bytes_and_leave_bits_out() -> None:
    spelled = "S.value1.0 + 2*value1.1 + 4*value1.2"
    lanes = {"pc0": 5, "pc1": 1, "value0": 7, "value0.2": 1, "S.value0": 3, spelled: 2, "halt": 1}
    assert fields(lanes) == {"pc": 261, "value": 7, "S.value": 515, "halt": 1}
    assert fields({"shift 3": 1}) == {"shift 3": 1}
    assert fields({"phase in 0": 0, "phase in 1": 1}) == {"phase in 0": 0, "phase in 1": 1}
    held = {"address 0": 1, "address 2": 136, "address 3": 254, "address + 4 2": 140}
    assert fields(held) == {"address 0": 1, "address, word": 65160, "address + 4, word": 140}
    groups = {"pc": "where", "next sp": "stack", "S.value": "value", "at": "address",
              "instruction.i32.add": "operation", "greater u": "work"}  # fmt: skip
    assert {name: group_of(name) for name in groups} == groups


def test_tiles_say_what_is_new() -> None:
    made = tiles({"pc0": 1, "at0": 2}, {"pc0": 1, "at0": 3, "next pc0": 2})
    assert {t.name: t.new for t in made} == {"pc": False, "at": True, "next pc": True}


def test_problems_have_places() -> None:
    with pytest.raises(UsageError.__bases__[0]) as wrong:
        compile_confined("int f(int x) {\n    return y;\n}\n", "c")
    (problem,) = problems(wrong.value)
    assert (problem.line, problem.column, problem.severity) == (2, 12, "error")
    with pytest.raises(UsageError.__bases__[0]) as wrong:
        compile_confined("PUSH 1\nFOO\nBAZ\n", "asm")
    assert [p.line for p in problems(wrong.value)] == [2, 3]
