"""Training of the language model with the computer inside, on a tiny random language model."""

import argparse
import json
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tokenizers")
import torch  # noqa: E402

from tests.tiny_language import byte_tokenizer, tiny  # noqa: E402
from tools.one_model import base, train  # noqa: E402
from tools.one_model.data import (  # noqa: E402
    OPERATIONS,
    Nonsense,
    draw,
    evaluate,
    question,
    word_problems,
)
from transputer.embed.one_model.vocabulary import KINDS  # noqa: E402
from transputer.frontends.words.smollm.network import Rank, SmolNetwork  # noqa: E402


def test_programs_print_the_results_of_their_questions() -> None:
    rng = random.Random(5)
    for name, how in OPERATIONS.items():
        for digits in range(1, how.most_digits + 1):
            one = question(rng, name, digits, held_out=digits % 2 == 0)
            assert evaluate(" ".join(one.program)) == one.result
        assert not set(how.ways) & set(how.held_out)
    with pytest.raises(Nonsense):
        evaluate("5 add")
    with pytest.raises(Nonsense):
        evaluate("7 0 divrem")


def test_the_loss_sees_the_program_and_not_the_machine() -> None:
    reader = train.Reader(byte_tokenizer(), 259)
    one = draw(random.Random(3))
    ids, targets = reader.example(one)
    shown = [i for i in targets if i != train.MASKED]
    program = [reader.row(kind) for kind in KINDS.program(one.program)]
    closing = [*reader.text(one.closing), train.END]
    assert shown == [*reader.text(one.opening), *program, *closing]
    assert train.program_of(ids, 259) == " ".join(one.program)


def test_word_problems_are_questions(tmp_path: Path) -> None:
    row = {"Body": "Dan had $ 40.", "Question": "How much is left of it after 3?",
           "Answer": 37.0, "Type": "Subtraction"}  # fmt: skip
    (tmp_path / "svamp.json").write_text(json.dumps([row]))
    (one,) = word_problems(tmp_path / "svamp.json")
    assert one.text == "Dan had $ 40. How much is left of it after 3?"
    assert (one.operation, one.digits, one.result) == ("subtraction", 2, "37")


def test_what_prompts_begin_with_is_read_once() -> None:
    """The answers are those of each prompt alone; a stop ends one."""
    torch.manual_seed(0)
    checkpoint = tiny()
    network = SmolNetwork(checkpoint, Rank(4), train.EXTRA)
    prompts = [[5, 80, 90, 7], [5, 80, 9, 8, 7], [5, 80, 1, 7]]
    with torch.no_grad():
        answers = train.answers_of(network, prompts, 6, "cpu", base=True)
        single = [train.answers_of(network, [p], 6, "cpu", base=True)[0] for p in prompts]
        stop = answers[0][1]
        stopped = train.answers_of(network, prompts, 6, "cpu", base=True, stop=stop)
    assert answers == single and len(answers[0]) == 6
    assert stopped[0] == answers[0][: answers[0].index(stop) + 1]


@pytest.mark.slow
def test_it_trains_and_measures(tmp_path: Path) -> None:
    torch.manual_seed(0)
    checkpoint = tiny()
    network = SmolNetwork(checkpoint, Rank(4), train.EXTRA)
    reader = train.Reader(checkpoint.tokenizer, 259)
    train.new_rows(network, reader)
    args = argparse.Namespace(
        seed=0, rate=1e-2, batch=8, chats=3, words=4, steps=30, seconds=60.0, every=10, keep=0.1,
        questions=1, plain=2,
    )  # fmt: skip
    curve = train.fit(network, reader, ["Some prose to keep."], args, "cpu")
    assert [row["step"] for row in curve] == [10, 20, 30]
    assert curve[-1]["loss"] < curve[0]["loss"]
    results = train.measure(network, reader, ["Prose. " * 120], args, "cpu")
    assert {row["operation"] for row in results["questions"]} == set(OPERATIONS)
    assert results["plain"]["asked"] == 2
    assert results["perplexity"]["base"] > 1 and results["perplexity"]["adapted"] > 1


def test_pieces_join_to_the_weights(tmp_path: Path) -> None:
    data = np.arange(2 * 20, dtype=np.uint8).reshape(2, 20)
    blocks = base.DEQUANTISE["Q4_1"](data)
    scale, least = data[:, :2].copy().view(np.float16), data[:, 2:4].copy().view(np.float16)
    assert blocks.shape == (2, 32)
    assert blocks[1, 0] == np.float32(scale[1, 0]) * (data[1, 4] & 15) + np.float32(least[1, 0])
    assert blocks[0, 16] == np.float32(scale[0, 0]) * (data[0, 4] >> 4) + np.float32(least[0, 0])
