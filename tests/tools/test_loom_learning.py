"""A network that learns around the loom machine: what it is told, and that it learns from it."""

import json
from itertools import product

import numpy as np
import pytest

from tools.figures import RESULTS
from tools.loom_learning.digits import SIDE, STROKES, pictures

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed; pip install 'transputer[torch]'"
)

from tools.loom_learning.__main__ import PICTURE, SEEDS, SIZES, picture, summary  # noqa: E402
from tools.loom_learning.networks import COUNT, VALUES, Around, Direct, broken  # noqa: E402
from tools.loom_learning.training import Trial, lists, trial  # noqa: E402

torch.set_num_threads(1)


def test_pictures_tell_digits_apart() -> None:
    """The mean picture of each digit is nearest to most pictures of it."""
    digits = np.repeat(np.arange(len(STROKES)), 40)
    drawn = pictures(digits, np.random.default_rng(0)).reshape(len(digits), SIDE * SIDE)
    means = np.stack([drawn[digits == d].mean(0) for d in range(len(STROKES))])
    nearest = ((drawn[:, None] - means) ** 2).sum(-1).argmin(1)
    assert 0.6 < (nearest == digits).mean() < 0.99  # neither noise nor a font


def test_the_machine_computes_every_receipt() -> None:
    """All lists of digits there are, through the weights, beside sorting and adding in Python."""
    every = torch.tensor(list(product(range(VALUES), repeat=COUNT)))
    network = Around()
    receipts = network.receipts(every)
    right = torch.cat([every.sort(1).values, every.sum(1, keepdim=True)], dim=1)
    assert receipts.equal(right) and not broken(receipts).any()
    assert network.work["rows"] == len(every) and network.work["steps"] > 15 * len(every)


def test_engines_give_the_same_loss() -> None:
    """Dense PyTorch and sparse C: the same samples, the same loss, the same gradient."""
    given = lists(4, 0)
    losses, gradients = [], []
    for engine in "torch", "native":
        torch.manual_seed(1)
        network = Around(engine=engine, samples=2)
        loss = network.loss(given.pictures, given.receipts)
        loss.backward()
        losses.append(loss.item())
        gradients.append(torch.cat([p.grad.flatten() for p in network.reader.parameters()]))
    assert losses[0] == losses[1] and gradients[0].equal(gradients[1]) and gradients[0].any()


def test_the_gradient_points_to_the_right_digits() -> None:
    """A few updates on few lists: most of their outputs become right."""
    torch.manual_seed(0)
    network, given = Around(samples=16), lists(4, 0)
    optimizer = torch.optim.Adam(network.reader.parameters(), lr=1e-2)

    def right() -> float:
        with torch.no_grad():
            return float((network(given.pictures) == given.receipts).float().mean())

    before = right()
    for _ in range(80):
        optimizer.zero_grad()
        network.loss(given.pictures, given.receipts).backward()
        optimizer.step()
    assert before < 0.3 and right() > 0.6


def test_broken_receipts_are_seen() -> None:
    receipts = torch.tensor([[1, 2, 3, 6], [2, 1, 3, 6], [1, 2, 3, 7], [0, 0, 0, 0]])
    assert broken(receipts).tolist() == [False, True, True, False]


def test_a_network_without_the_machine_breaks_rules() -> None:
    """And one with it does not, trained as little."""
    shares = {name: trial(name, 20, 0, 2).broken for name in ("direct", "machine")}
    assert shares["machine"] == 0 and shares["direct"] > 0.5


def test_the_direct_network_is_not_smaller() -> None:
    sizes = [sum(p.numel() for p in part.parameters()) for part in (Around().reader, Direct())]
    assert sizes[0] <= sizes[1] < 2 * sizes[0]


def test_the_results_are_those_of_the_trials() -> None:
    values = json.loads((RESULTS / "loom-learning.json").read_text(encoding="utf-8"))["values"]
    trials = [Trial(**one) for one in values["trials"]]
    assert len(trials) == SEEDS * sum(map(len, SIZES.values()))
    assert values["rows by network"] == summary(trials)
    assert PICTURE.read_text(encoding="utf-8") == picture(summary(trials))
