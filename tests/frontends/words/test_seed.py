"""The seed's printed cases and comparisons, run by the weights and by wasmtime."""

import pytest

from transputer import api

from .test_rules import COMPARISONS, SEED


@pytest.mark.parametrize("question, answer", SEED + COMPARISONS)
def test_the_weights_answer(question, answer):
    found = api.ask(question, engine="native", check=True, model=False)
    assert found.value == answer and isinstance(found.value, bool) == isinstance(answer, bool)
    assert found.result.machine == "trace" and found.result.steps >= found.result.instructions > 0
