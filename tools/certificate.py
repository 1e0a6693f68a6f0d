"""Write the certificate of a model: `python -m tools.certificate MODEL.safetensors -o FILE`.

The certificate holds the formulas, not the proof that they are right: docs/trust.md describes the
file, and `tools/check_certificate` checks it against the tensors without importing this package.
Without MODEL it is that of the universal model.
"""

import argparse
import ast
import json
import lzma
import sys
from pathlib import Path
from typing import Any

from transputer.engines.lifted.decoder.fused import fused_rows
from transputer.engines.lifted.decoder.lifting import Lifting, lifting
from transputer.engines.lifted.decoder.proved import Packer
from transputer.errors import Unsupported, UsageError
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import load

FORMAT = "transputer certificate 1"
#: The files of tools/check_certificate that a reader of a proof has to read.
CHECKER = ("__main__", "algebra", "certificate", "formulas", "heads", "network", "points", "rows",
           "sampled")  # fmt: skip


def certificate(lifted: Lifting) -> dict[str, Any]:
    """Return the certificate of a model as JSON values."""
    packer, frame = Packer(), lifted.frame
    short = {}
    if lifted.proved is not None:
        for number, tree in lifted.proved.short.items():
            short[tuple(sorted(lifted.proved.chosen[number].items()))] = tree
    fused = () if lifted.proved is None else fused_rows(lifted.cache.model).rows
    several = {
        tuple(sorted(row.fixed.items())): {
            "tree": packer.tree(row.tree),
            "between": row.between,
            "early": None if row.early is None else [packer.expr(row.early[0]), row.early[1]],
        }
        for row in fused
    }
    rows = [
        {
            "fixed": [[source, part, value] for (source, part), value in chosen],
            "tree": None if tree is None else packer.tree(tree),
            **({"short": packer.tree(short[chosen])} if chosen in short else {}),
            **({"fused": several[chosen]} if chosen in several else {}),
        }
        for chosen, tree in lifted.reachable()
    ]
    heads: dict[int, dict[str, Any]] = {h: {"kind": "fixed"} for h in frame.fixed}
    for h, key in frame.keys.items():
        heads[h] = {
            "kind": "dictionary",
            "tags": key.tags,
            "group": key.group,
            "digits": key.digits,
            "sentinel": key.extra,
        }
    return {
        "format": FORMAT,
        "model": lifted.cache.model,
        "stops": sorted(lifted.stops),
        "groups": frame.groups,
        "fetch": frame.setting.fetch,
        "fetched": packer.queries({frame.setting.fetch: frame.fetched}),
        "controls": frame.setting.controls,
        "heads": [heads[h] for h in sorted(heads)],
        "order": [*lifted.lifter.order],
        "rows": rows,
        "nodes": packer.nodes,
    }


def code_lines() -> int:
    """Lines of the checker: the files it imports, without blank lines, comments and docstrings."""
    total = 0
    for name in CHECKER:
        text = (Path(__file__).parent / "check_certificate" / f"{name}.py").read_text("utf-8")
        docs: set[int] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                docs |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
        for line, content in enumerate(text.splitlines(), 1):
            code = content.strip()
            total += bool(code) and not code.startswith("#") and line not in docs
    return total


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", help="a safetensors file")
    parser.add_argument("-o", "--output", required=True, help="the file to write (.json.xz)")
    parser.add_argument("--fresh", action="store_true", help="derive every row again")
    options = parser.parse_args()
    try:
        model = trace_model() if options.model is None else load(options.model)
        content = certificate(lifting(model, frozenset([STATUS]), fresh=options.fresh, short=False))
    except (Unsupported, UsageError) as error:
        sys.exit(f"certificate: {error}")
    text = json.dumps(content, separators=(",", ":")).encode()
    Path(options.output).write_bytes(lzma.compress(text, preset=9))
    print(f"{options.output}: {len(content['rows'])} rows, {len(text):,} bytes of JSON")


if __name__ == "__main__":
    main()
