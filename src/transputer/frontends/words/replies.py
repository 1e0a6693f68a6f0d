"""What a language model is told, and how its reply becomes a plan.

The model writes a program of the plan language over the slots `N0`, `N1`, …, or says that there is
no answer. A GBNF grammar of the language constrains servers that take one. Whatever a server sends,
the reader of the language decides: what is no program over the question's numbers is refused.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from transputer.frontends.words.language import read_program
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.operations import CONSTANTS, OPERATIONS, Operation, PlanType
from transputer.frontends.words.plan import Plan, PlanError
from transputer.frontends.words.planner import Abstained

#: How a model says that it has no plan.
CANNOT = "cannot_answer"
#: How deep statements are inside each other, at most, under the GBNF grammar.
_DEPTH = 3
_NAMES = "abcdeghijkmnpqrstuwxyz"

EXAMPLES = (
    ("Janet has N0 apples. She gives away N1. How many are left?", "N0 - N1"),
    ("Each of N0 boxes holds N1 eggs; N2 broke. How many are whole?", "N0 * N1 - N2"),
    ("What is the sum of the even numbers from N0 to N1?", "sum(evens(span(N0, N1, 1)))"),
    ("Is N0 larger than N1?", "N0 > N1"),
    ("A shirt costs N0 dollars and is N1% off. What does it cost?", "N0 - percent(N1, N0)"),
    ("How often must N0 be halved to get below N1?",
     "x = N0\nn = 0\nwhile x >= N1:\n    x = x / 2\n    n = n + 1\nreturn n"),
    ("There are N0 sheep on a ship. How old is the captain?", ""),
)  # fmt: skip


def masked(question: str, numbers: Sequence[Number]) -> str:
    """The question with slots for its numbers; percent signs and words like `half` stay."""
    parts, at = [], 0
    for index, number in enumerate(numbers):
        slot = f"N{index}%" if number.percent else f"N{index}"
        worded = number.text[0].isalpha() or number.reckoned
        parts += [question[at : number.start], f"{number.text} [{slot}]" if worded else slot]
        at = number.end
    return "".join([*parts, question[at:]])


def instructions(as_json: bool) -> str:
    """What the model is told; the functions come from the table."""
    functions = "\n".join(
        f"{row.name}({', '.join(kind.value for kind in row.arguments)}): {row.doc}"
        for row in _functions()
    )
    form = (
        f'one JSON object: {{"program": "..."}}, or {{"{CANNOT}": "why"}} if there is no answer'
        if as_json
        else f"the program alone, or `{CANNOT}` if there is no answer"
    )
    return (
        "Turn a question into a program that computes its answer. The question's numbers are N0, "
        "N1 and so on: use these names, never the numbers. A number with % is a percentage. The "
        "program is a subset of Python with exact numbers: assignments, if, while, for, functions, "
        "lists and comprehensions; it ends with `return` or with an expression. Small constants "
        "and these functions may be used:\n"
        f"{functions}\nspan(a, b, step) includes both ends. If something that is needed is "
        f"missing, there is no answer. Reply with {form}."
    )


def example(line: str, as_json: bool) -> str:
    """An example's reply."""
    if not line:
        return json.dumps({CANNOT: "nothing says how old"}) if as_json else CANNOT
    return json.dumps({"program": line}) if as_json else line


