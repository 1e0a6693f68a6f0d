"""The plain weights on a CUDA device: prepare plans and programs, and measure them.

`prepare_weights` runs where the package is; `measure_weights` needs CuPy and build/gpu alone.
"""

import hashlib
import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LIMIT = 1 << 15
ROWS, SAMPLED = 65536, 1000
CAPACITY = 2048
THREADS = 128
POINTERS = (
    "image plan host host_first host_count args arg_count value_part order lost steps hashes final "
    "tables"
).split()


def _packed(tokens: NDArray[Any]) -> NDArray[np.uint32]:
    """Tokens with four parts in a word."""
    return np.ascontiguousarray(tokens.astype(np.uint8)).view(np.uint32)


def _some(first: int, row: int) -> tuple[int, ...]:
    """The argument of a row, from `first` on."""
    return (first + row % 7,)


def prepare_weights(folder: Path, rows: int = ROWS, sampled: int = SAMPLED) -> None:
    """Write weights.cu, weights.npz and weights.json."""
    import transputer as tp
    from tools.gpu.native_rows import NativeRows
    from tools.gpu.prepare import WORKLOADS, started
    from transputer.engines.batch.plans import TABLE_WORDS, weights_program
    from transputer.engines.batch.source import with_sha
    from transputer.engines.native.planner import HEADER
    from transputer.machines.trace.tape import STATUS, VALUE
    from transputer.runtime.trace.batch import RowBuilder

    works: list[tuple[str, Callable[[int], tuple[int, ...]]]]
    works = [(f"tools/gpu/programs/{w.name}.c", w.args) for w in WORKLOADS]
    sizes = {"sum": 300, "fibonacci": 200, "primes": 60, "mix64": 60}
    sizes |= {"fnv1a": 40, "bubble_sort": 12, "recursion": 6, "matrix": 3}
    for name, first in sizes.items():
        works.append((f"examples/bench/{name}.c", partial(_some, first)))
    native, hosts, at = None, [], 0
    programs, starts = [], []
    for path, _ in works:
        program: Any = tp.compile(path)
        builder = RowBuilder(program, "run")
        native = native or NativeRows(builder.code.lifting.model, STATUS)
        host = started(builder, (0,) * len(builder.start.arguments))
        programs.append(builder)
        hosts.append(host)
        starts.append(at)
        at += len(host)
    assert native is not None
    which = [i % len(works) for i in range(rows)]
    inputs = [works[k][1](i // len(works)) for i, k in enumerate(which)]
    steps, hashes, final = [], [], []
    for i in range(sampled):
        tokens = native.run(started(programs[which[i]], inputs[i]), LIMIT)
        steps.append(len(tokens))
        final.append(tokens[-1])
        hashes.append(hashlib.sha256(tokens.astype(np.uint8).tobytes()).digest())
    image = native.image.words
    header = dict(zip(HEADER, image.tolist(), strict=False))
    tables = image[header["table"] :][: TABLE_WORDS * header["tables"]].reshape(-1, TABLE_WORDS)
    assert not header["dynamic"] and tables[:, 0].max() < 2 and native.image.part_bytes == 1
    size = native.library.plans_size(native.session)
    place = np.full(size, -1, np.int32)
    plans: dict[int, tuple[Any, list[int]]] = {}
    for number in range(size):
        pointer = native.library.plans_get(native.session, number)
        if pointer:
            place[number] = len(plans)
            token = [pointer.contents.token[p] for p in range(native.parts)]
            plans[len(plans)] = pointer.contents.code, token
    facts = {
        "PARTS": native.parts,
        "TABLES": header["tables"],
        "CAPACITY": CAPACITY,
        "STATUS_PART": STATUS,
    }
    defines = "".join(f"#define {name} {value}\n" for name, value in facts.items())
    text = with_sha("weights.h").split("/* ---- program ---- */")
    program = weights_program(image, header, plans)
    (folder / "weights.cu").write_text("\n".join([defines, text[0], program, text[1]]))
    table_bytes = header["tables"] * CAPACITY * (8 + 16 + native.parts + 4)
    facts |= {"value_part": VALUE, "limit": LIMIT, "plans": len(plans), "words": len(program)}
    facts |= {"table_bytes": table_bytes, "programs": len(works)}
    (folder / "weights.json").write_text(json.dumps(facts))
    np.savez_compressed(
        folder / "weights.npz",
        image=image,
        plan=place,
        host=_packed(np.concatenate(hosts)),
        order=np.argsort(which, kind="stable").astype(np.int32),
        host_first=np.array([starts[k] for k in which], dtype=np.int64),
        host_count=np.array([len(hosts[k]) for k in which], dtype=np.int64),
        args=np.array([(*a, 0)[:2] for a in inputs], dtype=np.uint64),
        arg_count=np.array([len(a) for a in inputs], dtype=np.int64),
        steps=np.array(steps),
        final=_packed(np.array(final)),
        hashes=np.frombuffer(b"".join(hashes), dtype=">u4").reshape(-1, 8).astype(np.uint32),
    )
    print(f"weights: {facts}")


def check_on_core(folder: Path, rows: int = 24) -> None:
    """Run some rows by the same source on a core, and compare them with `native`."""
    import ctypes

    out = folder / "weights.so"
    flags = "-x c -std=gnu11 -O1 -fwrapv -w -fPIC -shared"
    subprocess.run(["gcc", *flags.split(), str(folder / "weights.cu"), "-o", str(out)], check=True)
    library = ctypes.CDLL(str(out.resolve()))
    library.weights_table_bytes.restype = ctypes.c_int64
    facts, data = json.loads((folder / "weights.json").read_text()), np.load(folder / "weights.npz")
    assert library.weights_table_bytes() <= facts["table_bytes"] + 4096
    arrays = {
        n: data[n] for n in POINTERS if n in data.files and n not in ("steps", "hashes", "final")
    }
    arrays |= {
        "lost": np.zeros(rows, np.int32),
        "steps": np.zeros(rows, np.int64),
        "hashes": np.zeros((rows, 8), np.uint32),
        "final": np.zeros((rows, facts["PARTS"] // 4), np.uint32),
        "tables": np.zeros(library.weights_table_bytes(), np.uint8),
        "order": np.arange(rows, dtype=np.int32),
    }
    words = [rows, facts["limit"]]
    words += [facts["value_part"] if n == "value_part" else arrays[n].ctypes.data for n in POINTERS]
    batch = np.array(words, dtype=np.int64)
    library.weights_rows(ctypes.c_void_p(batch.ctypes.data))
    print("lost", arrays["lost"].tolist(), "steps", (arrays["steps"] == data["steps"][:rows]).all())
    assert not arrays["lost"].any()
    assert (arrays["steps"] == data["steps"][:rows]).all()
    assert (arrays["final"] == data["final"][:rows]).all()
    assert (arrays["hashes"] == data["hashes"][:rows]).all()


def measure_weights(cupy: Any, folder: Path, log: Any) -> dict[str, Any]:
    """Check and measure the mixed batch on a device."""
    facts, data = json.loads((folder / "weights.json").read_text()), np.load(folder / "weights.npz")
    path = folder / "weights.cubin"
    if not path.exists():
        command = "nvcc -std=c++17 -O3 -arch=sm_90 -w -cubin".split()
        subprocess.run([*command, str(folder / "weights.cu"), "-o", str(path)], check=True)
    kernel = cupy.RawModule(path=str(path)).get_function("weights_rows")
    device = cupy.cuda.Device()
    table_bytes = facts["table_bytes"]
    rows, sampled = len(data["args"]), len(data["steps"])
    shared = {n: cupy.asarray(data[n]) for n in POINTERS if n in data.files
              and n not in ("steps", "hashes", "final")}  # fmt: skip
    # the tables of all threads must fit: they are known before the launch
    blocks = min(-(-rows // THREADS), int(0.8 * device.mem_info[0]) // (THREADS * table_bytes))
    tables = cupy.zeros(blocks * THREADS * table_bytes, dtype=np.uint8)
    order = data["order"]

    def run(count: int, hashed: bool) -> tuple[float, dict[str, Any]]:
        arrays = shared | {
            "lost": cupy.zeros(count, dtype=np.int32),
            "steps": cupy.zeros(count, dtype=np.int64),
            "final": cupy.zeros((count, facts["PARTS"] // 4), dtype=np.uint32),
            "tables": tables,
            "order": cupy.asarray(order[order < count]),
        }
        if hashed:
            arrays["hashes"] = cupy.zeros((count, 8), dtype=np.uint32)
        words = [count, facts["limit"]]
        for n in POINTERS:
            pointer = arrays[n].data.ptr if n in arrays else 0
            words.append(facts["value_part"] if n == "value_part" else pointer)
        batch = cupy.asarray(np.array(words, dtype=np.uint64))
        before, after = cupy.cuda.Event(), cupy.cuda.Event()
        before.record()
        kernel((min(blocks, -(-count // THREADS)),), (THREADS,), (batch,))
        after.record()
        after.synchronize()
        return float(cupy.cuda.get_elapsed_time(before, after)), arrays

    ms, arrays = run(sampled, True)
    lost = cupy.asnumpy(arrays["lost"])
    report = {
        "programs": facts["programs"],
        "sampled": sampled,
        "lost_of_sampled": int((lost != 0).sum()),
        "hashes_equal": int((cupy.asnumpy(arrays["hashes"]) == data["hashes"]).all(axis=1).sum()),
        "steps_equal": int((cupy.asnumpy(arrays["steps"]) == data["steps"]).sum()),
        "final_equal": int((cupy.asnumpy(arrays["final"]) == data["final"]).all(axis=1).sum()),
        "hashed_ms": ms,
        "blocks": blocks,
        "table_bytes": table_bytes,
        "sizes": [],
    }
    log(f"weights: {report}")
    for count in (1, 32, 1024, 8192, 32768, rows):
        run(count, False)
        ms, arrays = run(count, False)
        steps = int(arrays["steps"].sum())
        lost = int((arrays["lost"] != 0).sum())
        size = {"rows": count, "ms": ms, "steps": steps, "lost": lost}
        report["sizes"].append(size | {"steps_per_second": steps / ms * 1e3})
        log(f"weights: {report['sizes'][-1]}")
    report["steps_per_second"] = max(size["steps_per_second"] for size in report["sizes"])
    return report
