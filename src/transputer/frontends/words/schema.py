"""The plan grammar for other people's decoders: JSON schema and GBNF, from the one table.

Both let through every plan. What they cannot say (that a name is assigned before it is used)
is checked here when a reply is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transputer.frontends.words.grammar import CONSTANT_TOKENS, NAMES
from transputer.frontends.words.operations import BY_TOKEN, OPERATIONS, Operation, PlanType
from transputer.frontends.words.plan import (
    Apply,
    Name,
    Node,
    Plan,
    PlanConstant,
    PlanError,
    Slot,
    leaf,
)

#: The keys of an operation's arguments.
KEYS = ("a", "b", "c")
#: An operation of a reply is inside so many others at most: JSON is read recursively.
DEEPEST = 200


def json_schema(slots: int, names: int = NAMES) -> dict[str, Any]:
    """A JSON schema of plans over so many numbers: `{"lets": [..], "result": ..}`."""
    number, boolean = (
        {"$ref": f"#/$defs/{kind.value}"} for kind in (PlanType.NUMBER, PlanType.BOOLEAN)
    )
    return {
        **_object({"lets": {"type": "array", "items": number, "maxItems": names},
                   "result": {"anyOf": [number, boolean]}}),
        "$defs": {type_.value: {"anyOf": list(_alternatives(type_, slots, names))}
                  for type_ in PlanType},
    }  # fmt: skip


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _alternatives(kind: PlanType, slots: int, names: int) -> Iterator[dict[str, Any]]:
    if kind is PlanType.NUMBER:
        yield {"enum": list(_operands(slots, names))}
    by_signature: dict[tuple[tuple[PlanType, ...], bool], list[str]] = {}
    for row in OPERATIONS:
        if row.result is kind:
            by_signature.setdefault((row.arguments, row.variadic), []).append(row.token)
    for (arguments, variadic), tokens in by_signature.items():
        parts: dict[str, Any] = {"op": {"enum": tokens}}
        references = [{"$ref": f"#/$defs/{item.value}"} for item in arguments]
        if variadic:
            parts["items"] = {"type": "array", "items": references[0], "minItems": 1}
        else:
            parts |= dict(zip(KEYS, references, strict=False))
        yield _object(parts)


def _operands(slots: int, names: int) -> Iterator[str]:
    yield from (f"N{index}" for index in range(slots))
    yield from CONSTANT_TOKENS
    yield from (f"V{index}" for index in range(names))


def to_json(plan: Plan) -> dict[str, Any]:
    """A plan in the schema's form."""
    return {"lets": [_to_json(node) for node in plan.lets], "result": _to_json(plan.result)}


def _to_json(node: Node) -> Any:
    if not isinstance(node, Apply):
        return node.token
    values = [_to_json(argument) for argument in node.arguments]
    if node.operation.variadic:
        return {"op": node.token, "items": values}
    return {"op": node.token, **dict(zip(KEYS, values, strict=False))}


def from_json(value: Any) -> Plan:
    """The plan of a reply; PlanError where it is not one, whatever the schema let through."""
    if not isinstance(value, dict) or "result" not in value:
        raise PlanError("the reply has no result")
    lets = value.get("lets") or []
    if not isinstance(lets, list):
        raise PlanError("the assignments of the reply are not a list")
    return Plan(_node(value["result"], 0), tuple(_node(item, 0) for item in lets))


def _node(value: Any, depth: int) -> Node:
    if depth > DEEPEST:
        raise PlanError("the reply is nested too deeply")
    if isinstance(value, str):
        return leaf(value)
    token = value.get("op") if isinstance(value, dict) else None
    if not isinstance(token, str) or token not in BY_TOKEN:
        raise PlanError(f"{str(value)[:40]!r} is no part of a plan")
    row = BY_TOKEN[token]
    if row.variadic:
        items = value.get("items")
        if not isinstance(items, list):
            raise PlanError(f"{row.token} has no items")
    else:
        items = [value.get(key) for key in KEYS[: len(row.arguments)]]
    return Apply(row, tuple(_node(item, depth + 1) for item in items))


def gbnf(slots: int, names: int = NAMES) -> str:
    """A GBNF grammar of plans over so many numbers, as one line of text."""
    lines = [f"root ::= {_lets(0, names)}"]
    for kind in PlanType:
        options = [_rule(row) for row in OPERATIONS if row.result is kind]
        if kind is PlanType.NUMBER:
            options = [*_quoted(_lines(slots, names)), *options]
        lines.append(f"{kind.value} ::= {' | '.join(options)}")
    return "\n".join(lines) + "\n"


def _lets(first: int, names: int) -> str:
    """The assignments that may still come, and the result."""
    text = "( number | boolean )"
    for index in range(names - 1, first - 1, -1):
        text = f'( "v{index} = " number "; " {text} | ( number | boolean ) )'
    return text


def _lines(slots: int, names: int) -> list[str]:
    nodes: list[Slot | PlanConstant | Name] = [*map(Slot, range(slots)), *map(Name, range(names))]
    named = [node.token if isinstance(node, Slot) else node.token.lower() for node in nodes]
    return [*named, *(token[1:] for token in CONSTANT_TOKENS)]


def _quoted(texts: Sequence[str]) -> list[str]:
    return [f'"{text}"' for text in texts]


def _rule(row: Operation) -> str:
    kinds = [kind.value for kind in row.arguments]
    if row.variadic:
        return f'"{row.begin}" {kinds[0]} ( "{row.separator}" {kinds[0]} )* "{row.end}"'
    inner = f' "{row.separator}" '.join(kinds)
    return f'"{row.begin}" {inner} "{row.end}"'
