"""Every template tells problems whose plans come to the stories' answers."""

import random
import re
from collections.abc import Iterator
from itertools import product

import pytest

from training.words import expressions, vocabulary
from training.words.constructs import BLIND, HELD, TRAINED, chained, construct, templates
from training.words.dataset import CHUNK, arrays, blind, held_out, kinds, synthetic
from training.words.gsm8k import Unfit, converted
from training.words.problems import Misfit, problem
from training.words.stories import stories, tell
from training.words.templates import Choice, Sequence, parsed
from transputer.frontends.words.evaluate import evaluate
from transputer.frontends.words.numbers import find
from transputer.frontends.words.plan import Plan, Slot, parse


@pytest.mark.parametrize("story", stories(), ids=lambda story: story.name)
def test_stories(story):
    rng = random.Random(story.name)
    told = [tell(story, rng) for _ in range(12)]
    assert any(told)
    assert len({p.text for p in told if p}) == sum(p is not None for p in told)


@pytest.mark.parametrize("template", templates(), ids=lambda template: template.text)
def test_constructs(template):
    made = construct(template, random.Random(template.text))
    assert made is not None
    assert made.held == template.held


def test_names_are_used_once():
    names = [story.name for story in stories()]
    assert len(set(names)) == len(names)


def test_held_templates_are_never_trained_on():
    trained = {t.text for t in templates() if not t.held}
    assert trained.isdisjoint(t.text for t in templates() if t.held)
    assert {text for text, _ in TRAINED.steps}.isdisjoint(text for text, _ in HELD.steps)
    rng = random.Random(3)
    assert not any(synthetic(rng).held for _ in range(200))
    assert all(held_out(rng, kind).held for kind in kinds())


def test_every_construct_has_both_kinds_of_template():
    names = {t.construct for t in templates()}
    for name in names:
        held = [t.held for t in templates() if t.construct == name]
        assert held.count(True) >= 7, name
        assert held.count(False) >= 7, name


def test_chains_take_every_length():
    rng = random.Random(1)
    lengths = {len([t for t in chained(rng, False).tokens if t[0] == "N"]) for _ in range(200)}
    assert lengths >= {2, 3, 4, 5, 6}


def test_a_wrong_expression_is_noticed():
    with pytest.raises(Misfit, match="b is not in the text"):
        problem("\x01a\x025\x03 apples", "a + b", "story")
    with pytest.raises(Misfit, match="not found as it was written"):
        problem("\x01a\x02many\x03 apples and 3", "a + 1", "story")


def test_templates_with_open_brackets_are_refused():
    for text in ("[a|b", "a]"):
        with pytest.raises(ValueError, match="choice"):
            parsed(text)


def test_canonical_order_keeps_the_value():
    slots = {letter: Slot(i) for i, letter in enumerate("abcd")}
    numbers = [n.value for n in find("7, 3, 5 and 2")]
    for text, wanted in (
        ("c + a - b", "SUB ADD N0 N2 N1"),
        ("d * (b + a)", "MUL ADD N0 N1 N3"),
        ("a - (b - c)", "SUB ADD N0 N2 N1"),
        ("a / b * d", "DIV MUL N0 N3 N1"),
        ("100 * a", "MUL N0 C100"),
    ):
        plan = Plan(expressions.canonical(expressions.tree(text, slots)))
        assert " ".join(plan.tokens) == wanted
        values = dict(zip("abcd", numbers, strict=True))
        assert evaluate(plan, numbers) == expressions.answer(text, values)


@pytest.mark.parametrize(
    ("question", "solution", "plan"),
    [
        ("Al sold 48, then half as many.", "<<48/2=24>> <<48+24=72>> #### 72", "ADD N0 MUL N0 N1"),
        ("20% of 50 cats left 7 dogs.", "<<20/100*50=10>> #### 10", "PCT N0 N1"),
        ("8 hours.", "<<8*60=480>> #### 480", "MUL N0 C60"),
    ],
)
def test_marked_steps_become_plans(question, solution, plan):
    assert " ".join(converted(question, solution).tokens) == plan


@pytest.mark.parametrize(
    ("solution", "reason"),
    [
        ("<<17*3=51>> #### 51", "operand"),
        ("<<4+5=9>> #### 10", "answer"),
        ("it is 9 #### 9", "steps"),
        ("<<4**5=1024>> #### 1024", "operation"),
    ],
)
def test_marked_steps_that_do_not_fit(solution, reason):
    with pytest.raises(Unfit, match=reason):
        converted("Ann has 4 and Bob 5.", solution)


def test_arrays_say_the_same_as_the_problem():
    made = [synthetic(random.Random(i)) for i in range(20)]
    data = arrays(made)
    assert len(data) == 20 < CHUNK
    for row, item in enumerate(made):
        assert parse(item.tokens).slots <= set(range(int((data.slots[row] >= 0).sum())))


def every(sequence: Sequence) -> Iterator[str]:
    """Every text of a template, `#` for what fills its places."""
    parts: list[list[str]] = []
    for item in sequence:
        if isinstance(item, str):
            parts.append([item])
        elif isinstance(item, Choice):
            parts.append([text for option in item.options for text in every(option)])
        elif item.name[0] == "<":
            words = vocabulary.CLASSES[item.name[1:-1]]
            parts.append([text for word in words for text in every(parsed(word))])
        else:
            parts.append(["#%" if "%" in item.name else "#"])
    return ("".join(chosen) for chosen in product(*parts))


def words_of(text: str) -> str:
    return " ".join(re.findall(r"[a-z#%']+", text.lower()))


def test_no_held_out_template_is_told_by_one_that_is_trained_on():
    trained = {words_of(t) for one in templates() if not one.held for t in every(parsed(one.text))}
    apart = (one for file in BLIND.values() for one in templates(file))
    for one in (*apart, *(t for t in templates() if t.held)):
        assert one.held
        assert trained.isdisjoint(map(words_of, every(parsed(one.text)))), one.text


@pytest.mark.parametrize("name", BLIND)
def test_blind_problems_come_from_all_templates_and_counts_are_counts(name: str):
    found = blind(random.Random(1), name, 100)
    assert set(found) == {"single", "list"}
    for kind, problems in found.items():
        rows = [one for one in templates(BLIND[name]) if one.construct == kind]
        assert len(rows) >= 25
        assert len(problems) == 100
        for index, made in enumerate(problems):
            numbers = [number.value for number in find(made.text)]
            if rows[index % len(rows)].counted:
                value = evaluate(parse(made.tokens), numbers)
                assert value >= 0 and value == int(value)
