"""Programs of the loom machine as layers: `tp.LoomModule` gives what the oracle gives."""

import copy
from pathlib import Path

import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed; pip install 'transputer[torch]'"
)

import transputer as tp  # noqa: E402
from tests.sampling import sampled  # noqa: E402
from transputer.embed import Fault, LoomModule, RowsFailed  # noqa: E402
from transputer.errors import UsageError  # noqa: E402
from transputer.ir.loom import LoomProgram, tightest  # noqa: E402
from transputer.isa.integers import signed  # noqa: E402
from transputer.oracle.loom import Loom  # noqa: E402
from transputer.runtime.loom.program import compile_loom  # noqa: E402

torch.set_num_threads(1)
SOURCE = """int a[3], x; int sum, least, calls = 5;
int main(void) {
  int i = x;
  sum = 0; least = a[i];
  for (i = 0; i < 3; i++) { sum += a[i]; if (a[i] < least) least = a[i]; }
  while (x == 7) ;
  return ++calls;
}"""
INPUTS, OUTPUTS = ("a", "x"), ("sum", "least", "calls", "result")
ROWS = [[1, 2, 3, 0], [-5, 100, 50, 2], [127, -128, -1, 1], [0, 0, 0, 0]]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("loom") / "least.c"
    path.write_text(SOURCE)
    return path


def interpreted(program: LoomProgram, row: list[int]) -> tuple[list[int], int]:
    """What the oracle makes of a row, and in how many steps."""
    loom = Loom(program, tightest(program))
    slots = {one.name: range(one.slot, one.slot + one.count) for one in program.symbols}
    for slot, word in zip([s for name in INPUTS for s in slots[name]], row, strict=True):
        loom.memory[slot] = word & ((1 << program.bits) - 1)
    loom.run(1000)
    found = [loom.memory[s] for name in OUTPUTS for s in slots[name]]
    return [signed(program.bits, word) for word in found], loom.steps


@pytest.mark.parametrize(
    "bits, attention",
    sampled([(8, "hard"), (0, "hard"), (8, "softmax"), (16, "hard")], 2, rows=True),
)
def test_variables_in_and_out(given: Path, bits: int, attention: str) -> None:
    module = LoomModule(given, INPUTS, OUTPUTS, bits=bits, attention=attention)
    rows = ROWS + ([] if bits == 8 else [[20000, -20000, 5, 1]])
    wanted = [interpreted(compile_loom(given, bits), row) for row in rows]
    for _ in range(2):  # nothing persists
        ended = module.run(torch.tensor(rows))
        assert ended.results.tolist() == [results for results, _ in wanted]
        assert ended.steps.tolist() == [steps for _, steps in wanted]
        assert not ended.faults.any()
    assert module(torch.tensor(rows)).equal(ended.results)


def test_the_native_engine_gives_the_same(given: Path) -> None:
    """Results, steps and faults: of rows that end, of one that traps, of one that does not end."""
    rows = torch.tensor([*ROWS, [1, 2, 3, 7], [1, 2, 3, 100]])
    wanted = LoomModule(given, INPUTS, OUTPUTS, bits=8, max_steps=60).run(rows)
    assert set(wanted.faults.tolist()) == {Fault.NONE, Fault.UNFINISHED, Fault.OUTSIDE}
    module = LoomModule(given, INPUTS, OUTPUTS, bits=8, max_steps=60, engine="native")
    for ended in module.run(rows), module.run(rows), copy.deepcopy(module).run(rows):
        assert all(a.equal(b) for a, b in zip(ended, wanted, strict=True))


def test_the_native_engine_runs_the_weights_of_the_module(given: Path) -> None:
    """Weights that were changed in place are the ones that run next."""
    rows = torch.tensor(ROWS)
    plain = LoomModule(given, INPUTS, OUTPUTS, bits=8, max_steps=60)
    native = LoomModule(given, INPUTS, OUTPUTS, bits=8, max_steps=60, engine="native")
    wanted = native(rows)
    for module in plain, native:
        module.step.layers[1].heads[0].output.zero_()
    ended = native.run(rows)
    assert not ended.results.equal(wanted)
    assert all(a.equal(b) for a, b in zip(ended, plain.run(rows), strict=True))


