"""Programs as layers: `tp.Module` gives what `tp.run` gives, for every row of a batch."""

import copy
import re
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed; pip install 'transputer[torch]'"
)

import transputer as tp  # noqa: E402
from transputer.embed import Module, Outcomes, RowsFailed  # noqa: E402
from transputer.errors import (  # noqa: E402
    EngineUnavailable,
    StepLimitError,
    Trap,
    Unsupported,
    UsageError,
)

torch.set_num_threads(1)
ROOT = Path(__file__).parents[1]

RULES = """(module
  (import "transputer" "read" (func $read (result i32)))
  (import "transputer" "write" (func $write (param i32)))
  (import "transputer" "exit" (func $exit (param i32)))
  (memory 1) (data (i32.const 0) "\\05\\00\\00\\00") (global $calls (mut i32) (i32.const 0))
  (func $start (i32.store (i32.const 4) (i32.const 7))) (start $start)
  (func (export "divide") (param i32 i32) (result i32)
    (i32.div_s (local.get 0) (local.get 1)))
  (func (export "count") (param i32) (result i32) (local i32)
    (loop $l (local.set 1 (i32.add (local.get 1) (local.get 0)))
      (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1))
  (func (export "state") (param i32) (result i32 i32 i32)
    (global.set $calls (i32.add (global.get $calls) (local.get 0)))
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (local.get 0)))
    (global.get $calls) (i32.load (i32.const 0)) (i32.load (i32.const 4)))
  (func (export "same") (param i32) (result i32) (local.get 0))
  (func (export "seven") (result i32) (i32.const 7))
  (func (export "nothing") (param i32))
  (func (export "devices") (param i32) (result i32)
    (call $write (local.get 0)) (call $write (i32.const 33))
    (if (local.get 0) (then (call $exit (local.get 0)))) (i32.add (call $read) (call $read)))
  (func (export "reference") (param funcref)))"""

START = 4  # steps of the start function, which a Module takes once, when it is made


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> tp.Program:
    path = tmp_path_factory.mktemp("embed") / "rules.wat"
    path.write_text(RULES)
    return tp.compile(path)


def rows(*values: object) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64)


def test_rows_end_at_different_times(rules: tp.Program) -> None:
    numbers = [3, 1, 20, 2, 9, 1]
    found = Module(rules, "count").run(rows(*([n] for n in numbers)))
    expected = [tp.run(rules, "count", [n], engine="core") for n in numbers]
    assert found.results.tolist() == [run.results for run in expected]
    assert found.results.dtype == torch.int64
    assert found.steps.tolist() == [run.steps - START for run in expected]
    assert found.traps == (None,) * 6 and not found.failures


@pytest.mark.parametrize("attention", ["hard", "softmax"])
def test_numbers_have_signs(rules: tp.Program, attention: str) -> None:
    same = Module(rules, "same", attention=attention)
    values = [0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 2**31, 0x01020304, -256]
    signed = [[(v + 2**31) % 2**32 - 2**31] for v in values]
    assert same(rows(*([v] for v in values))).tolist() == signed
    assert same(torch.tensor([[-5]], dtype=torch.int32)).tolist() == [[-5]]


def test_a_trap_is_a_result_or_an_error_that_names_the_rows(rules: tp.Program) -> None:
    divide = Module(rules, "divide")
    args = rows([7, 2], [1, 0], [-7, 2], [-(2**31), -1])
    found = divide.run(args)
    assert found.results.tolist() == [[3], [0], [-3], [0]]
    assert found.traps == (None, Trap.DIVIDE_BY_ZERO, None, Trap.INTEGER_OVERFLOW)
    assert found.exit_codes == (None,) * 4
    with pytest.raises(RowsFailed, match=r"divide: row 1: integer divide by zero; row 3: ") as why:
        divide(args)
    assert why.value.rows == {1: "integer divide by zero", 3: "integer overflow"}
    with pytest.raises(RowsFailed, match="row 7: integer divide by zero; 12 more rows"):
        divide(torch.zeros(20, 2, dtype=torch.int64))


