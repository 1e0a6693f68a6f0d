"""Training and testing of the networks, with what they are compared by."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from tools.loom_learning.digits import pictures
from tools.loom_learning.networks import COUNT, VALUES, Around, Direct, broken

BATCH, RATE = 32, 4e-3
TESTS = 2000
#: The seed of a test set is that of the training set plus this.
APART = 10**6


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of pictures, the digits on them, and their receipts."""

    pictures: Tensor
    digits: Tensor
    receipts: Tensor


def lists(count: int, seed: int) -> Lists:
    """Draw lists of pictures; their receipts are the sorted digits and the total."""
    rng = np.random.default_rng(seed)
    digits = rng.integers(0, VALUES, (count, COUNT))
    drawn = pictures(digits, rng)
    right = np.concatenate([np.sort(digits, axis=1), digits.sum(1, keepdims=True)], axis=1)
    return Lists(torch.tensor(drawn), torch.tensor(digits), torch.tensor(right))


@dataclass(frozen=True, slots=True)
class Trial:
    """A trained network on the test set: shares of lists, and what training took."""

    network: str
    lists: int
    seed: int
    right: float
    broken: float
    updates: int
    parameters: int
    seconds: float
    work: Mapping[str, int] = field(default_factory=dict)


class Labelled(Around):
    """As `Around`, trained on the digit of every picture: what better labels would give."""

    def loss(self, pictures: Tensor, receipts: Tensor) -> Tensor:
        """Cross-entropy of the digits, which are given in place of receipts."""
        return nn.functional.cross_entropy(self.logits(pictures).flatten(0, 1), receipts.flatten())


#: Networks by name, with the number of updates as a multiple of the machine's.
NETWORKS = {
    "machine": (Around, 1),
    "direct": (Direct, 3),
    "digit labels": (Labelled, 1),
}


def trial(name: str, count: int, seed: int, updates: int) -> Trial:
    """Train a network on `count` lists and test it on others.

    The learning rate falls to 0 in the second half.
    """
    torch.manual_seed(seed)
    build, longer = NETWORKS[name]
    network, updates = build(), updates * longer
    given, test = lists(count, seed), lists(TESTS, APART + seed)
    labels = given.digits if name == "digit labels" else given.receipts
    learned = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(learned, lr=RATE, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda update: min(1.0, 2 * (1 - update / updates))
    )
    started = time.process_time()
    for _ in range(updates):
        batch = torch.randint(count, (BATCH,))
        optimizer.zero_grad()
        network.loss(given.pictures[batch], labels[batch]).backward()
        optimizer.step()
        schedule.step()
    seconds = time.process_time() - started
    work = dict(getattr(network, "work", {}))
    with torch.no_grad():
        answers = network(test.pictures)
    return Trial(
        name, count, seed,
        right=(answers == test.receipts).all(1).float().mean().item(),
        broken=broken(answers).float().mean().item(),
        updates=updates, parameters=sum(p.numel() for p in learned),
        seconds=round(seconds, 1), work=work,
    )  # fmt: skip
