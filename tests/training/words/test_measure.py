"""Measuring, the overlap count and the card, on little made-up results."""

import csv
import json
import random
from fractions import Fraction
from hashlib import sha256

import pytest

from training.words import dataset
from training.words.card import HERE, MODELS, ROOT, card, spread
from training.words.cases import Case, mawps_asdiv
from training.words.evaluate import coverage, interval, precision_at, summary
from training.words.front import Found
from training.words.front import summary as front_summary
from training.words.grams import Apart, grams, masked, names_in
from training.words.overlap import overlap
from transputer.frontends.words.embedded.weights import FILES


def test_mawps_and_asdiv_are_told_apart_and_their_answers_are_exact(tmp_path):
    path = tmp_path / "file.csv"
    rows = [
        ("Ann has number0 and number1 dogs .", "1.5 2.0", "+ number0 number1", "3.5"),
        ("ann pours number0 ml into number1 cups .", "10 3", "/ number0 number1", "3.3333333"),
        ("ann has number0 and eats number1 .", "10 3", "- number0 number1", "8.0"),
    ]
    with path.open("w") as lines:
        writer = csv.writer(lines)
        writer.writerow(("Question", "Numbers", "Equation", "Answer"))
        writer.writerows(rows)
    assert mawps_asdiv(path) == {
        "mawps": [Case("Ann has 1.5 and 2 dogs .", Fraction(7, 2))],
        "asdiv-a": [
            Case("ann pours 10 ml into 3 cups .", Fraction(10, 3)),
            Case("ann has 10 and eats 3 .", Fraction(8)),
        ],
    }


ROWS = [(0.9, True), (0.8, True), (0.7, False), (0.6, True), (0.5, True), (0.1, False)]


def test_coverage_is_the_largest_share_at_a_precision():
    assert coverage(ROWS, 0.8) == (round(5 / 6, 4), 0.5)
    assert coverage(ROWS, 0.9) == (round(2 / 6, 4), 0.8)
    assert coverage([(0.9, False)], 0.5) == (0.0, 1.0)
    assert precision_at(ROWS, 0.5) == round(2 / 3, 4)


def test_a_summary_counts_what_is_answered():
    row = summary(ROWS, [0.1, 0.3, 0.2], 0.6)
    assert row["answered"] == round(4 / 6, 4)
    assert row["precision"] == 0.75
    assert row["median ms"] == 200.0
    assert summary(ROWS, [0.1], 0.95)["precision"] is None


def test_the_interval_is_wilsons():
    low, high = interval(8, 10)
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=2e-4)


def test_numbers_and_names_are_masked():
    names = names_in(["Then Zorba and the dog saw Kim.", "then zorba ran"])
    assert {"zorba", "kim"} <= names
    assert "dog" not in names
    assert (
        masked("Zorba's dog had 1,200 or twelve bones", names) == "@ dog had # or # bones".split()
    )
    assert len(list(grams("one two " + "word " * 6, names))) == 2


def test_overlap_finds_what_the_generator_tells(monkeypatch):
    told = "Zed has 3 red kites and some more blue kites at home."
    sets = {"a": [told.replace("3", "77"), "nothing of it is here at all"], "b": ["too short"]}

    class Pool:
        def __init__(self, workers, prepare, given):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def imap(self, look, seeds):
            return map(look, list(seeds)[:1])

    class Told:
        text = told

    monkeypatch.setattr(
        "training.words.overlap.get_context", lambda _: type("C", (), {"Pool": Pool})
    )
    monkeypatch.setattr("training.words.overlap.synthetic", lambda _: Told)
    report = overlap(sets, 1, 1)
    assert report["a"]["sharing"] == report["a"]["wholly shared"] == 1
    assert report["a"]["problems"] == 2
    assert report["b"]["sharing"] == report["b"]["wholly shared"] == 0


def test_problems_to_train_on_keep_apart():
    """Nothing that is made shares seven masked words with what it was told to keep apart from."""
    rng = random.Random(4)
    texts = [dataset.synthetic(rng).text for _ in range(60)]
    apart = Apart.of(texts)
    assert sum(bool(apart.shared(text)) for text in texts) > 50  # some are too short
    try:
        dataset.kept_apart(apart)
        again = random.Random(4)
        kept = [dataset.synthetic(again).text for _ in range(60)]
        assert not any(apart.shared(text) for text in kept)
    finally:
        dataset.kept_apart(Apart())


def results(folder, weights):
    hashes = [sha256(path.read_bytes()).hexdigest() for path in weights]
    points = [{"step": 4, "seconds": 1.5, "loss": 0.25, "gsm8k": 0.125, "svamp": 0.5}]
    curves = {
        "problems": 1234,
        "gsm8k": {"fit": 77},
        "options": {"examples": 1000, "repeat": 3},
        "seeds": {"0": points, "1": points, "2": points},
        "best": "1",
    }
    (folder / "curves.json").write_text(json.dumps(curves))
    for seed, share in enumerate((0.5, 0.6, 0.7)):
        row = summary([(0.9, True)] * int(10 * share) + [(0.2, False)] * (10 - int(10 * share)),
                      [0.05], 0.5)  # fmt: skip
        report = {
            "calibration": {"temperature": 1.25, "threshold": 0.5},
            "sha256": hashes if seed == 1 else ["", ""],
            "sets": {"svamp": row, "list": row},
        }
        (folder / f"seed{seed}.json").write_text(json.dumps(report))
    shared = {"problems": 300, "sharing": 12, "wholly shared": 0, "most shared": {}}
    (folder / "overlap.json").write_text(
        json.dumps(
            {
                "examples": 1000,
                "words": 7,
                "svamp": shared | {"sharing": 0},
                "before filtering": {"examples": 1000, "words": 7, "svamp": shared},
            }
        )
    )


def front(folder):
    ruled = Found("rules", True, True, 1.0, 2.0)
    unsure = Found("embedded", False, True, 0.2, 40.0)
    wrong = Found("embedded", True, False, 0.9, 40.0)
    row = front_summary([ruled, unsure, wrong, wrong])
    (folder / "front.json").write_text(json.dumps({"single": row}))


def test_the_card_says_what_was_measured(tmp_path):
    weights = [tmp_path / "model-1.safetensors", tmp_path / "model-2.safetensors"]
    for path in weights:
        path.write_bytes(path.name.encode())
    results(tmp_path, weights)
    front(tmp_path)
    text = card(tmp_path, weights)
    assert "| svamp | 10 | 50.0% | 60.0% | 70.0% | 60.0% ± 24.8 |" in text
    assert "| svamp | 300 | 12 | 0 |" in text
    assert "About 180 of the 300 SVAMP problems measured here were read" in text
    assert "seed 1's" in text
    assert "| single | 4 | 1 of 1 | 50.0% | 15.0% to 85.0% | 75.0% | 33.3% |" in text
    assert sha256(weights[0].read_bytes()).hexdigest() in text
    weights[0].write_bytes(b"others")
    with pytest.raises(SystemExit, match="not those of seed 1"):
        card(tmp_path, weights)


def test_the_card_is_that_of_the_committed_weights():
    text = card(HERE / "results", [MODELS / name for name in FILES])
    assert (ROOT / "MODEL_CARD.md").read_text() == text


def test_one_seed_has_no_interval():
    assert spread([0.5]) == "50.0%"