def test_every_call_starts_from_the_loaded_program(rules: tp.Program) -> None:
    state = Module(rules, "state")
    for _ in range(2):
        assert state(rows([1], [10])).tolist() == [[1, 6, 7], [10, 15, 7]]


def test_output_exit_and_the_end_of_the_input(rules: tp.Program) -> None:
    devices = Module(rules, "devices")
    found = devices.run(rows([0], [65], [0]))
    assert found.results.tolist() == [[-2], [0], [-2]]
    assert found.exit_codes == (None, 65, None)
    assert found.output == (b"\0!", b"A!", b"\0!")
    steps = [tp.run(rules, "devices", [n], engine="native").steps - START for n in (0, 65)]
    assert found.steps.tolist() == [steps[0], steps[1], steps[0]]
    with pytest.raises(RowsFailed, match="row 1: exited with code 65"):
        devices(rows([0], [65]))


def test_any_number_of_rows_parameters_and_results(rules: tp.Program) -> None:
    assert Module(rules, "seven")(torch.zeros(2, 0, dtype=torch.int64)).tolist() == [[7], [7]]
    assert Module(rules, "nothing")(rows([4], [5])).shape == (2, 0)
    none = Module(rules, "state")(torch.zeros(0, 1, dtype=torch.int64))
    assert none.shape == (0, 3) and none.dtype == torch.int64


def test_it_composes_moves_and_travels(rules: tp.Program, tmp_path: Path) -> None:
    count = tp.Module(rules, invoke="count")
    network = torch.nn.Sequential(torch.nn.Embedding(4, 1), Rounded(), count)
    expected = network(rows(0, 1, 2))
    assert network.eval().half()(rows(0, 1, 2)).equal(expected)
    assert network.train().double().to("cpu")(rows(0, 1, 2)).equal(expected)
    assert not any(p.requires_grad for p in count.parameters())
    assert [p.requires_grad for p in network.parameters()].count(True) == 1
    assert copy.deepcopy(count)(rows([3])).tolist() == [[6]]
    torch.save(count.state_dict(), tmp_path / "count.pt")
    again = Module(rules, "count")
    again.prompt.zero_()
    again.load_state_dict(torch.load(tmp_path / "count.pt"))
    assert again(rows([4])).tolist() == [[10]]
    assert "'count', (i32)->(i32)" in repr(count)


class Rounded(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x.abs() * 0 + 4).round().long()


def test_results_feed_layers_that_learn(rules: tp.Program) -> None:
    """Results are ordinary tensors: what comes behind them has gradients."""
    table = torch.nn.Embedding(16, 2)
    network = torch.nn.Sequential(tp.Module(rules, invoke="count"), table)
    network(rows([3], [4])).sum().backward()
    assert table.weight.grad is not None
    assert table.weight.grad.nonzero()[:, 0].unique().tolist() == [6, 10]


def test_rows_that_do_not_end(rules: tp.Program) -> None:
    with pytest.raises(StepLimitError, match="50"):
        Module(rules, "count", max_steps=50)(rows([1], [1000]))


def test_wrong_arguments(rules: tp.Program) -> None:
    divide = Module(rules, "divide")
    wrong = [
        (torch.zeros(1, 2), "argument 0 is i32, not torch.float32"),
        (torch.zeros(1, 2, dtype=torch.complex64), "not torch.complex64"),
        ([[1, 2]], "not list"),
        (rows(1, 2), r"\(rows, 2\), not \(2,\)"),
        (rows([1, 2, 3]), r"\(rows, 2\), not \(1, 3\)"),
        (rows([1, 2], [3, 2**32]), "row 1: 4294967296 does not fit an i32"),
        (rows([-(2**31) - 1, 2]), "row 0: -2147483649 does not fit"),
    ]
    for args, why in wrong:
        with pytest.raises(UsageError, match=why):
            divide(args)


