"""Training in small: it learns, exports, and NumPy chooses what torch chooses."""

import json
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.sampling import sampled  # noqa: E402
from training.words import train  # noqa: E402
from training.words.dataset import held_out, kinds  # noqa: E402
from training.words.export import export, quantised  # noqa: E402
from training.words.measure import greedy  # noqa: E402
from training.words.model import Planner  # noqa: E402
from transputer.frontends.words.embedded.beam import search  # noqa: E402
from transputer.frontends.words.embedded.weights import network  # noqa: E402
from transputer.frontends.words.embedded.wordpiece import pieces  # noqa: E402
from transputer.frontends.words.numbers import find  # noqa: E402


@pytest.mark.parametrize("count", sampled([1, 3], 2))
def test_numpy_chooses_what_torch_chooses(tmp_path, count):
    import random

    torch.manual_seed(0)
    model = Planner(train.SMALL).eval()
    loaded = network(*(path.read_bytes() for path in export(model, tmp_path / "m")))
    weights = {name: np.ascontiguousarray(w) for name, w in loaded.weights.items()}
    weights["words.weight"] = loaded.words[list(range(len(loaded.words.rows)))]
    model.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
    rng = random.Random(0)
    texts = [held_out(rng, kind).text for kind in kinds() for _ in range(count)]
    read = [pieces(text, find(text)) for text in texts]
    for one, tokens in zip(read, greedy(model, read, "cpu"), strict=True):
        assert search(loaded, one, width=1, limit=32)[0].tokens == tuple(tokens)


def test_quantised_rows_are_near():
    weights = np.random.default_rng(0).standard_normal((5, 40)).astype(np.float32)
    weights[2] = 0
    rows, scale = quantised(weights)
    assert rows.dtype == np.int8
    error = np.abs(rows * scale[:, None] - weights).max(1)
    assert (error <= np.abs(weights).max(1) / 254 + 1e-6).all()


@pytest.mark.slow
def test_small_training_learns(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train", "--small", "--out", str(tmp_path)])
    torch.set_num_threads(1)
    train.main()
    report = json.loads((tmp_path / "curves.json").read_text())
    assert report["best"] == "0"
    curve = report["seeds"]["0"]
    assert curve[-1]["loss"] < 0.75 * curve[0]["loss"]
    assert (tmp_path / "seed0-1.safetensors").exists()


def test_the_best_seed_is_not_chosen_by_svamp():
    even = dict.fromkeys(kinds(), 0.5)
    curves = {
        "0": [even | {"gsm8k": 0.1, "svamp": 0.9}],
        "1": [even | {"gsm8k": 0.9, "svamp": 0.0}, even | {"gsm8k": 0.2, "svamp": 0.1}],
        "2": [even | {"gsm8k": 0.1, "story": 0.9, "svamp": 0.1}],
    }
    assert train.best(curves) == "1"
