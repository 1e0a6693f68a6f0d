"""`python -m examples.embed [FILE.onnx]`: train, look at every input there is, export."""

import sys

import torch

from examples.embed.driver import Driver, export, train
from examples.embed.rules import EVERYTHING, KNOWN, best, violations
from examples.embed.scenes import scenes

driver = Driver()
print("training the eyes on 4,000 drawn scenes ...", flush=True)
train(driver)

images, labels = (torch.tensor(part) for part in scenes(2000, seed=1))
seen = driver.eyes.percepts(images)
right = (seen == labels).all(1).float().mean()
print(f"on 2,000 others they see everything right in {right:.1%}")

broken, needless = 0, 0
for inputs in torch.tensor(EVERYTHING).split(96):
    for given, action in zip(inputs.tolist(), driver.decide(inputs).tolist(), strict=True):
        broken += bool(violations(given, action))
        needless += action < best(given)
    print(".", end="", flush=True)
print(f"\nall {len(EVERYTHING)} inputs: {broken} rules broken, {needless} times too careful")

known = torch.stack([torch.randint(count, (96,)) for count in KNOWN.values()], 1)
actions = driver(images[:96], known)
inputs = torch.cat([seen[:96], known], 1).tolist()
wrong = sum(bool(violations(*pair)) for pair in zip(inputs, actions.tolist(), strict=True))
print(f"96 images: {wrong} actions against the rules for what was seen")
if len(sys.argv) > 1:
    export(driver, sys.argv[1])
    print(f"{sys.argv[1]}: the whole of it, images to actions")
