"""ONNX Runtime on exported graphs: the same hash as the reference engine."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sampling import sampled
from transputer import api
from transputer.machines.trace.packed import NAMES, Viewed, start_of
from transputer.runtime.trace.pack import pack
from transputer.runtime.trace.run import run_program

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

EXAMPLES = Path(__file__).parents[2] / "examples"
EVERYTHING = Path(__file__).parent / "programs.wat"
STATUS = NAMES.index("status")
CASES = [
    (EVERYTHING, "leave", (7,)),
    (EVERYTHING, "straddle", (0x12345678,)),
    (EXAMPLES / "c" / "gcd.c", "gcd", (48, 36)),
]


def session(path: Path) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def digest(rows: Any) -> str:
    return hashlib.sha256(np.asarray(rows).astype(np.uint8).tobytes()).hexdigest()


@pytest.mark.parametrize("special", sampled([True, False], 2), ids=["special", "universal"])
@pytest.mark.parametrize(
    "path, invoke, args", sampled(CASES, 3, rows=True), ids=["leave", "straddle", "gcd"]
)
def test_loop_and_step_decode_what_the_reference_decodes(
    path: Path, invoke: str, args: tuple[int, ...], special: bool, tmp_path: Path
) -> None:
    program = api.compile(path)
    wanted = run_program(program, invoke, args, engine="reference").trace_sha256
    files = api.export(
        program, "onnx", tmp_path / "p.onnx", invoke=invoke, args=args, specialize=special
    )
    assert [f.name for f in files] == ["p.onnx", "p.step.onnx"]
    start = start_of((api.specialize if special else pack)(program, invoke))
    (decoded,) = session(files[0]).run(None, {})
    seen = Viewed(_Steps(files[1], start.tokens([a & 0xFFFFFFFF for a in args])), start)
    assert digest(seen.universal(decoded)[start.boot :]) == wanted
    rows = seen.run(len(decoded), [])
    assert rows.tolist() == seen.universal(decoded).tolist()


class _Steps:
    """The step graph as an engine."""

    def __init__(self, path: Path, prompt: list[tuple[int, ...]]) -> None:
        self.session = session(path)
        self.cache = np.zeros((0, self.session.get_inputs()[1].shape[1]))
        for token in prompt:
            self.append(token)

    def append(self, token: tuple[int, ...]) -> None:
        given = {"token": np.array(token, dtype=np.int64), "cache": self.cache}
        self.next, self.cache = self.session.run(None, given)

    def step(self) -> tuple[int, ...]:
        token = tuple(self.next.tolist())
        self.append(token)
        return token


@pytest.mark.slow
def test_the_loop_takes_another_prompt_and_a_limit(tmp_path: Path) -> None:
    program = api.compile(EXAMPLES / "c" / "gcd.c")
    made = session(api.export(program, "onnx", tmp_path / "p.onnx", invoke="gcd", args=(4, 6))[0])
    start = start_of(pack(program, "gcd"))
    prompt = np.array(start.tokens((48, 36)), dtype=np.int64)
    (decoded,) = made.run(None, {"prompt": prompt, "max_steps": np.array(7)})
    wanted = run_program(program, "gcd", (48, 36), engine="native")
    assert len(decoded) == 7 and not decoded[:, STATUS].any()
    (whole,) = made.run(None, {"prompt": prompt})
    assert digest(whole) == wanted.trace_sha256
    assert whole[:7].tolist() == decoded.tolist()
