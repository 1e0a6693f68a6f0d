"""The reference page: every row is there, and the file is what the tables say."""

from tools.isa_page import KINDS, PAGE, render
from transputer.isa.asm import ASM
from transputer.isa.core import CORE
from transputer.isa.vectors import VECTORS
from transputer.isa.wasm import WASM


def test_the_page_is_fresh() -> None:
    fresh = PAGE.read_text(encoding="utf-8") == render()
    assert fresh, "docs/isa.md is stale: run `python -m tools.isa_page`"


def test_every_row_is_on_the_page() -> None:
    wasm, vectors, core, asm = render().split("\n## ")[1:]
    assert [op.name for op in WASM if f"| `{op.name}`" not in wasm] == []
    assert [op.name for op in VECTORS if f"| `{op.name}`" not in vectors] == []
    assert [op.name for op in CORE if f"`{op.name}`" not in core] == []
    assert [op.name for op in ASM if f"| {op.name} " not in asm] == []


def test_every_kind_of_immediate_is_explained_and_used() -> None:
    tables = (WASM, VECTORS, CORE, ASM)
    assert set(KINDS) == {kind for table in tables for op in table for kind in op.imm}
