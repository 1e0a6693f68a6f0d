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

READ, POSITION, HEAD, MOVE, PIECE, GATE, NUMBER, DIGIT, CHOICE, END = range(10)
SLOT_MASK = 0xFFFF
LIMIT = 1 << 15
ROWS, SAMPLED = 8192, 1000
CAPACITY = 4096
POINTERS = (
    "image code plan same same_of host host_first host_count args arg_count value_part lost steps "
    "hashes final tables next"
).split()


class PlanReader:
    """A plan of the native engine as runs whose items lanes can take in any order."""

    def __init__(self, code: Any, heads: NDArray[Any], fetch: int) -> None:
        self.code, self.heads, self.fetch, self.at = code, heads, fetch, 0

    def _take(self, count: int) -> list[int]:
        words = [self.code[self.at + i] for i in range(count)]
        self.at += count
        return words

    def _form(self) -> list[int]:
        return self._take(2 + self.code[self.at])

    @staticmethod
    def _slots(form: list[int]) -> set[int]:
        return {word & SLOT_MASK for word in form[2:]}

    def runs(self) -> list[int]:
        """The words of the whole plan."""
        words: list[int] = []
        while True:
            first = self.code[self.at]
            kind, count = first & 255, first >> 8
            self.at += 1
            if kind >= END:
                return [*words, END, 2]
            if kind in (READ, POSITION):
                body = self._take(count * (1 if kind == READ else 2))
                words += [kind | count << 8, 2 + len(body), *body]
            elif kind == HEAD:
                for _ in range(count):
                    body = self._head()
                    words += [kind | 1 << 8, 2 + len(body), *body]
            else:
                for group in self._groups(kind, count):
                    places, at = [], len(group)
                    for item in group:
                        places.append(at)
                        at += len(item)
                    body = [*places, *(word for item in group for word in item)]
                    words += [kind | len(group) << 8, 2 + len(body), *body]

    def _head(self) -> list[int]:
        body = self._take(2)
        kind, dynamic, digits, extras = self.heads[body[0], [1, 2, 5, 6]].tolist()
        assert not dynamic and kind < 2
        if kind == 1 and body[0] != self.fetch:
            for _ in range(digits + extras):
                body += self._form()
        body += self._take(2)
        return body + self._take(body[-2] + 2 * body[-1])

    def _groups(self, kind: int, count: int) -> list[list[list[int]]]:
        """Items, in groups in which none reads what another writes."""
        groups: list[list[list[int]]] = [[]]
        read: set[int] = set()
        written: set[int] = set()
        for _ in range(count):
            item, reads, writes = self._item(kind)
            if reads & written or writes & read or (kind == MOVE and writes & written):
                groups.append([])
                read, written = set(), set()
            groups[-1].append(item)
            read |= reads
            written |= writes
        return groups

    def _item(self, kind: int) -> tuple[list[int], set[int], set[int]]:
        if kind == MOVE:
            slot = self._take(1)
            form = self._form()
            return slot + form, self._slots(form), {*slot}
        if kind == PIECE:
            form = self._form()
            breaks, outs = counts = self._take(2)
            points = self._take(breaks)
            slots = self._take(outs)
            lines = self._take(2 * outs * (breaks + 1))
            return form + counts + points + slots + lines, self._slots(form), {*slots}
        if kind == GATE:
            form = self._form()
            members = self._take(1)
            reads, writes, body = self._slots(form), set[int](), form + members
            for _ in range(members[0]):
                member = self._take(self.code[self.at])
                inner = member[3 : 5 + member[3]]
                outs = member[3 + len(inner)]
                writes |= {w & SLOT_MASK for w in member[4 + len(inner) : 4 + len(inner) + outs]}
                reads |= self._slots(inner)
                body += member
            return body, reads, writes
        head = self._take(4 if kind == DIGIT else 2)
        forms = 1 if kind == NUMBER else head[3] if kind == DIGIT else head[1]
        return head + [w for _ in range(forms) for w in self._form()], set(), set()


def _some(first: int, row: int) -> tuple[int, ...]:
    """The argument of a row, from `first` on."""
    return (first + row % 7,)


