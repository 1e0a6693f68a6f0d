"""Meaning of the vector instructions on the oracle: the pure functions of their rows.

A vector is one operand, an unsigned number of 128 bits.
"""

from collections.abc import Callable
from typing import Any

from transputer.ir.module import Instr
from transputer.isa.op import Op
from transputer.oracle.interpreter import IrMachine, IrStep


def vector_step(instr: Instr, memory: Callable[[], Any]) -> IrStep:
    """Return the closure of a vector instruction; `memory` returns the one that it accesses."""
    if instr.op.fn is None:
        value = instr.args[0]
        return lambda m: m.stack.append(value)
    if not instr.op.width:
        return _computation(instr.op, instr.args)
    _, offset, _ = instr.args[0]
    access = _load if instr.op.results else _store
    return access(instr.op, instr.args[1:], offset, memory())


def _computation(op: Op, lanes: tuple[Any, ...]) -> IrStep:
    fn, count = op.pure, op.pops

    def step(m: IrMachine) -> None:
        first = len(m.stack) - count
        m.stack[first:] = [fn(*lanes, *m.stack[first:])]

    return step


def _load(op: Op, lanes: tuple[Any, ...], offset: int, memory: Any) -> IrStep:
    """Read bytes; an operand above the address is the vector that keeps the other lanes."""
    fn, width, count = op.pure, op.width, op.pops

    def step(m: IrMachine) -> None:
        address, *vector = m.stack[len(m.stack) - count :]
        value = fn(*lanes, memory.load(address + offset, width), *vector)
        m.stack[len(m.stack) - count :] = [value]

    return step


def _store(op: Op, lanes: tuple[Any, ...], offset: int, memory: Any) -> IrStep:
    fn, width = op.pure, op.width

    def step(m: IrMachine) -> None:
        vector, address = m.stack.pop(), m.stack.pop()
        memory.store(address + offset, width, fn(*lanes, vector))

    return step
