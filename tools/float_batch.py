"""Floating-point instructions through the dense weights, a batch of pairs at once, in PyTorch.

Operands and expectations are those of `tools.float_campaign`. A machine with a GPU may lack the
parser of WebAssembly texts, so the programs are written first, as core code:
`python -m tools.float_batch prepare DIR`, then `python -m tools.float_batch run DIR --out FILE`,
which writes what `docs/benchmarks/float-batch.json` has.
"""

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np
import torch

from tools.float_campaign import COMPARES, FORMATS, UNARY, drawn, host, names
from transputer.embed.trace import Module
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.runtime.trace.program import TraceProgram


def _module(name: str) -> str:
    """A function from the bits of operands to the bits of the result."""
    kind, op = name.split(".")
    word = f"i{FORMATS[kind].bits}"
    operands = " ".join(
        f"({kind}.reinterpret_{word} (local.get {i}))" for i in range(1 if op in UNARY else 2)
    )
    value = f"({name} {operands})"
    result = value if op in COMPARES else f"({word}.reinterpret_{kind} {value})"
    type_ = "i32" if op in COMPARES else word
    return f'(module (func (export "f") (param {word} {word}) (result {type_}) {result}))'


def prepare(folder: Path) -> None:
    """Write the core code of every instruction's program."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names():
        program = TraceProgram(name, module=verify(decode(to_wasm(_module(name)))))
        (folder / f"{name}.core").write_text(program.text("core"))


def measure(folder: Path, name: str, seed: int, count: int, device: str) -> dict[str, object]:
    """Run an instruction on `count` pairs at once; `wrong` is the first pair that differs."""
    f = FORMATS[name[:3]]
    module = Module(folder / f"{name}.core", "f").to(device)
    a, b = drawn(f, seed, count)
    signed = np.int32 if f.bits == 32 else np.int64
    x, y = (n.astype(f.word).view(signed).astype(np.int64) for n in (a, b))
    began = time.perf_counter()
    outcomes = module.run(torch.from_numpy(x).to(device), torch.from_numpy(y).to(device))
    seconds = time.perf_counter() - began
    assert isinstance(outcomes.results, torch.Tensor) and not outcomes.failures
    results = outcomes.results[:, 0].cpu().numpy().astype(np.uint64)
    size = np.uint64((1 << f.bits) - 1)
    expected = host(name, a, b)
    differ = np.flatnonzero((results & size) != expected)
    wrong = "" if not differ.size else f"{a[differ[0]]:#x} {b[differ[0]]:#x}"
    return {"op": name, "pairs": count, "differ": int(differ.size), "wrong": wrong,
            "steps": int(outcomes.steps.sum()), "seconds": round(seconds, 2)}  # fmt: skip


def main() -> int:
    """Prepare the programs, or run all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("prepare", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.what == "prepare":
        prepare(given.folder)
        return 0
    rows = []
    where = torch.cuda.get_device_name() if given.device == "cuda" else platform.machine()
    command = f"python -m tools.float_batch run {given.folder} --pairs {given.pairs}"
    for name in names():
        rows.append(measure(given.folder, name, given.seed, given.pairs, given.device))
        print(rows[-1], flush=True)
        if given.out:
            about = {
                "command": command,
                "commit": given.commit,
                "machine": where,
                "engine": "torch",
            }
            given.out.write_text(json.dumps({**about, "seed": given.seed, "rows": rows}, indent=1))
    return int(any(row["differ"] for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
