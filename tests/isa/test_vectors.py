"""The vector table: its numbers, and its pure functions against wasmtime."""

import random

import pytest
import wasmtime

from tests.isa.vector_functions import PURE, immediates, lane_bits, module, operand
from transputer.frontends.binary import decode, encode
from transputer.ir.module import Function, FuncType, Instr, Module
from transputer.ir.text import print_wat
from transputer.isa.integers import join, split
from transputer.isa.op import Op
from transputer.isa.vectors import FIRST, PREFIX, VECTORS
from transputer.isa.wasm import WASM

ROUNDS = 25


@pytest.mark.parametrize("op", VECTORS, ids=repr)
def test_the_number_is_what_the_assembler_writes(op: Op) -> None:
    text, args = immediates(op)
    binary = bytes(wasmtime.wat2wasm(f"(module (memory 1) (func unreachable {op.name} {text}))"))
    (function,) = decode(binary).functions
    assert function.body[1] == Instr(op, args)
    body = (Instr(op, args), Instr(WASM["end"]))
    alone = Module((FuncType(),), functions=(Function(0, (), body),))
    assert decode(encode(alone)) == alone
    assert decode(bytes(wasmtime.wat2wasm(print_wat(decode(binary))))) == decode(binary)


def test_numbers_are_after_the_prefix() -> None:
    assert (PREFIX, FIRST) == (0xFD, 0xFD000)
    assert (len(VECTORS), sum(op.code >= FIRST + 0x100 for op in VECTORS)) == (256, 20)


def test_lanes() -> None:
    vector = 0x0F0E0D0C0B0A09080706050403020100
    assert split(8, vector) == list(range(16)) and join(8, range(16)) == vector
    assert split(64, vector) == [0x0706050403020100, 0x0F0E0D0C0B0A0908]
    assert join(32, [1, -1]) == 0xFFFFFFFF_00000001


def test_pure_functions_agree_with_wasmtime() -> None:
    """Operands and results go through memory, because the binding has no vectors."""
    config = wasmtime.Config()
    config.wasm_relaxed_simd_deterministic = True
    config.cranelift_nan_canonicalization = True
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    exports = wasmtime.Instance(store, wasmtime.Module(engine, module()), []).exports(store)
    dice, memory = random.Random(11), exports["m"]
    for op in PURE:
        n, (_, args) = lane_bits(op), immediates(op)
        for _ in range(ROUNDS):
            operands = [operand(t, n, dice) for t in op.params]
            raw = b"".join(v.to_bytes(16, "little") for v in operands)
            memory.write(store, raw, 0)
            exports[op.name](store)
            size = op.results[0].bits // 8
            theirs = int.from_bytes(memory.read(store, 64, 64 + size), "little")
            ours = op.pure(*args, *operands)
            assert hex(ours) == hex(theirs), (op.name, [hex(v) for v in operands])
