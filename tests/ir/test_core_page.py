"""The examples of docs/core-code.md are what the lowerings give, and mean what they say."""

import re
from pathlib import Path

import pytest

from transputer.frontends.asm import assemble
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.core import CoreModule
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.core_verify import verify_core
from transputer.ir.verify import verify
from transputer.lower.asm import lower_asm
from transputer.lower.flatten import flatten
from transputer.oracle.core import CoreSession

PAGE = Path(__file__).parents[2] / "docs" / "core-code.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
EXAMPLES = list(zip(BLOCKS[::2], BLOCKS[1::2], strict=True))
LOWER = {
    "wat": lambda text: flatten(verify(decode(to_wasm(text)))),
    "asm": lambda text: lower_asm(assemble(text)),
}


def test_the_page_has_its_examples() -> None:
    assert [language for language, _ in BLOCKS] == ["wat", "core", "wat", "core", "asm", "core"]


@pytest.mark.parametrize(("source", "core"), EXAMPLES)
def test_the_core_code_is_fresh(source: tuple[str, str], core: tuple[str, str]) -> None:
    language, text = source
    lowered: CoreModule = LOWER[language](text)
    assert core[1] == print_core(lowered)
    verify_core(parse_core(core[1]))


@pytest.mark.parametrize(
    ("number", "export", "args", "results"),
    [
        (0, "total", [102], (100 * 101 // 2 + 200,)),
        (1, "choose", [0], (30,)),
        (1, "choose", [1], (40,)),
        (1, "choose", [9], (40,)),
        (2, "main", [], (10,)),
    ],
)
def test_the_core_code_runs(
    number: int, export: str, args: list[int], results: tuple[int, ...]
) -> None:
    session = CoreSession()
    instance, _ = session.load(parse_core(EXAMPLES[number][1][1]))
    assert session.invoke(instance, export, args).results == results
