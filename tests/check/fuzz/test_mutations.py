"""Damaged modules: refused in one way or accepted, as wasmtime does, and always quickly."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.check.fuzz.choose import Choose, Seeded
from transputer.check.fuzz.kinds import damaged
from transputer.check.fuzz.modules import case
from transputer.check.fuzz.mutations import MUTATIONS, Mutation, edit, inside, truncate
from transputer.check.fuzz.verdicts import DIFFERENCES, judge
from transputer.errors import InvalidError, MalformedError, UnsupportedFeature
from transputer.frontends.binary import encode
from transputer.ir.module import (
    DataSegment,
    ElementSegment,
    Export,
    ExternKind,
    Function,
    FuncType,
    Global,
    GlobalType,
    Instr,
    Limits,
    Mode,
    Module,
    TableType,
)
from transputer.isa.op import ValType
from transputer.isa.wasm import WASM

CHUNKS, CHUNK = 8, 75
I32, FUNCREF = ValType.I32, ValType.FUNCREF
END = Instr(WASM["end"])
ONE = Instr(WASM["i32.const"], (1,))
HEADER = b"\0asm\1\0\0\0"
BASE = encode(case(Seeded(1)).module)
OTHER = encode(case(Seeded(2)).module)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_both_validators_agree(chunk: int) -> None:
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        started = time.perf_counter()
        verdict = judge(damaged(seed))
        assert verdict.difference in {"", *(d.name for d in DIFFERENCES)}, f"seed {seed}: {verdict}"
        assert time.perf_counter() - started < 10


def test_mutations_reach_every_verdict() -> None:
    kinds = {judge(damaged(seed)).kind for seed in range(100)}
    assert kinds == {"valid", "invalid", "malformed"}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.__name__)
def test_mutations_change_something(mutation: Mutation) -> None:
    changed = [mutation(Seeded(seed), BASE, OTHER) for seed in range(20)]
    assert len(set(changed)) > 5
    assert sum(data != BASE for data in changed) > 10
    mutation(Seeded(1), b"", b"")  # nothing to damage


def test_sizes_are_put_right_again() -> None:
    assert inside(NoChange(), BASE, OTHER) == BASE
    verdicts = [judge(inside(Seeded(seed), BASE, OTHER)) for seed in range(60)]
    sized = [v for v in verdicts if v.ours is None or "length out of bounds" not in str(v.ours)]
    assert len(sized) > 30


class NoChange(Choose):
    """Truncates to the full length, which is no change."""

    def integer(self, lo: int, hi: int) -> int:
        return hi if lo == 0 and hi > len(MUTATIONS) else min(hi, MUTATIONS.index(truncate))


@pytest.mark.parametrize("seed", range(20))
def test_edits_can_be_encoded(seed: int) -> None:
    module = edit(Seeded(seed), case(Seeded(seed)).module)
    judge(encode(module))


@random_cases(200)
@given(st.binary(max_size=60))
def test_arbitrary_bytes(tail: bytes) -> None:
    for data in (tail, HEADER + tail):
        assert judge(data).difference == ""


def _one_function(type_: FuncType, function: Function) -> Module:
    return Module(types=(type_,), functions=(function,))


#: Where wasmtime does not answer for what this package supports; each with what ours says.
KNOWN: dict[str, tuple[bytes, type[Exception] | None]] = {
    "a struct type": (HEADER + bytes((1, 3, 1, 0x5F, 0)), UnsupportedFeature),
    "50,000 locals and a parameter": (
        encode(_one_function(FuncType((I32,)), Function(0, ((50_000, I32),), (END,)))),
        None,
    ),
    "101 tables": (encode(Module(tables=(TableType(FUNCREF, Limits(1)),) * 101)), None),
    "a name of 100,001 bytes": (
        encode(
            Module(
                globals=(Global(GlobalType(I32), (ONE, END)),),
                exports=(Export("a" * 100_001, ExternKind.GLOBAL, 0),),
            )
        ),
        None,
    ),
    "100,001 data segments": (
        encode(Module(data=(DataSegment(b"", Mode.PASSIVE),) * 100_001)),
        None,
    ),
    "100,001 element segments": (
        encode(Module(elements=(ElementSegment(FUNCREF, (), Mode.PASSIVE),) * 100_001)),
        None,
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_differences(name: str) -> None:
    data, ours = KNOWN[name]
    verdict = judge(data)
    assert verdict.difference in {d.name for d in DIFFERENCES}
    assert (type(verdict.ours) if verdict.ours else None) is ours


def test_an_unknown_difference_is_not_excused() -> None:
    """Ours refuses, theirs accepts, and no documented difference says why."""
    verdict = judge(HEADER)
    for error in (InvalidError("type mismatch"), MalformedError("unexpected end")):
        wrong = type(verdict)(HEADER, error, "")
        assert wrong.difference == "unexplained"
    assert type(verdict)(HEADER, None, "type mismatch").difference == "unexplained"
