"""A network that sees, and a program that decides: one `nn.Module`, from image to action."""

from pathlib import Path

import torch
from torch import nn

import transputer as tp
from examples.embed.rules import INPUTS, SEEN, STOP
from examples.embed.scenes import scenes

RULES = Path(__file__).parent / "rules.c"


class Eyes(nn.Module):
    """Images (rows, 3, 32, 32) to logits (rows, 13): what each thing in `SEEN` may be."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 12, 5, stride=2, padding=2),
            nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(24 * 8 * 8, sum(SEEN.values())),
        )

    def forward(self, images):
        return self.layers(images)

    def percepts(self, images):
        """The likeliest value of each thing, int64 (rows, 4). Gradients end here."""
        parts = self(images).split(list(SEEN.values()), dim=1)
        return torch.stack([part.argmax(1) for part in parts], dim=1)

    def loss(self, images, labels):
        """What training lowers: the cross-entropy of every thing."""
        parts = self(images).split(list(SEEN.values()), dim=1)
        return sum(nn.functional.cross_entropy(p, labels[:, i]) for i, p in enumerate(parts))


class Driver(nn.Module):
    """Images and what the car knows (rows, 2) to actions (rows)."""

    def __init__(self, rules=RULES):
        super().__init__()
        self.eyes = Eyes()
        self.rules = tp.LoomModule(rules, INPUTS, ["action"], bits=8)

    def forward(self, images, known):
        return self.decide(torch.cat([self.eyes.percepts(images), known], dim=1))

    def decide(self, inputs):
        """The action of each row of (rows, 6); a car whose rules fail to answer stops."""
        ended = self.rules.run(inputs)
        return torch.where(ended.faults == 0, ended.results[:, 0], STOP)


def train(driver, count=4000, epochs=6, seed=0):
    """Teach the eyes on drawn scenes; the rules are what they are."""
    torch.manual_seed(seed)
    images, labels = (torch.tensor(part) for part in scenes(count, seed))
    optimizer = torch.optim.Adam(driver.eyes.parameters(), lr=2e-3)
    for _ in range(epochs):
        for batch in torch.randperm(count).split(64):
            optimizer.zero_grad()
            driver.eyes.loss(images[batch], labels[batch]).backward()
            optimizer.step()


def export(driver, path):
    """Write all of it as one ONNX file: `images` and `known`, of any batch, to `action`."""
    rows = torch.export.Dim("rows", min=1, max=1 << 16)
    example = torch.rand(2, 3, 32, 32), torch.zeros(2, 2, dtype=torch.int64)
    torch.onnx.export(
        driver.eval(),
        example,
        path,
        input_names=["images", "known"],
        output_names=["action"],
        dynamic_shapes=({0: rows}, {0: rows}),
        dynamo=True,
        external_data=False,
        verbose=False,
    )
