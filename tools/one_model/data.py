"""Questions, the programs that answer them, and the answers: what the language model learns from.

The answer is computed by Python; the machine never runs in training. A question has a kind of
operation, a number of digits and a template; templates of `HELD_OUT` are for evaluation only.
"""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from pathlib import Path

MOST = 2**63 - 1


@dataclass(frozen=True)
class Question:
    """A question with its program (numbers and routines) and its result as text."""

    operation: str
    digits: int
    text: str
    program: list[str]
    result: str
    opening: str = ""
    closing: str = "."


@dataclass(frozen=True)
class Operation:
    """How to draw operands, the program and the result, and how people ask for it."""

    draw: Callable[[random.Random, int], list[int]]
    program: Callable[[list[int]], list[str]]
    result: Callable[[list[int]], str]
    ways: tuple[str, ...]
    held_out: tuple[str, ...]
    most_digits: int = 18


def number(rng: random.Random, digits: int) -> int:
    """Return a number of exactly so many digits."""
    return rng.randrange(10 ** (digits - 1) if digits > 1 else 0, 10**digits)


def two(rng: random.Random, digits: int) -> list[int]:
    """Return two numbers; the second is often shorter."""
    return [number(rng, digits), number(rng, rng.randint(1, digits))]


def alike(rng: random.Random, digits: int) -> list[int]:
    """Return two numbers in random order."""
    pair = two(rng, digits)
    rng.shuffle(pair)
    return pair


def product(rng: random.Random, digits: int) -> list[int]:
    """Return two factors whose product fits the machine."""
    return [number(rng, digits), number(rng, rng.randint(1, min(digits, 18 - digits) or 1))]


