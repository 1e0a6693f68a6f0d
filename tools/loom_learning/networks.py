"""Networks from three pictures of digits to a receipt: the sorted digits and their total.

`Reader` reads one digit. `Around` is a reader and the loom machine behind it, which computes the
receipt; it learns from receipts alone, by the score function. `Direct` is a network without the
machine, with the same convolutions and as many parameters or more.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transputer as tp
from tools.loom_learning.digits import SIDE

PROGRAM = Path(__file__).parent / "receipt.c"
#: The smallest machine that the program fits: 7 words of memory and 23 instructions.
CONFIG = "64x8,m=7"
COUNT, VALUES = 3, 10
#: Values of the outputs: the digits, the total.
OUTPUTS = (*(VALUES for _ in range(COUNT)), COUNT * (VALUES - 1) + 1)


class Reader(nn.Module):  # type: ignore[misc]
    """Pictures (rows, SIDE, SIDE) to logits of digits (rows, VALUES)."""

    def __init__(self, channels: int = 16) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Unflatten(1, (1, SIDE)),
            nn.Conv2d(1, channels, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(channels, 2 * channels, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(2 * channels * (SIDE // 4) ** 2, VALUES),
        )

    def forward(self, pictures: Tensor) -> Tensor:
        """Return logits."""
        return self.layers(pictures)


class Around(nn.Module):  # type: ignore[misc]
    """A reader, and the weights of the loom machine that run the program on what it reads.

    `work` counts what the machine did: `samples` asked for, `rows` run, `steps` (forward passes).
    """

    def __init__(self, engine: str = "native", samples: int = 8, entropy: float = 0.1) -> None:
        super().__init__()
        self.reader = Reader()
        names = ["digits"], ["digits", "total"]
        self.machine = tp.LoomModule(PROGRAM, *names, bits=8, config=CONFIG, engine=engine)
        self.samples, self.entropy = samples, entropy
        self.work: Counter[str] = Counter()

    def logits(self, pictures: Tensor) -> Tensor:
        """Logits of the digits of each list: (rows, COUNT, VALUES)."""
        return self.reader(pictures.flatten(0, 1)).unflatten(0, (-1, COUNT))

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the receipts of lists of pictures, with the likeliest digits."""
        return self.receipts(self.logits(pictures).argmax(-1))

    def receipts(self, digits: Tensor) -> Tensor:
        """Run the program on lists of digits (…, COUNT). Equal lists of one call run once."""
        lists = digits.flatten(0, -2)
        different, which = lists.unique(dim=0, return_inverse=True)
        ended = self.machine.run(different)
        if ended.faults.any():
            raise RuntimeError("the program failed on a list of digits")
        self.work.update(samples=len(lists), rows=len(different), steps=int(ended.steps.sum()))
        return ended.results[which].unflatten(0, digits.shape[:-1])

    def loss(self, pictures: Tensor, receipts: Tensor) -> Tensor:
        """Loss of the score function: samples with more right outputs become likelier.

        The reward of a sample is the share of outputs that are right; its baseline is the mean
        of the other samples of the same list. Entropy keeps the reader from deciding too early.
        """
        logits = self.logits(pictures).log_softmax(-1)
        drawn = logits.detach().exp().flatten(0, 1).multinomial(self.samples, replacement=True)
        digits = drawn.unflatten(0, (-1, COUNT)).movedim(-1, 0)  # samples, rows, COUNT
        reward = (self.receipts(digits) == receipts).float().mean(-1)
        lead = (reward - reward.mean(0)) * self.samples / (self.samples - 1)
        chosen = logits.expand(self.samples, -1, -1, -1).gather(-1, digits[..., None])
        entropy = -(logits.exp() * logits).sum(-1).mean()
        return -(lead * chosen.sum((-1, -2))).mean() - self.entropy * entropy


class Direct(nn.Module):  # type: ignore[misc]
    """The same convolutions for each picture, then two linear layers to all outputs."""

    def __init__(self, hidden: int = 64, channels: int = 16) -> None:
        super().__init__()
        self.reader = Reader(channels)
        self.head = nn.Sequential(
            nn.ReLU(),
            nn.Linear(COUNT * VALUES, hidden),
            nn.ReLU(),
            nn.Linear(hidden, sum(OUTPUTS)),
        )

    def logits(self, pictures: Tensor) -> Any:
        """Logits of each output."""
        read = self.reader(pictures.flatten(0, 1)).view(len(pictures), -1)
        return self.head(read).split(OUTPUTS, dim=1)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the likeliest value of each output."""
        return torch.stack([part.argmax(1) for part in self.logits(pictures)], dim=1)

    def loss(self, pictures: Tensor, receipts: Tensor) -> Tensor:
        """Cross-entropy of the outputs."""
        parts = zip(self.logits(pictures), receipts.unbind(1), strict=True)
        return sum(nn.functional.cross_entropy(part, right) for part, right in parts)


def broken(receipts: Tensor) -> Tensor:
    """Which receipts no digits have: not sorted, or with another total."""
    digits, total = receipts[:, :COUNT], receipts[:, COUNT]
    return (digits.diff(dim=1) < 0).any(1) | (digits.sum(1) != total)
