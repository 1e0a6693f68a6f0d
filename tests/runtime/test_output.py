"""What a program writes reaches the host in order, in blocks or byte by byte."""

import numpy as np
import pytest

from transputer.host.console import Console, Output
from transputer.runtime.trace.program import TraceProgram, compile_file
from transputer.runtime.trace.run import run_program

PRINTS = """
(module
  (import "transputer" "put" (func $put (param i32)))
  (func (export "both") (param $n i32) (local $i i32)
    loop
      (call $put (i32.add (local.get $i) (i32.mul (i32.const 256)
        (i32.eqz (i32.rem_u (local.get $i) (i32.const 7))))))
      (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n)))
    end))
"""
COUNT = 6000


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> TraceProgram:
    path = tmp_path_factory.mktemp("output") / "prints.wat"
    path.write_text(PRINTS)
    return compile_file(path)


def test_values_go_to_their_streams_in_order() -> None:
    seen: list[tuple[str, bytes]] = []
    blocks = Console(
        write=Output(lambda data: seen.append(("out", data))),
        error=Output(lambda data: seen.append(("error", data))),
    )
    values = np.array([0x61, 0x62, 0x10A, 0x163, 0x64], dtype=np.uint16)
    blocks.put_all(values)
    assert seen == [("out", b"ab"), ("error", b"\nc"), ("out", b"d")]
    blocks.put_all(values[:0])
    assert len(seen) == 3
    singly: list[tuple[str, int]] = []
    Console(
        write=lambda byte: singly.append(("out", byte)),
        error=lambda byte: singly.append(("error", byte)),
    ).put_all(values)
    assert singly == [(name, byte) for name, data in seen for byte in data]


@pytest.mark.parametrize("engine", ["native", "auto", "lifted"])
def test_blocks_are_what_bytes_are(program: TraceProgram, engine: str) -> None:
    kept = run_program(program, "both", [COUNT], engine=engine)
    order: list[int] = []
    told = run_program(
        program, "both", [COUNT], engine=engine, stdout=order.append,
        stderr=lambda byte: order.append(256 + byte),
    )  # fmt: skip
    assert kept.steps == told.steps
    assert bytes(v for v in order if v < 256) == kept.stdout
    assert bytes(v - 256 for v in order if v >= 256) == kept.stderr
    exact = [(i + 256 * (i % 7 == 0)) & 0x1FF for i in range(COUNT)]
    assert order == exact
