"""What models write after the end of a question: the kinds, and the table of the page."""

import json
from collections import Counter

import pytest

from training.words_lm import suffix

RESULTS = json.loads(suffix.RESULTS.read_text())


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        (" 15\n\nThe", "number"),
        (" -1,200.", "number"),
        (" No, it", "yes or no"),
        (" true.", "yes or no"),
        (" the number of", "other"),
        ("", "other"),
    ],
)
def test_the_first_word_says_what_is_written(written: str, kind: str) -> None:
    assert suffix.kind(written) == kind


def test_the_page_has_the_table_of_the_results() -> None:
    assert suffix.page(RESULTS) in suffix.PAGE.read_text()


def test_a_base_and_an_instructed_model_wrote_after_every_prompt() -> None:
    assert {of["tuning"] for of in RESULTS.values()} == {"base", "instructed"}
    for of in RESULTS.values():
        for label, prompts in suffix.PROMPTS.items():
            row = of["prompts"][label]
            assert list(row["texts"]) == prompts
            assert row["kinds"] == Counter(map(suffix.kind, row["texts"].values()))
