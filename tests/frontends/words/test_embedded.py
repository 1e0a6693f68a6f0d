"""The embedded model's parts that need no trained weights."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.frontends.words.embedded.beam import Candidate, search
from transputer.frontends.words.embedded.network import START, TOKENS, PlannerNetwork, WordRows
from transputer.frontends.words.embedded.planner import Calibration, Embedded, votes
from transputer.frontends.words.embedded.wordpiece import LONGEST, pieces, slot_piece, vocabulary
from transputer.frontends.words.grammar import run
from transputer.frontends.words.numbers import find
from transputer.frontends.words.plan import parse
from transputer.frontends.words.planner import Abstained

WIDTH = 48


def spelled(text: str) -> list[str]:
    names = {index: piece for piece, index in vocabulary().items()}
    return [names[index] for index in pieces(text, find(text)).ids]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann has 12 apples.", "[CLS] ann has [unused0] apples . [SEP]"),
        ("She ate twice as many", "[CLS] she ate [unused0] twice as many [SEP]"),
        ("20% of $1,200", "[CLS] [unused0] % of $ [unused1] [SEP]"),
        ("naïve unbelievably", "[CLS] naive un ##bel ##ie ##va ##bly [SEP]"),
        ("\u0378 ok", "[CLS] [UNK] ok [SEP]"),
    ],
)
def test_pieces(text, expected):
    assert spelled(text) == expected.split()


def test_slots_point_at_their_pieces():
    text = "7 boys, eight girls and 9 dogs"
    found = pieces(text, find(text))
    assert [found.ids[place] for place in found.slots] == [slot_piece(i) for i in range(3)]


def test_a_long_text_loses_its_middle():
    text = "3 apples " + "and more " * 500 + "4 pears"
    found = pieces(text, find(text))
    assert len(found.ids) == LONGEST and found.cut
    assert [found.ids[place] for place in found.slots] == [slot_piece(0), slot_piece(1)]
    text = "word " * 500 + "5 " + "word " * 500
    assert pieces(text, find(text)).slots == (-1,)


def random_network(seed: int) -> PlannerNetwork:
    rng = np.random.default_rng(seed)

    def matrix(rows, columns=WIDTH):
        return (rng.standard_normal((rows, columns)) / math.sqrt(columns)).astype(np.float32)

    weights = {"places.weight": matrix(LONGEST), "tokens.weight": matrix(START + 1)}
    weights["steps.weight"] = matrix(64)
    layers = {"enc.0.self": (3 * WIDTH, WIDTH), "enc.0.up": (64, WIDTH), "enc.0.down": (WIDTH, 64)}
    layers |= {"dec.0.self": (3 * WIDTH, WIDTH), "dec.0.memory": (2 * WIDTH, WIDTH)}
    layers |= {"dec.0.up": (64, WIDTH), "dec.0.down": (WIDTH, 64), "output": (len(TOKENS), WIDTH)}
    for name in ("enc.0.out", "dec.0.out", "dec.0.ask", "dec.0.told", "pointer", "slots"):
        layers[name] = (WIDTH, WIDTH)
    for name, shape in layers.items():
        weights[f"{name}.weight"], weights[f"{name}.bias"] = matrix(*shape), matrix(1, shape[0])[0]
    for name in "entry enc.0.norm1 enc.0.norm2 dec.0.norm1 dec.0.norm2 dec.0.norm3 final".split():
        weights[f"{name}.weight"] = np.ones(WIDTH, np.float32)
        weights[f"{name}.bias"] = np.zeros(WIDTH, np.float32)
    words = rng.integers(-127, 128, (len(vocabulary()), WIDTH), np.int8)
    return PlannerNetwork(WordRows(words, np.full(len(words), 0.01, np.float32)), weights)


@random_cases(20)
@given(st.integers(0, 1000), st.integers(1, 5), st.integers(1, 12))
def test_the_beam_writes_only_plans(seed, numbers, limit):
    text = " and ".join(str(n) for n in range(numbers))
    found = search(random_network(seed), pieces(text, find(text)), width=4, limit=limit)
    assert found
    for candidate in found:
        assert run(candidate.tokens, numbers, 0).complete
        assert len(candidate.tokens) <= limit
        assert parse(candidate.tokens).slots <= set(range(numbers))
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)


def test_a_step_of_several_beams_is_that_of_each():
    network, text = random_network(5), "4 and 5 and 6"
    memory = network.encode(pieces(text, find(text)))
    _, past = network.step(np.array([START]), network.start(), memory)
    both = past.chosen(np.array([0, 0]))
    tokens = np.array([TOKENS.index("ADD"), TOKENS.index("N1")])
    joint, _ = network.step(tokens, both, memory)
    for row, token in enumerate(tokens):
        alone, _ = network.step(np.array([token]), past, memory)
        np.testing.assert_allclose(joint[row], alone[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.exp(joint).sum(1), 1, rtol=1e-5)


def test_plans_of_one_value_vote_together():
    text = "How many are 5 and 3?"
    found = votes(
        [
            Candidate(("SUB", "N0", "N1"), math.log(0.4)),
            Candidate(("ADD", "N0", "N1"), math.log(0.3)),
            Candidate(("ADD", "N1", "N0"), math.log(0.2)),
        ],
        text,
        find(text),
        1.0,
    )
    assert [vote.value for vote in found] == [Fraction(8), Fraction(2)]
    assert found[0].plan.tokens == ("ADD", "N0", "N1")
    assert math.exp(found[0].weight) == pytest.approx(0.5)


def test_fewer_than_nothing_is_doubted():
    text = "How many more than 5 are 3?"
    plans = [Candidate(("SUB", "N1", "N0"), -0.1), Candidate(("SUB", "N0", "N1"), -2.5)]
    assert votes(plans, text, find(text), 1.0)[0].value == 2


def test_proposals_are_shares_of_the_vote():
    planner = Embedded(random_network(1), Calibration(1.0, 0.5))
    text = "Ann has 4 apples and 9 pears."
    found = planner.propose(text, find(text))
    assert sum(p.confidence for p in found) == pytest.approx(1)
    assert [p.confidence for p in found] == sorted((p.confidence for p in found), reverse=True)


def test_what_the_model_was_not_taught_is_refused():
    planner = Embedded(random_network(1), Calibration(1.0, 0.5))
    long = "the 5 and 6 " + "word and " * 200
    for text in ("no numbers here", "1 " * 30, "7 Äpfel und 8 Birnen", long):
        with pytest.raises(Abstained):
            planner.propose(text, find(text))
