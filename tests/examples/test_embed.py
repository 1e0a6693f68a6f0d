"""The embedded rules: no violation on any input, whatever the network in front of them sees."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed; pip install 'transputer[torch]'"
)

from examples.embed.driver import RULES, Driver, train  # noqa: E402
from examples.embed.rules import (  # noqa: E402
    EVERYTHING,
    FASTER,
    INPUTS,
    KNOWN,
    STOP,
    best,
    violations,
)
from examples.embed.scenes import scenes  # noqa: E402

torch.set_num_threads(1)
EVERY = torch.tensor(EVERYTHING)


@pytest.fixture(scope="module")
def driver() -> Driver:
    made = Driver()
    train(made)
    return made


def decided(driver: Driver, inputs: torch.Tensor) -> Iterator[tuple[list[int], int]]:
    for part in inputs.split(96):
        yield from zip(part.tolist(), driver.decide(part).tolist(), strict=True)


def test_every_input_is_there() -> None:
    assert INPUTS == ("light", "sign", "person", "gap", "speed", "waited")
    assert len(set(EVERYTHING)) == 4 * 3 * 2 * 4 * 4 * 2
    assert {best(given) for given in EVERYTHING} == {0, 1, 2, 3}


@pytest.mark.slow
def test_no_rule_is_broken_on_any_input() -> None:
    """All that a network could ever say, and no needless caution either."""
    for given, action in decided(Driver(), EVERY):
        assert not violations(given, action), given
        assert action == best(given), given


@pytest.mark.slow
def test_a_missing_rule_is_noticed(tmp_path: Path) -> None:
    text = RULES.read_text()
    assert "person || " in text
    careless = tmp_path / "careless.c"
    careless.write_text(text.replace("person || ", ""))
    people = EVERY[(EVERY[:, 2] == 1) & (EVERY[:, 5] == 0) & (EVERY[:, 1] == 0)]
    pairs = decided(Driver(careless), people)
    found = {rule for given, action in pairs for rule in violations(given, action)}
    assert found == {"stand for a person"}


@pytest.mark.slow
def test_images_to_actions(driver: Driver) -> None:
    images, labels = (torch.tensor(part) for part in scenes(200, seed=7))
    seen = driver.eyes.percepts(images)
    assert (seen == labels).float().mean() > 0.97
    known = torch.stack([torch.arange(200) % count for count in KNOWN.values()], dim=1)
    actions = driver(images, known)
    inputs = torch.cat([seen, known], dim=1).tolist()
    assert actions.tolist() == [best(given) for given in inputs]
    assert {STOP, FASTER} <= set(actions.tolist())


@pytest.mark.slow
def test_noise_does_not_break_rules(driver: Driver) -> None:
    """Images that nothing was trained for: whatever is seen in them, the rules for it hold."""
    torch.manual_seed(3)
    noise = torch.rand(40, 3, 32, 32) * 4 - 1
    known = torch.stack([torch.randint(count, (40,)) for count in KNOWN.values()], dim=1)
    inputs = torch.cat([driver.eyes.percepts(noise), known], dim=1)
    pairs = zip(inputs.tolist(), driver(noise, known).tolist(), strict=True)
    assert not any(violations(given, action) for given, action in pairs)


def test_gradients_stop_at_the_percepts() -> None:
    driver = Driver()
    images, labels = (torch.tensor(part) for part in scenes(4, seed=8))
    known = torch.zeros(4, len(KNOWN), dtype=torch.int64)
    assert not driver(images, known).requires_grad
    driver.eyes.loss(images, labels).backward()
    trained = [name for name, p in driver.named_parameters() if p.requires_grad]
    assert all(name.startswith("eyes.") for name in trained) and len(trained) == 6
    assert all(p.grad is not None for p in driver.eyes.parameters())


def test_one_state_dict() -> None:
    driver, other = Driver(), Driver()
    held = driver.state_dict()
    assert {name.split(".")[0] for name in held} == {"eyes", "rules"}
    other.load_state_dict(held)
    images = torch.tensor(scenes(24, seed=9)[0])
    known = torch.zeros(24, len(KNOWN), dtype=torch.int64)
    assert other(images, known).equal(driver(images, known))


def test_a_car_whose_rules_fail_stops(tmp_path: Path) -> None:
    text = RULES.read_text()
    endless = tmp_path / "endless.c"
    endless.write_text(text.replace("int main(void) {", "int main(void) { while (speed == 3) ;"))
    driver = Driver(endless)
    driver.rules.max_steps = 60
    free = torch.tensor([[1, 0, 0, 3, 3, 0], [1, 0, 0, 3, 1, 0]])
    assert driver.decide(free).tolist() == [STOP, FASTER]


@pytest.mark.slow
def test_the_whole_is_one_onnx_file(driver: Driver, tmp_path: Path) -> None:
    """ONNX Runtime's actions, from images, on every input that the rules can be given."""
    pytest.importorskip("onnxscript", reason="pip install 'transputer[onnx]'")
    runtime = pytest.importorskip("onnxruntime")
    from examples.embed.driver import export

    file = tmp_path / "driver.onnx"
    export(driver, file)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    images = torch.tensor(scenes(3000, seed=11)[0])
    seen = {tuple(one): i for i, one in enumerate(driver.eyes.percepts(images).tolist())}
    assert len(seen) == 4 * 3 * 2 * 4  # an image for all that there is to see
    for known in product(*(range(count) for count in KNOWN.values())):
        rows = torch.tensor([known] * len(seen))
        given = {"images": images[list(seen.values())].numpy(), "known": rows.numpy()}
        (actions,) = session.run(None, given)
        assert actions.tolist() == [best((*one, *known)) for one in seen]
    one = images[:1], torch.tensor([[1, 0]])
    (action,) = session.run(None, {"images": one[0].numpy(), "known": one[1].numpy()})
    assert action.tolist() == driver(*one).tolist()