def test_engines_that_it_cannot_have(given: Path) -> None:
    with pytest.raises(UsageError, match="engine is torch or native, not 'abacus'"):
        LoomModule(given, INPUTS, OUTPUTS, engine="abacus")
    with pytest.raises(UsageError, match="native attention is hard"):
        LoomModule(given, INPUTS, OUTPUTS, engine="native", attention="softmax")


def test_unsigned_words_are_words(given: Path) -> None:
    module = LoomModule(given, INPUTS, OUTPUTS, bits=8)
    assert module(torch.tensor([[255, 128, 1, 0]])).tolist() == [[-128, -128, 6, 6]]
    for word in (256, -129):
        with pytest.raises(UsageError, match=f"row 1: {word} is no word of 8 bits"):
            module(torch.tensor([[0, 0, 0, 0], [0, word, 0, 0]]))


def test_faults_are_results_or_an_error_that_names_the_rows(given: Path) -> None:
    module = LoomModule(given, INPUTS, OUTPUTS, max_steps=60)
    rows = torch.tensor([[1, 2, 3, 0], [1, 2, 3, 120], [1, 2, 3, 7]])
    ended = module.run(rows)
    assert ended.faults.tolist() == [Fault.NONE, Fault.OUTSIDE, Fault.UNFINISHED]
    assert ended.results.tolist() == [[6, 1, 6, 6], [0] * 4, [0] * 4]
    assert ended.steps[2] == 60
    with pytest.raises(RowsFailed, match="row 1: out of bounds memory access; row 2: did not end"):
        module(rows)


def test_what_is_no_variable_and_no_input(given: Path) -> None:
    with pytest.raises(UsageError, match="no global variable 'y'; available: x, sum, "):
        LoomModule(given, ["y"], OUTPUTS)
    with pytest.raises(UsageError, match="no global variable 'main.i'"):
        LoomModule(given, ["main.i"], OUTPUTS)
    module = LoomModule(given, INPUTS, OUTPUTS)
    with pytest.raises(UsageError, match=r"inputs must have shape \(rows, 4\), not \(1, 2\)"):
        module(torch.tensor([[1, 2]]))
    with pytest.raises(UsageError, match="inputs must be an int64 tensor, not torch.float32"):
        module(torch.zeros(1, 4))


def test_it_moves_and_travels(given: Path) -> None:
    module = tp.LoomModule(given, INPUTS, OUTPUTS, bits=8)
    network = torch.nn.Sequential(torch.nn.Linear(1, 1), module)
    rows = torch.tensor(ROWS[:2])
    wanted = module(rows)
    network.half()
    assert network[0].weight.dtype == torch.float16 and module.state.dtype == torch.float32
    assert network.to("cpu")[1](rows).equal(wanted)
    assert copy.deepcopy(module)(rows).equal(wanted)
    assert not any(p.requires_grad for p in module.parameters())
    other = LoomModule(given, INPUTS, OUTPUTS, bits=8)
    for tensor in other.state_dict().values():
        tensor.zero_()
    other.load_state_dict(module.state_dict())
    assert other(rows).equal(wanted)
    assert "128x8,s=32,m=" in repr(module) and "4 -> 4" in repr(module)


def test_a_division_by_zero_is_a_fault_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "divide.c"
    path.write_text("int a[2], x; int main(void) { x = a[0] / a[1]; return a[x]; }")
    module = LoomModule(path, ["a"], ["x"], bits=8)
    ended = module.run(torch.tensor([[3, 2], [3, 0], [100, 1]]))
    assert ended.faults.tolist() == [Fault.NONE, Fault.DIVIDED, Fault.OUTSIDE]
    with pytest.raises(RowsFailed, match="row 0: integer divide by zero"):
        module(torch.tensor([[3, 0]]))


def test_broken_weights_break_it(given: Path) -> None:
    """The weights do it: without those of a layer the answers are others."""
    module = LoomModule(given, INPUTS, OUTPUTS, bits=8, max_steps=60)
    wanted = module(torch.tensor(ROWS))
    module.step.layers[3].out.zero_()
    ended = module.run(torch.tensor(ROWS))
    assert not ended.results.equal(wanted)


def test_forward_is_not_for_graphs(given: Path) -> None:
    module = LoomModule(given, INPUTS, OUTPUTS)
    with pytest.raises(Exception, match="an exported graph cannot raise; call run"):
        torch.export.export(module, (torch.tensor(ROWS),))