def prepare_weights(folder: Path, rows: int = ROWS, sampled: int = SAMPLED) -> None:
    """Write weights.cu, weights.npz and weights.json."""
    import transputer as tp
    from tools.gpu.native_rows import NativeRows
    from tools.gpu.prepare import WORKLOADS, started
    from transputer.engines.batch.source import with_sha
    from transputer.engines.native.plan import HEADER
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
    heads = image[header["head"] :][: 19 * header["heads"]].reshape(-1, 19)
    tables = image[header["table"] :][: 10 * header["tables"]].reshape(-1, 10)
    assert not header["dynamic"] and tables[:, 0].max() < 2 and native.image.part_bytes == 1
    size = native.library.plans_size(native.session)
    place, same_of = np.full(size, -1, np.int32), np.zeros(size, np.int32)
    code: list[int] = []
    same: list[list[int]] = []
    slots = 0
    for number in range(size):
        pointer = native.library.plans_get(native.session, number)
        if pointer:
            place[number], same_of[number] = len(code), len(same)
            code += PlanReader(pointer.contents.code, heads, header["fetch"]).runs()
            same.append([pointer.contents.token[p] for p in range(native.parts)])
            slots = max(slots, pointer.contents.slots + 1)
    facts = {
        "PARTS": native.parts,
        "SLOTS": int(slots),
        "TABLES": header["tables"],
        "CAPACITY": CAPACITY,
        "STATUS_PART": STATUS,
    }
    defines = "".join(f"#define {name} {value}\n" for name, value in facts.items())
    (folder / "weights.cu").write_text(defines + with_sha("weights.h"))
    table_bytes = header["tables"] * (CAPACITY * (14 + native.parts) + 8 * 64 + 16)
    facts |= {"value_part": VALUE, "limit": LIMIT, "plans": len(same), "words": len(code)}
    facts |= {"table_bytes": table_bytes, "programs": len(works)}
    (folder / "weights.json").write_text(json.dumps(facts))
    np.savez_compressed(
        folder / "weights.npz",
        image=image,
        code=np.array(code, dtype=np.int64),
        plan=place,
        same=np.array(same, dtype=np.uint16),
        same_of=same_of,
        host=np.concatenate(hosts).astype(np.uint16),
        host_first=np.array([starts[k] for k in which], dtype=np.int64),
        host_count=np.array([len(hosts[k]) for k in which], dtype=np.int64),
        args=np.array([(*a, 0)[:2] for a in inputs], dtype=np.uint64),
        arg_count=np.array([len(a) for a in inputs], dtype=np.int64),
        steps=np.array(steps),
        final=np.array(final, dtype=np.uint16),
        hashes=np.frombuffer(b"".join(hashes), dtype=">u4").reshape(-1, 8).astype(np.uint32),
    )
    print(f"weights: {facts}")


def check_on_core(folder: Path, rows: int = 24) -> None:
    """Run some rows by the same source on a core, and compare them with `native`."""
    import ctypes

    out = folder / "weights.so"
    flags = "-x c -std=gnu11 -O2 -fwrapv -w -fPIC -shared"
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
        "final": np.zeros((rows, facts["PARTS"]), np.uint16),
        "tables": np.zeros(library.weights_table_bytes(), np.uint8),
        "next": np.zeros(1, np.int32),
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
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    near = 8 * facts["SLOTS"] + 8 * 32 + 4 * facts["PARTS"] + 112
    blocks = processors * max(1, min(16, 220_000 // (4 * near)))
    table_bytes = (facts["table_bytes"] + 4096) // 8 * 8
    rows, sampled = len(data["args"]), len(data["steps"])
    shared = {n: cupy.asarray(data[n]) for n in POINTERS if n in data.files
              and n not in ("steps", "hashes", "final")}  # fmt: skip
    tables = cupy.zeros(blocks * 4 * table_bytes, dtype=np.uint8)

    def run(count: int, hashed: bool) -> tuple[float, dict[str, Any]]:
        arrays = shared | {
            "lost": cupy.zeros(count, dtype=np.int32),
            "steps": cupy.zeros(count, dtype=np.int64),
            "final": cupy.zeros((count, facts["PARTS"]), dtype=np.uint16),
            "tables": tables,
            "next": cupy.zeros(1, dtype=np.int32),
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
        kernel((min(blocks, -(-count // 4)),), (128,), (batch,))
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
        "near_bytes": near,
        "table_bytes": table_bytes,
        "sizes": [],
    }
    log(f"weights: {report}")
    for count in (1, 32, 256, 1024, 4096, rows):
        run(count, False)
        ms, arrays = run(count, False)
        steps = int(arrays["steps"].sum())
        lost = int((arrays["lost"] != 0).sum())
        size = {"rows": count, "ms": ms, "steps": steps, "lost": lost}
        report["sizes"].append(size | {"steps_per_second": steps / ms * 1e3})
        log(f"weights: {report['sizes'][-1]}")
    report["steps_per_second"] = max(size["steps_per_second"] for size in report["sizes"])
    return report