def test_all_types(tmp_path: Path) -> None:
    """Wide integers and floats go in and come out with their bits; mixed results are columns."""
    text = """(module
      (func (export "product") (param i64 i64) (result i64) local.get 0 local.get 1 i64.mul)
      (func (export "mean") (param f64 f64) (result f64)
        (f64.div (f64.add (local.get 0) (local.get 1)) (f64.const 2)))
      (func (export "both") (param f32 i32) (result f32 i64)
        (f32.sqrt (local.get 0)) (i64.extend_i32_s (local.get 1))))"""
    program = compiled(tmp_path / "types.wat", text)
    wide = torch.tensor([[2**62 + 3, 5], [-7, 2**33]])
    assert Module(program, "product")(wide).tolist() == (wide[:, :1] * wide[:, 1:]).tolist()
    halves = torch.tensor([[0.1, 0.7], [1e300, 1e300]], dtype=torch.float64)
    assert Module(program, "mean")(halves).tolist() == [[(a + b) / 2] for a, b in halves.tolist()]
    roots, numbers = torch.tensor([2.0, 3.0]), torch.tensor([-1, 7])
    root, number = Module(program, "both")(roots, numbers)
    assert torch.equal(root, roots.sqrt()) and number.tolist() == [-1, 7]
    assert root.dtype == torch.float32 and number.dtype == torch.int64
    with pytest.raises(UsageError, match="argument 0 is f32, not torch.float64"):
        Module(program, "both")(roots.double(), numbers)
    with pytest.raises(UsageError, match="different numbers of rows"):
        Module(program, "both")(roots, numbers[:1])


def compiled(path: Path, text: str) -> tp.Program:
    path.write_text(text)
    return tp.compile(path)


def test_what_cannot_be_a_layer(rules: tp.Program, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="available: divide, count"):
        Module(rules)
    with pytest.raises(UsageError, match="no exported func 'divid'"):
        Module(rules, "divid")
    with pytest.raises(Unsupported, match="must be numbers"):
        Module(rules, "reference")
    with pytest.raises(UsageError, match="no such file"):
        Module("no.wat")
    with pytest.raises(Unsupported, match="no fixed number of results"):
        Module(ROOT / "examples" / "asm" / "gcd.asm")
    host = compiled(tmp_path / "host.wat", '(module (import "env" "f" (func)) (func (export "g")))')
    with pytest.raises(Unsupported, match=r"imports env\.f"):
        Module(host)
    trap = '(module (func $s unreachable) (start $s) (func (export "g")))'
    with pytest.raises(UsageError, match="ends before a function is invoked: unreachable"):
        Module(compiled(tmp_path / "trap.wat", trap))


def test_the_only_function_and_main_need_no_name(tmp_path: Path) -> None:
    one = '(module (func (export "one") (result i32) (i32.const 1)))'
    none = torch.zeros(1, 0, dtype=torch.int64)
    assert Module(compiled(tmp_path / "one.wat", one))(none).tolist() == [[1]]
    two = '(module (func (export "a")) (func (export "main") (result i32) (i32.const 2)))'
    assert Module(compiled(tmp_path / "two.wat", two))(none).tolist() == [[2]]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
def test_on_a_gpu(rules: tp.Program) -> None:
    devices = Module(rules, "devices").to("cuda")
    found = devices.run(rows([0], [65]).cuda())
    assert found.results.is_cuda and isinstance(found, Outcomes)
    assert (found.results.tolist(), found.exit_codes) == ([[-2], [0]], (None, 65))
    assert devices.run(rows([0])).results.device.type == "cpu"


def test_the_page_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of docs/torch.md, one after another."""
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "torch.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/torch.md", "exec"), names)


def test_importing_transputer_does_not_need_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    check = "import sys, transputer; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0
    needing = re.compile(r"transputer\.(engines\.torch|embed)")
    for name in filter(needing.match, list(sys.modules)):
        monkeypatch.delitem(sys.modules, name)
    for name in ("Module", "LoomModule"):
        monkeypatch.delitem(vars(tp), name, raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EngineUnavailable, match="pip install"):
        tp.Module("gcd.c")
    with pytest.raises(EngineUnavailable, match="pip install"):
        tp.LoomModule("gcd.c", [], [])
    with pytest.raises(AttributeError, match="no attribute 'Modul'"):
        tp.Modul  # noqa: B018
