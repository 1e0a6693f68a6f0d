"""The tools: what each takes, and what it answers. Calls run in a process of their own."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from transputer.errors import TransputerError
from transputer.runtime.ask import Answer, ask, calculate
from transputer.runtime.trace.text import LANGUAGES, compile_confined
from transputer.serve.limits import ServeLimits
from transputer.values import dataclass

Json = dict[str, Any]
_LONGEST = 1024


class ToolError(TransputerError):
    """A call that cannot be answered; `status` is the HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it is for, the JSON schema of its arguments, and its function."""

    name: str
    doc: str
    properties: Mapping[str, Json]
    required: tuple[str, ...]
    function: Callable[[Json, ServeLimits], Json]

    @property
    def schema(self) -> Json:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }

    def checked(self, arguments: object, limits: ServeLimits) -> Json:
        """Return the arguments with their defaults; raise `ToolError` if they do not fit."""
        if not isinstance(arguments, dict):
            raise ToolError("the arguments are not a JSON object")
        if unknown := sorted(set(map(str, arguments)) - set(self.properties)):
            raise ToolError(f"{self.name} takes no argument {unknown[0][:40]!r}")
        if missing := [name for name in self.required if name not in arguments]:
            raise ToolError(f"{self.name} needs the argument {missing[0]!r}")
        return {
            name: _value(name, arguments.get(name, schema.get("default", "")), schema, limits)
            for name, schema in self.properties.items()
        }


def _value(name: str, value: object, schema: Json, limits: ServeLimits) -> Any:
    """Return an argument of the right type and size."""
    if schema["type"] == "array":
        if not isinstance(value, list) or len(value) > limits.arguments:
            raise ToolError(f"{name!r} must be a list of at most {limits.arguments} strings")
        if not all(isinstance(one, str) and len(one) <= _LONGEST for one in value):
            raise ToolError(f"{name!r} must be strings of at most {_LONGEST} characters")
        return value
    if not isinstance(value, str):
        raise ToolError(f"{name!r} must be a string")
    most = getattr(limits, _SIZES.get(name, ""), _LONGEST)
    if len(value.encode("utf-8", "replace")) > most:
        raise ToolError(f"{name!r} has at most {most:,} bytes", 413)
    if "enum" in schema and value not in schema["enum"]:
        raise ToolError(f"{name!r} must be one of {', '.join(schema['enum'])}")
    return value


#: The limit of an argument's size, where it is not that of a name.
_SIZES = {"program": "source", "plan": "question", "question": "question", "stdin": "stdin"}


def _run(call: Json, limits: ServeLimits) -> Json:
    program = compile_confined(call["program"], call["language"], seconds=limits.seconds)
    result = program.run(
        call["invoke"] or None,
        call["args"],
        stdin=call["stdin"].encode("utf-8", "replace"),
        max_steps=limits.steps,
        keep=False,
        digest=True,
    )
    if len(result.stdout) > limits.output:
        raise ToolError(f"the program wrote more than {limits.output:,} bytes")
    return result.as_json()


def _verify(call: Json, limits: ServeLimits) -> Json:
    result = _run(call, limits)
    return {"equal": result["trace_sha256"] == call["trace_sha256"], **result}


def _ask(call: Json, limits: ServeLimits) -> Json:
    return _answered(ask(call["question"], max_steps=limits.steps))


def _calculate(call: Json, limits: ServeLimits) -> Json:
    return _answered(calculate(call["plan"], max_steps=limits.steps))


def _answered(answer: Answer) -> Json:
    wat = answer.compiled.wat if answer.compiled is not None else None
    return {**answer.as_json(), "wat": wat}


_TEXT: Json = {"type": "string"}
_PROGRAM: dict[str, Json] = {
    "program": {"type": "string", "description": "The source text."},
    "language": {"type": "string", "enum": list(LANGUAGES), "default": "c"},
    "invoke": {**_TEXT, "default": "", "description": "Function to call; main if empty."},
    "args": {"type": "array", "items": _TEXT, "default": []},
    "stdin": {**_TEXT, "default": "", "description": "Standard input."},
}
TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "run",
            "Run a program exactly, one forward pass of a transformer per instruction. Returns "
            "results, output, exit code, steps and the hash of the trace.",
            _PROGRAM,
            ("program",),
            _run,
        ),
        Tool(
            "calculate",
            "Compute an expression or a program exactly, with integers of any size and fractions. "
            "The language is a subset of Python: + - * / // % **, comparisons, if, for, while, "
            "functions, lists, and a library (factorial, fibonacci, gcd, prime, divisors, …).",
            {"plan": {"type": "string", "description": "Such as 2**100 or sum(span(1, 10, 1))"}},
            ("plan",),
            _calculate,
        ),
        Tool(
            "ask",
            "Answer a question in English about numbers exactly, or say why there is no answer.",
            {"question": {"type": "string"}},
            ("question",),
            _ask,
        ),
        Tool(
            "verify",
            "Run a program again and say whether the hash of its trace is the one that is given.",
            {**_PROGRAM, "trace_sha256": {"type": "string"}},
            ("program", "trace_sha256"),
            _verify,
        ),
    )
}


def studio_work(name: str, call: Json, answer: Json) -> Json | None:
    """Return what the studio's editor holds to show a call's run; None if nothing ran."""
    work = {"machine": "trace", "invoke": "", "args": "", "stdin": ""}
    if name in ("run", "verify"):
        args = " ".join(call["args"])
        return {**work, "source": call["program"], "language": call["language"],
                "invoke": call["invoke"], "args": args, "stdin": call["stdin"]}  # fmt: skip
    if answer.get("wat") is None:
        return None
    if name == "ask":
        return {**work, "source": call["question"], "language": "words"}
    return {**work, "source": answer["wat"], "language": "wat"}


def content(answer: Json) -> str:
    """Return an answer as the text of a tool's message."""
    return json.dumps({name: value for name, value in answer.items() if name != "wat"})
