"""The campaign of floats: it agrees with the host, and says where a result differs."""

import numpy as np
import pytest

from tools import float_campaign
from tools.float_campaign import Bits, cases, conversions, drawn, measure, names
from transputer.errors import TrapError
from transputer.isa.op import ValType
from transputer.isa.wasm import WASM

SOME = ("f32.add", "f64.div", "f64.lt", "f32.neg", "f32.demote_f64", "f32.convert_i64_u",
        "i64.trunc_f64_u", "i32.trunc_sat_f32_s")  # fmt: skip


@pytest.mark.parametrize("name", SOME)
def test_weights_agree_with_the_host(name: str) -> None:
    row = measure(name, "native", 3, 500)
    assert (row["differ"], row["wrong"]) == (0, "")


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def off_by_one(name: str, *drawn: int) -> tuple[list[Bits], Bits]:
        operands, expected = cases(name, *drawn)
        expected[77] ^= np.uint64(1)
        return operands, expected

    monkeypatch.setattr(float_campaign, "cases", off_by_one)
    row = measure("f64.mul", "native", 3, 100)
    (a, b), expected = off_by_one("f64.mul", 3, 100)
    assert row["differ"] == 1
    assert row["wrong"] == f"{a[77]:#x} {b[77]:#x} expected {expected[77]:#x}"


def test_every_instruction_on_floats_is_tried() -> None:
    numeric = [op for op in WASM if op.group == "numeric" and op.fn and op.params]
    floats = (ValType.F32, ValType.F64)
    wanted = {op.name for op in numeric if {*op.params, *op.results} & {*floats}}
    assert {*names(), *conversions()} == wanted


def test_the_host_agrees_with_the_table() -> None:
    for name in (*names(), *conversions()):
        operands, expected = cases(name, 5, 400)
        for *numbers, wanted in zip(*operands, expected, strict=True):
            try:
                assert WASM[name].pure(*map(int, numbers)) == wanted, (name, numbers)
            except TrapError as trap:
                pytest.fail(f"{name}{numbers}: {trap}")


def test_edges_meet_edges() -> None:
    f = float_campaign.FORMATS["f32"]
    count = len(f.edges()) ** 2 * float_campaign.EDGES
    a, b = drawn(f, 1, count)
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    assert pairs >= {(x, y) for x in f.edges() for y in f.edges()}
