"""Check and measure build/gpu on a CUDA device: `python tools/gpu/measure.py`; needs CuPy.

Runs each program on a million rows by lifted code, and compares 1,000 of them with what `native`
said: results, steps, instructions, the last token and a digest of memory from the timed run, and
SHA-256 of every token from a run that decodes token by token. Then it measures batches of all
sizes, the plain weights, and the cores of the machine. Writes OUT/gpu.json after every stage.
"""

import ctypes
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDER = Path("build/gpu")
SIZES = (1, 32, 1024, 8192, 32768, 131072, 1_000_000)
THREADS = 128
#: How a program is compiled: the blocks that a multiprocessor must have room for, which decides
#: what registers the compiler may use, and whether blocks are passed by in rounds or jumped to.
VARIANTS = {"4": ["-DMIN_BLOCKS=4"], "8": ["-DMIN_BLOCKS=8"]}
VARIANTS |= {"8-direct": ["-DMIN_BLOCKS=8", "-DDIRECT"], "4-direct": ["-DMIN_BLOCKS=4", "-DDIRECT"]}
NAMES = "args input starts output printed reason slot steps tally results last digests hashes far"
STOPPED = 1
NVCC = "nvcc -std=c++17 -O3 -arch=sm_90 -w -cubin".split()
CHECKED = ("popcount_loop", "popcount_sums", "popcount_planted")


