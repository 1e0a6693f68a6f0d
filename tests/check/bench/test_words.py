"""The measuring of word problems: readers, exact answers, curves, leaks."""

import json
from fractions import Fraction

import pytest

from tests.sampling import sampled
from transputer.check.bench import words
from transputer.check.bench.constructs import CONSTRUCTS, LATER, paraphrases, templates
from transputer.check.bench.draw import draw
from transputer.check.bench.word_problems import WordProblem, find_problems
from transputer.errors import UsageError
from transputer.frontends.words import text
from transputer.frontends.words.planner import Abstained, Proposal
from transputer.runtime.ask import Answer


class Subtracts:
    """A planner that always subtracts, and is surer of larger first numbers."""

    name = "subtracts"
    threshold = 0.5

    def propose(self, question, numbers):
        if len(numbers) < 2:
            raise Abstained("fewer than two numbers")
        sure = min(1.0, float(numbers[0].value) / 100)
        return [Proposal(text.read("(N0 - N1)"), sure)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "svamp_test.json").write_text(
        json.dumps(
            [
                {
                    "Body": "A hen had 9 eggs and 4 broke",
                    "Question": "How many are whole?",
                    "Equation": "( 9.0 - 4.0 )",
                    "Answer": 5.0,
                    "Type": "Subtraction",
                },
                {
                    "Body": "3 people share 10 pies.",
                    "Question": "How much does each get?",
                    "Equation": "( 10.0 / 3.0 )",
                    "Answer": 3.33,
                },
            ]
        )
    )
    (tmp_path / "mawps_asdiv_a.csv").write_text(
        "Question,Numbers,Equation,Answer\n"
        '"Ann has number0 pens , Bo number1 . How many ?",0.5 7.0,- + number0 number1 1,6.5\n'
    )
    (tmp_path / "gsm8k_test.jsonl").write_text(
        json.dumps({"question": "Add 600 to 600.", "answer": "It is <<600+600=1200>>\n#### 1,200"})
        + "\n"
    )
    (tmp_path / "README").write_text("not a collection")
    return tmp_path


def test_collections_are_read_with_exact_answers(folder):
    found = find_problems(folder)
    assert found["SVAMP (svamp_test)"] == [
        WordProblem(
            "A hen had 9 eggs and 4 broke, How many are whole?", Fraction(5), "Subtraction"
        ),
        WordProblem("3 people share 10 pies. How much does each get?", Fraction(10, 3)),
    ]
    assert found["MAWPS"] == [WordProblem("Ann has 0.5 pens , Bo 7 . How many ?", Fraction(13, 2))]
    assert found["GSM8K (gsm8k_test)"] == [WordProblem("Add 600 to 600.", Fraction(1200))]
    assert found["ASDiv-A"] == []


def test_only_what_was_held_of_the_training_problems_is_measured(tmp_path):
    rows = [{"question": f"{n} + 0", "answer": f"#### {n}"} for n in range(41)]
    (tmp_path / "gsm8k_train.jsonl").write_text("\n".join(map(json.dumps, rows)))
    held = find_problems(tmp_path)["GSM8K (gsm8k_train, held)"]
    assert [problem.answer for problem in held] == [0, 20, 40]


@pytest.mark.parametrize(
    "name, content",
    [
        ("svamp.json", "[{}]"),
        ("svamp.json", "{"),
        ("gsm8k.jsonl", '{"question": "x", "answer": "none"}'),
        ("mawps_asdiv.csv", "Question,Numbers,Equation,Answer\nnumber9,1,+,2\n"),
    ],
)
def test_a_collection_in_another_form_is_named(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=name):
        find_problems(tmp_path)


def test_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TRANSPUTER_WORDS", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="TRANSPUTER_WORDS"):
        find_problems()


@pytest.mark.parametrize(
    "wanted, value, same",
    [
        (Fraction(1, 3), Fraction(1, 3), True),
        (Fraction(1, 3), Fraction(33, 100), False),
        (Fraction(1), True, False),
        (True, Fraction(1), False),
        (True, True, True),
        (Fraction(2), 2.0, True),
        (Fraction(2), None, False),
    ],
)
def test_answers_are_compared_exactly(wanted, value, same):
    assert words.right(WordProblem("", wanted), Answer("", value=value)) is same


