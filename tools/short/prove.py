"""What has to be proved of a short tree, as files for a solver.

`tools/check_certificate/short.py` writes them, from what a certificate holds.
"""

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.short.forms import F
from transputer.engines.lifted.decoder.expr import WordExpr
from transputer.engines.lifted.decoder.frame import DecoderFrame
from transputer.engines.lifted.decoder.proved import Fixed, Packer
from transputer.engines.lifted.decoder.rows import Tree

#: A case: bits of a part of a source, or a condition.
Case = tuple[int, int, int, int] | WordExpr
#: Files over integers and files over bit-vectors; a claim holds if all of one kind are `unsat`.
Claim = tuple[list[str], list[str]]


def checker() -> Any:
    """The module of the checker, which imports nothing of this package."""
    folder = str(Path(__file__).parents[1] / "check_certificate")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    short = import_module("short")

    return short


def cases(frame: DecoderFrame, fields: Sequence[F]) -> list[Case]:
    """The bits of parts that fields of words are, and conditions."""
    result: list[Case] = []
    for field in fields:
        if field.expr.kind != "field":
            result.append(field.expr)
            continue
        (word,), (first, count) = field.expr.parts, field.expr.data
        source, group = word.data
        if first // 8 != (first + count - 1) // 8:
            raise ValueError("a case takes bits of two parts")
        part = frame.groups[group][first // 8]
        result.append((source, part, first % 8, count))
    return result


def obligations(
    frame: DecoderFrame, fixed: Fixed, tree: Tree, short: Tree, split: Sequence[Case]
) -> list[Claim]:
    """The claims of a row."""
    packer = Packer()
    chosen = [packer.expr(c) if isinstance(c, WordExpr) else c for c in split]
    trees = json.loads(json.dumps([packer.tree(tree), packer.tree(short)]))
    nodes = json.loads(json.dumps(packer.nodes))
    tokens = checker().Tokens(nodes, frame.groups, frame.sizes)
    return [*checker().short_obligations(tokens, dict(fixed), *trees, chosen).values()]