class Batch:
    """The arrays of a batch on the device."""

    def __init__(self, cupy: Any, facts: dict[str, Any], args: NDArray[Any], checked: bool) -> None:
        rows = args.shape[1]
        self.cupy, self.facts, self.rows = cupy, facts, rows
        zeros = cupy.zeros
        self.arrays = {
            "args": cupy.asarray(np.ascontiguousarray(args, dtype=np.uint64)),
            "output": zeros((rows, max(1, facts["room"])), dtype=np.uint16),
            "printed": zeros(rows, dtype=np.int32),
            "reason": zeros(rows, dtype=np.int32),
            "slot": zeros(rows, dtype=np.int32),
            "steps": zeros(rows, dtype=np.int64),
            "tally": zeros(rows, dtype=np.int64),
            "results": zeros((facts["results"], rows), dtype=np.uint64),
        }
        if checked:
            self.arrays["last"] = zeros((rows, facts["groups"]), dtype=np.uint64)
            self.arrays["digests"] = zeros(rows, dtype=np.uint64)
            self.arrays["hashes"] = zeros((rows, 8), dtype=np.uint32)

    def run(self, kernel: Any, most: int, far: Any) -> float:
        """Run all rows; return milliseconds."""
        cupy = self.cupy
        pointers = [self.arrays[n].data.ptr if n in self.arrays else 0 for n in NAMES.split()[:-1]]
        words = [self.rows, self.facts["limit"], self.rows, *pointers, far.data.ptr]
        batch = cupy.asarray(np.array(words, dtype=np.uint64))
        blocks = min(-(-self.rows // THREADS), most)
        before, after = cupy.cuda.Event(), cupy.cuda.Event()
        before.record()
        kernel((blocks,), (THREADS,), (batch,))
        after.record()
        after.synchronize()
        return float(cupy.cuda.get_elapsed_time(before, after))

    def get(self, name: str) -> NDArray[Any]:
        """An array on the host."""
        return np.asarray(self.cupy.asnumpy(self.arrays[name]))


def cubin(name: str, variant: str) -> Path:
    """The compiled program; compiles it where it is missing."""
    path = FOLDER / f"{name}.{variant}.cubin"
    if not path.exists():
        source = str(FOLDER / f"{name}.cu")
        subprocess.run([*NVCC, *VARIANTS[variant], source, "-o", str(path)], check=True)
    return path


def compile_all(names: list[str], log: Any) -> None:
    """Compile what is missing, all at once."""
    wanted = [(name, variant) for name in names for variant in VARIANTS]
    wanted += [(name, "4") for name in CHECKED if (FOLDER / f"{name}.cu").exists()]
    commands = []
    for name, variant in wanted:
        path = FOLDER / f"{name}.{variant}.cubin"
        if not path.exists():
            options = [*NVCC, *VARIANTS[variant]]
            commands.append([*options, f"{FOLDER}/{name}.cu", "-o", str(path)])
    if (FOLDER / "weights.cu").exists() and not (FOLDER / "weights.cubin").exists():
        commands.append([*NVCC, f"{FOLDER}/weights.cu", "-o", f"{FOLDER}/weights.cubin"])
    for process in [subprocess.Popen(command) for command in commands]:
        process.wait()
    log(f"{len(commands)} files compiled")


def compare(got: dict[str, NDArray[Any]], want: dict[str, NDArray[Any]]) -> dict[str, int]:
    """How many rows agree, by what is compared."""
    return {
        name: int((got[name] == want[name]).reshape(len(want[name]), -1).all(axis=1).sum())
        for name in want
    }


def lifted(cupy: Any, name: str, log: Any) -> dict[str, Any]:
    """Check and measure a program."""
    facts = json.loads((FOLDER / f"{name}.json").read_text())
    data = np.load(FOLDER / f"{name}.npz")
    rows, args, long_args = data["rows"], data["args"], data["long_args"]
    device = cupy.cuda.Device()
    processors = device.attributes["MultiProcessorCount"]
    free = device.mem_info[0]
    # rows without memory have a thread each; the others share what stays in the cache
    most = processors * 16 if facts["row_words"] else -(-args.shape[1] // THREADS)
    row_bytes = 8 * max(1, facts["row_words"])
    most = min(most, int(0.6 * free) // (row_bytes * THREADS))  # memory of a row is bounded
    far = cupy.zeros(most * THREADS * max(1, facts["row_words"]), dtype=np.uint64)
    report: dict[str, Any] = {"program": name, "row_bytes": row_bytes, "blocks": most}
    kernels = {}
    for variant in VARIANTS:
        if (FOLDER / f"{name}.{variant}.cubin").exists() or variant == "4":
            module = cupy.RawModule(path=str(cubin(name, variant)))
            kernels[variant] = (
                module.get_function("lifted_rows"),
                module.get_function("traced_rows"),
            )
    batch = Batch(cupy, facts, args, True)
    times = {}
    for variant, (kernel, _) in kernels.items():
        batch.run(kernel, most, far)
        times[variant] = min(batch.run(kernel, most, far) for _ in range(2))
        log(f"{name}: a million rows, {variant}: {times[variant]:.2f} ms")
    best = min(times, key=lambda variant: times[variant])
    kernel, traced = kernels[best]
    report["variant"], report["times_ms"] = best, times
    batch.run(kernel, most, far)
    got = {n: batch.get(n)[rows] for n in ("steps", "tally", "last", "digests")}
    got["results"] = batch.get("results")[:, rows].T
    want = {n: data[n] for n in ("steps", "tally", "last", "digests")} | {
        "results": data["results"].T
    }
    report["sampled"] = len(rows)
    report["equal"] = compare(got, want)
    report["rows"] = args.shape[1]
    report["ended"] = int((batch.get("reason") == STOPPED).sum())
    steps = int(batch.get("steps").sum())
    report["steps"], report["steps_per_second"] = steps, steps / times[best] * 1e3
    log(f"{name}: {report['steps_per_second']:.3g} steps/s; equal {report['equal']}; "
        f"{report['ended']} ended")  # fmt: skip
    del batch
    some = Batch(cupy, facts, args[:, rows], True)
    ms = some.run(traced, most, far)
    hashes = some.get("hashes")
    report["hashes_equal"] = int((hashes == data["hashes"]).all(axis=1).sum())
    report["traced_ms"] = ms
    log(f"{name}: hashes of {report['hashes_equal']} of {len(rows)} rows equal, {ms:.0f} ms")
    long = Batch(cupy, facts, long_args, True)
    long.run(kernel, most, far)
    ms = min(long.run(kernel, most, far) for _ in range(3))
    checked = data["long_steps"].shape[0]
    agree = (
        (long.get("results")[:, :checked] == data["long_results"]).all()
        and (long.get("steps")[:checked] == data["long_steps"]).all()
        and (long.get("digests")[:checked] == data["long_digests"]).all()
    )
    steps = int(long.get("steps").sum())
    report["long"] = {
        "rows": long_args.shape[1],
        "steps": steps,
        "ms": ms,
        "steps_per_second": steps / ms * 1e3,
        "ended": int((long.get("reason") == STOPPED).sum()),
        "checked": checked,
        "equal": bool(agree),
    }
    log(f"{name}: long rows {report['long']}")
    report["sizes"] = []
    for size in SIZES:
        part = Batch(cupy, facts, args[:, :size], False)
        part.run(kernel, most, far)
        ms = min(part.run(kernel, most, far) for _ in range(3))
        steps = int(part.get("steps").sum())
        report["sizes"].append({"rows": size, "ms": ms, "steps_per_second": steps / ms * 1e3})
    log(f"{name}: {report['sizes']}")
    return report


def compared(cupy: Any, one: str, two: str, log: Any, bits: int = 32) -> dict[str, Any]:
    """Compare two functions on all numbers; the first that differs, if any."""
    size = 1 << 26
    sides = []
    for name in (one, two):
        facts = json.loads((FOLDER / f"{name}.json").read_text())
        kernel = cupy.RawModule(path=str(cubin(name, "4"))).get_function("lifted_rows")
        sides.append((Batch(cupy, facts, np.zeros((1, size)), False), kernel))
    far = cupy.zeros(1 << 24, dtype=np.uint64)
    most = cupy.cuda.Device().attributes["MultiProcessorCount"] * 16
    assert all(side.facts["row_words"] * most * THREADS <= far.size for side, _ in sides)
    different, steps, began = -1, 0, time.time()
    for first in range(0, 1 << bits, size):
        for side, kernel in sides:
            side.arrays["args"] = cupy.arange(first, first + size, dtype=np.uint64)[None]
            side.run(kernel, most, far)
            steps += int(side.arrays["steps"].sum())
            assert bool((side.arrays["reason"] == STOPPED).all()), "a row left the code"
        wrong = cupy.flatnonzero(
            sides[0][0].arrays["results"][0] != sides[1][0].arrays["results"][0]
        )
        if wrong.size:
            different = first + int(wrong[0])
            break
    seconds = time.time() - began
    report = {"functions": [one, two], "inputs": 1 << bits, "seconds": seconds, "steps": steps}
    report |= {"different_at": different, "steps_per_second": steps / seconds}
    log(f"check: {report}")
    return report


# The cores of the same machine


class CoreBatch(ctypes.Structure):
    """`Batch` of the source."""

    _fields_ = (
        *((n, ctypes.c_int64) for n in ("rows", "limit", "stride")),
        *((n, ctypes.c_void_p) for n in NAMES.split()),
    )


def on_core(job: tuple[str, int, int, float]) -> tuple[int, float]:
    """Run rows on one core for some seconds; return steps and seconds."""
    name, which, cores, budget = job
    facts = json.loads((FOLDER / f"{name}.json").read_text())
    args = np.load(FOLDER / f"{name}.npz")["args"][:, which::cores].astype(np.uint64)
    library = ctypes.CDLL(str((Path(os.environ.get("OUT", "/tmp")) / f"{name}.so").resolve()))
    far = np.zeros(max(1, facts["row_words"]), dtype=np.uint64)
    total, at, size, started = 0, 0, 64, time.perf_counter()
    while time.perf_counter() - started < budget:
        part = np.ascontiguousarray(args[:, at : at + size])
        arrays = {
            "args": part,
            "output": np.zeros((size, max(1, facts["room"])), dtype=np.uint16),
            **{n: np.zeros(size, dtype=np.int32) for n in ("printed", "reason", "slot")},
            **{n: np.zeros(size, dtype=np.int64) for n in ("steps", "tally")},
            "results": np.zeros((facts["results"], size), dtype=np.uint64),
            "far": far,
        }
        batch = CoreBatch(rows=part.shape[1], limit=facts["limit"], stride=part.shape[1])
        for n, array in arrays.items():
            setattr(batch, n, array.ctypes.data)
        library.batch_rows(ctypes.byref(batch), 0)
        total += int(arrays["steps"].sum())
        at = (at + size) % (args.shape[1] - size)
    return total, time.perf_counter() - started


def on_cores(name: str, budget: float) -> dict[str, Any]:
    """Steps per second of lifted code on all cores."""
    out = Path(os.environ.get("OUT", "/tmp")) / f"{name}.so"
    flags = "-x c -std=gnu11 -O1 -fwrapv -w -fPIC -shared"
    subprocess.run(["gcc", *flags.split(), str(FOLDER / f"{name}.cu"), "-o", str(out)], check=True)
    cores = os.cpu_count() or 1
    with multiprocessing.get_context("fork").Pool(cores) as pool:
        pairs = pool.map(on_core, [(name, i, cores, budget) for i in range(cores)], chunksize=1)
    out.unlink()
    return {"cores": cores, "steps_per_second": sum(steps / s for steps, s in pairs)}


def machine(cupy: Any) -> dict[str, Any]:
    """What was measured on."""
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    driver = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version,clocks.max.sm", "--format=csv,noheader"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    commit = (FOLDER / "commit").read_text().strip() if (FOLDER / "commit").exists() else ""
    return {
        "device": properties["name"].decode(),
        "processors": properties["multiProcessorCount"],
        "clock_khz": properties.get("clockRate", 0),
        "driver": driver,
        "cuda": cupy.cuda.runtime.runtimeGetVersion(),
        "cpu": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "commit": commit,
        "when": time.strftime("%Y-%m-%d"),
    }


def main() -> None:
    """Measure everything; what fails is reported and does not stop the rest."""
    out = Path(os.environ.get("OUT", "."))
    started = time.time()
    report: dict[str, Any] = {"lifted": [], "cores": {}, "problems": []}

    def log(text: str) -> None:
        print(f"[{time.time() - started:6.1f}] {text}", flush=True)

    def save() -> None:
        (out / "gpu.json").write_text(json.dumps(report, indent=1) + "\n")

    names = [n for n in sys.argv[1:] if not n.startswith("-")]
    names = names or sorted(p.stem for p in FOLDER.glob("*.npz") if p.stem != "weights")
    if "--cores" not in sys.argv:
        import cupy

        report["machine"] = machine(cupy)
        compile_all(names, log)
        for name in names:
            try:
                report["lifted"].append(lifted(cupy, name, log))
            except Exception as error:  # the others are worth measuring
                report["problems"].append(f"{name}: {error!r}"[:2000])
                log(report["problems"][-1])
            cupy.get_default_memory_pool().free_all_blocks()
            save()
        report["check"] = []
        for two in ("popcount_sums", "popcount_planted"):
            try:
                report["check"].append(compared(cupy, "popcount_loop", two, log))
            except Exception as error:
                report["problems"].append(f"check {two}: {error!r}"[:2000])
                log(report["problems"][-1])
            cupy.get_default_memory_pool().free_all_blocks()
            save()
        if (FOLDER / "weights.npz").exists():
            try:
                sys.path.insert(0, str(Path(__file__).parent))
                from weights import measure_weights  # type: ignore[import-not-found]

                report["weights"] = measure_weights(cupy, FOLDER, log)
            except Exception as error:
                report["problems"].append(f"weights: {error!r}"[:2000])
                log(report["problems"][-1])
            save()
    for name in names:
        try:
            report["cores"][name] = on_cores(name, 3.0)
            log(f"{name}: cores {report['cores'][name]}")
        except Exception as error:
            report["problems"].append(f"{name} on cores: {error!r}"[:2000])
            log(report["problems"][-1])
        save()


if __name__ == "__main__":
    main()
