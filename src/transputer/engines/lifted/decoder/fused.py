"""Several steps as one: the words after them as formulas, where a guard holds.

A fused row is proved data, as short trees are (docs/trust.md). From a token that comes to
a leaf of its tree, where the guards of the leaf hold, the run takes all steps, and then has the
words of the leaf. Hot code alone uses it; where a guard fails there, the rows of the steps do.
A file of them is named by the digest of the model and the SHA-256 of its contents.
"""

import hashlib
import json
import logging
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transputer.engines.lifted.decoder.circuit import Fixed
from transputer.engines.lifted.decoder.expr import WordExpr
from transputer.engines.lifted.decoder.proved import FOLDER, Packer, Unpacker
from transputer.engines.lifted.decoder.rows import Tree

SUFFIX = ".fused"
_log = logging.getLogger("transputer")
#: Hexadecimal digits of each digest in a name.
_LONG = 32
#: What the lone words of a token may be, together.
Lone = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Fused:
    """What chooses the first row, a tree, and what lone words the tokens between steps have.

    `early` is a condition and a number of steps: where it is 1, the run takes only these steps,
    with the same result.
    """

    fixed: Fixed
    tree: Tree
    between: tuple[Lone, ...]
    early: tuple[WordExpr, int] | None


@dataclass(frozen=True)
class FusedRows:
    """The fused rows of a model, and a digest of them."""

    digest: str
    rows: tuple[Fused, ...]

    def row(self, fixed: Fixed) -> Fused | None:
        """The fused row that begins with a row, if there is one."""
        return next((row for row in self.rows if row.fixed == fixed), None)


def fused_rows(model: str, folder: Path = FOLDER) -> FusedRows:
    """The shipped fused rows of the model with this digest: those of a file that is as it was."""
    for path in sorted(folder.glob(f"{model[:_LONG]}-*{SUFFIX}")):
        contents = path.read_bytes()
        digest = hashlib.sha256(contents).hexdigest()[:_LONG]
        if path.name != f"{model[:_LONG]}-{digest}{SUFFIX}":
            _log.warning("%s: other contents than its name says; not used", path.name)
            continue
        data = json.loads(lzma.decompress(contents))
        if data["model"] == model:
            return FusedRows(digest, tuple(_read(data["nodes"], data["rows"])))
        _log.warning("%s: rows of another model; not used", path.name)
    return FusedRows("", ())


def _read(nodes: list[Any], rows: list[Any]) -> list[Fused]:
    """The rows in a file."""
    unpacker, result = Unpacker(nodes), []
    for fixed, tree, between, early in rows:
        chosen = {(source, part): value for source, part, value in fixed}
        tokens = tuple(tuple(tuple(words) for words in lone) for lone in between)
        ends = None if early is None else (unpacker.expr(early[0]), early[1])
        result.append(Fused(chosen, unpacker.tree(tree), tokens, ends))
    return result


def write_fused(folder: Path, model: str, rows: Sequence[Fused]) -> Path:
    """Write the fused rows of a model; other files of fused rows are removed."""
    packer = Packer()
    packed = [
        [
            [[*control, value] for control, value in row.fixed.items()],
            packer.tree(row.tree),
            row.between,
            None if row.early is None else [packer.expr(row.early[0]), row.early[1]],
        ]
        for row in rows
    ]
    body = json.dumps({"model": model, "nodes": packer.nodes, "rows": packed}).encode()
    contents = lzma.compress(body, preset=9)
    for old in folder.glob(f"*{SUFFIX}"):
        old.unlink()
    digest = hashlib.sha256(contents).hexdigest()[:_LONG]
    path = folder / f"{model[:_LONG]}-{digest}{SUFFIX}"
    path.write_bytes(contents)
    return path