def json_schema() -> dict[str, Any]:
    """The JSON schema of replies."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {name: {"type": "string"}},
                "required": [name],
                "additionalProperties": False,
            }
            for name in ("program", CANNOT)
        ]
    }


def read_reply(content: str, slots: int) -> Plan:
    """The plan in a reply; `Abstained` if the model says that there is none."""
    text = re.sub(r"<think(?:ing)?>.*?</think(?:ing)?>", "", content, flags=re.DOTALL)
    text = re.split(r"</think(?:ing)?>", text)[-1].strip()
    if not text:
        raise PlanError("the reply is empty")
    problem = PlanError("the reply has no program")
    for candidate in _candidates(text):
        if candidate.strip().strip("`\"'.").lower().startswith(CANNOT):
            raise Abstained("the model says that there is no answer")
        try:
            plan = read_program(candidate)
        except PlanError as refused:
            problem = refused
            continue
        if missing := sorted(slot for slot in plan.slots if slot >= slots):
            problem = PlanError(f"N{missing[0]} is not a number of the question")
            continue
        return plan
    raise problem


def _candidates(text: str) -> Iterator[str]:
    """What may be the program: in JSON objects, in fences, the whole text."""
    for value in _objects(text):
        if isinstance(value.get(CANNOT), str) and "program" not in value:
            yield CANNOT
        elif isinstance(value.get("program"), str):
            yield value["program"]
    for fence in reversed(re.findall(r"```\w*\n(.*?)```", text, flags=re.DOTALL)):
        if not fence.lstrip().startswith("{"):
            yield fence.strip()
    if "```" not in text and not text.startswith("{"):
        yield text


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text that has prose around them, the last first."""
    decoder, at = json.JSONDecoder(), 0
    objects: list[dict[str, Any]] = []
    while (at := text.find("{", at)) >= 0 and len(objects) < 20:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict):
            objects.append(value)
    yield from reversed(objects)


def _functions() -> list[Operation]:
    return [row for row in OPERATIONS if row.separator == ", " and row.name not in _HIDDEN]


_HIDDEN = frozenset(("", "if", "neg", "not", "at", "empty"))


def gbnf(slots: int) -> str:
    """A GBNF grammar of programs over `slots` numbers."""
    number = [f'"N{index}"' for index in range(slots)] + [f'"{value}"' for value in CONSTANTS]
    name = " | ".join(f'"{letter}"' for letter in _NAMES)
    calls: dict[PlanType, list[str]] = {kind: [] for kind in PlanType}
    for row in _functions():
        inner = ' ", " '.join(kind.value for kind in row.arguments)
        calls[row.result].append(f'"{row.name}(" {inner} ")"')
    infix = [row for row in OPERATIONS if row.infix and row.arguments[0] is PlanType.NUMBER]
    symbols = {
        kind: " | ".join(f'"{row.separator}"' for row in infix if row.result is kind)
        for kind in (PlanType.NUMBER, PlanType.BOOLEAN)
    }
    comprehension = '"[" number " for " name " in " list ( " if " boolean )? "]"'
    rules = [
        f'root ::= "{CANNOT}" | block0',
        f"name ::= {name}",
        f"number ::= name | {' | '.join(number)} | {' | '.join(calls[PlanType.NUMBER])}"
        f' | "(" number ( {symbols[PlanType.NUMBER]} ) number ")" | "(-" number ")"'
        ' | "(" number " if " boolean " else " number ")" | name "[" number "]"',
        f'boolean ::= "(" number ( {symbols[PlanType.BOOLEAN]} ) number ")"'
        ' | "(" boolean ( " and " | " or " ) boolean ")" | "not(" boolean ")"'
        f" | {' | '.join(calls[PlanType.BOOLEAN])}",
        f'list ::= name | "[" number ( ", " number )* "]" | {comprehension}'
        f" | {' | '.join(calls[PlanType.LIST])}",
        'block0 ::= ( line0 "\\n" )* ( "return " )? ( number | boolean | list )',
    ]
    for depth in range(_DEPTH + 1):
        indent = " " * 4 * depth
        options = [
            f'"{indent}" name " = " ( number | list )',
            f'"{indent}" name ".append(" number ")"',
        ]
        if depth:
            options.append(f'"{indent}return " ( number | boolean | list )')
        if depth < _DEPTH:
            inner = f'( line{depth + 1} ) ( "\\n" line{depth + 1} )*'
            options += [
                f'"{indent}while " boolean ":\\n" {inner}',
                f'"{indent}for " name " in " list ":\\n" {inner}',
                f'"{indent}if " boolean ":\\n" {inner} ( "\\n{indent}else:\\n" {inner} )?',
            ]
        rules.append(f"line{depth} ::= {' | '.join(options)}")
    return "\n".join(rules) + "\n"
