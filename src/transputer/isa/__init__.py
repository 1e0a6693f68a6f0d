"""The instruction tables, one row per instruction: WebAssembly, flat core code, assembly."""

from transputer.isa.asm import ASM
from transputer.isa.core import CORE
from transputer.isa.op import Op, Registry, Table, ValType
from transputer.isa.wasm import WASM

__all__ = ["ASM", "CORE", "WASM", "Op", "Registry", "Table", "ValType"]