SETS = {
    "made up": [
        WordProblem("I had 80 pens and lost 30 pens, you know", Fraction(50)),
        WordProblem("I had 60 pens and found 30 pens, you know", Fraction(90)),
        WordProblem("I had 20 pens and lost 10 pens, you know", Fraction(10)),
        WordProblem("20 + 10", Fraction(30)),
        WordProblem("no numbers", Fraction(0)),
    ]
}


def test_the_table_and_the_curve_of_a_planner():
    table, curve = words.measure(Subtracts(), sets=SETS)
    row = table.as_json()["rows"][0]
    assert (row["problems"], row["rules answer"], row["rules right %"]) == (5, 1, 20)
    assert (row["model right %"], row["both right %"]) == (40, 60)
    assert (row["coverage %"], row["precision %"]) == (40, 50)
    assert row["precision % at 40 %"] == 50
    assert row["low"] == 23.1 and row["high"] == 88.2  # Wilson's interval of 3 of 5
    points = [(r["confidence"], r["coverage %"], r["precision %"]) for r in curve.as_json()["rows"]]
    assert points == [(0.8, 20, 100), (0.6, 40, 50), (0.2, 80, 50)]


def test_the_picture_of_the_curves(tmp_path):
    pytest.importorskip("matplotlib")
    table, curve = words.measure(Subtracts(), sets=SETS)
    picture = draw(curve, tmp_path)
    assert picture is not None and "made up" in picture.read_text()
    assert draw(table, tmp_path) is None


def test_without_a_model_only_the_rules_have_figures():
    table, curve = words.measure(None, sets=SETS)
    row = table.as_json()["rows"][0]
    assert row["rules right %"] == 20 and row["model right %"] is None and curve.rows == []
    assert any("rules alone" in note for note in table.notes)


def test_leaks():
    training = ["Tom has 3 pens and 4 cups", "a b c d e f g h i j k l m n o p"]
    test = ["Tom has 55 pens and 6 cups", "Ann has 3 pens", "x a b c d e f g h i j k l m n o p y"]
    assert words.leaks(test, training) == [test[0], test[2]]


def test_training_files(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"question": "what is 3?"}\nplain 4\n')
    assert words.training_questions(tmp_path / "a.jsonl") == ["what is 3?", "plain 4"]
    with pytest.raises(UsageError, match="not a file of training questions"):
        words.training_questions(tmp_path / "none")


@pytest.mark.slow
@pytest.mark.parametrize("count", sampled([8, 24], 2))
def test_paraphrases_are_many_and_the_rules_get_none_wrong(count):
    found = paraphrases(count)
    assert len(found) == len(CONSTRUCTS) + len(LATER) == 20 and len(templates()) == 120
    for name, problems in found.items():
        several = 4 if name.endswith("later") else 8
        assert len(problems) == count
        assert len({problem.kind for problem in problems}) == several
        attempts = [words.by_rules(problem) for problem in problems]
        assert [a for a in attempts if a.answered and not a.right] == []
    assert found == paraphrases(count) != paraphrases(count, seed=8)


@pytest.mark.slow
def test_from_the_command_line(cli, folder, monkeypatch, tmp_path):
    monkeypatch.setenv("TRANSPUTER_WORDS", str(folder))
    out = tmp_path / "out"
    options = ("--no-model", "--limit", "2", "--count", "2", "--json", "--output", out)
    ran = cli("bench", "words", *options)
    held = json.loads(ran.out)
    assert ran.code == 0 and len(held["words"]["rows"]) == 4 + 20
    assert json.loads((out / "words.json").read_text()) == held["words"]
    ran = cli("bench", "words", "--training", folder / "gsm8k_test.jsonl", "--json", "--count", "2")
    rows = json.loads(ran.out)["words-leakage"]["rows"]
    assert [row["seen"] for row in rows if row["set"].startswith("GSM8K")] == [1]
    assert cli("bench", "words", "--no-model", "--planner", "x").code == 2