def related(rng: random.Random, digits: int) -> list[int]:
    """Return two numbers that often have a common factor."""
    factor = rng.randint(1, max(1, 10 ** (digits // 2)))
    a, b = (max(1, number(rng, digits) // factor) * factor for _ in range(2))
    return [a, b]


def power(rng: random.Random, digits: int) -> list[int]:
    """Return a base, an exponent and a modulus."""
    return [number(rng, digits), rng.randint(2, 999), max(2, number(rng, digits))]


def ordered(rng: random.Random, digits: int) -> list[int]:
    """Return the ends of a range."""
    return sorted(two(rng, digits))


def several(rng: random.Random, digits: int) -> list[int]:
    """Return three to six numbers."""
    return [number(rng, rng.randint(1, digits)) for _ in range(rng.randint(3, 6))]


def calls(*names: str) -> Callable[[list[int]], list[str]]:
    """Return a function that pushes the operands and calls these routines."""
    return lambda numbers: [*map(str, numbers), *names]


def is_prime(n: int) -> bool:
    """Return whether n is prime."""
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


def yes(value: bool) -> str:
    """Return the answer to a question of yes or no."""
    return "yes" if value else "no"


OPERATIONS = {
    "addition": Operation(
        alike, calls("add", "show"), lambda n: str(n[0] + n[1]),
        ("What is {0} plus {1}?", "Add {0} and {1}.", "{0} + {1} = ?", "Calculate {0} + {1}.",
         "What do you get when you add {0} to {1}?", "Find the sum of {0} and {1}.",
         "How much is {0} and {1} together?", "Compute {0}+{1}", "what's {0} plus {1}"),
        ("What is the sum of {0} and {1}?", "Please add {0} to {1}.", "How much is {0} + {1}?")),
    "subtraction": Operation(
        alike, calls("sub", "show"), lambda n: str(n[0] - n[1]),
        ("What is {0} minus {1}?", "Calculate {0} - {1}.", "{0} - {1} = ?", "Compute {0}-{1}",
         "What is left of {0} after taking away {1}?", "What's {0} minus {1}",
         "How much is {0} less {1}?", "Take {0} and subtract {1}."),
        ("How much is {0} minus {1}?", "Please work out {0} - {1}.",
         "What do you get when you take {0} minus {1}?")),
    "multiplication": Operation(
        product, calls("mul", "show"), lambda n: str(n[0] * n[1]),
        ("What is {0} times {1}?", "Multiply {0} by {1}.", "{0} * {1} = ?", "Compute {0}*{1}",
         "Calculate {0} x {1}.", "Find the product of {0} and {1}.", "what's {0} times {1}",
         "How much is {0} multiplied by {1}?"),
        ("What is the product of {0} and {1}?", "How much is {0} times {1}?",
         "Please multiply {0} and {1}."), 17),
    "division": Operation(
        lambda r, d: [number(r, d), max(1, number(r, r.randint(1, d)))], calls("divrem"),
        lambda n: f"{n[0] // n[1]} r {n[0] % n[1]}",
        ("Divide {0} by {1} with remainder.", "What is {0} divided by {1}, with remainder?",
         "{0} / {1} with remainder = ?", "Calculate {0} divided by {1} and the remainder.",
         "How often does {1} fit into {0}, and what remains?"),
        ("What are quotient and remainder of {0} divided by {1}?",
         "Please divide {0} by {1} and give the remainder.",
         "How much is {0} divided by {1}, with remainder?")),
    "gcd": Operation(
        related, calls("gcd", "show"), lambda n: str(gcd(*n)),
        ("What is the greatest common divisor of {0} and {1}?", "gcd({0}, {1}) = ?",
         "Compute the gcd of {0} and {1}.", "Find the greatest common factor of {0} and {1}.",
         "What is the largest number that divides both {0} and {1}?"),
        ("Calculate the greatest common divisor of {0} and {1}.", "What is the gcd of {0} and {1}?",
         "Please find the gcd of {0} and {1}.")),
    "powers": Operation(
        power, calls("powmod", "show"), lambda n: str(pow(*n)),
        ("What is {0} to the power of {1} modulo {2}?", "{0}^{1} mod {2} = ?",
         "Compute {0} to the {1} modulo {2}.", "Calculate {0}**{1} % {2}.",
         "What is the remainder of {0}^{1} when divided by {2}?"),
        ("How much is {0} to the power of {1}, modulo {2}?", "Please compute {0}^{1} mod {2}.",
         "Find {0} to the power {1} modulo {2}."), 9),
    "comparison": Operation(
        alike, calls("greater"), lambda n: yes(n[0] > n[1]),
        ("Is {0} greater than {1}?", "Is {0} larger than {1}?", "Is {0} more than {1}?",
         "{0} > {1}?", "Would you say that {0} exceeds {1}?"),
        ("Is the number {0} greater than {1}?", "Is {0} bigger than {1}?",
         "Tell me: is {0} larger than {1}?")),
    "less": Operation(
        alike, calls("less"), lambda n: yes(n[0] < n[1]),
        ("Is {0} less than {1}?", "Is {0} smaller than {1}?", "Is {0} below {1}?", "{0} < {1}?"),
        ("Is the number {0} less than {1}?", "Tell me: is {0} smaller than {1}?")),
    "larger": Operation(
        alike, calls("max", "show"), lambda n: str(max(n)),
        ("Which is larger, {0} or {1}?", "What is the maximum of {0} and {1}?",
         "Which number is greater: {0} or {1}?", "max({0}, {1}) = ?"),
        ("Which of {0} and {1} is larger?", "Which is greater, {0} or {1}?")),
    "sorting": Operation(
        several, lambda n: [w for x in n for w in (str(x), "item")] + ["list"],
        lambda n: ", ".join(map(str, sorted(n))),
        ("Sort {all}.", "Sort these numbers: {all}.", "Put {all} in order.",
         "Arrange {all} from smallest to largest.", "Sort the list {all} in ascending order."),
        ("Please sort the numbers {all}.", "Order {all} from smallest to largest.",
         "What are the numbers {all} in ascending order?"), 6),
    "ranges": Operation(
        ordered, calls("sum", "show"), lambda n: str((n[0] + n[1]) * (n[1] - n[0] + 1) // 2),
        ("What is the sum of all numbers from {0} to {1}?", "Add up the integers from {0} to {1}.",
         "Sum the numbers from {0} to {1}.", "What do the integers from {0} to {1} add up to?",
         "Find the sum of the integers {0} through {1}."),
        ("What is the sum of the integers from {0} to {1}?",
         "Calculate the sum of all integers from {0} to {1}.",
         "Please add up all numbers from {0} to {1}."), 8),
    "primes": Operation(
        lambda r, d: [number(r, d) | r.choice((0, 1, 1, 1))], calls("prime"),
        lambda n: yes(is_prime(n[0])),
        ("Is {0} prime?", "Is {0} a prime number?", "Is the number {0} prime?",
         "Check whether {0} is a prime.", "Can you tell whether {0} is prime?"),
        ("Tell me if {0} is a prime number.", "Is it true that {0} is prime?"), 6),
}  # fmt: skip

#: Words around a result.
OPENINGS = ("", "", "", "The answer is ", "That is ", "It is ")


def question(rng: random.Random, operation: str, digits: int, held_out: bool = False) -> Question:
    """Return a question of an operation whose numbers have at most so many digits."""
    how = OPERATIONS[operation]
    while True:
        numbers = how.draw(rng, min(digits, how.most_digits))
        result = how.result(numbers)
        if not result.lstrip("-").isdigit() or abs(int(result)) <= MOST:
            break
    way = rng.choice(how.held_out if held_out else how.ways)
    text = way.format(*numbers, all=", ".join(map(str, numbers)))
    opening = "" if held_out or "yes" in (result,) or result == "no" else rng.choice(OPENINGS)
    return Question(operation, digits, text, how.program(numbers), result, opening)


def draw(rng: random.Random) -> Question:
    """Return a question for training: any operation, any number of digits."""
    operation = rng.choice(list(OPERATIONS))
    return question(rng, operation, rng.randint(1, OPERATIONS[operation].most_digits))


def word_problems(path: Path) -> list[Question]:
    """Return SVAMP's problems, without programs; the digits are those of the longest number."""
    questions = []
    for row in json.loads(path.read_text()):
        text = f"{row['Body']} {row['Question']}"
        digits = max(map(len, re.findall(r"\d+", text)))
        result = f"{row['Answer']:.15g}"
        questions.append(Question(row["Type"].lower(), digits, text, [], result))
    return questions


#: Questions about nothing that is to be computed; {x} is a word of a list.
PLAIN = (
    "What is the capital of {country}?", "Tell me about {animal}s.", "Who wrote {book}?",
    "What is a {animal}?", "Describe the weather in {country}.", "Why is the sky blue?",
    "What happened in {year}?", "Give me a recipe with {food}.", "How do I cook {food}?",
    "Write a short poem about {food}.", "What does a {animal} eat?", "Say hello in French.",
    "What language is spoken in {country}?", "Is {food} healthy?", "Who was born in {year}?",
    "Explain what a {thing} is.", "What is the color of a {animal}?", "How are you today?",
    "Tell me a story about {count} {animal}s.", "What is a {thing} used for?",
    "Recommend {count} books about {country}.", "What is the history of {country} since {year}?",
    "Can a {animal} fly?", "Name a famous person from {country}.", "What is the opposite of hot?",
    "What is the {thing} made of?", "Write a sentence with the word {thing}.",
)  # fmt: skip
PLAIN_HELD_OUT = (
    "Where is {country}?", "What sound does a {animal} make?", "Which meals need {food}?",
    "Who ruled {country} in {year}?", "What is special about a {thing}?",
    "Could you describe a {animal} in {count} sentences?", "What should I know about {country}?",
)  # fmt: skip
WORDS = {
    "country": "France Japan Brazil Kenya Canada Norway India Peru Egypt Italy Spain China".split(),
    "animal": "dog cat horse whale eagle frog lion bear rabbit owl shark goat".split(),
    "book": ["Hamlet", "Moby Dick", "Emma", "Faust", "Walden", "Dracula"],
    "food": "rice bread cheese apples tomatoes beans eggs fish carrots lentils".split(),
    "thing": "hammer clock bridge computer telescope violin compass bicycle candle mirror".split(),
}


def plain(rng: random.Random, held_out: bool = False) -> str:
    """Return a question that needs no computation, numbers in it or not."""
    words = {name: rng.choice(choices) for name, choices in WORDS.items()}
    words |= {"year": str(rng.randint(1400, 2020)), "count": str(rng.randint(2, 9))}
    return rng.choice(PLAIN_HELD_OUT if held_out else PLAIN).format(**words)


class Nonsense(ValueError):
    """A program that the machine would trap on."""


#: The same routines in Python, to judge a written program without the machine.
_BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "max": max, "min": min, "gcd": lambda a, b: gcd(a, b),
    "sum": lambda a, b: (a + b) * (b - a + 1) // 2,
    "div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "rem": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}  # fmt: skip


def evaluate(program: str) -> str:
    """Return what a written program prints, by Python; raises `Nonsense` where it traps."""
    stack: list[int] = []
    items: list[int] = []
    output = ""

    def pop() -> int:
        if not stack:
            raise Nonsense("too few operands")
        return stack.pop()

    for word in program.split():
        if word.isdigit():
            stack.append(int(word))
        elif word in _BINARY:
            b, a = pop(), pop()
            if word in ("div", "rem") and b == 0:
                raise Nonsense("division by zero")
            stack.append(_BINARY[word](a, b))
        elif word == "divrem":
            b, a = pop(), pop()
            if b == 0:
                raise Nonsense("division by zero")
            output += f"{_BINARY['div'](a, b)} r {_BINARY['rem'](a, b)}"
        elif word == "powmod":
            m, e, b = pop(), pop(), pop()
            if m == 0:
                raise Nonsense("division by zero")
            stack.append(pow(b, e, m))
        elif word in ("less", "greater"):
            b, a = pop(), pop()
            output += yes(a < b if word == "less" else a > b)
        elif word == "prime":
            output += yes(is_prime(pop()))
        elif word == "item":
            items.append(pop())
        elif word == "list":
            output += ", ".join(map(str, sorted(items)))
            items.clear()
        elif word == "show":
            output += str(pop())
        else:
            raise Nonsense(f"a digit without a number: {word}")
    return output
