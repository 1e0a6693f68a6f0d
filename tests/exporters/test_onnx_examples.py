"""The scripts of `examples/onnx` run exported programs without this package."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from transputer import api

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "onnx"
#: Starts a script in an interpreter that cannot import this package.
_ALONE = (
    "import runpy, sys; sys.modules['transputer'] = None; sys.argv = sys.argv[1:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
TEXT = """int fifth[3];
int main(void) {
    for (int i = 0; i < 3; i++) { fifth[i] = 5 * i - 5; putchar('a' + i); }
    putchar(10);
    return fifth[0];
}
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program as ONNX, next to its step."""
    path = tmp_path_factory.mktemp("onnx") / "fifth.onnx"
    api.compile(source=TEXT, kind="c", machine="loom").export("onnx", path)
    return path


def test_python_needs_nothing_but_onnxruntime_and_numpy(exported: Path) -> None:
    command = [sys.executable, "-c", _ALONE, str(EXAMPLES / "run.py"), str(exported)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert lines[0] == "abc"
    assert lines[1].endswith("steps, result -5")
    assert f"fifth {2**32 - 5} 0 5" in lines
    assert ran.stderr == ""  # loading it warns of nothing


def test_javascript_needs_nothing_but_onnxruntime(exported: Path) -> None:
    modules, node = ROOT / "web" / "node_modules", shutil.which("node")
    if node is None or not (modules / "onnxruntime-web").is_dir():
        pytest.skip("needs node and onnxruntime-web: npm ci --prefix web")
    shutil.copy(EXAMPLES / "run.mjs", exported.parent)
    (exported.parent / "node_modules").symlink_to(modules)
    command = [node, "run.mjs", exported.name]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=exported.parent)
    assert ran.stdout.startswith("abc\n") and ran.stdout.endswith("steps, result -5\n")


@pytest.mark.parametrize("name", ["fifth.onnx", "fifth.step.onnx"])
def test_a_file_explains_itself(exported: Path, name: str) -> None:
    props = onnx.load(exported.with_name(name)).metadata_props
    about = json.loads(next(p.value for p in props if p.key == "transputer"))
    assert (about["machine"], about["bits"], about["scratch"]) == ("loom", 32, 32)
    assert len(about["rows"]["memory"]) == 32 and len(about["rows"]["output"]) == 1
    assert about["symbols"]["fifth"][1] == 3
    assert about["result"] == about["symbols"]["result"][0]


def test_the_examples_are_short() -> None:
    for name in ("run.py", "run.mjs"):
        lines = (EXAMPLES / name).read_text().splitlines()
        assert sum(bool(line.strip()) for line in lines) <= 16
